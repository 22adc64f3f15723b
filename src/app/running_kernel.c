/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/running_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

size_t
running_kernel_build_id(uint8_t id[BUILD_ID_MAX])
{
	struct buf b = { 0 };
	size_t at = 0, len = 0;

	file_read("/sys/kernel/notes", &b, 64 << 10);
	while (at + 12 <= b.len && len == 0) {
		uint32_t name, desc, type;

		memcpy(&name, b.data + at, 4);
		memcpy(&desc, b.data + at + 4, 4);
		memcpy(&type, b.data + at + 8, 4);
		at += 12 + ((size_t)(name & 0xffff) + 3) / 4 * 4;
		if (type == 3 && name == 4 && desc <= BUILD_ID_MAX && at + desc <= b.len)
			memcpy(id, b.data + at, len = desc);
		at += ((size_t)(desc & 0xffffff) + 3) / 4 * 4;
	}
	buf_release(&b);
	return len;
}

uint64_t
running_kernel_text(void)
{
	char text[16 << 10];
	uint64_t addr = 0;
	const char *at;
	FILE *f = fopen("/proc/kallsyms", "re");
	size_t n;

	if (f == NULL)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	at = strstr(text, " T _text\n");
	for (n = at != NULL ? (size_t)(at - text) : 0; n > 0 && text[n - 1] != '\n'; n--)
		;
	if (at != NULL)
		addr = strtoull(text + n, NULL, 16);
	fclose(f);
	return addr;
}
