/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header.h"

#include "base/clock.h"
#include "base/text.h"
#include "ui/cpu_bars.h"
#include "ui/crumbs.h"
#include "ui/screen_words.h"
#include "ui/segs.h"

#include <math.h>
#include <stdio.h>

enum { STRIP_MOST = 120, STRIP_USUAL = 60, STRIP_LEAST = 4, VERY_WIDE = 180, WIDE = 100, BRIEF = 40, BUSY_WIDTH = 5 };

static void
add_uptime(struct buf *b, uint64_t s)
{
	if (s >= 86400)
		buf_addf(b, "%llud ", (unsigned long long)(s / 86400));
	buf_addf(b, "%llu:%02llu", (unsigned long long)(s / 3600 % 24),
		 (unsigned long long)(s / 60 % 60));
}

static bool
has(unsigned parts, enum header_part part)
{
	return (parts & HEADER_BIT(part)) != 0;
}

/* "mem 5.2G of 15.5G  swap 1.2G" */
static void
add_memory(struct segs *s, const struct snapshot_head *h)
{
	struct buf used = { 0 }, all = { 0 };

	text_add_bytes(&used, h->memory_total - MIN(h->memory_available, h->memory_total));
	text_add_bytes(&all, h->memory_total);
	segs_add(s, 29, STYLE_NORMAL, "%s %s of %s", WORD(MEM), used.data, all.data);
	buf_reset(&used);
	text_add_bytes(&used, h->swap_total - MIN(h->swap_free, h->swap_total));
	if (h->swap_free < h->swap_total)
		segs_add(s, 27, STYLE_NORMAL, "%s %s", WORD(SWAP), used.data);
	buf_release(&used);
	buf_release(&all);
}

/* "stall% cpu 12 mem 0 io 3" */
static void
add_pressure(struct segs *s, const struct snapshot_head *h)
{
	static const enum screen_word words[PRESSURES] = {
		[PRESSURE_CPU] = WORD_STALL_CPU, [PRESSURE_MEMORY] = WORD_MEM, [PRESSURE_IO] = WORD_STALL_IO,
	};
	struct buf b = { 0 };

	for (int i = 0; i < PRESSURES; i++)
		if (!isnan(h->pressure[i]))
			buf_addf(&b, " %s %.0f", screen_words[words[i]].word, h->pressure[i]);
	if (b.len > 0)
		segs_add(s, 28, STYLE_NORMAL, "%s%s", WORD(STALL), b.data);
	buf_release(&b);
}

/* "us 61 sy 22 si 4 id 11 wa 2" */
static void
add_times(struct segs *s, const struct snapshot_head *h)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < HEADER_TIME_COUNT; i++) {
		const struct header_time *t = &header_times[i];
		float part = *(const float *)(const void *)((const char *)h + t->offset);

		if (!t->is_seldom || part >= 0.005f)
			buf_addf(&b, "%s%s %.0f", i > 0 ? " " : "", t->name, (double)part * 100);
	}
	segs_add(s, 40, STYLE_NORMAL, "%s", buf_str(&b));
	buf_release(&b);
}

static void
add_machine(struct segs *s, const struct canvas *c, const struct snapshot_head *h, unsigned parts)
{
	struct buf b = { 0 };

	canvas_add_safe(c, &b, h->host == NULL ? "" : h->host);
	segs_add(s, 60, STYLE_STRONG, "ptop %s", buf_str(&b));
	buf_reset(&b);
	if (h->recording != NULL) {
		buf_release(&b); /* the machine's load is not the recording's */
		return;
	}
	add_uptime(&b, h->uptime_s);
	if (h->uptime_s > 0 && has(parts, HEADER_UPTIME)) /* hosts do not send theirs */
		segs_add(s, 10, STYLE_NORMAL, "%s %s", WORD(UP), buf_str(&b));
	if (h->have_load && has(parts, HEADER_LOAD))
		segs_add(s, 50, STYLE_NORMAL, "load %.2f %.2f %.2f", h->load[0], h->load[1], h->load[2]);
	if (h->have_load && has(parts, HEADER_TASKS))
		segs_add(s, 30, STYLE_NORMAL, "%u tasks, %u %s", h->tasks, h->running, WORD(ON_CPU));
	if (h->have_shares && has(parts, HEADER_TIMES))
		add_times(s, h);
	if (h->memory_total > 0 && has(parts, HEADER_MEMORY))
		add_memory(s, h);
	if (h->memory_total > 0 && has(parts, HEADER_PRESSURE))
		add_pressure(s, h);
	buf_release(&b);
}

