/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members that json.c writes, as tables: keys and columns come from columns[], losses from
 * loss_defs[].  A test compares reports with it.
 */
#include "export/json_schema.h"

#include "view/column.h"

#include <string.h>

#define TEXT "\"string\""
#define COUNT "\"integer\""
#define NUMBER "\"number\""
#define YES_NO "\"boolean\""
#define COUNT_OR_NULL "[\"integer\",\"null\"]"
#define NUMBER_OR_NULL "[\"number\",\"null\"]"
#define TEXT_OR_NULL "[\"string\",\"null\"]"

struct member {
	const char *name, *type, *help;
	const struct member *items; /* of a list of objects what each has; NULL: it is none */
	size_t item_count;
};

static const struct member counts[] = {
	{ "samples", COUNT, "samples in the window" },
	{ "period", COUNT, "the sum of their periods: nanoseconds, cycles or events" },
	{ "percent", NUMBER_OR_NULL, "the period's share of all, see percent_of" },
};

static const struct member differences[] = {
	{ "now", NUMBER_OR_NULL, "percent in the window; of a counter its value, in its own unit" },
	{ "then", NUMBER_OR_NULL, "the same of what it is compared with" },
	{ "delta", NUMBER_OR_NULL, "now less then: points, or the counter's unit" },
	{ "low", NUMBER_OR_NULL, "where delta begins, as sure as 95 %" },
	{ "high", NUMBER_OR_NULL, "where it ends" },
	{ "q", NUMBER_OR_NULL, "part of rows as clear as this that are chance" },
	{ "significant", YES_NO, "whether it is no chance" },
	{ "then_samples", COUNT, "samples then" },
	{ "then_period", COUNT, "the sum of their periods" },
	{ "only_in", TEXT, "now or then, of rows that only one of the two has" },
	{ "needs_seconds", NUMBER, "how much longer it takes until a difference can be told" },
};

static const struct member marks_of_rows[] = {
	{ "deadlock", YES_NO, "who holds the lock waits for itself" },
	{ "timer_artefact", YES_NO, "has a timer's samples of what ran before with interrupts off" },
};

static const struct member counters[] = {
	{ "counter", TEXT, "view counters: the event, or a ratio of two" },
	{ "unit", TEXT, "what value is in" },
	{ "value", NUMBER_OR_NULL, "counted since the begin; the ratio" },
	{ "per_second", NUMBER_OR_NULL, "counted, or calls, per second" },
	{ "running_percent", NUMBER_OR_NULL, "time that the hardware counted it for" },
	{ "scaled", YES_NO, "the value is an estimate" },
	{ "note", TEXT, "why it cannot be read, or what it leaves out" },
};

static const struct member calls[] = {
	{ "function", TEXT, "view calls: the function whose calls are counted" },
	{ "calls", COUNT, "calls begun" },
	{ "lost", COUNT, "calls whose end was not seen" },
	{ "min", COUNT_OR_NULL, "the shortest time inside, in nanoseconds" },
	{ "p50", COUNT_OR_NULL, "half took no longer" },
	{ "p95", COUNT_OR_NULL, "95 of a hundred took no longer" },
	{ "p99", COUNT_OR_NULL, "99 of a hundred took no longer" },
	{ "max", COUNT_OR_NULL, "the longest time" },
	{ "seconds", NUMBER, "counted for so long: each function since its own probes are there" },
	{ "timed", COUNT, "calls whose time is known" },
	{ "running", COUNT, "calls that go on" },
	{ "recursive", COUNT, "calls from within the function" },
	{ "times", "\"array\"", "pairs: from so many nanoseconds on, so many calls" },
	{ "cost_percent", NUMBER_OR_NULL, "CPU time of the probes, in percent of one CPU" },
	{ "state", TEXT, "how it is counted; in other views what the thread does" },
};

static const struct member nodes[] = {
	{ "depth", COUNT, "views of stacks: 0 begins a tree" },
	{ "kind", TEXT, "what code it is" },
	{ "inlined", YES_NO, "into its caller" },
	{ "self_samples", COUNT, "samples in the function itself" },
	{ "self_period", COUNT, "the sum of their periods" },
};

static const struct member instructions[] = {
	{ "bytes", TEXT, "view annotate: the instruction's bytes" },
	{ "text", TEXT, "the instruction as it is written" },
	{ "file", TEXT, "its source file" },
	{ "line", COUNT_OR_NULL, "its line" },
	{ "inline", TEXT, "which functions it was inlined from" },
};

