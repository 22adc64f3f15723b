/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/crumbs.h"

#include "base/text.h"
#include "ui/screen_words.h"
#include "ui/segs.h"
#include "view/column.h"

#include <math.h>

enum { WIDE = 100, LONG_FROM = 140, CRUMB_LEAST = 8, FILTER_LEAST = 12 };

#define TENTHS_BELOW 5.0 /* seconds: shorter stretches are told in tenths */
#define WAVERS_S 0.5 /* a window that is full may lack so much */
#define OFF_MOST 0.1 /* of a window: what it holds is told if that is more off than this part */
#define NEAR_MOST 0.25 /* and what was asked for as well if it is more off than this */

/* What is counted without samples keeps to no filter, and to a window only where it is compared. */
static bool
is_counted(const struct snapshot *snap)
{
	return snap->query.by_view && view_defs[snap->query.view].is_counted;
}

/* "10:41:00 to 10:41:30"; without a time of day "12.5 to 18.0 s". */
static void
put_from_to(struct buf *b, const struct snapshot_head *h, double from_s, double to_s)
{
	const struct moments *m = &h->moments;
	int digits = h->window_s < 1 ? 2 : 1;
	uint64_t from_ns = m->begin_ns + (uint64_t)(from_s * 1e9);
	uint64_t to_ns = m->begin_ns + (uint64_t)(to_s * 1e9), now_ns;

	if (m->wall.len == 0) {
		buf_addf(b, "%.*f to %.*f s", digits, from_s, digits, to_s);
		return;
	}
	now_ns = wall_real_ns(&m->wall, m->now_ns);
	moment_put_real(b, wall_real_ns(&m->wall, from_ns), now_ns, to_s - from_s < TENTHS_BELOW);
	buf_add_str(b, " to ");
	moment_put_real(b, wall_real_ns(&m->wall, to_ns), now_ns, to_s - from_s < TENTHS_BELOW);
}

/* How far its end is: "4 min ago"; of a recording in which zone its times are told. */
static void
put_distance(struct buf *b, const struct snapshot_head *h, double to_s)
{
	const struct moments *m = &h->moments;
	uint64_t end_ns = m->begin_ns + (uint64_t)(to_s * 1e9);

	if (h->recording == NULL) {
		buf_add_str(b, ", ");
		moment_put_length(b, (m->now_ns - MIN(m->now_ns, end_ns) + NSEC_PER_SEC / 2) /
					     NSEC_PER_SEC * NSEC_PER_SEC);
		buf_add_str(b, " ago");
	} else if (m->wall.len > 0) {
		buf_addf(b, " %s", moment_zone(wall_real_ns(&m->wall, end_ns)));
	} else {
		buf_addf(b, " of %.1f", h->span_s);
	}
}

/*
 * Of the past: what there is, and if that is quite another stretch and there is room what was asked
 * for.
 */
static void
put_stretch(struct buf *b, const struct snapshot_head *h, bool is_long)
{
	double from_s = MAX(h->window_end_s - h->window_s, 0), to_s = h->window_end_s;
	double off_s = fabs(h->have_from_s - from_s) + fabs(h->have_to_s - to_s);
	const bool is_other = h->have_to_s > 0 && off_s > h->window_s * OFF_MOST;
	const bool is_far = is_other && is_long && off_s > h->window_s * NEAR_MOST;

	buf_add_str(b, "window ");
	if (is_other)
		put_from_to(b, h, h->have_from_s, h->have_to_s);
	if (is_far)
		buf_addf(b, ", %s to ", WORD(NEAREST));
	if (is_far || !is_other)
		put_from_to(b, h, from_s, to_s);
	put_distance(b, h, is_far || !is_other ? to_s : h->have_to_s);
}

/* That ends now. */
static void
put_length(struct buf *b, const struct snapshot_head *h)
{
	int digits = h->window_s < 5 ? 1 : 0;
	double off_s = h->window_s * OFF_MOST;

	buf_addf(b, "%s %.4g s", WORD(WINDOW), h->window_s);
	if (h->window_have_s < h->window_s - MIN(off_s, WAVERS_S))
		buf_addf(b, " (%.*f %s)", digits, h->window_have_s, WORD(SO_FAR));
	else if (h->window_have_s > h->window_s + off_s)
		buf_addf(b, " (%.*f %s)", digits, h->window_have_s, WORD(HELD));
}

static void
add_window(struct segs *s, const struct snapshot *snap, bool is_long)
{
	const struct snapshot_head *h = &snap->head;
	const bool has_window = !is_counted(snap) || query_compares(&snap->query);
	struct buf b = { 0 };

	if (!has_window && h->as_of_ns == 0)
		return;
	if (has_window && h->window_end_s > 0) {
		put_stretch(&b, h, is_long);
	} else if (h->as_of_ns != 0) {
		buf_addf(&b, "%s ", WORD(AS_OF));
		moment_put_real(&b, h->as_of_ns, h->as_of_ns, false);
	} else if (h->window_s < 0) {
		buf_addf(&b, "%s all", WORD(WINDOW));
	} else {
		put_length(&b, h);
	}
	/* Why nothing is compared is more than how long that is. */
	segs_add(s, snap->then.lacks != NULL ? RANK_MUST - 2 : RANK_MUST - 1,
		 h->as_of_ns != 0 || h->window_end_s > 0 ? STYLE_ALARM : STYLE_NORMAL, "%s", b.data);
	if (h->window_lost > 0 && !is_counted(snap)) {
		buf_reset(&b);
		text_add_count(&b, (double)h->window_lost);
		segs_add(s, 56, STYLE_ALARM, "%s lost in it (!)", b.data);
	}
	buf_release(&b);
}

