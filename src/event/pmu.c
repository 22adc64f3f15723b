/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/pmu.h"

#include "base/file.h"
#include "base/num.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FILE_BYTES_MAX = 16 << 10,
	NAMES_MAX = 16384,
	CPU_LAST = 65535,
	TYPE_SHIFT = 32, /* PERF_PMU_TYPE_SHIFT of the kernel: a PMU's number in config */
};

static const char devices[] = "/sys/bus/event_source/devices";

/* The list of CPUs in the file; whether there is such a file. */
static bool
read_cpus(struct pmu *pmu, const char *file)
{
	struct buf path = { 0 }, text = { 0 };
	bool is_there;

	buf_addf(&path, "%s/%s", pmu->dir, file);
	is_there = file_read(path.data, &text, FILE_BYTES_MAX) == 0;
	if (is_there && !num_list(buf_str(&text), CPU_LAST, &pmu->cpus, &pmu->cpu_count))
		pmu->cpu_count = 0;
	buf_release(&path);
	buf_release(&text);
	return is_there;
}

bool
pmu_open(const struct event_env *env, const char *name, size_t len, struct pmu *pmu)
{
	struct buf path = { 0 };
	int64_t type;

	*pmu = (struct pmu){ 0 };
	if (!spec_is_file_name(name, len))
		return false;
	buf_addf(&path, "%s%s/%.*s", env->root, devices, (int)len, name);
	pmu->dir = mem_strdup(path.data);
	pmu->name = mem_strndup(name, len);
	buf_add_str(&path, "/type");
	type = file_number(path.data, -1);
	buf_release(&path);
	if (type < 0 || type > UINT32_MAX) {
		pmu_release(pmu);
		return false;
	}
	pmu->type = (uint32_t)type;
	pmu->is_hybrid = read_cpus(pmu, "cpus");
	if (!pmu->is_hybrid)
		read_cpus(pmu, "cpumask");
	pmu->is_core = pmu->is_hybrid || type == PERF_TYPE_RAW;
	return true;
}

void
pmu_release(struct pmu *pmu)
{
	free(pmu->name);
	free(pmu->dir);
	free(pmu->cpus);
	*pmu = (struct pmu){ 0 };
}

void
pmu_names(const struct event_env *env, struct names *names)
{
	struct buf path = { 0 };

	buf_addf(&path, "%s%s", env->root, devices);
	names_read(names, path.data, false, NAMES_MAX);
	buf_release(&path);
}

void
pmu_files(const struct pmu *pmu, const char *folder, struct names *names)
{
	struct buf path = { 0 };

	buf_addf(&path, "%s/%s", pmu->dir, folder);
	names_read(names, path.data, true, NAMES_MAX);
	buf_release(&path);
}

static bool
read_text(const struct pmu *pmu, const char *folder, const char *name, size_t len, struct buf *out)
{
	struct buf path = { 0 };
	bool is_read = false;

	if (spec_is_file_name(name, len)) {
		buf_addf(&path, "%s/%s/%.*s", pmu->dir, folder, (int)len, name);
		is_read = file_read(path.data, out, FILE_BYTES_MAX) == 0;
	}
	while (is_read && out->len > 0 && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	buf_release(&path);
	return is_read && memchr(buf_str(out), '\0', out->len) == NULL;
}

/* "NAME.scale" and the like say how to print the counts of NAME: no events. */
static bool
is_about_event(const char *name, size_t len)
{
	static const char *const endings[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && memcmp(name + len - n, endings[i], n) == 0)
			return true;
	}
	return false;
}

bool
pmu_alias(const struct pmu *pmu, const char *name, size_t len, struct buf *out)
{
	return !is_about_event(name, len) && read_text(pmu, "events", name, len, out);
}

/* "config", "config3": which one, and moves *@at behind the colon.  -1: none. */
static int
take_config(const char **at)
{
	const char *p = *at;
	int n = 0;

	if (strncmp(p, "config", 6) != 0)
		return -1;
	p += 6;
	if (*p >= '1' && *p < '0' + PMU_CONFIGS)
		n = *p++ - '0';
	if (*p != ':')
		return -1;
	*at = p + 1;
	return n;
}

/* "0-7" or "23", and the comma behind.  1; 0: no more; -1: it is none. */
static int
take_bits(const char **at, uint64_t *first, uint64_t *last)
{
	if (**at == '\0')
		return 0;
	if (!spec_number(at, first))
		return -1;
	*last = *first;
	if (**at == '-') {
		(*at)++;
		if (!spec_number(at, last))
			return -1;
	}
	if (**at == ',')
		(*at)++;
	else if (**at != '\0')
		return -1;
	return *first <= *last && *last < 64 ? 1 : -1;
}

