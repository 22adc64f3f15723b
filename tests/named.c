/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/named.h"
#include "tests/run.h"

#include "base/buf.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATIENCE_S = 180, FIELDS = 8 };

static int
order_group(const struct named_row *a, const struct named_row *b)
{
	int c = strcmp(a->comm, b->comm);

	if (c == 0 && a->tid != b->tid)
		c = a->tid < b->tid ? -1 : 1;
	return c != 0 ? c : strcmp(a->dso, b->dso);
}

static int
order(const void *x, const void *y)
{
	const struct named_row *a = x, *b = y;
	int c = order_group(a, b);

	return c != 0 ? c : strcmp(a->name, b->name);
}

static void
sum_up(struct named *n)
{
	size_t kept = 0;

	if (n->len > 0)
		qsort(n->rows, n->len, sizeof(*n->rows), order);
	for (size_t i = 0; i < n->len; i++) {
		if (kept > 0 && order(&n->rows[kept - 1], &n->rows[i]) == 0) {
			n->rows[kept - 1].count += n->rows[i].count;
			free(n->rows[i].name);
		} else {
			n->rows[kept++] = n->rows[i];
		}
	}
	n->len = kept;
}

static bool
begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

/* What the two call the same file, and where they do not. */
static void
put_dso(struct named_row *row, const char *dso)
{
	static const char deleted[] = " (deleted)";
	const char *slash = *dso == '[' ? NULL : strrchr(dso, '/');
	size_t len;

	if (begins_with(dso, "[JIT]") || begins_with(dso, "/tmp/perf-") ||
	    begins_with(dso, "//anon") || strcmp(dso, "[anon]") == 0)
		dso = "[JIT]";
	else if (begins_with(dso, "[kernel"))
		dso = "[kernel]";
	else if (begins_with(dso, "bpf_"))
		dso = "[bpf]";
	else if (slash != NULL)
		dso = slash + 1;
	len = strlen(dso);
	if (len > strlen(deleted) && strcmp(dso + len - strlen(deleted), deleted) == 0)
		len -= strlen(deleted);
	snprintf(row->dso, sizeof(row->dso), "%.*s", (int)MIN(len, sizeof(row->dso) - 1), dso);
}

static void
add(struct named *n, const struct named_row *row, const char *name)
{
	vec_reserve(&n->rows, &n->cap, n->len + 1, sizeof(*row));
	n->rows[n->len] = *row;
	n->rows[n->len++].name = strdup(name);
	n->samples += row->count;
}

enum { ADDRESS_WIDTH = 16 };

/* Ends the comm, which may hold anything, where tid and address follow it; the name after these. */
static char *
end_comm(char *line, unsigned *tid, unsigned long long *ip)
{
	int at;

	for (char *p = strchr(line, ' '); p != NULL; p = strchr(p + 1, ' '))
		if (sscanf(p, " %u %llx%n", tid, ip, &at) == 2 && at > ADDRESS_WIDTH &&
		    p[at] == ' ') {
			*p = '\0';
			return p + at + 1;
		}
	return NULL;
}

/* "  COMM  TID  ADDRESS NAME (DSO)" */
static bool
take_perf_line(struct named *n, char *line)
{
	struct named_row row = { .count = 1 };
	unsigned long long ip;
	char *dso = NULL, *name;

	line += strspn(line, " ");
	name = end_comm(line, &row.tid, &ip);
	for (char *p = name; p != NULL && (p = strstr(p, " (")) != NULL; p++)
		if (!begins_with(p, " (deleted)"))
			dso = p;
	if (dso == NULL)
		return false;
	*dso = '\0';
	dso += 2;
	dso[strlen(dso) - 1] = '\0';
	snprintf(row.comm, sizeof(row.comm), "%s", line);
	/* Code of the kernel that nothing tells of belongs to no file for perf. */
	put_dso(&row, strcmp(dso, "[unknown]") == 0 && ip >> 63 ? "[kernel]" : dso);
	add(n, &row, strcmp(name, "[unknown]") == 0 ? "" : name);
	return true;
}

