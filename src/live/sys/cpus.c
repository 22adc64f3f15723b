/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/cpus.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/num.h"

#include <errno.h>
#include <stdlib.h>

enum { LIST_BYTES_MAX = 64 << 10 };

static int
read_list(const struct event_env *env, const char *name, struct cpus *cpus)
{
	struct buf path = { 0 }, text = { 0 };
	int res = -1;

	buf_addf(&path, "%s/sys/devices/system/cpu/%s", env->root, name);
	if (file_read(path.data, &text, LIST_BYTES_MAX) == 0 &&
	    num_list(buf_str(&text), CPUS_MAX - 1, &cpus->items, &cpus->len))
		res = 0;
	buf_release(&path);
	buf_release(&text);
	return res;
}

int
cpus_read_online(const struct event_env *env, struct cpus *cpus, struct err *err)
{
	int why;

	*cpus = (struct cpus){ 0 };
	errno = 0;
	if (read_list(env, "online", cpus) == 0)
		return 0;
	why = errno;
	return err_set(err, why == EMFILE ? ERR_LIMIT : ERR_UNSUPPORTED, why,
		       "cannot read /sys/devices/system/cpu/online");
}

unsigned
cpus_possible(const struct event_env *env)
{
	struct cpus cpus = { 0 };
	unsigned n = 1;

	if (read_list(env, "possible", &cpus) == 0)
		n = (unsigned)MAX(cpus.len, 1);
	cpus_release(&cpus);
	return n;
}

bool
cpus_has(const struct cpus *cpus, unsigned cpu)
{
	for (size_t i = 0; i < cpus->len; i++) {
		if (cpus->items[i] == cpu)
			return true;
	}
	return false;
}

void
cpus_put_list(struct buf *b, const struct cpus *cpus)
{
	for (size_t i = 0, j; i < cpus->len; i = j) {
		for (j = i + 1; j < cpus->len && cpus->items[j] == cpus->items[j - 1] + 1; j++)
			;
		buf_addf(b, "%s%u", i > 0 ? "," : "", cpus->items[i]);
		if (j > i + 1)
			buf_addf(b, "-%u", cpus->items[j - 1]);
	}
}

static int
refuse(const struct cpus *online, unsigned cpu, struct err *err)
{
	struct buf list = { 0 };

	cpus_put_list(&list, online);
	err_set(err, ERR_GONE, 0, "no CPU %u on line: on line are %.200s", cpu, buf_str(&list));
	buf_release(&list);
	return -1;
}

static int
compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

void
cpus_sort(struct cpus *cpus)
{
	qsort(cpus->items, cpus->len, sizeof(*cpus->items), compare);
}

int
cpus_choose(const struct cpus *online, const unsigned *wanted, size_t count, struct cpus *out,
	    struct err *err)
{
	if (wanted == NULL || count == 0) {
		wanted = online->items;
		count = online->len;
	}
	for (size_t i = 0; i < count; i++) {
		if (!cpus_has(online, wanted[i]))
			return refuse(online, wanted[i], err);
	}
	*out = (struct cpus){ .items = mem_calloc(count, sizeof(*out->items)) };
	for (size_t i = 0; i < count; i++) {
		if (!cpus_has(out, wanted[i]))
			out->items[out->len++] = wanted[i];
	}
	cpus_sort(out);
	return 0;
}

void
cpus_release(struct cpus *cpus)
{
	free(cpus->items);
	*cpus = (struct cpus){ 0 };
}
