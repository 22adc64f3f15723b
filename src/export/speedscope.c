/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "export/formats.h"

#ifdef HAVE_JANSSON

#include "base/strs.h"
#include "base/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Frames are numbered: first the comms, each once, then the places. */
struct speedscope {
	struct sink *out;
	const struct snapshot *s;
	struct strs comms;
	uint32_t *path;
	size_t path_cap;
	uint32_t *tops;   /* by node: its top */
	bool *has_stacks; /* by event */
};

static void
put_text(struct speedscope *p, const char *text)
{
	struct buf safe = { 0 };
	json_t *value;
	char *json;

	text_add_safe(&safe, text, strlen(text));
	value = json_stringn(buf_str(&safe), safe.len);
	json = json_dumps(value, JSON_ENCODE_ANY);
	/* It is valid UTF-8: only memory can be short. */
	if (json == NULL)
		die("out of memory");
	buf_add_str(&p->out->buf, json);
	free(json);
	json_decref(value);
	buf_release(&safe);
}

static void
put_member(struct speedscope *p, const char *key, const char *text)
{
	buf_addf(&p->out->buf, ",\"%s\":", key);
	put_text(p, text);
}

/* Only the file: the line is that of the hottest instruction, not the function's. */
static void
put_place(struct speedscope *p, const struct stack_place *place)
{
	const struct stack_dso *dso = &p->s->stacks->dsos[place->dso];
	const char *colon = strrchr(place->line, ':');
	char *file = mem_strndup(place->line, colon != NULL ? (size_t)(colon - place->line) : 0);
	struct buf name = { 0 };

	buf_add_str(&p->out->buf, "{\"name\":");
	buf_addf(&name, "%s%s", place->name, report_inlined_mark(place->is_inlined));
	put_text(p, buf_str(&name));
	if (dso->kind != STACK_CUT)
		put_member(p, "file", *file != '\0' ? file : dso->name);
	buf_add_char(&p->out->buf, '}');
	free(file);
	buf_release(&name);
}

static void
put_frames(struct speedscope *p)
{
	const struct stacks *st = p->s->stacks;

	for (size_t i = 0; i < st->top_count; i++)
		strs_add_str(&p->comms, *st->tops[i].comm != '\0' ? st->tops[i].comm : "[unknown]");
	buf_add_str(&p->out->buf, "\"shared\":{\"frames\":[");
	for (uint32_t i = 1; i <= p->comms.len; i++) {
		buf_add_str(&p->out->buf, i > 1 ? ",{\"name\":" : "{\"name\":");
		put_text(p, strs_get(&p->comms, i));
		buf_add_char(&p->out->buf, '}');
	}
	/* Each of them is below a top, so that it is not the first. */
	for (size_t i = 0; i < st->place_count; i++) {
		buf_add_char(&p->out->buf, ',');
		put_place(p, &st->places[i]);
		sink_flow(p->out);
	}
	buf_add_str(&p->out->buf, "]}");
}

static void
find_tops(struct speedscope *p)
{
	const struct stacks *st = p->s->stacks;

	p->tops = mem_calloc(st->node_count + 1, sizeof(*p->tops));
	p->has_stacks = mem_calloc(p->s->event_count + 1, sizeof(*p->has_stacks));
	for (uint32_t id = 1; id < st->node_count; id++) {
		const struct stack_node *n = &st->nodes[id];

		p->tops[id] = n->parent == 0 ? n->item : p->tops[n->parent];
		if (n->samples > 0)
			p->has_stacks[st->tops[p->tops[id]].event] = true;
	}
}

/* Outermost first. */
static void
put_stack(struct speedscope *p, uint32_t node)
{
	const struct stacks *st = p->s->stacks;
	const struct stack_top *top = &st->tops[p->tops[node]];
	const char *comm = *top->comm != '\0' ? top->comm : "[unknown]";
	size_t len = 0;

	for (; st->nodes[node].parent != 0; node = st->nodes[node].parent) {
		VEC_ADD(p->path, len, p->path_cap) = (uint32_t)p->comms.len + st->nodes[node].item;
	}

	buf_add_char(&p->out->buf, '[');
	buf_add_u64(&p->out->buf, strs_add_str(&p->comms, comm) - 1);
	while (len-- > 0) {
		buf_add_char(&p->out->buf, ',');
		buf_add_u64(&p->out->buf, p->path[len]);
	}
	buf_add_char(&p->out->buf, ']');
}

/* Adds the stacks of an event, or their weights.  The sum of the weights. */
static uint64_t
put_samples(struct speedscope *p, uint32_t event, bool weights)
{
	const struct stacks *st = p->s->stacks;
	uint64_t sum = 0;
	bool is_first = true;

	for (uint32_t id = 1; id < st->node_count; id++) {
		const struct stack_node *n = &st->nodes[id];

		if (n->samples == 0 || st->tops[p->tops[id]].event != event)
			continue;
		if (!is_first)
			buf_add_char(&p->out->buf, ',');
		is_first = false;
		if (weights)
			buf_add_u64(&p->out->buf, n->period);
		else
			put_stack(p, id);
		sum += n->period;
		sink_flow(p->out);
	}
	return sum;
}

static void
put_profile(struct speedscope *p, uint32_t event)
{
	const struct snapshot_event *e = &p->s->events[event];
	struct buf *b = &p->out->buf;
	uint64_t sum;

	buf_add_str(b, "{\"type\":\"sampled\"");
	put_member(p, "name", e->name);
	put_member(p, "unit", e->counts_time ? "nanoseconds" : "none");
	buf_add_str(b, ",\"samples\":[");
	put_samples(p, event, false);
	buf_add_str(b, "],\"weights\":[");
	sum = put_samples(p, event, true);
	buf_addf(b, "],\"startValue\":0,\"endValue\":%llu}", (unsigned long long)sum);
}

/* The number of the profile of the main event. */
static size_t
put_profiles(struct speedscope *p)
{
	size_t count = 0, active = 0;

	buf_add_str(&p->out->buf, ",\"profiles\":[");
	for (uint32_t i = 0; i < p->s->event_count; i++) {
		if (!p->has_stacks[i])
			continue;
		if (count > 0)
			buf_add_char(&p->out->buf, ',');
		if (i == report_main_event(p->s))
			active = count;
		count++;
		put_profile(p, i);
	}
	buf_add_char(&p->out->buf, ']');
	return active;
}

void
speedscope_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	struct speedscope p = { .out = out, .s = s };
	struct buf *b = &out->buf;

	(void)run;
	buf_add_str(b, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		       "\"exporter\":\"ptop " PACKAGE_VERSION "\"");
	put_member(&p, "name", s->head.recording != NULL ? s->head.recording :
		   s->head.host != NULL ? s->head.host : "");
	buf_add_char(b, ',');
	find_tops(&p);
	put_frames(&p);
	buf_addf(b, ",\"activeProfileIndex\":%zu}\n", put_profiles(&p));
	free(p.tops);
	free(p.has_stacks);
	free(p.path);
	strs_release(&p.comms);
}

#endif
