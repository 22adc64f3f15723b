/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of messages: what is left out, what was lost, what ptop holds, and what to do about it. */
#include "engine/viewer/viewer_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/leaf/engine_msg.h"

enum {
	SIZE_TEXT_MAX = 32,
	CAUSE_S = 60,   /* before a change: a mark may tell of its cause */
	KNOWN_TO_S = 2, /* when it was */
};

/* Of more than one event, each that is not whole. */
static void
put_events(const struct snapshot *s, struct buf *b)
{
	for (size_t i = 0; i < s->event_count && s->event_count > 1; i++) {
		const struct snapshot_event *ev = &s->events[i];

		if (ev->lost == 0 && ev->throttled == 0)
			continue;
		buf_addf(b, "event %s: ", ev->name);
		text_add_count(b, (double)ev->lost);
		buf_add_str(b, " samples lost, throttled ");
		text_add_count(b, (double)ev->throttled);
		buf_add_str(b, " times\n");
	}
}

static const char *
size_text(char text[SIZE_TEXT_MAX], size_t bytes)
{
	struct buf b = { 0 };

	if (bytes == PART_UNBOUNDED)
		buf_add_char(&b, '-');
	else
		text_add_bytes(&b, bytes);
	snprintf(text, SIZE_TEXT_MAX, "%s", buf_str(&b));
	buf_release(&b);
	return text;
}

/* Of all parts, in the order of their table. */
static void
put_memory(const struct viewer *v, struct buf *b)
{
	char held[SIZE_TEXT_MAX], bound[SIZE_TEXT_MAX];

	buf_addf(b, "memory: %s resident in all; totals stay exact whatever is merged\n",
		 size_text(held, v->env->cost->bytes));
	buf_addf(b, "  %-21s %9s %9s  %s\n", "", "held", "at most", "when it is full");
	for (size_t i = 0; i < v->parts->count; i++) {
		const struct engine_part *part = v->parts->items[i].ops;
		const void *self = v->parts->items[i].self;

		for (size_t k = 0; k < part->memory_count; k++) {
			const struct part_memory *m = &part->memory[k];

			buf_addf(b, "  %-21s %9s %9s  %s\n", m->name, size_text(held, m->held(self)),
				 size_text(bound, m->bound != NULL ? m->bound(self)
								   : PART_UNBOUNDED),
				 m->beyond);
		}
	}
}

/* What the mark of ROW_IRQ_ON means, where there is one. */
static void
put_irq_on(const struct snapshot *s, struct buf *b)
{
	bool is_marked = false;

	for (size_t i = 0; i < s->row_count; i++)
		is_marked |= (s->rows[i].flags & ROW_IRQ_ON) != 0;
	for (size_t i = 0; i < s->node_count; i++)
		is_marked |= s->nodes[i].is_irq_on;
	if (is_marked)
		buf_addf(b, "marked !: kernel functions that let interrupts on again; a timer takes "
			 "the samples of %s, so what ran before them with interrupts off counts "
			 "there, too (the event cycles, where the machine has it, does not)\n",
			 s->head.event);
}

void
viewer_send_messages(struct viewer *v)
{
	struct snapshot *s = viewer_make(v);
	const struct snapshot_head *h = &s->head;
	uint64_t losses[LOSS_KINDS];
	struct buf b = { 0 };

	/* A frozen screen has fewer; what its events have unexplained it has alone. */
	head_count_losses(v, losses);
	for (size_t i = 0; i < h->notice_count; i++)
		buf_addf(&b, "%.*s\n", (int)notes_page_len(h->notices[i]), h->notices[i]);
	notes_put(v->env->notes, &b);
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++) {
		losses[k] = MAX(losses[k], h->losses[k]);
		if (losses[k] == 0)
			continue;
		loss_put(&b, k, losses[k], h->recording != NULL);
		buf_add_char(&b, '\n');
	}
	losses_put(v->env->losses, &b);
	put_events(s, &b);
	put_irq_on(s, &b);
	for (size_t i = 0; i < v->parts->count; i++)
		if (v->parts->items[i].ops->put_page != NULL)
			v->parts->items[i].ops->put_page(v->parts->items[i].self, &b);
	marks_put(v, &b);
	explain_put_unnamed(v, &b);
	put_memory(v, &b);
	notes_send(v->env->notes, ENGINE_MSG_MESSAGES, false, buf_str(&b));
	buf_release(&b);
	snapshot_put(s);
}

