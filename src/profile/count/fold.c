/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which tables are folded when, so that they stay within their bounds: first what ended and what no
 * window shows, last what weighs least.
 */
#include "profile/count/fold_impl.h"
#include "profile/count/past.h"

#include <stdlib.h>

enum {
	KEPT_S = 30,            /* ended tasks and old intervals are kept at least so long, */
	CROWD_KEPT_S = 12,      /* ended tasks in a crowd: */
	CROWD_HOT_PART = 8,     /* above that part of the hot table's bound, */
	CROWD_TREE_PART = 6,    /* or of the tree's share */
	SCREEN_KEPT_S = 3,      /* on a screen, if there are more of them that ended before that, */
	SCREEN_LEAST = 64,      /* than rows that anybody can look at; a pass over a tree that is */
	SCREEN_TREE = 16 << 10, /* larger takes milliseconds, and is made each MERGE_EACH_S alone */
	MERGE_EACH_S = 5,
	THREADS_AGAIN_S = 60,   /* trees of threads that are merged again so soon are not worth it, */
	THREADS_MANY = 1000,    /* nor are those of so many; */
	THRIFTY_TREE = 16 << 10, /* where time is short, not even while there is room for more than that */
	MERGE_LEAST = 16,       /* fewer ended tasks are not worth a pass */
	FOLLOW_SMALL = 8 << 10, /* hot tables up to here follow forwarded locations at once, */
	FOLLOW_TREE = 16 << 10, /* if the tree has no more; others each */
	FOLLOW_EACH_S = 10,
};

/* The smallest power of two such that at most @keep of the @len weights reach it. */
static uint32_t
threshold(const uint32_t *weights, size_t len, size_t keep)
{
	size_t by_bits[33] = { 0 }, kept = 0;
	int bits;

	for (size_t i = 1; i < len; i++)
		by_bits[weights[i] == 0 ? 0 : 32 - __builtin_clz(weights[i])]++;
	/* by_bits[b] counts the weights in [2^(b-1), 2^b). */
	for (bits = 32; bits > 1; bits--) {
		kept += by_bits[bits];
		if (kept > keep)
			break;
	}
	return bits >= 32 ? FOLD_WEIGHT_MAX : UINT32_C(1) << bits;
}

/* As many as fill half of the share: the other half is room for the next minutes. */
static size_t
entries_to_keep(size_t len, size_t bytes, size_t share)
{
	return (size_t)((double)len * (double)share / 2 / (double)bytes);
}

static void
shrink_tree(struct profile *p, size_t share)
{
	size_t len = p->tables.cells[TABLE_TREE].len, bytes = tables_bytes(&p->tables, TABLE_TREE);
	size_t keep = entries_to_keep(len, bytes, share);
	uint32_t *weights = fold_tree_weights(p);

	p->folded_nodes += fold_tree(p, NULL, weights, threshold(weights, len, keep));
}

static void
shrink_addresses(struct profile *p, size_t share)
{
	struct cells *c = &p->tables.cells[TABLE_ADDRESS];
	size_t keep = entries_to_keep(c->len, tables_bytes(&p->tables, TABLE_ADDRESS), share);
	uint32_t *weights = mem_calloc(c->len, sizeof(*weights));

	for (size_t id = 1; id < c->len; id++)
		weights[id] = fold_add_weight(0, c->items[id].all_samples);
	p->folded_addresses += fold_addresses(p, NULL, weights, threshold(weights, c->len, keep));
}

/* Whose rows may be merged with those of others of their names. */
struct ended {
	uint64_t before_ns; /* whose task ended before that */
	bool has_targets;   /* and also if it was sampled on purpose */
};

static bool
may_merge(const struct profile *p, uint32_t who, const struct ended *which)
{
	const struct model *m = p->model;
	const struct task *t = model_task_at(m, m->whos[who].task);

	return m->whos[who].is_used && model_who_is_dead(m, who) &&
	       (which->has_targets || !t->is_target) && t->died_ns < which->before_ns &&
	       t->process != p->keep_process;
}

/* Each who becomes another, or stays; those that nothing is counted of any more are forgotten. */
static void
move_whos(struct profile *p, const uint32_t *whos, size_t len)
{
	bool has_whos = false;

	for (size_t id = 1; id < p->tables.cells[TABLE_ADDRESS].len; id++)
		has_whos |= p->tables.addresses[id].who != 0;
	fold_hot(p, whos, NULL, 0);
	fold_tree(p, whos, NULL, 0);
	if (has_whos)
		fold_addresses(p, whos, NULL, 0);
	for (uint32_t w = 1; w < len; w++)
		if (whos[w] != w)
			model_forget_who(p->model, w);
	p->fold_due = false; /* these passes follow locations, too */
}