/* The bits of a field, lowest first, and the config that they are in. */
struct field {
	int config;
	unsigned char bits[64];
	unsigned count;
};

static bool
read_field(const char *text, struct field *f)
{
	uint64_t first, last;
	int res;

	f->config = take_config(&text);
	f->count = 0;
	if (f->config < 0)
		return false;
	while ((res = take_bits(&text, &first, &last)) > 0) {
		for (uint64_t bit = first; bit <= last && f->count < 64; bit++)
			f->bits[f->count++] = (unsigned char)bit;
	}
	return res == 0 && f->count > 0;
}

int
pmu_set_field(const struct pmu *pmu, const char *name, size_t len, uint64_t value,
	      struct event *ev, uint64_t *max)
{
	uint64_t *const configs[PMU_CONFIGS] = {
		&ev->config, &ev->config1, &ev->config2, &ev->config3, &ev->config4,
	};
	struct buf text = { 0 };
	struct field f;
	bool found = read_text(pmu, "format", name, len, &text) && read_field(buf_str(&text), &f);

	buf_release(&text);
	if (!found)
		return 0;
	*max = f.count < 64 ? (UINT64_C(1) << f.count) - 1 : UINT64_MAX;
	if (value > *max)
		return -1;
	for (unsigned i = 0; i < f.count; i++) {
		uint64_t bit = UINT64_C(1) << f.bits[i];

		*configs[f.config] &= ~bit;
		if (value >> i & 1)
			*configs[f.config] |= bit;
	}
	return 1;
}

void
pmu_set_event(const struct pmu *pmu, struct event *ev)
{
	ev->type = pmu->type;
	ev->exclude_guest = pmu->is_core;
	ev->is_tracepoint = pmu->type == PERF_TYPE_TRACEPOINT;
	if (pmu->cpu_count > 0) {
		ev->cpus = mem_calloc(pmu->cpu_count, sizeof(*ev->cpus));
		memcpy(ev->cpus, pmu->cpus, pmu->cpu_count * sizeof(*ev->cpus));
		ev->cpu_count = pmu->cpu_count;
	}
}

static int
compare_types(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Most PMUs name no CPUs: this saves opening their other files at each start. */
static bool
may_be_hybrid(const struct event_env *env, const char *name)
{
	struct buf path = { 0 };
	bool has_cpus;

	buf_addf(&path, "%s%s/%s/cpus", env->root, devices, name);
	has_cpus = access(path.data, F_OK) == 0;
	buf_release(&path);
	return has_cpus;
}

/* The numbers of the core PMUs that have CPUs, the lowest first. */
static size_t
core_types(const struct event_env *env, uint32_t **types)
{
	struct names names = { 0 };
	size_t n = 0, cap = 0;

	pmu_names(env, &names);
	for (size_t i = 0; i < names.len; i++) {
		struct pmu pmu;

		if (!may_be_hybrid(env, names.items[i]) ||
		    !pmu_open(env, names.items[i], strlen(names.items[i]), &pmu))
			continue;
		if (pmu.is_hybrid && pmu.cpu_count > 0) {
			vec_reserve(types, &cap, n + 1, sizeof(**types));
			(*types)[n++] = pmu.type;
		}
		pmu_release(&pmu);
	}
	names_release(&names);
	if (n > 0)
		qsort(*types, n, sizeof(**types), compare_types);
	return n;
}

static bool
can_be_hybrid(const struct event *ev)
{
	if (ev->cpus != NULL)
		return false; /* it names its PMU */
	if (ev->type == PERF_TYPE_RAW)
		return true;
	return (ev->type == PERF_TYPE_HARDWARE || ev->type == PERF_TYPE_HW_CACHE) &&
	       ev->config >> TYPE_SHIFT == 0;
}

void
pmu_add_core_types(const struct event_env *env, struct event *ev)
{
	uint32_t *types = NULL;
	size_t n;

	if (!can_be_hybrid(ev))
		return;
	n = core_types(env, &types);
	if (n < 2) {
		free(types);
		return;
	}
	if (ev->type == PERF_TYPE_RAW)
		ev->type = types[0];
	else
		ev->config |= (uint64_t)types[0] << TYPE_SHIFT;
	memmove(types, types + 1, (n - 1) * sizeof(*types));
	ev->more_types = types;
	ev->more_count = n - 1;
}