static void
add_event_name(struct segs *s, const struct canvas *c, const struct snapshot_head *h, int rank)
{
	struct buf b = { 0 };

	canvas_add_safe(c, &b, h->event == NULL ? "" : h->event);
	segs_add(s, rank, STYLE_STRONG, "event %s", b.len > 0 ? b.data : "none");
	if (h->event_filter != NULL && *h->event_filter != '\0') {
		buf_reset(&b);
		canvas_add_safe(c, &b, h->event_filter);
		segs_add(s, RANK_MUST - 3, STYLE_ALARM, "%s", WORD(FILTERED));
		segs_add(s, 57, STYLE_ALARM, "%s", buf_str(&b));
	}
	if (h->is_paused)
		segs_add(s, RANK_MUST - 2, STYLE_ALARM, "%s (P)", WORD(PAUSED));
	if (h->switching) {
		buf_reset(&b);
		canvas_add_safe(c, &b, h->switching_to == NULL ? "" : h->switching_to);
		segs_add(s, RANK_MUST - 2, STYLE_NOTICE, "%s %s", WORD(OPENING), buf_str(&b));
	}
	buf_release(&b);
}

/* The time of day, @at_s since the beginning. */
static void
put_moment(struct buf *b, const struct snapshot_head *h, double at_s)
{
	moment_put(b, &h->moments, h->moments.begin_ns + (uint64_t)(at_s * 1e9));
}

/* What is looked at: the machine now, or a recording. */
static void
add_source(struct segs *s, const struct canvas *c, const struct snapshot *snap,
	   const struct query *q, bool is_brief)
{
	const struct snapshot_head *h = snap != NULL ? &snap->head : NULL;
	struct buf b = { 0 }, rec = { 0 };
	uint64_t now_ns;

	if (h != NULL && h->recording != NULL) {
		canvas_add_safe(c, &b, h->recording);
		if (h->progress < 1)
			segs_add(s, RANK_MUST, STYLE_NOTICE, "%s %.0f%% of %s", WORD(READING),
				 h->progress * 100, buf_str(&b));
		else
			segs_add(s, RANK_MUST, STYLE_STRONG, "%s %s", WORD(FILE), buf_str(&b));
	} else {
		now_ns = h != NULL && h->now_ns != 0 ? h->now_ns : clock_real_ns();
		moment_put_real(&b, now_ns, now_ns, false);
		if (h != NULL && h->is_recording) {
			text_add_bytes(&rec, h->recorded_bytes);
			segs_add(s, RANK_MUST - 1, STYLE_ALARM, "%s %s", WORD(REC), rec.data);
		}
		if (h != NULL && h->window_end_s > 0) {
			buf_reset(&b);
			put_moment(&b, h, h->window_end_s);
		}
		segs_add(s, RANK_MUST, q->frozen || q->end_ns != 0 ? STYLE_ALARM : STYLE_STRONG,
			 "%s%s%s", q->end_ns != 0 ? WORD(PAST) : q->frozen ? WORD(FROZEN) : WORD(LIVE),
			 is_brief ? "" : " ", is_brief ? "" : buf_str(&b));
	}
	buf_release(&rec);
	buf_release(&b);
}

static void
draw_machine(struct canvas *c, const struct layout *l, const struct snapshot *snap,
	     const struct query *q, unsigned parts)
{
	struct segs s = { 0 };
	const bool has_title = snap != NULL && l->crumbs < 0; /* no other line has room for it */

	if (snap != NULL) {
		add_machine(&s, c, &snap->head, parts);
		if (l->event < 0 && has(parts, HEADER_EVENT))
			add_event_name(&s, c, &snap->head, 70);
		if (l->notices < 0 && snap->head.notice_count > 0)
			segs_add(&s, 80, STYLE_NOTICE, "! %zu notices", snap->head.notice_count);
	} else {
		segs_add(&s, 60, STYLE_STRONG, "ptop");
	}
	add_source(&s, c, snap, q, has_title && l->width < BRIEF);
	if (has_title)
		crumbs_add_title(&s, RANK_MUST + 1, c, snap);
	segs_draw(&s, c, 1, l->machine, l->width - 1, l->width >= WIDE ? 3 : 2);
	segs_release(&s);
}

