/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/feature.h"

#include "base/text.h"
#include "datafile/swap.h"

#include <inttypes.h>

enum { LINE_BYTES_MAX = 4096 };

/*
 * How a feature is laid out and shown: %u and %U are numbers of four and eight bytes, %s a text,
 * %- a number that is not shown.  %[ to %] comes as often as the number before it says, %( to %)
 * once for each CPU; at %? it may end.
 */
static const struct {
	uint8_t bit;
	const char *name, *layout;
} features[] = {
	{ 3, "hostname", "%s" },
	{ 4, "osrelease", "%s" },
	{ 5, "version", "%s" },
	{ 6, "arch", "%s" },
	{ 7, "nrcpus", "%u available, %u online" },
	{ 8, "cpudesc", "%s" },
	{ 9, "cpuid", "%s" },
	{ 10, "total_mem", "%U kB" },
	{ 11, "cmdline", "%[%s %]" },
	{ 13, "cpu_topology", "cores: %[%s; %]threads: %[%s; %]%?core and socket of each CPU: "
			      "%(%u %u, %)%?dies: %[%s; %]die of each CPU: %(%u, %)" },
	{ 14, "numa_topology", "%[node %u: %U kB, %U kB free, cpus %s; %]" },
	{ 15, "branch_stack", "" },
	{ 16, "pmu_mappings", "%[%u %s, %]" },
	{ 17, "group_desc", "%[%s leader %u nr_members %u; %]" },
	{ 19, "stat", "" },
	{ 20, "cache", "%-%[L%u line %u sets %u ways %u %s %s cpus %s; %]" },
	{ 21, "sample_time", "%U to %U ns" },
	{ 22, "mem_topology", "version %U, block size %U" },
	{ 23, "clockid", "resolution %U ns" },
	{ 24, "dir_format", "%U" },
	{ 25, "bpf_prog_info", "%u programs" },
	{ 26, "bpf_btf", "%u" },
	{ 27, "compressed", "version %u, type %u, level %u, ratio %u, mmap_len %u" },
	{ 28, "cpu_pmu_caps", "%[%s=%s, %]" },
	{ 29, "clock_data", "version %u, clockid %u, wall clock %U ns at %U ns" },
	{ 30, "hybrid_topology", "%[%s cpus %s; %]" },
};

struct line {
	struct buf *b;
	struct reader r;
	bool is_swapped, is_over;
	uint32_t cpus;
	size_t end; /* nothing is added beyond */
};

static void
put_text(struct line *l)
{
	uint32_t len = take_u32(&l->r, l->is_swapped);
	const char *text = (const char *)reader_bytes(&l->r, len);

	if (text != NULL)
		text_add_safe(l->b, text, strnlen(text, MIN(len, LINE_BYTES_MAX)));
}

static void
put_number(struct line *l, uint64_t n)
{
	if (!l->r.failed)
		buf_addf(l->b, "%" PRIu64, n);
}

static void
put_value(struct line *l, char kind)
{
	switch (kind) {
	case 's':
		put_text(l);
		break;
	case 'u':
		put_number(l, take_u32(&l->r, l->is_swapped));
		break;
	case 'U':
		put_number(l, take_u64(&l->r, l->is_swapped));
		break;
	case '-':
		take_u32(&l->r, l->is_swapped);
		break;
	case '?':
		l->is_over = reader_left(&l->r) == 0;
		break;
	}
}

static const char *put_parts(struct line *l, const char *layout);

/* The end of the group that begins at @layout. */
static const char *
put_repeated(struct line *l, const char *layout, char last, uint32_t count)
{
	const char *end = layout;

	while (end[0] != '%' || end[1] != last)
		end++;
	for (uint32_t i = 0; i < count && !l->is_over; i++)
		put_parts(l, layout);
	return end + 2;
}

/* Adds by @layout, up to its end or that of the group. */
static const char *
put_parts(struct line *l, const char *layout)
{
	while (*layout != '\0' && !l->is_over) {
		char kind = layout[1];

		if (*layout != '%') {
			buf_add_char(l->b, *layout++);
			continue;
		}
		layout += 2;
		if (kind == ']' || kind == ')')
			break;
		if (kind == '[')
			layout = put_repeated(l, layout, ']', take_u32(&l->r, l->is_swapped));
		else if (kind == '(')
			layout = put_repeated(l, layout, ')', l->cpus);
		else
			put_value(l, kind);
		l->is_over = l->is_over || l->r.failed || l->b->len >= l->end;
	}
	return layout;
}

/* Its row, the end of the table: it has none. */
static size_t
find(uint64_t bit)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(features) && features[i].bit != bit)
		i++;
	return i;
}

bool
feature_has_text(uint64_t bit)
{
	return find(bit) < ARRAY_SIZE(features);
}

void
feature_put_text(struct buf *b, uint64_t bit, struct bytes bytes, bool swapped, uint32_t cpus)
{
	struct line l = { b, reader_over(bytes), swapped, false, cpus, b->len + LINE_BYTES_MAX };
	size_t i = find(bit);

	if (i == ARRAY_SIZE(features))
		return;
	buf_add_str(b, features[i].name);
	if (*features[i].layout != '\0')
		buf_add_char(b, ' ');
	put_parts(&l, features[i].layout);
	if (l.r.failed || b->len >= l.end)
		buf_add_str(b, "...");
}
