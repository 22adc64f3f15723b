/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/running_kernel.h"

#include <string.h>

#include "base/file.h"
#include "symbol/kernel/kallsyms.h"

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
	return kallsyms_text("/proc/kallsyms");
}