/* How many tasks were merged by name; none if they are fewer than @least. */
static size_t
merge_ended(struct profile *p, struct ended which, size_t least)
{
	struct model *m = p->model;
	size_t len = m->who_len, merged = 0, again = 0;
	uint32_t *whos;

	for (uint32_t w = 1; w < len; w++)
		merged += may_merge(p, w, &which);
	if (merged < least)
		return 0;
	whos = mem_calloc(len, sizeof(*whos));
	for (uint32_t w = 1; w < len; w++) {
		const struct who who = m->whos[w];
		const struct task *t = model_task_at(m, who.task);

		whos[w] = w;
		if (!may_merge(p, w, &which))
			continue;
		again += who.task == t->process && t->crowd_comm != 0;
		whos[w] = model_ended_who(m, t->host, who.comm, who.cgroup);
	}
	move_whos(p, whos, len);
	free(whos);
	p->merged_tasks += merged - again; /* these were counted when they were young */
	return merged;
}

/* Samples of each name of ended tasks, 0 for all others.  How many of these names there are. */
static size_t
name_weights(const struct profile *p, uint32_t *weights, size_t len, uint32_t other)
{
	const struct cells *c = &p->tables.cells[TABLE_HOT];
	size_t names = 0;

	for (size_t id = 1; id < c->len; id++) {
		uint32_t *weight = &weights[p->tables.hot[id].who];

		*weight = fold_add_weight(*weight, c->items[id].all_samples);
	}
	for (uint32_t w = 1; w < len; w++) {
		bool is_name = w != other && fold_is_ended_name(p->model, w);

		names += is_name;
		weights[w] = is_name ? MAX(weights[w], 1) : 0;
	}
	return names;
}

/*
 * Where each ended task had a name of its own, merging by name is not enough: the rarer half of
 * these names become one.  A recording ends some day: it keeps all.
 */
static void
merge_rare_names(struct profile *p)
{
	struct model *m = p->model;
	uint32_t other = model_ended_who(m, 0, strs_add_str(&m->strs, "[other ended tasks]"), 0);
	size_t len = m->who_len, names;
	uint32_t *whos = mem_calloc(len, sizeof(*whos)), least;

	names = name_weights(p, whos, len, other);
	if (m->from_file || names < MERGE_LEAST)
		goto out;
	least = threshold(whos, len, names / 2);
	for (uint32_t w = 1; w < len; w++) {
		bool is_rare = whos[w] != 0 && whos[w] < least;

		p->merged_names += is_rare;
		whos[w] = is_rare ? other : w;
	}
	move_whos(p, whos, len);
out:
	free(whos);
}

/* Processes whose threads are told as theirs, by @whos, have no other trees any more. */
static void
give_one_tree(struct profile *p, const uint32_t *whos, size_t len)
{
	struct model *m = p->model;

	for (uint32_t w = 1; w < len; w++)
		if (whos[w] != w)
			p->merged_threads += !m->tasks[m->whos[whos[w]].task].has_one_tree;
	for (uint32_t w = 1; w < len; w++)
		if (whos[w] != w)
			m->tasks[m->whos[whos[w]].task].has_one_tree = true;
}

/*
 * The trees of threads become part of their process's, but for those that are looked at.  If they
 * are many, or have grown again soon after, their stacks are told as those of the process from now
 * on: to make them anew for each thread again and again would take most of ptop's time.  Where fewer
 * than @least threads, of all processes, may have trees of their own they are let be.
 */
static void
merge_threads(struct profile *p, uint64_t now_ns, size_t least)
{
	bool is_again = p->threads_ns != 0 && now_ns - p->threads_ns < THREADS_AGAIN_S * NSEC_PER_SEC;
	struct model *m = p->model;
	size_t len = m->who_len, merged = 0, own = 0;
	uint32_t *whos = mem_calloc(len, sizeof(*whos));

	for (uint32_t w = 1; w < len; w++) {
		uint32_t process = m->whos[w].is_used ? m->tasks[m->whos[w].task].process : 0;

		whos[w] = w;
		if (process != 0 && process != m->whos[w].task && m->tasks[process].is_used &&
		    process != p->keep_process)
			whos[w] = model_who(m, process);
		merged += whos[w] != w;
		own += whos[w] != w && !m->tasks[process].has_one_tree;
	}
	if (own < least)
		merged = 0;
	if (merged > 0 && (is_again || merged > THREADS_MANY))
		give_one_tree(p, whos, len);
	if (merged > 0) {
		p->threads_ns = now_ns;
		fold_tree(p, whos, NULL, 0);
	}
	free(whos);
}