/* It holds no more, however long one waits. */
static bool
window_is_full(const struct snapshot *snap)
{
	const struct snapshot_head *h = &snap->head;

	return h->window_s > 0 && h->window_have_s >= h->window_s - WAVERS_S;
}

static void
add_need(struct segs *s, const struct snapshot *snap)
{
	const double need_s = ceil(snap->then.needs_s);

	/* The shorter of the two is what lacks, and a recording holds no more. */
	if (snap->query.compare == COMPARE_RECORDING && snap->then.window_s < snap->head.window_have_s)
		segs_add(s, 61, STYLE_NOTICE, "%s a recording %.0f s longer", WORD(NEEDS), need_s);
	else
		segs_add(s, 61, STYLE_NOTICE, "%s %.0f s more%s", WORD(NEEDS), need_s,
			 window_is_full(snap) ? ": }" : "");
}

/* What the window is compared with, or that there is nothing. */
static void
add_then(struct segs *s, const struct canvas *c, const struct snapshot *snap)
{
	struct buf b = { 0 };

	if (snap->query.compare == COMPARE_NOTHING)
		return;
	if (!query_compares(&snap->query)) {
		segs_add(s, RANK_MUST - 2, STYLE_NOTICE, "%s", view_defs[snap->query.view].no_then);
		return;
	}
	if (snap->then.lacks != NULL) {
		segs_add(s, RANK_MUST, STYLE_ALARM, "%s", snap->then.lacks);
		return;
	}
	if (snap->then.label == NULL) {
		segs_add(s, RANK_MUST - 2, STYLE_ALARM, "%s is not known", WORD(THEN));
		return;
	}
	canvas_add_safe(c, &b, snap->then.label);
	segs_add(s, RANK_MUST - 2, STYLE_ALARM, "%s %s", WORD(THEN), buf_str(&b));
	if (snap->then.needs_s > 0)
		add_need(s, snap);
	buf_release(&b);
}

/* What shares are of. */
static void
add_shares(struct segs *s, const struct snapshot *snap, bool is_long)
{
	static const char *const names[SHARES_COUNT][2] = {
		[SHARES_OF_SHOWN] = { "% of shown", "% of what is shown" },
		[SHARES_OF_ALL] = { "% of all", "% of all" },
		[SHARES_PER_SECOND] = { "per second", "per second" },
	};

	if (!is_counted(snap))
		segs_add(s, 41, STYLE_NORMAL, "%s", names[snap->query.shares][is_long]);
}

/* And what part of all that is, if it is not all. */
static void
add_part(struct segs *s, const struct snapshot *snap)
{
	const struct snapshot_event *e = snapshot_shown(snap);
	double part = e != NULL && e->period > 0 ? (double)e->base / (double)e->period : 1;

	if (part < 0.9995 && !is_counted(snap))
		segs_add(s, 32, STYLE_NORMAL, "(%.1f%% of all)", part * 100);
}

/* Of a function by instruction only whose samples they are is filtered, not which code. */
static bool
is_whole_code(const struct snapshot *snap)
{
	return snap->code != NULL && snap->code->location != 0 && !snap->code->is_filtered;
}

/* Where it is not in force, that is told. */
static void
add_unfiltered(struct segs *s, const struct query *q)
{
	if (q->filter[0] != '\0' || q->hide_kernel || q->hide_user || q->hide_self)
		segs_add(s, RANK_MUST - 2, STYLE_NOTICE, "%s", WORD(NOT_FILTERED));
}

/* What is in force is seen: a filter of more than @room cells is cut. */
static void
add_filters(struct segs *s, const struct canvas *c, const struct snapshot *snap, const struct query *q,
	    int room)
{
	struct buf b = { 0 };

	if (is_counted(snap) || is_whole_code(snap)) {
		add_unfiltered(s, q);
		return;
	}
	if (q->filter[0] != '\0') {
		buf_addf(&b, "%s ", WORD(FILTER));
		canvas_add_safe(c, &b, q->filter);
		canvas_cut(c, &b, MAX(room, FILTER_LEAST));
		segs_add(s, RANK_MUST - 1, STYLE_ALARM, "%s", b.data);
	}
	if (q->hide_kernel && snap->code == NULL)
		segs_add(s, 59, STYLE_ALARM, "%s", WORD(NO_KERNEL));
	if (q->hide_user && snap->code == NULL)
		segs_add(s, 58, STYLE_ALARM, "%s", WORD(NO_USER));
	if (q->hide_self)
		segs_add(s, 57, STYLE_ALARM, "%s", WORD(NO_PTOP));
	buf_release(&b);
}

