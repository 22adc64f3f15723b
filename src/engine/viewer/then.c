/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the window is compared with: other time of the same tables, or another recording. */
#include "engine/viewer/viewer_impl.h"

#include <string.h>

#include "engine/leaf/engine_msg.h"
#include "view/difference.h"

#define EVENTS_BEGIN_NS (50 * NSEC_PER_MSEC) /* they do not begin at once, but by then */

bool
viewer_has_then(const struct viewer *v)
{
	return v->has_all_then;
}

enum part_reply
then_on_snapshot(void *viewer, struct msg *m)
{
	struct viewer *v = viewer;

	snapshot_put(v->then);
	v->then = snapshot_get(((struct engine_snapshot_msg *)m)->snapshot);
	if (v->query.compare == COMPARE_RECORDING && v->env->config->is_watched)
		agenda_want(v->env->agenda, AGENDA_ANSWER);
	return PART_DONE;
}

enum part_reply
then_on_status(void *viewer, struct msg *m)
{
	const struct engine_text_msg *t = (const struct engine_text_msg *)m;
	struct viewer *v = viewer;

	if (t->is_error)
		notes_refuse(v->env->notes, "--diff: %s", t->text);
	return PART_DONE;
}

enum part_reply
then_on_end(void *viewer, struct msg *m)
{
	const struct engine_ended_msg *ended = (const struct engine_ended_msg *)m;
	struct viewer *v = viewer;
	struct err err = ended->err;

	v->has_all_then = true;
	if (err.code == ERR_NONE)
		return PART_DONE;
	err_wrap(&err, "--diff");
	agenda_end(v->env->agenda, &err);
	return PART_DONE;
}

/* When the event's window begins; one that stands still and is empty, as it was asked for. */
static uint64_t
window_begin_ns(const struct viewer *v)
{
	const struct profile *p = v->env->profile;
	const uint32_t event = v->env->measured->shown;
	uint64_t from_ns, to_ns;

	if (event >= p->event_count)
		return 0;
	if (profile_stretch(p, event, &from_ns, &to_ns))
		return from_ns;
	if (profile_stands_still(p)) {
		to_ns = profile_shown_to_ns(p);
		return to_ns - MIN(to_ns, p->window_ns);
	}
	to_ns = p->events[event].last_end_ns;
	return to_ns - MIN(to_ns, p->events[event].win_ns);
}

/* Where it has none all there is is shown. */
static bool
has_length(const struct profile *p)
{
	return p->window_ns != WINDOW_ALL && p->window_ns != WINDOW_SINCE_REPORT;
}

/* The same query of another stretch, as long as the window is. */
static struct snapshot *
stretch(struct viewer *v, const struct query *q, const struct filter *filter, uint64_t end_ns)
{
	struct profile *p = v->env->profile;
	const uint64_t begin_ns = v->env->clock->begin_ns;
	const uint64_t old_end_ns = p->end_ns;
	struct snapshot *then = NULL;
	struct query of_then = *q;

	if (!has_length(p) || end_ns <= begin_ns)
		return NULL;
	of_then.compare = COMPARE_NOTHING;
	of_then.is_then = true;
	of_then.sums = true;
	of_then.end_ns = end_ns - begin_ns;
	of_then.max_rows = 0;
	profile_set_end(p, end_ns);
	then = viewer_picture(v, &of_then, filter);
	profile_set_end(p, old_end_ns);
	return then;
}

/* Sampling had not begun, or it is forgotten: that is not the event's fault. */
static void
say_unknown(const struct viewer *v, struct snapshot *s)
{
	struct buf b = { 0 };

	moment_put(&b, &s->head.moments, head_known_ns(v));
	s->then.lacks = arena_printf(&s->arena, "nothing is known THEN: kept from %s on", buf_str(&b));
	s->then.note_count = 0;
	buf_release(&b);
}

