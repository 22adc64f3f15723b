/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/limits.h"

#include "base/buf.h"
#include "base/file.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	PARANOID_DEFAULT = 2,
	RATE_DEFAULT = 100000,
	MAX_STACK_DEFAULT = 127,
	MLOCK_KB_DEFAULT = 516,
	MEASURED_MS = 100,
	GLANCE_MS = 20,
	STAT_BYTES_MAX = 4 << 20, /* two lines and more for each CPU, a number for each interrupt */
	SPARE_DESCRIPTORS = 64, /* for files, pipes and what libraries open meanwhile */
};

static int64_t
sysctl_number(const struct event_env *env, const char *name, int64_t missing)
{
	struct buf path = { 0 };
	int64_t v;

	buf_addf(&path, "%s/proc/sys/kernel/%s", env->root, name);
	v = file_number(path.data, missing);
	buf_release(&path);
	return v;
}

int
limits_paranoid(const struct event_env *env)
{
	return (int)sysctl_number(env, "perf_event_paranoid", PARANOID_DEFAULT);
}

int
limits_ptrace_scope(const char *root)
{
	const struct event_env env = { .root = root };

	return (int)sysctl_number(&env, "yama/ptrace_scope", 0);
}

uint64_t
limits_max_rate(const struct event_env *env)
{
	int64_t rate = sysctl_number(env, "perf_event_max_sample_rate", RATE_DEFAULT);

	return rate > 0 ? (uint64_t)rate : RATE_DEFAULT;
}

unsigned
limits_max_stack(const struct event_env *env)
{
	return (unsigned)sysctl_number(env, "perf_event_max_stack", MAX_STACK_DEFAULT);
}

uint64_t
limits_mlock_kb(const struct event_env *env)
{
	int64_t kb = sysctl_number(env, "perf_event_mlock_kb", MLOCK_KB_DEFAULT);

	return kb > 0 ? (uint64_t)kb : 0;
}

uint64_t
limits_mlock_kb_for(const struct event_env *env, size_t bytes)
{
	const uint64_t is = limits_mlock_kb(env), wanted = bytes >> 10;

	return wanted > is ? wanted : is + wanted;
}

/* The number behind @word, which begins a line of that file, but not the first; 0: there is none. */
static uint64_t
count_of(const struct event_env *env, const char *file, const char *word)
{
	struct buf path = { 0 }, b = { 0 };
	const char *line = NULL;
	uint64_t count = 0;

	buf_addf(&path, "%s%s", env->root, file);
	if (file_read(path.data, &b, STAT_BYTES_MAX) == 0)
		line = strstr(buf_str(&b), word);
	if (line != NULL)
		sscanf(line + strlen(word), "%" SCNu64, &count);
	buf_release(&path);
	buf_release(&b);
	return count;
}

static uint64_t
measure(const struct event_env *env, const char *file, const char *word, unsigned ms)
{
	uint64_t before = count_of(env, file, word);

	usleep(ms * 1000);
	return (count_of(env, file, word) - before) * (1000 / ms);
}

uint64_t
limits_switches(const struct event_env *env)
{
	return measure(env, "/proc/stat", "\nctxt ", MEASURED_MS);
}

uint64_t
limits_happens(const struct event_env *env, uint64_t software)
{
	static const struct {
		uint64_t config;
		const char *file, *word; /* since the machine began: proc_stat(5), proc_vmstat(5) */
	} counts[] = {
		{ PERF_COUNT_SW_PAGE_FAULTS, "/proc/vmstat", "\npgfault " },
		{ PERF_COUNT_SW_PAGE_FAULTS_MIN, "/proc/vmstat", "\npgfault " },
		{ PERF_COUNT_SW_CONTEXT_SWITCHES, "/proc/stat", "\nctxt " },
	};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i].config == software)
			return measure(env, counts[i].file, counts[i].word, GLANCE_MS);
	return 0;
}

bool
limits_raise_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= r.rlim_max)
		return false;
	r.rlim_cur = r.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &r) == 0;
}

static size_t
open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	if (dir == NULL)
		return SPARE_DESCRIPTORS;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

size_t
limits_free_descriptors(void)
{
	size_t used = open_descriptors() + SPARE_DESCRIPTORS;
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return 0;
	return r.rlim_cur > used ? (size_t)r.rlim_cur - used : 0;
}

int
limits_need_descriptors(size_t need, struct err *err)
{
	if (need <= limits_free_descriptors())
		return 0;
	limits_raise_descriptors();
	if (need <= limits_free_descriptors())
		return 0;
	err_set(err, ERR_LIMIT, 0, "%zu descriptors are needed, %zu are left", need,
		limits_free_descriptors());
	return err_hint(err, "raise the limit (ulimit -Hn), or name fewer processes or CPUs (-C)");
}