static const struct member heads[] = {
	{ "version", COUNT, "1; another one if a member goes, or means something else" },
	{ "time", NUMBER, "seconds since the start" },
	{ "host", TEXT, "the machine" },
	{ "event", TEXT, "the event that is shown" },
	{ "lost", COUNT, "samples lost since the start" },
	{ "throttled", COUNT, "how often the kernel throttled" },
	{ "window", NUMBER_OR_NULL, "seconds that the rows are of" },
	{ "percent_of", TEXT, "all, or shown: what percent is a share of" },
	{ "self_cpu", NUMBER_OR_NULL, "CPU time of ptop itself, in percent of one CPU" },
	{ "self_memory", COUNT_OR_NULL, "its memory in bytes" },
	{ "call_chains", TEXT, "whose stacks are copied further" },
	{ "frequency", COUNT, "samples a second and CPU" },
	{ "frequency_asked", COUNT, "those asked for" },
	{ "forgotten", TEXT, "what of the window is not known" },
	{ "symbol", TEXT, "view annotate: the function" },
	{ "dso", TEXT, "view annotate: what holds it" },
	{ "recording", TEXT, "the file that was read" },
};

static const struct member tallies[] = {
	{ "cpu", COUNT, "its number" },
	{ "counted", COUNT, "what the kernel counted there since the start: events, or nanoseconds" },
	{ "samples", COUNT, "samples there since the start" },
	{ "lost", COUNT, "samples lost there since the start" },
};

static const struct member events[] = {
	{ "name", TEXT, "as perf names it" },
	{ "samples", COUNT, "in the window" },
	{ "period", COUNT, "the sum of their periods" },
	{ "lost", COUNT, "samples lost" },
	{ "throttled", COUNT, "how often it was throttled" },
	{ "unit", TEXT, "what periods are in: nanoseconds or count" },
	{ "left_out", COUNT, "samples of no target, and doubles" },
	{ "cpus", "\"array\"", "by CPU what the kernel counted, and what came of it", tallies,
	  ARRAY_SIZE(tallies) },
};

static const struct member marks[] = {
	{ "at", NUMBER, "seconds since the start" },
	{ "time", NUMBER, "seconds since the epoch" },
	{ "kind", TEXT, "who set it, and why" },
	{ "name", TEXT, "as it is called" },
};

static const struct member thens[] = {
	{ "label", TEXT, "what the window is compared with" },
	{ "window", NUMBER_OR_NULL, "seconds" },
	{ "notes", "\"array\"", "what makes the two less alike than they seem" },
};

/* Names that stand in a list already are not said again: the first says what they are. */
struct list {
	struct buf *b;
	const char *names[COLUMN_COUNT + 128];
	size_t len;
};

static void
put_string(struct buf *b, const char *s)
{
	buf_add_char(b, '"');
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			buf_add_char(b, '\\');
		buf_add_char(b, *s);
	}
	buf_add_char(b, '"');
}

static void add_members(struct list *l, const struct member *members, size_t count);

static void
put_items(struct buf *b, const struct member *m)
{
	struct list l = { .b = b };

	if (m->items == NULL)
		return;
	buf_add_str(b, ", \"items\": {\"type\": \"object\", \"properties\": {");
	add_members(&l, m->items, m->item_count);
	buf_add_str(b, "}}");
}

static void
add_member(struct list *l, const struct member *m)
{
	for (size_t i = 0; i < l->len; i++)
		if (strcmp(l->names[i], m->name) == 0)
			return;
	buf_add_str(l->b, l->len > 0 ? ",\n\t\t" : "\n\t\t");
	put_string(l->b, m->name);
	buf_addf(l->b, ": {\"type\": %s, \"description\": ", m->type);
	put_string(l->b, m->help);
	put_items(l->b, m);
	buf_add_char(l->b, '}');
	if (l->len < ARRAY_SIZE(l->names))
		l->names[l->len++] = m->name;
}

static void
add(struct list *l, const char *name, const char *type, const char *help)
{
	add_member(l, &(const struct member){ name, type, help });
}

static void
add_members(struct list *l, const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_member(l, &members[i]);
}

#define ADD(l, table) add_members(l, table, ARRAY_SIZE(table))