/* More of the ended in each step, until there is room again. */
static void
shrink_hot(struct profile *p, uint64_t before_ns, uint64_t now_ns)
{
	const struct ended steps[] = {
		{ before_ns, false }, { now_ns, false }, { before_ns, true }, { now_ns, true },
	};
	const size_t *len = &p->tables.cells[TABLE_HOT].len, enough = p->hot_max / 4 * 3;

	for (size_t i = 0; i < ARRAY_SIZE(steps) && *len > enough; i++)
		merge_ended(p, steps[i], 1);
	if (*len > enough)
		merge_rare_names(p);
	/* What is left is exact and of tasks that live: it is never folded. */
	if (*len > enough)
		p->hot_max *= 2;
}

/* Whoever looks at the past, or at all of it, may go on to any of it; a recording is all past. */
static bool
is_all_shown(const struct profile *p)
{
	return profile_stands_still(p) || p->model->from_file || p->window_ns == WINDOW_ALL;
}

/*
 * The time from which on all is kept as it was, at least @kept_s: no window that is shown, and no
 * screen, reaches further back.
 */
static uint64_t
shown_since(const struct profile *p, uint64_t now_ns, unsigned kept_s)
{
	uint64_t kept_ns = MAX(kept_s * NSEC_PER_SEC, MAX(p->window_ns, p->report_ns));

	/* Of a row that is still to be seen callers may be asked for. */
	kept_ns = MAX(kept_ns, 2 * p->refresh_ns);
	return !is_all_shown(p) && now_ns > kept_ns ? now_ns - kept_ns : 0;
}

/* Whether there are so many that nobody will look for one that the window does not show. */
static bool
is_crowded(const struct profile *p)
{
	size_t share = p->budget_bytes / PROFILE_SHARES * PROFILE_TREE_SHARE;

	return p->tables.cells[TABLE_HOT].len > p->hot_max / CROWD_HOT_PART ||
	       tables_bytes(&p->tables, TABLE_TREE) > share / CROWD_TREE_PART;
}

