/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images of files: the one that is kept from an earlier run, or made anew. */
#include "symbol/service/service_impl.h"

#include "symbol/file/build_id.h"
#include "symbol/elf/elf_image.h"
#include "symbol/kernel/kernel.h"
#include "symbol/parser/remote.h"
#include "symbol/elf/stripped.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct symbol_image_msg *
answer_new(const struct job *job, struct image *image, const struct err *err)
{
	struct symbol_image_msg *m = symbol_image_msg_new(job->ask.dso);

	m->ino_generation = job->ino_generation;
	m->image = image;
	snprintf(m->reason, sizeof(m->reason), "%.*s", (int)sizeof(m->reason) - 1, err->text);
	snprintf(m->remedy, sizeof(m->remedy), "%.*s", (int)sizeof(m->remedy) - 1, err->hint);
	if (image != NULL)
		snprintf(m->source, sizeof(m->source), "%s", image_source(image));
	m->ns = job->ns;
	m->lacks_debug_file = job->lacks_debug_file;
	m->lost_debug_file = job->lost_debug_file;
	return m;
}

/* Whoever waits for a dead file system costs others their time: it is not tried again. */
struct symbol_unread
service_unread(const struct job *job, const struct err *err)
{
	return (struct symbol_unread){ job->has_hung ? ERR_NONE : err->code, job->ask.pid };
}

void
service_answer_image(struct symbol_service *s, struct job *job, struct image *image,
		     const struct parser_file *f, const struct err *err)
{
	struct symbol_image_msg *m = answer_new(job, image, err);

	if (f != NULL) {
		memcpy(m->build_id, f->build_id, sizeof(m->build_id));
		m->build_id_len = f->build_id_len;
	} else if (image != NULL) {
		m->build_id_len = (uint8_t)image_build_id(image, m->build_id);
	}
	if (image == NULL && (f == NULL || err->code == ERR_BUSY))
		m->unread = service_unread(job, err);
	if (image == NULL && m->build_id_len == 0 && job->ask.kind == SYMBOL_ELF) {
		memcpy(m->build_id, job->ask.build_id, sizeof(m->build_id));
		m->build_id_len = job->ask.build_id_len;
		m->lacks_file = m->build_id_len > 0;
	}
	queue_send(s->answers, &m->msg);
	job_free(job);
}

void
service_answer_kernel(struct symbol_service *s, struct job *job, struct kernel_load *l)
{
	struct symbol_image_msg *m = answer_new(job, l->image, &l->err);

	snprintf(m->source, sizeof(m->source), "%s",
		 job->ask.kind == SYMBOL_VMLINUX ? job->ask.path :
		 job->ask.kallsyms != NULL ? job->ask.kallsyms : s->config.kallsyms);
	m->state = l->state.kernel;
	m->programs = l->state.programs;
	m->is_unchanged = l->is_unchanged;
	queue_send(s->answers, &m->msg);
	job_free(job);
}

bool
service_is_asked_build(const struct symbol_ask *ask, const uint8_t *build_id, size_t len,
		       struct err *err)
{
	if (ask->build_id_len == 0 ||
	    (ask->build_id_len == len && memcmp(ask->build_id, build_id, len) == 0))
		return true;
	open_explain_build(ask, err);
	return false;
}

