/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_REPLAY_SAME_MACHINE_H
#define PTOP_ENGINE_REPLAY_SAME_MACHINE_H
/* What of this machine is what was recorded: from nothing else are names and rules taken. */
#include "base/buf.h"
#include "datafile/datafile.h"
#include "model/space.h"
#include "symbol/service/service.h"

/* Whether it was recorded on this host, by its name. */
bool same_machine_is_here(const struct datafile_info *info);

/*
 * Says in @a, whose path is as it was recorded, which file on this machine is meant: its build-id
 * says so; without one, its inode on the same host.  Below @symfs, NULL for none, the path alone
 * tells.  The path is "" if none is; it may lead into @scratch.
 */
void same_machine_file(const struct datafile *file, const char *symfs, bool is_this_host,
		   struct symbol_ask *a, struct buf *scratch);

/* Where the recorded kernel began, by the first of its @maps that says so; 0: none does. */
uint64_t same_machine_kernel_text(const struct space *maps);

/*
 * Whether the kernel that runs here is the recorded one: the same build, at the same address @text,
 * which each boot chooses anew.
 */
bool same_machine_has_kernel(const struct datafile *file, uint64_t text);

#endif
