/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/own_file.h"

#include <config.h>
#include <limits.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The file of one that --copy brought has no name: rights are for one that stays there. */
static const struct {
	const char *word, *of_copy;
} copy_words[] = {
	{ "run as root", "log in there as root" },
	{ "run ptop as root: sudo ptop ...", "log in there as root" },
	{ "sudo setcap ", "install ptop " PACKAGE_VERSION " there, then: sudo setcap " },
};

/* See src/engine/hosts/host_command.c. */
bool
own_file_is_copy(void)
{
	const char *name = (const char *)(uintptr_t)getauxval(AT_EXECFN);

	return name != NULL && strncmp(name, "/proc/self/fd/", 14) == 0;
}

static bool
ends_in(const char *text, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* Of "ld-linux-x86-64.so.2 ./ptop" it is the linker's: rights are not for that one. */
static bool
is_linker(const char *path)
{
	return strncmp(strrchr(path, '/') + 1, "ld", 2) == 0 && strstr(path, ".so") != NULL;
}

/* false: it cannot be read, or is no name that a shell could take. */
static bool
read_name(const char *link, char path[static PATH_MAX])
{
	ssize_t n = readlink(link, path, PATH_MAX);

	if (n <= 0 || n == PATH_MAX)
		return false;
	path[n] = '\0';
	if (path[0] != '/' || ends_in(path, (size_t)n, " (deleted)") || is_linker(path))
		return false;
	for (const char *p = path; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return true;
}

static void
put_quoted(struct buf *b, const char *name)
{
	buf_add_char(b, '\'');
	for (; *name != '\0'; name++) {
		if (*name == '\'')
			buf_add_str(b, "'\\'");
		buf_add_char(b, *name);
	}
	buf_add_char(b, '\'');
}

/* The length of what stands for something else at @text, and adds that; 0: nothing does. */
static size_t
put_copy_word(struct buf *b, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(copy_words); i++) {
		size_t len = strlen(copy_words[i].word);

		if (strncmp(text, copy_words[i].word, len) == 0) {
			buf_add_str(b, copy_words[i].of_copy);
			return len;
		}
	}
	return 0;
}

static void
put_for_copy(struct buf *b, const char *text)
{
	while (*text != '\0') {
		size_t len = put_copy_word(b, text);

		if (len == 0)
			buf_add_char(b, *text);
		text += MAX(len, 1);
	}
}

/* What ptop can use, by capabilities(7). */
static const struct {
	unsigned number;
	const char *name;
} capabilities[] = {
	{ 38, "cap_perfmon" }, { 19, "cap_sys_ptrace" }, { 34, "cap_syslog" },
	{ 2, "cap_dac_read_search" }, { 21, "cap_sys_admin" }, { 14, "cap_ipc_lock" },
	{ 40, "cap_checkpoint_restore" },
};

/* setcap replaces what the file has: that is named beside @list. */
static void
put_present(struct buf *b, const char *list, size_t len)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (geteuid() == 0 || syscall(SYS_capget, &head, sets) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
		unsigned n = capabilities[i].number;
		const char *name = capabilities[i].name;

		if ((sets[n / 32].permitted >> n % 32 & 1) && memmem(list, len, name, strlen(name)) == NULL)
			buf_addf(b, "%s,", name);
	}
}

/* Up to where the file's name stands. */
static void
put_before_name(struct buf *b, const char *text, const char *end)
{
	static const char command[] = "setcap ";
	const char *list = NULL, *at = text;

	while ((at = memmem(at, (size_t)(end - at), command, strlen(command))) != NULL)
		list = at += strlen(command);
	if (list != NULL) {
		buf_add(b, text, (size_t)(list - text));
		put_present(b, list, (size_t)(end - list));
		text = list;
	}
	buf_add(b, text, (size_t)(end - text));
}

void
own_file_put(struct buf *b, const char *text, const char *link)
{
	char path[PATH_MAX];
	const char *word = strstr(text, OWN_FILE_WORD);

	if (own_file_is_copy()) {
		put_for_copy(b, text);
		return;
	}
	if (word != NULL && !read_name(link, path))
		word = NULL;
	for (; word != NULL; word = strstr(text, OWN_FILE_WORD)) {
		put_before_name(b, text, word);
		put_quoted(b, path);
		text = word + strlen(OWN_FILE_WORD);
	}
	buf_add_str(b, text);
}
