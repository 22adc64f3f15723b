/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/value_names.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/payload.h"
#include "record/value_name.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS_MAX = 64, NAME_MAX_BYTES = 256 };

/* "8:0" is a link to ".../block/sda". */
static bool
read_device(const char *dir, const char *entry, int64_t *value, struct buf *name)
{
	char to[PATH_MAX], *end;
	struct buf path = { 0 };
	uint64_t major = strtoull(entry, &end, 10);
	const char *last;
	ssize_t len;

	if (*end != ':')
		return false;
	*value = (int64_t)(major << VALUE_MINOR_BITS | strtoull(end + 1, NULL, 10));
	buf_addf(&path, "%s/%s", dir, entry);
	len = readlink(path.data, to, sizeof(to) - 1);
	buf_release(&path);
	if (len <= 0)
		return false;
	to[len] = '\0';
	last = strrchr(to, '/');
	buf_add_str(name, last != NULL ? last + 1 : to);
	return true;
}

/* Who has asked for the interrupt: "virtio0-config". */
static bool
read_interrupt(const char *dir, const char *entry, int64_t *value, struct buf *name)
{
	struct buf path = { 0 };

	*value = (int64_t)strtoull(entry, NULL, 10);
	buf_addf(&path, "%s/%s/actions", dir, entry);
	file_read(path.data, name, NAME_MAX_BYTES);
	buf_release(&path);
	name->len = strcspn(buf_str(name), "\n");
	return name->len > 0;
}

static const struct naming {
	const char *field, *dir;
	bool (*read)(const char *dir, const char *entry, int64_t *value, struct buf *name);
} namings[] = {
	{ "dev", "/sys/dev/block", read_device },
	{ "s_dev", "/sys/dev/block", read_device },
	{ "old_dev", "/sys/dev/block", read_device },
	{ "irq", "/sys/kernel/irq", read_interrupt },
};

static void
read_all(struct payload_formats *formats, const struct naming *n, const char *root)
{
	struct buf dir = { 0 }, name = { 0 };
	const struct dirent *d;
	DIR *list;

	buf_addf(&dir, "%s%s", root, n->dir);
	list = opendir(dir.data);
	while (list != NULL && (d = readdir(list)) != NULL) {
		int64_t value;

		buf_reset(&name);
		if (d->d_name[0] == '.' || !n->read(dir.data, d->d_name, &value, &name))
			continue;
		buf_add_char(&name, '\0');
		payload_formats_call(formats, n->field, value, name.data);
	}
	if (list != NULL)
		closedir(list);
	buf_release(&dir);
	buf_release(&name);
}

void
value_names_read(struct payload_formats *formats, const char *event, const char *root)
{
	const char *names[FIELDS_MAX];
	size_t count = payload_fields(formats, event, names, FIELDS_MAX);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(namings); k++)
			if (strcmp(names[i], namings[k].field) == 0)
				read_all(formats, &namings[k], root);
}
