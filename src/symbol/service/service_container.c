/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What containers are called: files of their engines, one place after the other. */
#include "symbol/service/service_impl.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

/*
 * In order; "%" is the container's id.  Files that are not root's, or that others may write, are not
 * read.
 */
static const char *const places[] = {
	"/run/containerd/io.containerd.runtime.v2.task/k8s.io/%/config.json",
	"/run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/%/config.json",
	"/run/containerd/io.containerd.runtime.v2.task/default/%/config.json",
	"/run/containerd/io.containerd.runtime.v1.linux/k8s.io/%/config.json",
	"/run/containers/storage/overlay-containers/%/userdata/config.json",
	"/var/lib/containers/storage/overlay-containers/%/userdata/config.json",
	"/var/lib/docker/containers/%/config.v2.json",
	"/var/lib/containers/storage/overlay-containers/containers.json",
	"/var/lib/containers/storage/overlay-containers/volatile-containers.json",
};

static void
answer(struct symbol_service *s, struct job *job)
{
	queue_send(s->answers, &job->container->answer->msg);
	job->container->answer = NULL;
	job_free(job);
}

static void
put_place(struct buf *path, const char *root, const char *place, const char *id)
{
	buf_reset(path);
	buf_add_str(path, root);
	for (; *place != '\0'; place++) {
		if (*place == '%')
			buf_add_str(path, id);
		else
			buf_add_char(path, *place);
	}
}

void
service_begin_container(struct symbol_service *s, struct job *job)
{
	struct container_job *c = job->container;
	struct buf path = { 0 };
	bool has_place = false;

	job->ask.kind = SYMBOL_CONTAINER;
	while (!has_place && c->next < ARRAY_SIZE(places)) {
		put_place(&path, s->config.container_root, places[c->next++], c->id);
		has_place = !file_is_known_missing(buf_str(&path));
	}
	if (has_place) {
		job_set_path(job, buf_str(&path));
		msg_list_add(&s->to_open, &job->msg);
	} else {
		answer(s, job);
	}
	buf_release(&path);
}

void
service_make_container(struct symbol_service *s, struct job *job)
{
	remote_container(s->remote, job);
	job_close(job);
	if (*job->container->answer->name != '\0')
		answer(s, job);
	else
		service_begin_container(s, job);
}