/* Counts of what is not in the rows, or not as it should be; @is_all: also of what is harmless. */
static void
add_losses(struct segs *s, const struct snapshot_head *h, bool is_all)
{
	struct buf b = { 0 };

	for (enum loss_kind k = 0; k < LOSS_KINDS; k++) {
		const struct loss_def *def = &loss_defs[k];
		uint64_t n = loss_sum(h->losses, k);
		bool is_alarm = n != 0 && !def->is_harmless;

		if (def->header == NULL || (n == 0 && !def->is_always) || (!is_alarm && !is_all))
			continue;
		buf_reset(&b);
		text_add_count(&b, (double)n);
		segs_add(s, is_alarm ? def->rank + 30 : def->rank,
			 is_alarm ? STYLE_ALARM : STYLE_NORMAL, "%s %s", def->header, b.data);
	}
	buf_release(&b);
}

/* "wait 60%  run 30%  sleep 1%": those with the most first, which give way last. */
static void
add_states(struct segs *s, const char *states)
{
	int rank = 85;

	while (*states != '\0') {
		size_t len = strcspn(states, " ");

		len += states[len] == ' ' ? 1 + strcspn(states + len + 1, " ") : 0;
		segs_add(s, rank, STYLE_NORMAL, "%.*s", (int)len, states);
		states += len + strspn(states + len, " ");
		rank -= rank > 60;
	}
}

static bool
is_lowered(const struct snapshot_head *h)
{
	return h->is_freq && h->rate < h->rate_asked;
}

/*
 * How often, and where: "999 Hz x 64 cpu", "1 in 1000 x 64 cpu".  Less than what was asked ("500 of
 * 999 Hz", and why) and a CPU that is missing ("x 63/64 CPUs") are not to be overlooked: '!' says why.
 */
static void
add_rate(struct segs *s, const struct snapshot_head *h)
{
	const bool is_less = is_lowered(h);
	bool is_missing = h->cpus_sampled < h->cpus_known;
	char often[64], where[48];

	if (h->states != NULL) {
		add_states(s, h->states);
		return;
	}
	/* With --hosts each host has its own. */
	if (h->rate == 0 && h->cpus_known == 0)
		return;
	if (is_less)
		snprintf(often, sizeof(often), "%llu of %llu Hz", (unsigned long long)h->rate,
			 (unsigned long long)h->rate_asked);
	else if (h->is_freq || h->rate > 1)
		snprintf(often, sizeof(often), h->is_freq ? "%llu Hz" : "1 in %llu",
			 (unsigned long long)h->rate);
	else
		snprintf(often, sizeof(often), h->rate == 1 ? "each one" : "with its group's leader");
	if (is_missing)
		snprintf(where, sizeof(where), "%u/%u CPUs", h->cpus_sampled, h->cpus_known);
	else
		snprintf(where, sizeof(where), "%u cpu", h->cpus_sampled);
	segs_add(s, is_less ? 85 : is_missing ? 80 : 50,
		 is_less || is_missing ? STYLE_ALARM : STYLE_NORMAL, "%s x %s", often, where);
	if (is_less && h->rate_why != NULL)
		segs_add(s, 84, STYLE_ALARM, "(%s)", h->rate_why);
}

/* What ptop itself costs: where it samples less than was asked, that may be why. */
static void
add_self(struct segs *s, const struct snapshot_head *h)
{
	const int rank = is_lowered(h) ? 85 : 45;
	struct buf b = { 0 };

	text_add_bytes(&b, h->self_bytes);
	if (isnan(h->self_cpu))
		segs_add(s, rank, STYLE_NORMAL, "self %s", b.data);
	else
		segs_add(s, rank, STYLE_NORMAL, "self %.1f%% %s", h->self_cpu, b.data);
	buf_release(&b);
}