static const char *
type_of(const struct column *c)
{
	switch (c->kind) {
	case VALUE_TEXT:
	case VALUE_FUNCTION:
		return TEXT;
	case VALUE_ADDRESS:
		return TEXT_OR_NULL; /* no number: many readers take 53 bits at most */
	case VALUE_COUNT:
		return COUNT;
	case VALUE_NUMBER:
	case VALUE_OPTIONAL:
		return COUNT_OR_NULL;
	case VALUE_TIME:
	case VALUE_PART:
		return NUMBER_OR_NULL;
	case VALUE_OWN:
		break;
	}
	return "\"null\"";
}

static void
put_rows(struct buf *b)
{
	struct list l = { .b = b };

	for (int k = 0; k < KEY_COUNT; k++)
		add(&l, columns[k].key, type_of(&columns[k]), columns[k].help);
	ADD(&l, counts);
	for (int v = 0; v < VIEW_COUNT; v++)
		for (size_t i = 0; i < view_defs[v].more_count; i++) {
			const struct column *c = &columns[view_defs[v].more[i]];

			add(&l, c->name, type_of(c), c->help);
		}
	ADD(&l, differences);
	ADD(&l, marks_of_rows);
	ADD(&l, counters);
	ADD(&l, calls);
	ADD(&l, nodes);
	ADD(&l, instructions);
}

bool
json_has_loss(enum loss_kind kind)
{
	return loss_defs[kind].name != NULL && kind != LOSS_SAMPLES && kind != LOSS_THROTTLED;
}

static void
put_losses(struct buf *b)
{
	struct list l = { .b = b };

	add(&l, "window_lost", COUNT, "samples lost in the window");
	add(&l, "throttled_seconds", NUMBER, "how long the kernel throttled, summed over CPUs");
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++)
		if (json_has_loss(k))
			add(&l, loss_defs[k].name, COUNT, loss_defs[k].what);
}

/* An object, or with @is_list a list of such. */
static void
put_object(struct buf *b, const char *name, bool is_list, const char *help, const struct member *members,
	   size_t count)
{
	struct list l = { .b = b };

	buf_addf(b, ",\n\t\"%s\": {\"type\": \"%s\", \"description\": \"%s\", %s\"properties\": {", name,
		 is_list ? "array" : "object", help, is_list ? "\"items\": {\"type\": \"object\", " : "");
	add_members(&l, members, count);
	buf_add_str(b, is_list ? "}}}" : "}}");
}

/* As an object, or a list of such, which tell their event. */
static void
put_sum(struct buf *b, const char *name, const char *help)
{
	struct list one = { .b = b }, of_event = { .b = b };

	buf_addf(b, ",\n\t\"%s\": {\"type\": [\"object\", \"array\"], \"description\": \"%s; of several "
		    "events a list\", \"properties\": {", name, help);
	ADD(&one, counts);
	buf_add_str(b, "}, \"items\": {\"type\": \"object\", \"properties\": {");
	add(&of_event, "event", TEXT, "what the sum is of");
	ADD(&of_event, counts);
	buf_add_str(b, "}}}");
}

void
json_put_schema(struct buf *b)
{
	static const struct {
		const char *name, *help;
	} sums[] = {
		{ "named", "view unnamed: the sum of code with a name" },
		{ "other", "view locks: the sum of all else: of who runs, or waits for no lock or one without an owner" },
		{ "filtered", "the sum of what filters left out" },
	};
	struct list head = { .b = b };

	buf_add_str(b, "{\n\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
		       "\"title\": \"A report of ptop --format json\",\n\"type\": \"object\",\n"
		       "\"required\": [\"version\", \"time\", \"host\", \"events\", \"lost\", \"throttled\", "
		       "\"rows\"],\n\"properties\": {");
	ADD(&head, heads);
	put_object(b, "events", true, "those that were sampled", events, ARRAY_SIZE(events));
	put_object(b, "marks", true, "moments with a name", marks, ARRAY_SIZE(marks));
	put_object(b, "then", false, "what the window is compared with", thens, ARRAY_SIZE(thens));
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		put_sum(b, sums[i].name, sums[i].help);
	put_object(b, "rest", false, "the sum of rows beyond a bound", counts, ARRAY_SIZE(counts));
	buf_add_str(b, ",\n\t\"losses\": {\"type\": \"object\", \"description\": \"what is missing\", "
		       "\"properties\": {");
	put_losses(b);
	buf_add_str(b, "}},\n\t\"rows\": {\"type\": \"array\", \"description\": \"by falling period; which "
		       "members they have depends on --view and --by\", \"items\": {\"type\": \"object\", "
		       "\"properties\": {");
	put_rows(b);
	buf_add_str(b, "}}}\n}\n}\n");
}
