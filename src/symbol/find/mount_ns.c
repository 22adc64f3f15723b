/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/open.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NS_TEXT = 40 }; /* "mnt:[4026531841]" */

static bool
read_ns(const char *path, char text[NS_TEXT])
{
	ssize_t n = readlink(path, text, NS_TEXT - 1);

	text[MAX(n, 0)] = '\0';
	return n > 0;
}

enum symbol_ns
mount_ns_of(const char *proc, int pid)
{
	char own[NS_TEXT], other[NS_TEXT], path[64];

	if (pid <= 0)
		return SYMBOL_NS_UNKNOWN;
	snprintf(path, sizeof(path), "%.32s/%d/ns/mnt", proc, pid);
	if (!read_ns(path, other))
		return SYMBOL_NS_UNKNOWN;
	snprintf(path, sizeof(path), "%.32s/self/ns/mnt", proc);
	if (!read_ns(path, own))
		return SYMBOL_NS_UNKNOWN;
	return strcmp(own, other) == 0 ? SYMBOL_NS_OWN : SYMBOL_NS_OTHER;
}
