/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file of a container engine says of a container: question, work, answer.  Who runs a container
 * chooses what is in there.
 */
#include <config.h>

#include "symbol/parser/parser_listing.h"

#include "symbol/parser/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#include <jansson.h>

enum {
	FILE_BYTES_MAX = 16 << 20, /* podman has all of its containers in one */
	NAME_BYTES_MAX = 256,      /* Kubernetes allows 253: what is longer is no name */
};

/* What it is called, "": it does not say. */
struct container_text {
	const char *space, *pod, *name;
};

/* Where each engine writes it: an object in the file's own, and its members. */
static const struct engine_words {
	const char *objects[2]; /* one in the other; NULL: the file itself */
	const char *space, *pod, *name;
} engines[] = {
	/* containerd, for Kubernetes */
	{ { "annotations" }, "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri.sandbox-name",
	  "io.kubernetes.cri.container-name" },
	/* CRI-O */
	{ { "annotations" }, "io.kubernetes.pod.namespace", "io.kubernetes.pod.name",
	  "io.kubernetes.container.name" },
	{ { "annotations" }, "", "", "nerdctl/name" },
	/* docker, for Kubernetes and by itself */
	{ { "Config", "Labels" }, "io.kubernetes.pod.namespace", "io.kubernetes.pod.name",
	  "io.kubernetes.container.name" },
	{ { NULL }, "", "", "Name" },
};

static char *
read_file(int fd, size_t *len)
{
	char *text = mem_realloc(NULL, 1, FILE_BYTES_MAX + 1);
	ssize_t n = 1;

	for (*len = 0; n > 0 && *len <= FILE_BYTES_MAX; *len += n > 0 ? (size_t)n : 0)
		n = pread(fd, text + *len, FILE_BYTES_MAX + 1 - *len, (off_t)*len);
	if (n < 0 || *len > FILE_BYTES_MAX)
		*len = 0;
	return text;
}

static const char *
text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text != NULL && strlen(text) <= NAME_BYTES_MAX ? text : "";
}

static bool
find_by_words(const json_t *file, struct container_text *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		const struct engine_words *e = &engines[i];
		const json_t *object = file;

		for (size_t n = 0; n < ARRAY_SIZE(e->objects) && e->objects[n] != NULL; n++)
			object = json_object_get(object, e->objects[n]);
		*t = (struct container_text){ text_of(object, e->space), text_of(object, e->pod),
					      text_of(object, e->name) };
		t->name += *t->name == '/'; /* docker's begin with one */
		/* That which only holds a pod's namespaces has no name of its own. */
		if (*t->name == '\0' && *t->pod != '\0')
			t->name = "pause";
		if (*t->name != '\0')
			return true;
	}
	return false;
}

/* podman's list: an array of objects with "id" and "names". */
static bool
find_in_list(const json_t *file, const char *id, struct container_text *t)
{
	for (size_t i = 0; i < json_array_size(file); i++) {
		const json_t *item = json_array_get(file, i);
		const char *name = json_string_value(json_array_get(json_object_get(item, "names"), 0));

		if (strcmp(text_of(item, "id"), id) != 0)
			continue;
		*t = (struct container_text){ "", "", name != NULL && strlen(name) <= NAME_BYTES_MAX ? name : "" };
		return *t->name != '\0';
	}
	return false;
}

static void
put_answer(const struct container_text *t, struct buf *out)
{
	struct buf pod = { 0 }, name = { 0 };

	if (*t->pod != '\0')
		buf_addf(&pod, "%s%s%s", t->space, *t->space != '\0' ? "/" : "", t->pod);
	buf_addf(&name, "%s%s%s", buf_str(&pod), pod.len > 0 ? "/" : "", t->name);
	wire_put_string(out, buf_str(&name));
	wire_put_string(out, buf_str(&pod));
	buf_release(&pod);
	buf_release(&name);
}

void
parser_container(int fd, struct reader *r, struct buf *out)
{
	struct container_text t = { "", "", "" };
	const char *id = reader_string(r);
	size_t len;
	char *text = read_file(fd, &len);
	json_t *file = json_loadb(text, len, 0, NULL);

	if (!find_by_words(file, &t) && !find_in_list(file, id, &t))
		t = (struct container_text){ "", "", "" };
	put_answer(&t, out);
	json_decref(file);
	free(text);
}

#else

void
parser_container(int fd, struct reader *r, struct buf *out)
{
	(void)fd;
	(void)r;
	wire_put_string(out, "");
	wire_put_string(out, "");
}

#endif