static void
join_known(struct snapshot *s, struct snapshot *then, uint64_t end_ns)
{
	struct buf label = { 0 };

	buf_addf(&label, "the %.1f s ", then->head.window_have_s);
	if (s->query.compare == COMPARE_BEFORE) {
		buf_add_str(&label, "before");
	} else {
		buf_add_str(&label, "up to ");
		moment_put(&label, &s->head.moments, end_ns);
	}
	difference_make(s, then, buf_str(&label), true);
	buf_release(&label);
}

static void
join_stretch(struct viewer *v, struct snapshot *s, const struct filter *filter)
{
	const struct query *q = &s->query;
	uint64_t end_ns = q->compare == COMPARE_BEFORE ? window_begin_ns(v)
						       : v->env->clock->begin_ns + q->then_end_ns;
	struct snapshot *then = stretch(v, q, filter, end_ns);

	if (then != NULL)
		join_known(s, then, end_ns);
	if (has_length(v->env->profile) && s->then.window_s <= 0 &&
	    end_ns <= head_known_ns(v) + EVENTS_BEGIN_NS)
		say_unknown(v, s);
}

static bool
is_in_host(const struct query *q)
{
	for (size_t i = 0; i < q->within_count; i++)
		if (q->within[i].key == KEY_HOST)
			return true;
	return false;
}

/* How many of the others have samples in the window, whatever else one went into. */
static unsigned
count_others(struct viewer *v, const struct query *others)
{
	struct query q = {
		.seq = others->seq, .keys = { KEY_HOST }, .key_count = 1, .window_ns = others->window_ns,
		.end_ns = others->end_ns, .of_others = true, .is_then = true,
	};
	struct snapshot *s;
	unsigned hosts = 0;

	for (size_t i = 0; i < others->within_count; i++)
		if (others->within[i].key == KEY_HOST)
			q.within[q.within_count++] = others->within[i];
	s = viewer_picture(v, &q, NULL);
	for (size_t i = 0; i < s->row_count; i++)
		hosts += s->rows[i].samples > 0 && s->rows[i].host != NULL && *s->rows[i].host != '\0';
	snapshot_put(s);
	return hosts;
}

/* The same window of all hosts but the one that one went into. */
static void
join_others(struct viewer *v, struct snapshot *s, const struct filter *filter)
{
	struct query others = s->query;
	struct snapshot *then;

	if (!is_in_host(&s->query))
		return;
	others.compare = COMPARE_NOTHING;
	others.is_then = others.sums = others.of_others = true;
	others.max_rows = 0;
	then = viewer_picture(v, &others, filter);
	then->hosts = count_others(v, &others);
	difference_make(s, then, "the other hosts", true);
}

/* People are told what makes the two less alike than they seem. */
static void
add_notes(struct snapshot *s)
{
	struct snapshot_head *h = &s->head;
	size_t count = h->notice_count + s->then.note_count;
	const char **list = arena_alloc(&s->arena, (count + 1) * sizeof(*list));

	for (size_t i = 0; i < count; i++)
		list[i] = i < h->notice_count ? h->notices[i] : s->then.notes[i - h->notice_count];
	h->notices = list;
	h->notice_count = count;
}

struct snapshot *
viewer_snapshot(struct viewer *v, const struct query *q, const struct filter *filter)
{
	struct query of_now = *q;
	struct snapshot *s;

	of_now.sums |= query_compares(q);
	if (query_compares(q))
		of_now.max_rows = 0;
	/* Of all that all hosts have, one has little. */
	if (q->compare == COMPARE_OTHERS)
		of_now.shares = SHARES_OF_SHOWN;
	s = viewer_picture(v, &of_now, filter);
	if (!query_compares(q) || (q->by_view && view_defs[q->view].is_counted))
		return s;
	if (q->compare == COMPARE_OTHERS)
		join_others(v, s, filter);
	else if (q->compare != COMPARE_RECORDING)
		join_stretch(v, s, filter);
	else if (v->then != NULL && v->then->query.seq == q->seq)
		difference_make(s, snapshot_get(v->then), v->env->config->then_input, false);
	if (s->then.note_count > 0)
		add_notes(s);
	return s;
}