static void
draw_event(struct canvas *c, const struct layout *l, const struct snapshot *snap, unsigned parts)
{
	const struct snapshot_head *h = &snap->head;
	struct segs s = { 0 };
	struct buf b = { 0 };

	if (has(parts, HEADER_EVENT))
		add_event_name(&s, c, h, RANK_MUST);
	if (has(parts, HEADER_EVENT) && (h->recording == NULL || h->states != NULL))
		add_rate(&s, h);
	text_add_count(&b, h->recording != NULL ? (double)snap->total_samples : h->samples_per_s);
	if (has(parts, HEADER_SAMPLES))
		segs_add(&s, 55, STYLE_NORMAL, "%s%s%s", b.data,
			 h->recording != NULL ? " sample" : l->width >= WIDE ? " samples/s" : "/s",
			 h->recording != NULL ? text_plural(snap->total_samples) : "");
	add_losses(&s, h, has(parts, HEADER_LOST));
	if (h->chains != NULL && has(parts, HEADER_EVENT))
		segs_add(&s, 42, STYLE_NORMAL, "%s", h->chains);
	if (has(parts, HEADER_SELF))
		add_self(&s, h);
	segs_draw(&s, c, 1, l->event, l->width - 1, l->width >= WIDE ? 3 : 2);
	buf_release(&b);
	segs_release(&s);
}

/* Before what a notice that is too long may end, and what it ends with then. */
struct notice_cut {
	const char *before[2], *instead;
	int least_percent; /* of the width, or it would say too little */
};

/* How much of the notice is left by the cut that leaves most and fits; 0: none does. */
static size_t
longest_cut(const struct canvas *c, const struct buf *notice, const struct notice_cut *cut,
	    int width)
{
	const int least = width * cut->least_percent / 100;
	struct buf whole = { 0 };
	size_t longest = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cut->before) && cut->before[i] != NULL; i++) {
		const char *at = notice->data;

		while ((at = strstr(at + 1, cut->before[i])) != NULL) {
			const size_t len = (size_t)(at - notice->data);
			int wide;

			buf_reset(&whole);
			buf_addf(&whole, "%.*s%s", (int)len, notice->data, cut->instead);
			wide = canvas_text_width(c, buf_str(&whole));
			if (wide >= least && wide <= width)
				longest = MAX(longest, len);
		}
	}
	buf_release(&whole);
	return longest;
}

/* Of a notice that is too long what fits whole: "run as root, or see !", "it has no names: see !". */
static void
cut_notice(const struct canvas *c, struct buf *notice, int width)
{
	static const struct notice_cut cuts[] = {
		{ { ", or: " }, ", or see !", 0 },
		{ { ": ", " (" }, ": see !", 50 },
	};

	if (canvas_text_width(c, buf_str(notice)) <= width)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		const size_t len = longest_cut(c, notice, &cuts[i], width);

		if (len == 0)
			continue;
		notice->len = len;
		buf_add_str(notice, cuts[i].instead);
		return;
	}
}

static void
draw_notices(struct canvas *c, const struct layout *l, const struct snapshot_head *h)
{
	size_t more = h->notice_count - (size_t)l->notice_count;
	struct buf b = { 0 };
	int width = l->width - 1, last = l->notices + l->notice_count - 1;

	for (int y = l->notices; y <= last; y++) {
		if (y == last && more > 0) {
			buf_addf(&b, "+%zu more: !", more);
			canvas_put_right(c, 1, y, width, STYLE_NOTICE, b.data);
			width -= (int)b.len + 2;
			buf_reset(&b);
		}
		buf_add_str(&b, "! ");
		canvas_add_safe(c, &b, h->notices[y - l->notices]);
		cut_notice(c, &b, width);
		canvas_put(c, 1, y, width, STYLE_NOTICE, b.data);
		buf_reset(&b);
	}
	buf_release(&b);
}

/* How busy all are, behind their cells. */
static int
draw_busy(struct canvas *c, int x, int y, const struct snapshot_head *h)
{
	float sum = 0;
	char text[16];

	for (size_t i = 0; i < h->cpu_count; i++)
		sum += h->cpus[i].busy;
	if (h->cpu_count == 0)
		return 0;
	snprintf(text, sizeof(text), " %.0f%%", (double)(sum / (float)h->cpu_count) * 100);
	return canvas_put(c, x, y, BUSY_WIDTH, STYLE_NORMAL, text);
}