static void
add_switches(struct segs *s, const struct query *q)
{
	if (q->hide_threads)
		segs_add(s, 30, STYLE_NORMAL, "%s", WORD(THREADS_OFF));
	if (q->idle)
		segs_add(s, 31, STYLE_NORMAL, "%s", WORD(WITH_IDLE));
	if (q->unnamed && !view_defs[q->view].is_unnamed)
		segs_add(s, 33, STYLE_NORMAL, "%s", WORD(NAMELESS));
}

/* The way to where we are, without its first @from steps. */
static void
put_crumbs(struct buf *b, const struct canvas *c, const struct snapshot *snap, size_t from)
{
	if (from > 0)
		buf_add_str(b, c->ascii ? ".. > " : "\xe2\x80\xa6 > ");
	for (size_t i = from; i < ARRAY_SIZE(snap->crumbs) && snap->crumbs[i] != NULL; i++) {
		if (i > from)
			buf_add_str(b, " > ");
		canvas_add_safe(c, b, snap->crumbs[i]);
	}
}

/*
 * On a line of @width cells, where what must be seen has room, too: the end matters most.  What
 * shares are of, in @shares cells, has room but beside an end that needs it.
 */
static void
add_crumbs(struct segs *s, const struct canvas *c, const struct snapshot *snap, int width, int shares)
{
	size_t count = 0;
	struct buf b = { 0 };

	while (count < ARRAY_SIZE(snap->crumbs) && snap->crumbs[count] != NULL)
		count++;
	for (size_t from = 0; from < MAX(count, 1); from++) {
		buf_reset(&b);
		put_crumbs(&b, c, snap, from);
		if (canvas_text_width(c, buf_str(&b)) <= width - shares)
			break;
	}
	/* One that is too long is cut as the line is, but leaves the others their room. */
	canvas_cut(c, &b, MAX(width, CRUMB_LEAST));
	segs_add(s, RANK_MUST, STYLE_CRUMB, "%s", buf_str(&b));
	buf_release(&b);
}

/* Where no line has room for them. */
static void
add_event(struct segs *s, const struct canvas *c, const struct snapshot_head *h)
{
	uint64_t lost = loss_sum(h->losses, LOSS_SAMPLES);
	struct buf b = { 0 };

	canvas_add_safe(c, &b, h->event);
	if (b.len > 0)
		segs_add(s, 35, STYLE_NORMAL, "event %s", b.data);
	if (lost > 0)
		segs_add(s, 57, STYLE_ALARM, "lost %llu", (unsigned long long)lost);
	buf_release(&b);
}

void
crumbs_add_title(struct segs *s, int rank, const struct canvas *c, const struct snapshot *snap)
{
	const struct snapshot_event *e = snapshot_shown(snap);
	const struct query *q = &snap->query;
	struct buf b = { 0 };

	if (q->by_view)
		buf_add_str(&b, view_defs[q->view].title);
	if (q->by_view && q->view == VIEW_FIELDS && e != NULL && e->field != NULL) {
		buf_add_str(&b, " of ");
		canvas_add_safe(c, &b, e->field);
	}
	for (size_t i = 0; i < q->key_count && !q->by_view; i++)
		buf_addf(&b, "%s%s", i == 0 ? "by " : ",", key_name(q->keys[i]));
	segs_add(s, rank, STYLE_STRONG, "[%s]", buf_str(&b));
	buf_release(&b);
}

void
crumbs_draw(struct canvas *c, int y, const struct snapshot *snap, const struct query *q, bool with_event)
{
	const bool is_wide = c->width >= WIDE, is_long = c->width >= LONG_FROM;
	const int gap = is_wide ? 4 : 2;
	const int width = c->width - 1;
	struct segs s = { 0 }, must = { 0 };
	int need, room;

	crumbs_add_title(&must, RANK_MUST - 1, c, snap);
	add_window(&must, snap, is_wide);
	room = width - segs_need(&must, c, gap) - CRUMB_LEAST - 2 * gap;
	add_then(&must, c, snap);
	add_filters(&must, c, snap, q, room);
	need = segs_need(&must, c, gap);
	add_shares(&must, snap, is_long);
	add_crumbs(&s, c, snap, width - need - gap, segs_need(&must, c, gap) - need);
	segs_release(&must);
	crumbs_add_title(&s, RANK_MUST - 1, c, snap);
	add_shares(&s, snap, is_long);
	add_part(&s, snap);
	add_window(&s, snap, is_wide);
	add_then(&s, c, snap);
	if (with_event)
		add_event(&s, c, &snap->head);
	add_filters(&s, c, snap, q, room);
	if (!is_counted(snap))
		add_switches(&s, q);
	else if (q->view == VIEW_CALLS && q->thread != 0)
		segs_add(&s, 60, STYLE_NOTICE, "%s", WORD(OF_ALL_THREADS));
	segs_draw(&s, c, 1, y, width, gap);
	segs_release(&s);
}