/* Whether what the mark tells is the end, or the exec, of what has that name, which is printable. */
static bool
is_of(const struct mark *m, const char *name)
{
	const size_t len = strlen(name), text_len = strlen(m->text);

	if (m->kind == MARK_END)
		return strncmp(m->text, name, len) == 0 && m->text[len] == ' ';
	return m->kind == MARK_EXEC && text_len > len && m->text[text_len - len - 1] == ' ' &&
	       strcmp(m->text + text_len - len, name) == 0;
}

/*
 * The last mark at a change, which is known to a second or two, or before it: of what has changed, by
 * its @name, if there is one.  NULL: there is none near.
 */
static const struct mark *
mark_by(const struct viewer *v, const struct change *change, const char *name)
{
	const struct marks *m = v->env->marks;
	const struct mark *found = NULL;

	for (size_t i = m->len; i-- > 0;) {
		const struct mark *mark = &m->items[i];

		if (mark->at_ns + CAUSE_S * NSEC_PER_SEC < change->at_ns)
			break;
		if (mark->at_ns > change->at_ns + KNOWN_TO_S * NSEC_PER_SEC)
			continue;
		if (is_of(mark, name))
			return mark;
		if (found == NULL)
			found = mark;
	}
	return found;
}

static struct moments
moments_now(const struct viewer *v)
{
	const struct stream_clock *clock = v->env->clock;

	return (struct moments){ .wall = clock->wall, .begin_ns = clock->begin_ns,
				 .now_ns = stream_clock_now_ns(clock) };
}

/* When, and what; its parts are apart by @gap. */
static void
put_what(const struct viewer *v, struct buf *b, const struct change *change, const char *gap)
{
	const struct moments moments = moments_now(v);
	struct buf text = { 0 };

	moment_put(b, &moments, change->at_ns);
	buf_add_str(b, gap);
	changes_put(&text, change, viewer_event_name(v));
	text_add_safe(b, buf_str(&text), text.len);
	buf_release(&text);
}

static void
put_change(const struct viewer *v, struct buf *b, const struct change *change)
{
	const struct moments moments = moments_now(v);
	const struct mark *mark;
	struct buf name = { 0 };

	text_add_safe(&name, change->comm, strlen(change->comm));
	mark = mark_by(v, change, buf_str(&name));
	buf_release(&name);
	put_what(v, b, change, "  ");
	if (*change->host != '\0')
		buf_addf(b, "\n            %.1f %% there, %.1f %% on the others\n", change->after * 100,
			 change->before * 100);
	else
		buf_addf(b, "\n            from %.1f %% to %.1f %% of all\n", change->before * 100,
			 change->after * 100);
	if (mark != NULL) {
		buf_add_str(b, "            the last mark by then: ");
		moment_put(b, &moments, mark->at_ns);
		buf_addf(b, " %s\n", mark->text);
	}
}

static void
keep_sent(struct viewer *v, const struct change *change)
{
	v->sent_change.at_ns = change != NULL ? change->at_ns : 0;
	buf_reset(&v->sent_change.text);
	if (change != NULL)
		put_what(v, &v->sent_change.text, change, " ");
}

uint64_t
viewer_sent_change(const struct viewer *v, const char **text)
{
	*text = buf_str(&v->sent_change.text);
	return v->sent_change.at_ns;
}

void
viewer_send_changes(struct viewer *v)
{
	const struct change *list[CHANGES_MAX];
	const size_t count = changes_list(v->changes, list);
	struct buf b = { 0 };

	buf_add_str(&b, "The newest first, of what began within 15 s the largest.  = compares the time before one "
			"with the window.\n");
	buf_add_str(&b, "Code that is known by its page alone counts with its program.\n");
	if (v->env->policy->no_recording == NULL)
		buf_add_str(&b, "w writes a perf.data file of the first: a minute before and after it.\n");
	buf_add_char(&b, '\n');
	for (size_t i = 0; i < count; i++)
		put_change(v, &b, list[i]);
	if (count == 0)
		buf_addf(&b, "no change of a point or more has lasted ten seconds; the first 20 s only "
			 "tell what is usual\n%s",
			 v->env->config->host_count > 0 ? "no host is unlike all others\n" : "");
	keep_sent(v, count > 0 ? list[0] : NULL);
	notes_send(v->env->notes, ENGINE_MSG_CHANGES, false, buf_str(&b));
	buf_release(&b);
}
