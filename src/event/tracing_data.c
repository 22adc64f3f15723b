/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "base/file.h"

#include <string.h>

enum { FORMAT_MAX = 256 << 10, NAME_MAX_LEN = 127 };

/* Adds the length and content of the file; of length 0 if it cannot be read. */
static void
add_file(struct buf *out, const char *path)
{
	struct buf text = { 0 };

	file_read(path, &text, FORMAT_MAX);
	buf_add_raw64(out, text.len);
	buf_add(out, text.data, text.len);
	buf_release(&text);
}

static void
add_header(struct buf *out, const char *dir, const char *name)
{
	struct buf path = { 0 };

	buf_add(out, name, strlen(name) + 1);
	buf_addf(&path, "%s/%s", dir, name);
	add_file(out, path.data);
	buf_release(&path);
}

/* "group" and "name" of "group:name:modifiers". */
static bool
split(const char *text, char group[NAME_MAX_LEN + 1], char name[NAME_MAX_LEN + 1])
{
	size_t group_len = strcspn(text, ":"), name_len;

	if (text[group_len] == '\0' || group_len > NAME_MAX_LEN)
		return false;
	name_len = strcspn(text + group_len + 1, ":");
	if (name_len == 0 || name_len > NAME_MAX_LEN)
		return false;
	memcpy(group, text, group_len);
	group[group_len] = '\0';
	memcpy(name, text + group_len + 1, name_len);
	name[name_len] = '\0';
	return true;
}

/* Each tracepoint as a group of its own: readers accept a group twice. */
static uint32_t
add_formats(struct buf *out, const char *dir, char *const *names, size_t count)
{
	char group[NAME_MAX_LEN + 1], name[NAME_MAX_LEN + 1];
	struct buf path = { 0 };
	uint32_t added = 0;

	for (size_t i = 0; i < count; i++) {
		if (!split(names[i], group, name))
			continue;
		buf_reset(&path);
		buf_addf(&path, "%s/%s/%s/format", dir, group, name);
		buf_add(out, group, strlen(group) + 1);
		buf_add_raw32(out, 1);
		add_file(out, path.data);
		added++;
	}
	buf_release(&path);
	return added;
}

int
tracing_data_build(const struct event_env *env, char *const *names, size_t count, struct buf *out,
		   struct err *err)
{
	static const char magic[] = "\27\10\104tracing0.6"; /* with its NUL */
	const uint16_t one = 1;
	struct buf dir = { 0 };
	uint32_t systems;
	size_t at;

	if (tracepoint_dir(env, &dir, err) < 0) {
		buf_release(&dir);
		return -1;
	}
	buf_add(out, magic, sizeof(magic));
	buf_add_char(out, *(const uint8_t *)&one == 1 ? 0 : 1); /* big-endian? */
	buf_add_char(out, (char)sizeof(long));
	buf_add_raw32(out, (uint32_t)page_size());
	add_header(out, dir.data, "header_page");
	add_header(out, dir.data, "header_event");
	buf_add_raw32(out, 0); /* ftrace's own events */
	at = out->len;
	buf_add_raw32(out, 0);
	systems = add_formats(out, dir.data, names, count);
	memcpy(out->data + at, &systems, sizeof(systems));
	buf_add_raw32(out, 0); /* no kallsyms, */
	buf_add_raw32(out, 0); /* no formats of printk, */
	buf_add_raw64(out, 0); /* no names of tasks: the records have them */
	buf_release(&dir);
	return 0;
}