/* Splits a row of the CSV in place. */
static size_t
split(char *line, char *fields[FIELDS])
{
	size_t n = 0;

	while (n < FIELDS) {
		char *to = line;
		bool quoted = *line == '"';

		fields[n++] = to;
		line += quoted;
		while (*line != '\0' && (quoted || *line != ',')) {
			if (*line == '"' && quoted && line[1] != '"')
				quoted = false;
			else
				*to++ = *line == '"' && quoted ? *line++ : *line;
			line++;
		}
		if (*line == '\0') {
			*to = '\0';
			break;
		}
		line++;
		*to = '\0';
	}
	return n;
}

/* A row that stands for a page, a file, or an entry of its unwind tables has no name. */
static bool
has_no_name(const char *dso, const char *symbol)
{
	return *symbol == '[' || begins_with(symbol, "0x") ||
	       (begins_with(symbol, dso) && begins_with(symbol + strlen(dso), "+0x"));
}

static bool
take_ptop_line(struct named *n, char *line)
{
	struct named_row row = { 0 };
	char *fields[FIELDS];

	if (split(line, fields) != 7)
		return false;
	snprintf(row.comm, sizeof(row.comm), "%s", fields[0]);
	row.tid = (unsigned)strtoul(fields[1], NULL, 10);
	row.count = strtoul(fields[4], NULL, 10);
	put_dso(&row, fields[2]);
	if (has_no_name(fields[2], fields[3]))
		*fields[3] = '\0';
	add(n, &row, fields[3]);
	return true;
}

static void
take_lines(struct named *n, char *const argv[], bool (*take)(struct named *n, char *line),
	   bool with_head)
{
	struct run_result r;
	char *save = NULL, *line;

	*n = (struct named){ 0 };
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("%s: %s", argv[0], r.err);
	for (line = strtok_r(r.out, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		if (with_head)
			with_head = false;
		else if (!take(n, line))
			fail_msg("not understood: '%s'", line);
	}
	run_release(&r);
	sum_up(n);
}

void
named_by_perf(struct named *n, const char *recording, bool raw)
{
	take_lines(n, (char *[]){ "perf", "script", raw ? "--no-demangle" : "--demangle", "-G", "-F",
				  "comm,tid,ip,sym,dso", "-i", (char *)(uintptr_t)recording, NULL },
		   take_perf_line, false);
}

void
named_by_ptop(struct named *n, const char *recording, bool raw)
{
	take_lines(n, (char *[]){ (char *)(uintptr_t)run_ptop(), "--by", "comm,tid,dso,symbol",
				  "--format", "csv", "-i", (char *)(uintptr_t)recording,
				  raw ? "--no-demangle" : NULL, NULL },
		   take_ptop_line, true);
}

void
named_release(struct named *n)
{
	for (size_t i = 0; i < n->len; i++)
		free(n->rows[i].name);
	free(n->rows);
	*n = (struct named){ 0 };
}

size_t
named_count(const struct named *n, unsigned tid, const char *dso, const char *pattern)
{
	size_t sum = 0;

	for (size_t i = 0; i < n->len; i++)
		if (n->rows[i].tid == tid && strcmp(n->rows[i].dso, dso) == 0 &&
		    fnmatch(pattern, n->rows[i].name, 0) == 0)
			sum += n->rows[i].count;
	return sum;
}

void
named_change(struct named *n, void (*change)(char *name))
{
	for (size_t i = 0; i < n->len; i++)
		change(n->rows[i].name);
	sum_up(n);
}

/* One thread's samples in one file: the rows that both sides have of it. */
struct group {
	const struct named_row *rows[2];
	size_t len[2];
};

/* How many of the rows from @from on are of the group of @first. */
static size_t
group_len(const struct named *n, size_t from, const struct named_row *first)
{
	size_t i = from;

	while (i < n->len && order_group(&n->rows[i], first) == 0)
		i++;
	return i - from;
}

static size_t
count_named(const struct group *g, int side, size_t *unnamed)
{
	size_t sum = 0;

	for (size_t i = 0; i < g->len[side]; i++)
		*(*g->rows[side][i].name != '\0' ? &sum : unnamed) += g->rows[side][i].count;
	return sum;
}

static size_t
count_in(const struct group *g, int side, const char *name)
{
	for (size_t i = 0; i < g->len[side]; i++)
		if (strcmp(g->rows[side][i].name, name) == 0)
			return g->rows[side][i].count;
	return 0;
}

static void
print_group(const struct group *g, unsigned *lines)
{
	static const char *const who[] = { "perf", "ptop" };

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < g->len[side] && *lines > 0; i++) {
			const struct named_row *r = &g->rows[side][i];
			size_t other = count_in(g, !side, r->name);

			if (r->count <= other)
				continue;
			print_message("# %s has %zu, not %zu: %s %u %s %s\n", who[side], r->count,
				      other, r->comm, r->tid, r->dso,
				      *r->name == '\0' ? "-" : r->name);
			--*lines;
		}
}

