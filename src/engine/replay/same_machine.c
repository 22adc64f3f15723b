/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/replay/replay_impl.h"
#include "symbol/kernel/kernel_state.h"

#include "model/dso.h"

#include <string.h>
#include <sys/stat.h>
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

uint64_t
same_machine_written_ns(const char *input)
{
	struct stat st;

	if (strcmp(input, "-") == 0 || stat(input, &st) != 0 || !S_ISREG(st.st_mode))
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
}

/* When it ended, as its clock and that of files have it; else when it was written; 0: not known. */
static uint64_t
end_ns(const struct datafile_info *info, const char *input)
{
	if (info->wall_ns == 0 || info->sample_time_last == 0)
		return same_machine_written_ns(input);
	return info->wall_ns + (info->sample_time_last - info->wall_at_ns);
}

void
same_machine_file(const struct datafile *file, const struct engine_config *config, bool is_this_host,
	      struct symbol_ask *a, struct buf *scratch)
{
	size_t len = datafile_build_id(file, a->path, a->build_id);

	a->build_id_len = (uint8_t)MIN(len, BUILD_ID_MAX);
	if (take_symfs(config->symfs, a, scratch))
		return;
	/* Without a path nothing is looked for: whoever asks has the reason. */
	if (len == 0 && !is_this_host)
		a->path = "";
	if (len == 0)
		a->unchanged_since_ns = end_ns(datafile_info(file), config->input);
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