/* Whether a kept image's debug file is here by now, or still. */
static bool
has_debug_file(struct symbol_service *s, const struct image *image)
{
	struct debug_ask ask = { .want = DEBUG_BY_ID };
	int fd;

	ask.build_id_len = (uint8_t)image_build_id(image, ask.build_id);
	/* Mostly there is none, and the kernel knows: no process has to be made to look. */
	if (debug_find_is_none(&s->debug.finder, &ask))
		return false;
	fd = s->debug.finder.find(&s->debug.finder, &ask);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct image_cache_key
service_cache_key(const struct job *job, enum image_cache_kind kind)
{
	uint8_t build_id[BUILD_ID_BYTES];
	int len;

	switch (job->ask.kind) {
	case SYMBOL_ELF:
		return image_cache_key_of_file(kind, &job->st);
	case SYMBOL_VDSO:
		len = build_id_read(job->fd, build_id);
		return image_cache_key_of_vdso(kind, build_id, (size_t)MAX(len, 0));
	case SYMBOL_KERNEL:
	case SYMBOL_MEMORY:
	case SYMBOL_SOURCE:
	case SYMBOL_SOURCE_NAMED:
	case SYMBOL_SOURCE_SENT:
	case SYMBOL_CONTAINER:
	case SYMBOL_VMLINUX:
		break;
	}
	return (struct image_cache_key){ "" };
}

/* The image made of this very file in an earlier run, NULL: there is none. */
static struct image *
kept_image(struct symbol_service *s, const struct job *job)
{
	struct image_cache_key key = service_cache_key(job, IMAGE_CACHE_SYMBOLS);
	int fd = image_cache_load(s->cache, &key);
	struct image *image = fd >= 0 ? image_open(fd, NULL) : NULL;
	uint8_t build_id[20];

	if (image == NULL)
		return NULL;
	if (service_is_asked_build(&job->ask, build_id, image_build_id(image, build_id), NULL) &&
	    !(image_is_partial(image) && has_debug_file(s, image)))
		return image;
	image_free(image);
	return NULL;
}

static void
explain_late(struct err *err)
{
	err_set(err, ERR_BUSY, 0, "stripped, and where its debug file would be does not answer");
	err_hint(err, "see which network file system does not answer: ls /usr/lib/debug");
}

static void
answer_kept(struct symbol_service *s, struct job *job, struct image *image)
{
	struct err err = { 0 };
	uint8_t build_id[20];
	size_t len = image_build_id(image, build_id);

	if (image_is_partial(image) && s->debug.was_late) {
		explain_late(&err);
	} else if (image_is_partial(image) && job->ask.kind != SYMBOL_VDSO) {
		stripped_explain(&err, build_id, len, strcmp(image_source(image), ELF_IMAGE_EXPORTS) == 0);
		stripped_hint(&err, build_id, len, &job->ask, job->ns);
		job->lacks_debug_file = len > 0;
	} else if (job->ask.wants_lost && strcmp(image_source(image), ELF_IMAGE_BY_ID) == 0) {
		/* What is late is not gone. */
		job->lost_debug_file = !has_debug_file(s, image) && !s->debug.was_late;
	}
	service_answer_image(s, job, image, NULL, &err);
}

/* What the parser made of the file, -1: nothing.  It is of the build that was asked for. */
static int
make_anew(struct symbol_service *s, struct job *job, struct parser_file *about,
	  struct err *err)
{
	int fd = remote_image(s->remote, job->fd, about, err);
	struct image_cache_key key;

	if (about->is_elf &&
	    !service_is_asked_build(&job->ask, about->build_id, about->build_id_len, err)) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if ((job->ask.kind == SYMBOL_VDSO || job->ask.kind == SYMBOL_MEMORY) && fd >= 0)
		*err = (struct err){ 0 }; /* what it exports is all that it has */
	/* Of what else is said nothing would be kept with it; what was late may come next time. */
	if (fd >= 0 && !s->debug.was_late && (err->code == ERR_NONE || err->code == ERR_GONE)) {
		key = service_cache_key(job, IMAGE_CACHE_SYMBOLS);
		image_cache_keep(s->cache, &key, fd);
	}
	if (job->ask.kind != SYMBOL_ELF || !about->is_elf)
		return fd;
	if (err->code == ERR_GONE && s->debug.was_late) {
		explain_late(err);
	} else if (err->code == ERR_GONE) {
		stripped_hint(err, about->build_id, about->build_id_len, &job->ask, job->ns);
		job->lacks_debug_file = about->build_id_len > 0;
	}
	return fd;
}

void
service_make_image(struct symbol_service *s, struct job *job)
{
	struct parser_file about = { .is_vmlinux = job->ask.kind == SYMBOL_VMLINUX,
				     .text = job->ask.text };
	struct image *image;
	struct err err = { 0 };
	int fd;

	s->debug.finder.file = &job->ask;
	s->debug.was_late = false;
	image = kept_image(s, job);
	if (image != NULL) {
		answer_kept(s, job, image);
		return;
	}
	fd = make_anew(s, job, &about, &err);
	image = fd >= 0 ? image_open(fd, &err) : NULL;
	if (image != NULL && job->ask.kind == SYMBOL_VMLINUX) {
		job->base = image;
		msg_list_add(&s->kernel_jobs, &job->msg);
	} else {
		service_answer_image(s, job, image, &about, &err);
	}
}