static int
compare_names(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Of processes, as threads of one come and go otherwise.  They are not merged yet: rows stay a while. */
static void
find_crowds(struct profile *p, uint64_t since_ns)
{
	const struct model *m = p->model;
	uint64_t *names = mem_calloc(m->who_len, sizeof(*names));
	size_t len = 0, first = 0;

	for (uint32_t w = 1; w < m->who_len; w++) {
		const struct task *t = &m->tasks[m->whos[w].task];

		if (m->whos[w].is_used && t->process == m->whos[w].task && t->died_ns > since_ns)
			names[len++] = (uint64_t)m->whos[w].comm << 32 | m->whos[w].cgroup;
	}
	qsort(names, len, sizeof(*names), compare_names);
	for (size_t i = 1; i <= len; i++) {
		if (i < len && names[i] == names[first])
			continue;
		crowds_ended(&p->crowds, (uint32_t)(names[first] >> 32), (uint32_t)names[first],
			     i - first);
		first = i;
	}
	free(names);
}

/*
 * Of what ends by the hundred each second a screen would have rows of a tenth of a percent each,
 * and none that says how much it is in all.  A report tells each by its number.
 */
static void
merge_for_screen(struct profile *p, uint64_t now_ns)
{
	uint64_t kept_ns = now_ns - MIN(now_ns, SCREEN_KEPT_S * NSEC_PER_SEC);

	if (is_all_shown(p) || p->report_ns != 0) {
		crowds_end(&p->crowds);
		return;
	}
	crowds_judge(&p->crowds, now_ns);
	if (p->model->who_len > CROWD_LEAST)
		find_crowds(p, kept_ns);
	if (p->tables.cells[TABLE_TREE].len > SCREEN_TREE &&
	    now_ns - p->screened_ns < MERGE_EACH_S * NSEC_PER_SEC)
		return;
	p->screened_ns = now_ns;
	merge_ended(p, (struct ended){ kept_ns, false }, SCREEN_LEAST);
}

/* Intervals that no window can show: an event that waits keeps its own last ones. */
static void
forget_log(struct profile *p, uint64_t before_ns)
{
	while (p->log.tiers[LOG_NEWEST].len > 1) {
		const struct interval *iv = log_at(&p->log, log_first(&p->log));

		if (iv->end_ns >= before_ns ||
		    p->events[iv->event].win_first <= log_first(&p->log))
			return;
		profile_forget_interval(p);
	}
}

static void
shrink_log(struct profile *p, size_t share)
{
	while (p->log.tiers[LOG_NEWEST].len > 1 && log_bytes(&p->log) > share) {
		profile_forget_interval(p);
		p->dropped_intervals++;
	}
}

/* Three quarters of a share are the mark from which it is made smaller. */
static bool
over_mark(size_t bytes, size_t share)
{
	return bytes > share / 4 * 3;
}

bool
profile_is_full(const struct profile *p)
{
	size_t unit = p->budget_bytes / PROFILE_SHARES, len = p->tables.cells[TABLE_TREE].len;

	/* Where nothing can be folded, to try it again and again would take all the time. */
	return over_mark(tables_bytes(&p->tables, TABLE_TREE), PROFILE_TREE_SHARE * unit) &&
	       len > p->tree_kept + p->tree_kept / 2;
}

/* Reports resolve locations anyway: what is late is only that entries become one. */
static bool
can_follow(const struct profile *p, uint64_t now_ns)
{
	const struct cells *cells = p->tables.cells;

	return (cells[TABLE_HOT].len <= FOLLOW_SMALL && cells[TABLE_TREE].len <= FOLLOW_TREE) ||
	       now_ns - p->followed_ns > FOLLOW_EACH_S * NSEC_PER_SEC;
}

void
profile_follow(struct profile *p)
{
	if (!p->fold_due)
		return;
	p->fold_due = false;
	fold_hot(p, NULL, NULL, 0);
	fold_tree(p, NULL, NULL, 0);
}

void
profile_fold(struct profile *p, uint64_t now_ns)
{
	const struct tables *t = &p->tables;
	size_t unit = p->budget_bytes / PROFILE_SHARES;
	uint64_t before_ns = shown_since(p, now_ns, KEPT_S);
	uint64_t ended_ns = shown_since(p, now_ns, is_crowded(p) ? CROWD_KEPT_S : KEPT_S);
	bool is_merged = false;

	merge_for_screen(p, now_ns);
	/* Where processes come and go by the thousand, this is what keeps memory flat. */
	if (now_ns - p->merged_ns > MERGE_EACH_S * NSEC_PER_SEC) {
		p->merged_ns = now_ns;
		merge_ended(p, (struct ended){ ended_ns, false }, MERGE_LEAST);
		is_merged = true;
	}
	if (p->fold_due && can_follow(p, now_ns)) {
		p->followed_ns = now_ns;
		profile_follow(p);
	}
	/* Now that what became one is weighed as one. */
	if (is_merged && before_ns != 0) {
		fold_light(p);
		forget_locations(p);
	}
	if (t->cells[TABLE_HOT].len > p->hot_max)
		shrink_hot(p, ended_ns, now_ns);
	if (p->keeps_past) {
		past_keep(p, now_ns);
	} else {
		forget_log(p, before_ns);
		shrink_log(p, profile_log_share(p) / 4 * 3);
	}
	if (p->is_thrifty && t->cells[TABLE_TREE].len > THRIFTY_TREE)
		merge_threads(p, now_ns, THREADS_MANY);
	if (over_mark(tables_bytes(t, TABLE_TREE), PROFILE_TREE_SHARE * unit)) {
		merge_ended(p, (struct ended){ ended_ns, false }, 1);
		merge_threads(p, now_ns, 0);
		if (over_mark(tables_bytes(t, TABLE_TREE), PROFILE_TREE_SHARE * unit * 3 / 4))
			shrink_tree(p, PROFILE_TREE_SHARE * unit);
		/* Roots are never folded: what is left may be those of tasks that just ended. */
		if (over_mark(tables_bytes(t, TABLE_TREE), PROFILE_TREE_SHARE * unit))
			merge_ended(p, (struct ended){ now_ns, false }, 1);
		if (over_mark(tables_bytes(t, TABLE_TREE), PROFILE_TREE_SHARE * unit))
			merge_ended(p, (struct ended){ now_ns, true }, 1);
		if (over_mark(tables_bytes(t, TABLE_TREE), PROFILE_TREE_SHARE * unit))
			merge_rare_names(p);
	}
	if (over_mark(tables_bytes(t, TABLE_ADDRESS), profile_address_share(p)))
		shrink_addresses(p, profile_address_share(p));
	p->tree_kept = t->cells[TABLE_TREE].len;
}
