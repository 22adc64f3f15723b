/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/oom_guard.h"

#include "base/file.h"
#include "base/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	OOM_SCORE = 800, /* parsers, which are had again at once, go before: see symbol/parser/confine.c */
	TIMES_MEMORY = 16, TIMES_HISTORY = 4,
	TEXT_MAX = 4096,
};

static const uint64_t least_bytes = UINT64_C(2) << 30;

/* What counts for RLIMIT_DATA now: sanitizers begin with terabytes. */
static uint64_t
data_bytes(void)
{
	struct buf b = { 0 };
	uint64_t kib = UINT64_MAX >> 10;
	const char *at;

	if (file_read("/proc/self/status", &b, TEXT_MAX) == 0 &&
	    (at = strstr(buf_str(&b), "VmData:")) != NULL)
		kib = strtoull(at + strlen("VmData:"), NULL, 10);
	buf_release(&b);
	return kib << 10;
}

static void
bound_data(uint64_t more_bytes)
{
	struct rlimit limit;
	uint64_t bound;

	if (getrlimit(RLIMIT_DATA, &limit) < 0 ||
	    __builtin_add_overflow(data_bytes(), more_bytes, &bound) || bound >= limit.rlim_cur)
		return;
	limit.rlim_cur = bound;
	setrlimit(RLIMIT_DATA, &limit);
}

void
oom_guard_set(uint64_t more_bytes)
{
	process_offer_to_oom_killer(OOM_SCORE);
	bound_data(more_bytes);
}

uint64_t
oom_guard_bytes(uint64_t memory_bytes, uint64_t history_bytes)
{
	uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_size() / 2;

	return MAX(half, least_bytes + TIMES_MEMORY * memory_bytes + TIMES_HISTORY * history_bytes);
}
