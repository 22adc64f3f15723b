/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "base/file.h"

#include <string.h>

enum { FORMAT_BYTES_MAX = 1 << 16 };

/* The folder of the tracepoint called "group:name" or "group:name:modifiers". */
static bool
put_folder(const struct event_env *env, const char *name, struct buf *path)
{
	size_t group = strcspn(name, ":");
	const char *own = name + group + 1;

	if (name[group] == '\0' || memchr(name, '/', group) != NULL ||
	    tracepoint_dir(env, path, NULL) < 0)
		return false;
	buf_addf(path, "/%.*s/%.*s", (int)group, name, (int)strcspn(own, ":"), own);
	return strchr(own, '/') == NULL;
}

/* From "field:unsigned char prev_comm[16];	offset:8;..." the name of the field. */
static void
put_name(const char *line, struct buf *out)
{
	size_t end = strcspn(line, ";["), begin = end;

	while (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '*')
		begin--;
	buf_addf(out, "%s%.*s", out->len > 0 ? " " : "", (int)(end - begin), line + begin);
}

bool
tracepoint_fields(const struct event_env *env, const char *name, struct buf *out)
{
	static const char key[] = "\tfield:";
	struct buf path = { 0 }, text = { 0 };
	const char *p;

	if (put_folder(env, name, &path)) {
		buf_add_str(&path, "/format");
		file_read(path.data, &text, FORMAT_BYTES_MAX);
	}
	for (p = buf_str(&text); (p = strstr(p, key)) != NULL;) {
		p += strlen(key);
		put_name(p, out);
	}
	buf_release(&path);
	buf_release(&text);
	return out->len > 0;
}

uint64_t
tracepoint_id(const struct event_env *env, const char *name)
{
	struct buf path = { 0 };
	int64_t id = 0;

	if (put_folder(env, name, &path)) {
		buf_add_str(&path, "/id");
		id = file_number(path.data, 0);
	}
	buf_release(&path);
	return id > 0 ? (uint64_t)id : 0;
}
