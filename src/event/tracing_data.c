/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "base/file.h"

#include <string.h>

enum { FORMAT_MAX = 256 << 10, NAME_MAX_LEN = 127 };

static void
add_text(struct buf *out, const char *text, size_t len)
{
	buf_add_raw64(out, len);
	buf_add(out, text, len);
}

/* Adds the length and content of the file; of length 0 if it cannot be read. */
static void
add_file(struct buf *out, const char *path)
{
	struct buf text = { 0 };

	file_read(path, &text, FORMAT_MAX);
	add_text(out, text.data, text.len);
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

/* Where the format of the tracepoint @text is, with its @group; false: it is no tracepoint. */
static bool
put_path(struct buf *path, const char *dir, const char *text, char group[NAME_MAX_LEN + 1])
{
	char name[NAME_MAX_LEN + 1];

	if (!split(text, group, name))
		return false;
	buf_reset(path);
	buf_addf(path, "%s/%s/%s/format", dir, group, name);
	return true;
}

char *
tracepoint_format(const struct event_env *env, const char *name)
{
	struct buf dir = { 0 }, path = { 0 }, text = { 0 };
	char group[NAME_MAX_LEN + 1];
	bool is_read = tracepoint_dir(env, &dir, NULL) == 0 && put_path(&path, dir.data, name, group) &&
		       file_read(path.data, &text, FORMAT_MAX) == 0;
	char *format = is_read ? mem_strdup(buf_str(&text)) : NULL;

	buf_release(&dir);
	buf_release(&path);
	buf_release(&text);
	return format;
}

/* Each tracepoint as a group of its own: readers accept a group twice. */
static uint32_t
add_formats(struct buf *out, const char *dir, const struct traced *list, size_t count)
{
	char group[NAME_MAX_LEN + 1];
	struct buf path = { 0 };
	uint32_t added = 0;

	for (size_t i = 0; i < count; i++) {
		if (!put_path(&path, dir, list[i].name, group))
			continue;
		buf_add(out, group, strlen(group) + 1);
		buf_add_raw32(out, 1);
		if (list[i].format != NULL)
			add_text(out, list[i].format, strlen(list[i].format));
		else
			add_file(out, path.data);
		added++;
	}
	buf_release(&path);
	return added;
}

int
tracing_data_build(const struct event_env *env, const struct traced *list, size_t count,
		   struct buf *out, struct err *err)
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
	systems = add_formats(out, dir.data, list, count);
	memcpy(out->data + at, &systems, sizeof(systems));
	buf_add_raw32(out, 0); /* no kallsyms, */
	buf_add_raw32(out, 0); /* no formats of printk, */
	buf_add_raw64(out, 0); /* no names of tasks: the records have them */
	buf_release(&dir);
	return 0;
}