static void
compare_group(const struct group *g, struct named_difference *d, unsigned *lines)
{
	size_t no_perf = 0, perf = count_named(g, 0, &no_perf);
	size_t no_ptop = 0, ptop = count_named(g, 1, &no_ptop), agree = 0;

	for (size_t i = 0; i < g->len[0]; i++)
		if (*g->rows[0][i].name != '\0')
			agree += MIN(g->rows[0][i].count, count_in(g, 1, g->rows[0][i].name));
	d->perf_unnamed += no_perf;
	d->ptop_unnamed += no_ptop;
	d->placed += MIN(perf + no_perf, ptop + no_ptop);
	d->both += MIN(perf, ptop);
	d->agree += agree;
	if (agree < MIN(perf, ptop))
		print_group(g, lines);
}

struct named_difference
named_compare(const struct named *perf, const struct named *ptop, unsigned lines)
{
	struct named_difference d = { 0 };
	size_t a = 0, b = 0;

	while (a < perf->len || b < ptop->len) {
		const struct named_row *first =
			a == perf->len || (b < ptop->len &&
					   order_group(&ptop->rows[b], &perf->rows[a]) < 0)
				? &ptop->rows[b] : &perf->rows[a];
		struct group g = {
			.rows = { &perf->rows[a], &ptop->rows[b] },
			.len = { group_len(perf, a, first), group_len(ptop, b, first) },
		};

		compare_group(&g, &d, &lines);
		a += g.len[0];
		b += g.len[1];
	}
	return d;
}

struct dso_sum {
	const char *dso;
	size_t unnamed[2];
};

static int
order_dsos(const void *a, const void *b)
{
	return strcmp(((const struct dso_sum *)a)->dso, ((const struct dso_sum *)b)->dso);
}

void
named_each_dso(const struct named *perf, const struct named *ptop,
	       void (*call)(void *self, const char *dso, size_t perf, size_t ptop), void *self)
{
	const struct named *sides[2] = { perf, ptop };
	struct dso_sum *all = NULL;
	size_t len = 0, cap = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->len; i++) {
			const struct named_row *row = &sides[side]->rows[i];

			if (*row->name != '\0')
				continue;
			vec_reserve(&all, &cap, len + 1, sizeof(*all));
			all[len] = (struct dso_sum){ .dso = row->dso };
			all[len++].unnamed[side] = row->count;
		}
	if (len > 0)
		qsort(all, len, sizeof(*all), order_dsos);
	for (size_t i = 0; i < len; i++) {
		if (i + 1 < len && order_dsos(&all[i], &all[i + 1]) == 0) {
			all[i + 1].unnamed[0] += all[i].unnamed[0];
			all[i + 1].unnamed[1] += all[i].unnamed[1];
		} else {
			call(self, all[i].dso, all[i].unnamed[0], all[i].unnamed[1]);
		}
	}
	free(all);
}
