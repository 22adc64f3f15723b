/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/replay/replay_impl.h"
#include "symbol/kernel/kernel_state.h"

#include "model/dso.h"

#include <string.h>
#include <unistd.h>

bool
same_machine_is_here(const struct datafile_info *info)
{
	char name[256] = "";

	gethostname(name, sizeof(name) - 1);
	return info->hostname != NULL && strcmp(info->hostname, name) == 0;
}

static bool
take_symfs(const char *root, struct symbol_ask *a, struct buf *scratch)
{
	if (root == NULL || *a->path != '/')
		return false;
	buf_reset(scratch);
	buf_addf(scratch, "%s%s", strcmp(root, "/") != 0 ? root : "", a->path);
	a->path = buf_str(scratch);
	a->pid = 0;
	a->maj = a->min = 0;
	a->ino = 0;
	return true;
}

void
same_machine_file(const struct datafile *file, const char *symfs, bool is_this_host,
	      struct symbol_ask *a, struct buf *scratch)
{
	size_t len = datafile_build_id(file, a->path, a->build_id);

	a->build_id_len = (uint8_t)MIN(len, BUILD_ID_MAX);
	if (take_symfs(symfs, a, scratch))
		return;
	/* Without a path nothing is looked for: whoever asks has the reason. */
	if (len == 0 && !is_this_host)
		a->path = "";
}

uint64_t
same_machine_kernel_text(const struct space *maps)
{
	for (size_t i = 0; i < maps->len; i++)
		if (maps->maps[i].dso == DSO_ID_KERNEL && maps->maps[i].start != 0)
			return maps->maps[i].start;
	return 0;
}

bool
same_machine_has_build(const struct datafile *file)
{
	uint8_t recorded[BUILD_ID_MAX], running[BUILD_ID_MAX];
	size_t len = datafile_build_id(file, "[kernel.kallsyms]", recorded);

	return len > 0 && running_kernel_build_id(running) == len &&
	       memcmp(recorded, running, len) == 0;
}