/* CPUs that share a cell: the busiest of them is shown, and the label says so. */
static int
draw_cpus(struct canvas *c, int y, int width, const struct snapshot_head *h)
{
	size_t n = h->cpu_count, room = (size_t)MAX(width - 14 - BUSY_WIDTH, 1);
	size_t group = (n + room - 1) / room;
	struct buf b = { 0 };
	int x = 1;

	group = MAX(group, 1u);
	if (group > 1)
		buf_addf(&b, "cpus/%zu max ", group);
	else
		buf_add_str(&b, "cpus ");
	if (c->ascii)
		buf_add_char(&b, '[');
	x += canvas_put(c, x, y, width - 1, STYLE_NORMAL, b.data);
	for (size_t i = 0; i < n; i += group) {
		float busy = 0;

		for (size_t j = i; j < MIN(i + group, n); j++)
			busy = MAX(busy, h->cpus[j].busy);
		canvas_put_bar(c, x++, y, (double)busy);
	}
	if (c->ascii)
		canvas_put_char(c, x++, y, STYLE_NORMAL, ']');
	x += draw_busy(c, x, y, h);
	buf_release(&b);
	return x;
}

/* How much time the cells are: "60 s", "10 min", "1 h". */
static void
put_span(struct buf *b, const struct snapshot *snap, int tier, int cells)
{
	moment_put_length(b, (uint64_t)(snap->timeline[tier].step_s * cells * 1e9));
	buf_add_char(b, ' ');
}

/* A minute, as all of them are sent again each second; the two that there are where there is so much room. */
static int
strip_cells(int width, int room)
{
	return width >= VERY_WIDE && room >= STRIP_MOST ? STRIP_MOST : MIN(room, STRIP_USUAL);
}

static void
draw_strip(struct canvas *c, const struct layout *l, const struct snapshot *snap, unsigned parts,
	   struct strip *strip)
{
	int strip_least = MIN(l->width / 3, STRIP_USUAL), x = 1, cells, tier;
	struct buf b = { 0 };

	if (has(parts, HEADER_CPUS) && snap->head.cpu_count > 0) /* hosts do not send theirs */
		x = draw_cpus(c, l->strip, l->width - strip_least - 8, &snap->head) + 3;
	cells = has(parts, HEADER_LINE) ? strip_cells(l->width, l->width - x - 8) : 0;
	*strip = (struct strip){ 0 };
	if (cells < STRIP_LEAST || snap->timeline[0].len == 0)
		return;
	tier = strip_tier(snap, cells);
	put_span(&b, snap, tier, cells);
	if (c->ascii)
		b.data[b.len - 1] = '[';
	x += canvas_put(c, x, l->strip, 7, STYLE_NORMAL, b.data);
	*strip = strip_draw(c, x, l->strip, cells, snap, tier, 1, STRIP_ALL);
	if (c->ascii)
		canvas_put_char(c, x + cells, l->strip, STYLE_NORMAL, ']');
	buf_release(&b);
}

struct layout_wants
header_wants(const struct snapshot *snap, unsigned parts, int width)
{
	static const unsigned event = HEADER_BIT(HEADER_EVENT) | HEADER_BIT(HEADER_SAMPLES) |
				      HEADER_BIT(HEADER_LOST) | HEADER_BIT(HEADER_SELF),
			      strip = HEADER_BIT(HEADER_CPUS) | HEADER_BIT(HEADER_LINE);
	bool is_lossy = snap != NULL && loss_sum(snap->head.losses, LOSS_SAMPLES) > 0;

	return (struct layout_wants){
		.notices = snap != NULL ? snap->head.notice_count : 0,
		.event = (parts & event) != 0 || is_lossy, .strip = (parts & strip) != 0,
		.cpu_lines =
			snap != NULL && has(parts, HEADER_BARS) ? cpu_bars_lines(&snap->head, width) : 0,
	};
}

void
header_draw(struct canvas *c, const struct layout *l, const struct snapshot *snap,
	    const struct query *q, unsigned parts, struct strip *strip)
{
	/* Where it is not drawn nothing is to be clicked at. */
	*strip = (struct strip){ 0 };
	if (l->machine >= 0)
		draw_machine(c, l, snap, q, parts);
	if (snap == NULL)
		return;
	if (l->event >= 0)
		draw_event(c, l, snap, parts);
	if (l->notices >= 0)
		draw_notices(c, l, &snap->head);
	if (l->cpus >= 0)
		cpu_bars_draw(c, l->cpus, l->cpu_count, l->width, &snap->head);
	if (l->strip >= 0)
		draw_strip(c, l, snap, parts, strip);
	if (l->crumbs >= 0)
		crumbs_draw(c, l->crumbs, snap, q, l->event < 0);
}
