/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/stripped.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"

#define OS_RELEASE "/etc/os-release"
#define DELETED " (deleted)"

enum { OS_RELEASE_MAX = 16 << 10, PATH_SHOWN_MAX = 72 };

/* How to get the debug symbols of a file of the distribution: one that /etc/os-release names. */
static const struct distribution {
	const char *id;
	const char *before, *after; /* the path */
} distributions[] = {
	{ "debian", "dpkg -S ", " names its PACKAGE: apt install PACKAGE-dbgsym (archive debian-debug)" },
	{ "ubuntu", "dpkg -S ", " names its PACKAGE: apt install PACKAGE-dbgsym (archive ddebs)" },
	{ "fedora", "dnf debuginfo-install $(rpm -qf ", ")" },
	{ "rhel", "dnf debuginfo-install $(rpm -qf ", ")" },
	{ "suse", "rpm -qf ", " names its PACKAGE: zypper install PACKAGE-debuginfo" },
};

static bool
begins_with(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0;
}

/* Whether the distribution brought it, and its name can stand in a command as it is. */
static bool
is_packaged(const char *path, size_t len)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._+-";
	static const char *const places[] = { "/usr/", "/lib", "/bin/", "/sbin/" };

	if (begins_with(path, "/usr/local/") || len > PATH_SHOWN_MAX || strspn(path, plain) < len)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (begins_with(path, places[i]))
			return true;
	return false;
}

/* Whether one of the line's words, which quotes may hold, is @id. */
static bool
has_word(const char *line, size_t len, const char *id)
{
	static const char marks[] = "=\"' ";

	for (size_t i = 0; i < len; i++) {
		size_t word = strcspn(line + i, "=\"' \n");

		if (word == strlen(id) && strncmp(line + i, id, word) == 0 && i > 0 &&
		    strchr(marks, line[i - 1]) != NULL)
			return true;
		i += word;
	}
	return false;
}

/* The first whose name is in ID= or ID_LIKE=; NULL: another one. */
static const struct distribution *
find_distribution(void)
{
	struct buf b = { 0 };
	const struct distribution *found = NULL;
	const char *line, *end;

	if (file_read(OS_RELEASE, &b, OS_RELEASE_MAX) != 0)
		return NULL;
	for (line = buf_str(&b); *line != '\0' && found == NULL; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (!begins_with(line, "ID=") && !begins_with(line, "ID_LIKE="))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(distributions) && found == NULL; i++)
			if (has_word(line, (size_t)(end - line), distributions[i].id))
				found = &distributions[i];
	}
	buf_release(&b);
	return found;
}

static size_t
path_len(const char *path)
{
	size_t len = strlen(path), tail = strlen(DELETED);

	return len > tail && strcmp(path + len - tail, DELETED) == 0 ? len - tail : len;
}

static void
put_hex(struct buf *b, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		buf_addf(b, "%02x", bytes[i]);
}

/* A debug file serves whatever the file is. */
static void
put_debug_file(struct buf *b, const uint8_t *build_id, size_t len)
{
	if (len < 2)
		return;
	buf_add_str(b, "; or the file that debuginfod-find debuginfo ");
	put_hex(b, build_id, len);
	buf_addf(b, " finds, as /usr/lib/debug/.build-id/%02x/", build_id[0]);
	put_hex(b, build_id + 1, len - 1);
	buf_add_str(b, ".debug");
}

void
stripped_explain(struct err *err, const uint8_t *build_id, size_t len, bool has_exports)
{
	struct buf b = { 0 };

	buf_add_str(&b, has_exports ? "stripped but for exported names" : "stripped");
	if (len > 0) {
		buf_add_str(&b, ", no debug file for build-id ");
		put_hex(&b, build_id, len);
	} else {
		buf_add_str(&b, ", and no build-id to know a debug file by");
	}
	err_set(err, ERR_GONE, 0, "%s", buf_str(&b));
	buf_release(&b);
}

void
stripped_hint(struct err *err, const uint8_t *build_id, size_t len, const struct symbol_ask *ask,
	      enum symbol_ns ns)
{
	size_t path = path_len(ask->path);
	/* Of the packages of another namespace nothing is known here. */
	const struct distribution *d = ns != SYMBOL_NS_OTHER && is_packaged(ask->path, path)
					       ? find_distribution() : NULL;
	struct buf b = { 0 };

	if (d != NULL)
		buf_addf(&b, "%s%.*s%s", d->before, (int)path, ask->path, d->after);
	else
		buf_add_str(&b, "use a build that is not stripped");
	put_debug_file(&b, build_id, len);
	err_hint(err, "%s", buf_str(&b));
	buf_release(&b);
}
