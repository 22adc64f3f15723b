/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as pprof, speedscope, SVG: of a scene that is written down, hostile names, a huge tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <config.h>

#include "base/buf.h"
#include "export/format.h"
#include "export/formats.h"
#include "export/proto.h"
#include "tests/asserts.h"
#include "tests/mapped.h"
#include "tests/run.h"
#include "tests/stack_sums.h"
#include "tests/skip.h"

/* All that a format could take for its own, bytes that are no text, and a name to be demangled. */
static const char hostile[] = "a\"b\\c'<d>&]]></script><!--\x01\x1b[2J\xff\xfe;\xe2\x80\xae{}%s\xf0\x9f\x98";

struct out {
	struct buf text;
	size_t pieces, largest;
	int fail_after; /* pieces; -1: never */
};

static int
keep(void *self, const void *data, size_t len)
{
	struct out *o = self;

	if (o->fail_after == 0)
		return errno = ENOSPC, -1;
	o->fail_after -= o->fail_after > 0;
	o->pieces++;
	o->largest = MAX(o->largest, len);
	buf_add(&o->text, data, len);
	return 0;
}

static void
put(enum export_format format, const struct snapshot *s, struct out *o)
{
	struct sink sink = { .write = keep, .self = o };

	*o = (struct out){ .fail_after = -1 };
	assert_int_equal(format_put(format, &sink, s, &(struct report_run){ .is_first = true }), 0);
	assert_int_equal(sink.bytes, o->text.len);
	sink_release(&sink);
}

static void *
copy(struct snapshot *s, const void *items, size_t size)
{
	return memcpy(arena_alloc(&s->arena, size), items, size);
}

#define COPY(s, ...) copy(s, (__VA_ARGS__), sizeof(__VA_ARGS__))

/*
 * main calls f, f itself and g, which faults into the kernel; another thread is in code of a JIT,
 * and who calls that is not known.
 */
static struct snapshot *
scene(const char *name)
{
	struct snapshot *s = snapshot_new();
	struct stacks *st = arena_alloc(&s->arena, sizeof(*st));

	s->head.host = "box";
	s->head.now_ns = 2000000000;
	s->head.window_have_s = 1.5;
	s->head.is_freq = true;
	s->head.rate = 1000;
	s->head.event = "cpu-clock";
	s->events = COPY(s, (struct snapshot_event[]){
		{ .name = "cpu-clock", .shown = true, .counts_time = true },
		{ .name = "page-faults" } });
	s->event_count = 2;
	st->dsos = COPY(s, (struct stack_dso[]){
		{ "[kernel]", "", "", STACK_KERNEL },
		{ "prog", "/bin/prog", "00ab", STACK_PROGRAM, 0x400000, 0x401000, 0x1000 },
		{ "[JIT] tid 7", "", "", STACK_JIT },
		{ "", "", "", STACK_CUT } });
	st->dso_count = 4;
	st->places = COPY(s, (struct stack_place[]){
		{ "main", "main", "", 0x1000, 1, true },
		{ name, "_Z1fv", "f.c:12", 0x1010, 1, true },
		{ "g", "g", "", 0x1020, 1, true },
		{ "fault", "fault", "", 0xffffffff81000000, 0, true },
		{ "[unknown]", "[unknown]", "", 0, 2, false },
		{ "[cut]", "[cut]", "", 0, 3, false } });
	st->place_count = 6;
	st->tops = COPY(s, (struct stack_top[]){
		{ "co\nmm", 5, 5, 0 }, { "co\nmm", 5, 7, 0 }, { "other", 9, 9, 1 } });
	st->top_count = 3;
	st->nodes = COPY(s, (struct stack_node[]){
		{ 0 }, { 0, 0 }, { 1, 0 }, { 2, 1, 3, 30 }, { 3, 1, 4, 40 }, { 3, 2, 1, 10 },
		{ 5, 3, 2, 20 }, { 0, 1 }, { 7, 5 }, { 8, 4, 5, 50 }, { 0, 2, 1, 1 },
		{ 10, 0, 7, 7 } });
	st->node_count = 12;
	s->stacks = st;
	return s;
}

static void
assert_sum(const struct sums *s, const char *name, uint64_t self, uint64_t total)
{
	const struct sum *e = sums_find(s, name);

	assert_non_null(e);
	assert_int_equal(e->self, self);
	assert_int_equal(e->total, total);
}

static void
assert_has(const char *text, const char *line)
{
	if (strstr(text, line) == NULL)
		fail_msg("not there: %s\nin: %s", line, text);
}

static void
need(enum export_format format)
{
	if (format_defs[format].lacks != NULL)
		skip_for("built without %s", format_defs[format].lacks);
}

static void
numbers_are_written_as_protocol_buffers_have_them(void **state)
{
	struct buf b = { 0 };
	const uint64_t list[] = { 1, 300 };

	(void)state;
	proto_add_number(&b, 1, 150);
	proto_add_number(&b, 1, 0);
	proto_add_bytes(&b, 2, "testing", 7);
	proto_add_numbers(&b, 16, list, 2);
	proto_add_number(&b, 3, UINT64_MAX);
	assert_int_equal(b.len, 3 + 9 + 6 + 11);
	assert_memory_equal(b.data, "\x08\x96\x01\x12\x07" "testing\x82\x01\x03\x01\xac\x02\x18", 19);
	assert_memory_equal(b.data + 19, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);
	buf_release(&b);
}

static void
pprof_has_what_is_known_of_each_stack(void **state)
{
	struct snapshot *s = scene("f()");
	struct sums sums = { 0 };
	struct pprof_facts facts;
	struct out o;

	(void)state;
	need(FORMAT_PPROF);
	s->head.losses[LOSS_LATE] = 1;
	put(FORMAT_PPROF, s, &o);
	sums_of_pprof(&sums, o.text.data, o.text.len, "cpu-clock");
	assert_int_equal(sums.all, 150);
	assert_sum(&sums, "main", 0, 100);
	assert_sum(&sums, "f()", 70, 100);
	assert_sum(&sums, "g", 10, 30);
	assert_sum(&sums, "fault", 20, 20);
	assert_sum(&sums, "[unknown]", 50, 50);
	assert_sum(&sums, "[cut]", 0, 50);
	sums_release(&sums);
	sums_of_pprof(&sums, o.text.data, o.text.len, "samples:page-faults");
	assert_sum(&sums, "main", 7, 7);
	assert_sum(&sums, "[folded]", 1, 1);
	sums_release(&sums);
	/* Each stack has values of its own event alone. */
	sums_of_pprof(&sums, o.text.data, o.text.len, "page-faults");
	assert_int_equal(sums.all, 8);
	sums_release(&sums);
	sums_of_pprof(&sums, o.text.data, o.text.len, "samples:cpu-clock");
	assert_int_equal(sums.all, 15);
	sums_release(&sums);
	pprof_facts_of(&facts, o.text.data, o.text.len);
	assert_has(facts.text, "comment ptop " PACKAGE_VERSION "\n");
	assert_has(facts.text, "comment host: box\n");
	assert_has(facts.text, "comment records that came out of order: 1;");
	assert_has(facts.text, "comment samples lost in full rings: 0;");
	assert_null(strstr(facts.text, "records of a kind"));
	assert_null(strstr(facts.text, "lines in [kernel"));
	assert_has(facts.text, "type samples:cpu-clock count\ntype cpu-clock nanoseconds\n"
			       "type samples:page-faults count\ntype page-faults count\n");
	assert_has(facts.text, "period-type cpu-clock nanoseconds\n");
	assert_has(facts.text, "period 1000000\n");
	assert_has(facts.text, "time 500000000\nduration 1500000000\n");
	/* The first is what pprof takes for the program; it need not look for names of functions. */
	assert_has(facts.text, "mapping /bin/prog 00ab 400000 401000 1000\nfunctions in /bin/prog\n"
			       "lines in /bin/prog\nmapping [kernel.kallsyms]  0 0 0\n"
			       "functions in [kernel.kallsyms]\n");
	assert_has(facts.text, "location 400010 in 2\n");
	assert_has(facts.text, "location ffffffff81000000 in 1\n");
	/* What is missing is in no mapping. */
	assert_has(facts.text, "location 0 in 0\n");
	assert_null(strstr(facts.text, "mapping  "));
	assert_has(facts.text, "function f() raw _Z1fv\n");
	assert_has(facts.text, "label comm co\\x0amm\nlabel pid 5\nlabel tid 7\n");
	pprof_facts_release(&facts);
	buf_release(&o.text);
	snapshot_put(s);
}

/* Those of one event first, then those of another: no value stays for the next stack. */
/* Where the recording tells the time of day. */
static void
pprof_of_a_recording_has_the_time_that_it_is_of(void **state)
{
	static const struct {
		struct wall wall;
		const char *time;
	} cases[] = {
		{ { .len = 0 }, NULL },
		{ { .steps = { { 0, 1700000000000000000 } }, .len = 1 }, "time 1700000003500000000\nduration 1500000000\n" },
	};

	(void)state;
	need(FORMAT_PPROF);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot *s = scene("f()");
		struct pprof_facts facts;
		struct out o;

		s->head.recording = "perf.data";
		s->head.moments = (struct moments){ .wall = cases[i].wall, .begin_ns = 3 * NSEC_PER_SEC };
		s->head.have_from_s = 0.5;
		put(FORMAT_PPROF, s, &o);
		pprof_facts_of(&facts, o.text.data, o.text.len);
		if (cases[i].time != NULL)
			assert_has(facts.text, cases[i].time);
		else
			assert_null(strstr(facts.text, "time "));
		pprof_facts_release(&facts);
		buf_release(&o.text);
		snapshot_put(s);
	}
}

static void
each_stack_has_values_of_its_own_event_in_pprof(void **state)
{
	static const struct {
		const char *type;
		uint64_t all;
	} rows[] = { { "samples:cpu-clock", 7 + 1 + 5 }, { "cpu-clock", 7 + 1 + 50 },
		     { "samples:page-faults", 3 + 4 + 1 + 2 }, { "page-faults", 30 + 40 + 10 + 20 } };
	struct snapshot *s = scene("f()");
	struct stacks *st = (struct stacks *)(uintptr_t)s->stacks;
	struct out o;

	(void)state;
	need(FORMAT_PPROF);
	st->tops[0].event = 1;
	st->tops[2].event = 0;
	put(FORMAT_PPROF, s, &o);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sums sums = { 0 };

		sums_of_pprof(&sums, o.text.data, o.text.len, rows[i].type);
		assert_int_equal(sums.all, rows[i].all);
		sums_release(&sums);
	}
	buf_release(&o.text);
	snapshot_put(s);
}

/* What a reader opens first is then what was asked for. */
static void
pprof_has_no_types_of_events_that_are_filtered_out(void **state)
{
	struct snapshot *s = scene("f()");
	struct stacks *st = (struct stacks *)(uintptr_t)s->stacks;
	struct pprof_facts facts;
	struct sums sums = { 0 };
	struct out o;

	(void)state;
	need(FORMAT_PPROF);
	s->query.trends = false;
	s->events[0].is_filtered = true;
	for (size_t i = 0; i < st->top_count; i++)
		st->tops[i].event = 1;
	put(FORMAT_PPROF, s, &o);
	pprof_facts_of(&facts, o.text.data, o.text.len);
	assert_has(facts.text, "type samples:page-faults count\ntype page-faults count\n");
	assert_has(facts.text, "period-type page-faults count\n");
	assert_null(strstr(facts.text, "cpu-clock"));
	sums_of_pprof(&sums, o.text.data, o.text.len, "samples:page-faults");
	assert_int_equal(sums.all, 7 + 1 + 5 + 3 + 4 + 1 + 2);
	sums_release(&sums);
	pprof_facts_release(&facts);
	buf_release(&o.text);
	snapshot_put(s);
}

/* They have one location, which is in the file if such a stack is, and is told once. */
static void
stacks_that_were_folded_have_a_location_in_pprof(void **state)
{
	(void)state;
	need(FORMAT_PPROF);
	for (size_t has_folded = 0; has_folded < 2; has_folded++) {
		struct snapshot *s = scene("f()");
		struct stacks st = *s->stacks;
		struct sums sums = { 0 };
		struct pprof_facts facts;
		struct out o;

		st.nodes = COPY(s, (struct stack_node[]){
			{ 0 }, { 0, 0, 3, 30 }, { 0, 1, 4, 40 } });
		st.node_count = 3;
		if (!has_folded) {
			st.nodes = s->stacks->nodes;
			st.node_count = 10;
		}
		s->stacks = &st;
		put(FORMAT_PPROF, s, &o);
		sums_of_pprof(&sums, o.text.data, o.text.len, "cpu-clock");
		if (has_folded)
			assert_sum(&sums, "[folded]", 70, 70);
		else
			assert_null(sums_find(&sums, "[folded]"));
		sums_release(&sums);
		pprof_facts_of(&facts, o.text.data, o.text.len);
		assert_int_equal(run_count_text(facts.text, "function [folded]"), has_folded);
		pprof_facts_release(&facts);
		buf_release(&o.text);
		snapshot_put(s);
	}
}

/* In f, which main calls, g is inlined and in that fault; of another thread g in f, too. */
static void
inline_functions(struct snapshot *s)
{
	struct stacks *st = (struct stacks *)(uintptr_t)s->stacks;
	struct stack_node *nodes;

	st->places[2].is_inlined = st->places[3].is_inlined = true;
	nodes = arena_alloc(&s->arena, (st->node_count + 2) * sizeof(*nodes));
	memcpy(nodes, st->nodes, st->node_count * sizeof(*nodes));
	nodes[st->node_count] = (struct stack_node){ (uint32_t)st->node_count - 1, 1, 0, 0 };
	nodes[st->node_count + 1] = (struct stack_node){ (uint32_t)st->node_count, 2, 1, 5 };
	st->nodes = nodes;
	st->node_count += 2;
}

/* It is a line of its caller's location; one that is inlined in it is another. */
static void
what_is_inlined_is_in_its_callers_location_in_pprof(void **state)
{
	struct snapshot *s = scene("f()");
	struct sums sums = { 0 };
	struct pprof_facts facts;
	size_t locations = 0;
	struct out o;

	(void)state;
	need(FORMAT_PPROF);
	inline_functions(s);
	put(FORMAT_PPROF, s, &o);
	sums_of_pprof(&sums, o.text.data, o.text.len, "cpu-clock");
	assert_int_equal(sums.all, 150);
	assert_sum(&sums, "main", 0, 100);
	assert_sum(&sums, "f()", 70, 100);
	assert_sum(&sums, "g", 10, 30);
	assert_sum(&sums, "fault", 20, 20);
	sums_release(&sums);
	pprof_facts_of(&facts, o.text.data, o.text.len);
	assert_null(strstr(facts.text, "location 400020 "));
	assert_has(facts.text, "location 400010 in 2\n");
	/* Each of them once, in however many stacks it is. */
	for (const char *at = facts.text; (at = strstr(at, "\nlocation ")) != NULL; at++)
		locations++;
	assert_int_equal(locations, 7);
	pprof_facts_release(&facts);
	buf_release(&o.text);
	snapshot_put(s);
}

#ifdef HAVE_ZLIB

/* Two threads are in the same functions: that is one row of the table of stacks. */
static void
otlp_has_what_is_known_of_each_stack(void **state)
{
	static const char *const lines[] = {
		"thread.name co\\x0amm\n", "process.pid 5\n", "thread.id 7\n", "service.name ptop\n",
		"host.name box\n", "line f() 12\n", "stacks 7\n", "unit nanoseconds\n",
	};
	struct snapshot *s = scene("f()");
	struct stacks *st = (struct stacks *)(uintptr_t)s->stacks;
	struct out o = { .fail_after = -1 };
	struct sink sink = { .write = keep, .self = &o };
	struct stack_node *nodes = arena_alloc(&s->arena, (st->node_count + 2) * sizeof(*nodes));
	struct sums sums = { 0 };
	char *facts;

	(void)state;
	memcpy(nodes, st->nodes, st->node_count * sizeof(*nodes));
	nodes[st->node_count] = (struct stack_node){ 7, 0, 0, 0 };
	nodes[st->node_count + 1] = (struct stack_node){ (uint32_t)st->node_count, 1, 6, 60 };
	st->nodes = nodes;
	st->node_count += 2;
	otlp_put_report(&sink, s, &(struct report_run){ .is_first = true });
	assert_int_equal(sink_flush(&sink), 0);
	facts = sums_of_otlp(&sums, o.text.data, o.text.len, "cpu-clock");
	assert_int_equal(sums.all, 210);
	assert_int_equal(sums.stacks, 6);
	assert_sum(&sums, "main", 0, 160);
	assert_sum(&sums, "f()", 130, 160);
	assert_sum(&sums, "g", 10, 30);
	assert_sum(&sums, "fault", 20, 20);
	assert_sum(&sums, "[unknown]", 50, 50);
	assert_sum(&sums, "[cut]", 0, 50);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_has(facts, lines[i]);
	free(facts);
	sums_release(&sums);
	facts = sums_of_otlp(&sums, o.text.data, o.text.len, "page-faults");
	assert_has(facts, "unit count\n");
	assert_sum(&sums, "main", 7, 7);
	assert_sum(&sums, "[folded]", 1, 1);
	free(facts);
	sums_release(&sums);
	sink_release(&sink);
	buf_release(&o.text);
	snapshot_put(s);
}

/* It is a line of its caller's location, as in pprof. */
static void
what_is_inlined_is_in_its_callers_location_in_otlp(void **state)
{
	struct snapshot *s = scene("f()");
	struct out o = { .fail_after = -1 };
	struct sink sink = { .write = keep, .self = &o };
	struct sums sums = { 0 };

	(void)state;
	inline_functions(s);
	otlp_put_report(&sink, s, &(struct report_run){ .is_first = true });
	assert_int_equal(sink_flush(&sink), 0);
	free(sums_of_otlp(&sums, o.text.data, o.text.len, "cpu-clock"));
	assert_int_equal(sums.all, 150);
	assert_sum(&sums, "main", 0, 100);
	assert_sum(&sums, "f()", 70, 100);
	assert_sum(&sums, "g", 10, 30);
	assert_sum(&sums, "fault", 20, 20);
	sums_release(&sums);
	sink_release(&sink);
	buf_release(&o.text);
	snapshot_put(s);
}

/* A recording need not tell its machine: then nothing is said of it, also no empty name. */
static void
otlp_names_no_host_that_is_not_known(void **state)
{
	static const char *const hosts[] = { NULL, "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		struct snapshot *s = scene("f()");
		struct out o = { .fail_after = -1 };
		struct sink sink = { .write = keep, .self = &o };
		struct sums sums = { 0 };
		char *facts;

		s->head.host = hosts[i];
		otlp_put_report(&sink, s, &(struct report_run){ .is_first = true });
		assert_int_equal(sink_flush(&sink), 0);
		facts = sums_of_otlp(&sums, o.text.data, o.text.len, "cpu-clock");
		assert_has(facts, "service.name ptop\n");
		assert_null(strstr(facts, "host.name"));
		free(facts);
		sums_release(&sums);
		sink_release(&sink);
		buf_release(&o.text);
		snapshot_put(s);
	}
}

#endif

static void
speedscope_has_a_profile_for_each_event(void **state)
{
	struct snapshot *s = scene("f()");
	struct sums sums = { 0 };
	struct out o;

	(void)state;
	need(FORMAT_SPEEDSCOPE);
	put(FORMAT_SPEEDSCOPE, s, &o);
	sums_of_speedscope(&sums, o.text.data, "cpu-clock");
	assert_int_equal(sums.all, 150);
	assert_sum(&sums, "f()", 70, 100);
	assert_sum(&sums, "fault", 20, 20);
	sums_release(&sums);
	sums_of_speedscope(&sums, o.text.data, "page-faults");
	assert_int_equal(sums.all, 8);
	sums_release(&sums);
	assert_has(o.text.data, "{\"name\":\"fault\",\"file\":\"[kernel]\"}");
	assert_has(o.text.data, "{\"name\":\"f()\",\"file\":\"f.c\"}");
	assert_has(o.text.data, "{\"name\":\"[cut]\"}");
	/* The names of all tasks are frames. */
	assert_has(o.text.data, "{\"name\":\"co\\\\x0amm\"}");
	assert_has(o.text.data, "{\"name\":\"other\"}");
	assert_has(o.text.data, "\"name\":\"cpu-clock\",\"unit\":\"nanoseconds\"");
	assert_has(o.text.data, "\"name\":\"page-faults\",\"unit\":\"none\"");
	buf_release(&o.text);
	snapshot_put(s);
}

/* The numbers of a box's title, by what stands before them. */
static void
assert_box(const char *svg, const char *title, const char *class)
{
	const char *at = strstr(svg, title);
	char want[64];

	if (at == NULL)
		fail_msg("not there: %s", title);
	snprintf(want, sizeof(want), "</title><rect class=\"%s\"", class);
	assert_int_equal(strncmp(at + strlen(title), want, strlen(want)), 0);
}

static void
svg_has_a_box_for_each_function_below_its_caller(void **state)
{
	struct snapshot *s = scene("f()");
	struct out o;

	(void)state;
	put(FORMAT_SVG, s, &o);
	assert_box(o.text.data, ">f() (prog, program): 43.48%, 10 samples, period 100", "program");
	assert_box(o.text.data, ">f() (prog, program): 17.39%, 4 samples, period 40", "program");
	assert_box(o.text.data, ">fault ([kernel], kernel): 8.70%, 2 samples, period 20", "kernel");
	assert_box(o.text.data, ">[unknown] ([JIT] tid 7, jit): 21.74%, 5 samples, period 50", "jit");
	assert_box(o.text.data, ">[cut] (callers that are not known): 21.74%, 5 samples, period 50",
		   "cut");
	assert_box(o.text.data, ">page-faults: 34.78%, 8 samples, period 8", "top");
	/* Both threads are below the one comm. */
	assert_box(o.text.data, ">co\\x0amm: 65.22%, 15 samples, period 150", "top");
	buf_release(&o.text);
	snapshot_put(s);
}

/* Each has a colour and its name beside it, and none covers another. */
static void
the_legend_of_the_svg_has_its_entries_side_by_side(void **state)
{
	struct snapshot *s = scene("f()");
	const char *at;
	int end = 0;
	struct out o;

	(void)state;
	put(FORMAT_SVG, s, &o);
	at = o.text.data;
	for (; (at = strstr(at, "\" y=\"32\" width=\"12\"")) != NULL; at++) {
		const char *rect = at;
		int x = 0, text_x = 0;
		char name[32];

		while (*rect != '<')
			rect--;
		assert_int_equal(sscanf(rect, "<rect class=\"%*[a-z]\" x=\"%d\" y=\"32\" width=\"12\" "
					"height=\"12\"/><text x=\"%d\" y=\"42\">%31[^<]", &x,
					&text_x, name), 3);
		assert_that(x, >=, end);
		assert_that(text_x, >=, x + 12);
		end = text_x + 6 * (int)strlen(name);
		assert_that(end, <, 1200);
	}
	assert_that(end, >, 0);
	buf_release(&o.text);
	snapshot_put(s);
}

/* Its root is what is shown: of a filter's, or of a thread that one went into. */
static void
svg_says_what_part_of_all_it_shows(void **state)
{
	static const struct {
		uint64_t all;
		const char *want;
	} rows[] = { { 46, ">box    1.5 s, 23 samples (50.0% of all), 0 lost<" },
		     { 23, ">box    1.5 s, 23 samples, 0 lost<" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *s = scene("f()");
		struct out o;

		s->total_samples = rows[i].all;
		put(FORMAT_SVG, s, &o);
		assert_has(o.text.data, rows[i].want);
		assert_has(o.text.data, ">all: 100.00%, 23 samples");
		buf_release(&o.text);
		snapshot_put(s);
	}
}

static void
svg_says_what_it_compares_with(void **state)
{
	struct snapshot *s = scene("f()");
	struct out o;

	(void)state;
	s->stacks->nodes[11].is_then = true;
	s->query.compare = COMPARE_BEFORE;
	s->then = (struct snapshot_then){ .label = "a <b>.data", .window_s = 2.5 };
	put(FORMAT_SVG, s, &o);
	assert_has(o.text.data, ">box    1.5 s, 16 samples, then 2.5 s, 7 samples: "
				"a &lt;b&gt;.data, 0 lost<");
	buf_release(&o.text);
	snapshot_put(s);
}

/* What fits is written, two dots tell of the rest; the title has all of it. */
static void
names_in_the_svg_are_cut_at_their_box(void **state)
{
	enum { LONG = 120, FITS = 71 }; /* 10 of 23 samples, 1200 wide, 7.2 for each character */
	char name[LONG + 1] = "", want[LONG + 8];
	struct snapshot *s;
	struct out o;

	(void)state;
	memset(name, 'n', LONG);
	s = scene(name);
	put(FORMAT_SVG, s, &o);
	snprintf(want, sizeof(want), ">%.*s..</text>", FITS - 2, name);
	assert_has(o.text.data, want);
	snprintf(want, sizeof(want), ">%s (", name);
	assert_has(o.text.data, want);
	buf_release(&o.text);
	snapshot_put(s);
}

/* A box as it is drawn; x and width in parts of the picture. */
struct drawn {
	double x, w;
	unsigned depth;
	char name[64];
};

enum { DRAWN_MAX = 64, HEAD = 60, ROW = 17, WIDTH = 1200 };

/* The boxes of an SVG; what is drawn must be what is said of it. */
static size_t
read_drawn(const char *svg, struct drawn *boxes)
{
	static const char mark[] = "<g class=\"b\" ";
	unsigned width, height;
	size_t n = 0;

	assert_int_equal(sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %u %u\"", &width, &height), 2);
	assert_int_equal(width, WIDTH);
	for (const char *at = svg; (at = strstr(at, mark)) != NULL; at++, n++) {
		struct drawn *b = &boxes[n];
		double x, w;
		unsigned y, h;

		assert_true(n < DRAWN_MAX);
		assert_int_equal(sscanf(at + strlen(mark), "data-x=\"%lf\" data-w=\"%lf\" data-d=\"%u\" "
					"data-n=\"%63[^\"]\"", &b->x, &b->w, &b->depth, b->name), 4);
		assert_int_equal(sscanf(strstr(at, "<rect class="), "<rect class=\"%*[a-z0-9]\" "
					"x=\"%lf\" y=\"%u\" width=\"%lf\" height=\"%u\"", &x, &y, &w,
					&h), 4);
		assert_true(x > b->x * WIDTH - 0.01 && x < b->x * WIDTH + 0.01);
		assert_true(w > b->w * WIDTH - 0.6 && w <= b->w * WIDTH);
		assert_int_equal(y, HEAD + ROW * b->depth);
		assert_true(h > 0 && h <= ROW && y + h < height);
	}
	return n;
}

/* The left edge of the box whose title is at @title. */
static double
left_of(const char *svg, const char *title)
{
	static const char mark[] = "data-x=\"";

	while (title > svg && strncmp(title, mark, strlen(mark)) != 0)
		title--;
	return strtod(title + strlen(mark), NULL);
}

static bool
lies_in(const struct drawn *b, const struct drawn *caller)
{
	return b->depth == caller->depth + 1 && b->x > caller->x - 1e-6 &&
	       b->x + b->w < caller->x + caller->w + 1e-6;
}

/* Side by side from their caller's left edge, by name. */
static void
assert_callees(const struct drawn *boxes, size_t n, const struct drawn *caller)
{
	double end = caller->x;
	const struct drawn *last = NULL;

	for (;;) {
		const struct drawn *next = NULL;

		for (size_t i = 0; i < n; i++)
			if (lies_in(&boxes[i], caller) && boxes[i].x > end - 1e-6 &&
			    (next == NULL || boxes[i].x < next->x))
				next = &boxes[i];
		if (next == NULL)
			return;
		if (next->x > end + 1e-6)
			fail_msg("a gap before %s in %s", next->name, caller->name);
		if (last != NULL && strcmp(last->name, next->name) > 0)
			fail_msg("%s is left of %s", last->name, next->name);
		end = next->x + next->w;
		last = next;
	}
}

static void
boxes_of_the_svg_lie_on_their_callers_and_within_the_picture(void **state)
{
	struct snapshot *s = scene("f()");
	struct drawn boxes[DRAWN_MAX];
	unsigned deepest = 0;
	struct out o;
	size_t n;

	(void)state;
	put(FORMAT_SVG, s, &o);
	n = read_drawn(o.text.data, boxes);
	assert_int_equal(n, 13);
	for (size_t i = 0; i < n; i++) {
		size_t callers = 0;

		for (size_t k = 0; k < n; k++) {
			callers += lies_in(&boxes[i], &boxes[k]);
			if (k != i && boxes[k].depth == boxes[i].depth)
				assert_true(boxes[k].x + boxes[k].w < boxes[i].x + 1e-6 ||
					    boxes[i].x + boxes[i].w < boxes[k].x + 1e-6);
		}
		assert_int_equal(callers, boxes[i].depth > 0);
		assert_callees(boxes, n, &boxes[i]);
		deepest = MAX(deepest, boxes[i].depth);
	}
	/* all, event, comm, main, f, g, fault */
	assert_int_equal(deepest, 6);
	buf_release(&o.text);
	snapshot_put(s);
}

/* A name that the program, a library and the kernel have, and one that comes before it. */
static void
boxes_of_one_caller_lie_by_name_then_by_kind(void **state)
{
	static const char *const want[] = { ">copy ([kernel], kernel):", ">copy (prog, program):",
					    ">copy (libc, library):" };
	struct snapshot *s = scene("f()");
	struct stacks st = *s->stacks;
	struct drawn boxes[DRAWN_MAX];
	const char *last;
	struct out o;
	size_t n;

	(void)state;
	st.dsos = COPY(s, (struct stack_dso[]){
		{ "[kernel]", "", "", STACK_KERNEL }, { "prog", "/bin/prog", "", STACK_PROGRAM },
		{ "libc", "/lib/libc", "", STACK_LIBRARY } });
	st.dso_count = 3;
	st.places = COPY(s, (struct stack_place[]){
		{ "main", "main", "", 0x1000, 1, true }, { "copy", "copy", "", 1, 2, true },
		{ "copy", "copy", "", 2, 0, true }, { "copy", "copy", "", 3, 1, true },
		{ "a", "a", "", 4, 1, true } });
	st.place_count = 5;
	/* The order in which they were met is another one. */
	st.nodes = COPY(s, (struct stack_node[]){
		{ 0 }, { 0, 0 }, { 1, 0 }, { 2, 1, 1, 10 }, { 2, 2, 1, 10 }, { 2, 3, 1, 10 },
		{ 2, 4, 1, 10 } });
	st.node_count = 7;
	s->stacks = &st;
	put(FORMAT_SVG, s, &o);
	n = read_drawn(o.text.data, boxes);
	for (size_t i = 0; i < n; i++)
		assert_callees(boxes, n, &boxes[i]);
	last = strstr(o.text.data, ">a (prog, program):");
	assert_non_null(last);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const char *at = strstr(o.text.data, want[i]);

		assert_non_null(at);
		assert_true(left_of(o.text.data, last) < left_of(o.text.data, at));
		last = at;
	}
	buf_release(&o.text);
	snapshot_put(s);
}

/* THEN had twice as much in all, so half of it counts; a box has room for the larger of the two. */
static void
what_the_svg_compares_is_drawn_as_if_both_had_as_much(void **state)
{
	static const struct {
		const char *name;
		double w;
	} want[] = { { "all", 1 }, { "co", 1 }, { "f()", 20. / 60 }, { "g", 10. / 60 },
		     { "main", 30. / 60 } };
	struct snapshot *s = scene("f()");
	struct stacks st = *s->stacks;
	struct drawn boxes[DRAWN_MAX];
	struct out o;
	size_t n;

	(void)state;
	s->query.compare = COMPARE_BEFORE;
	st.tops = COPY(s, (struct stack_top[]){ { "co", 5, 5, 0 } });
	st.top_count = 1;
	st.nodes = COPY(s, (struct stack_node[]){
		{ 0 }, { 0, 0 }, { 1, 0, 3, 30 }, { 1, 2, 1, 10 }, { 1, 0, 4, 40, true },
		{ 1, 1, 4, 40, true } });
	st.node_count = 6;
	s->stacks = &st;
	put(FORMAT_SVG, s, &o);
	n = read_drawn(o.text.data, boxes);
	assert_int_equal(n, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		size_t k = 0;

		while (k < n && strcmp(boxes[k].name, want[i].name) != 0)
			k++;
		assert_that(k, <, n);
		assert_within(boxes[k].w, want[i].w, 1e-6);
		assert_callees(boxes, n, &boxes[k]);
	}
	assert_box(o.text.data, ">main (prog, program): 75.00%, then 50.00%, +25.00 points, 3 samples, "
		   "then 4", "more3");
	assert_box(o.text.data, ">f() (prog, program): 0.00%, then 50.00%, -50.00 points, 0 samples, "
		   "then 4", "gone");
	buf_release(&o.text);
	snapshot_put(s);
}

/* Five points are much, a twentieth of one is the least; a sign tells without colour. */
static void
what_the_svg_compares_has_a_colour_and_a_sign_by_how_much_it_is(void **state)
{
	struct snapshot *s = scene("f()");
	struct stacks st = *s->stacks;
	struct out o;

	(void)state;
	s->query.compare = COMPARE_BEFORE;
	st.tops = COPY(s, (struct stack_top[]){ { "co", 5, 5, 0 } });
	st.top_count = 1;
	st.nodes = COPY(s, (struct stack_node[]){
		{ 0 }, { 0, 0 }, { 1, 0, 1379, 1379 }, { 1, 1, 100, 100 }, { 1, 2, 20, 20 },
		{ 1, 3, 1, 1 }, { 1, 4, 500, 500 }, { 1, 0, 1400, 1400, true },
		{ 1, 4, 500, 500, true }, { 1, 5, 100, 100, true } });
	st.node_count = 10;
	s->stacks = &st;
	put(FORMAT_SVG, s, &o);
	assert_box(o.text.data, ">f() (prog, program): 5.00%, then 0.00%, +5.00 points, "
		   "100 samples, then 0", "more3");
	assert_box(o.text.data, ">g (prog, program): 1.00%, then 0.00%, +1.00 points, "
		   "20 samples, then 0", "more2");
	assert_box(o.text.data, ">fault ([kernel], kernel): 0.05%, then 0.00%, +0.05 points, "
		   "1 sample, then 0", "more1");
	assert_box(o.text.data, ">main (prog, program): 68.95%, then 70.00%, -1.05 points, "
		   "1379 samples, then 1400", "less2");
	assert_has(o.text.data, ">+ f()</text>");
	assert_has(o.text.data, ">- main</text>");
	assert_has(o.text.data, ">[unknown]</text>");
	assert_has(o.text.data, ">x ");
	buf_release(&o.text);
	snapshot_put(s);
}

static void
a_report_without_samples_is_a_file_all_the_same(void **state)
{
	struct snapshot *s = scene("f()");
	struct stacks none = { .nodes = s->stacks->nodes, .node_count = 1 };
	struct sums sums = { 0 };
	struct out o;

	(void)state;
	s->stacks = &none;
	put(FORMAT_SVG, s, &o);
	assert_has(o.text.data, "no samples");
	buf_release(&o.text);
	if (format_defs[FORMAT_PPROF].lacks == NULL) {
		put(FORMAT_PPROF, s, &o);
		sums_of_pprof(&sums, o.text.data, o.text.len, "cpu-clock");
		assert_int_equal(sums.stacks, 0);
		buf_release(&o.text);
	}
	if (format_defs[FORMAT_SPEEDSCOPE].lacks == NULL) {
		put(FORMAT_SPEEDSCOPE, s, &o);
		sums_of_speedscope(&sums, o.text.data, "cpu-clock");
		assert_int_equal(sums.stacks, 0);
		buf_release(&o.text);
	}
	snapshot_put(s);
}

/* In all of them it reads the same, and is nothing but text. */
static void
hostile_names_stay_names(void **state)
{
	static const char safe[] = "a\"b\\c'<d>&]]></script><!--\\x01\\x1b[2J\\xff\\xfe;"
				   "\\xe2\\x80\\xae{}%s\\xf0\\x9f\\x98";
	struct snapshot *s = scene(hostile);
	struct sums sums = { 0 };
	struct out o;

	(void)state;
	if (format_defs[FORMAT_PPROF].lacks == NULL) {
		put(FORMAT_PPROF, s, &o);
		sums_of_pprof(&sums, o.text.data, o.text.len, "cpu-clock");
		assert_sum(&sums, safe, 70, 100);
		sums_release(&sums);
		buf_release(&o.text);
	}
	if (format_defs[FORMAT_SPEEDSCOPE].lacks == NULL) {
		put(FORMAT_SPEEDSCOPE, s, &o);
		sums_of_speedscope(&sums, o.text.data, "cpu-clock");
		assert_sum(&sums, safe, 70, 100);
		sums_release(&sums);
		buf_release(&o.text);
	}
	put(FORMAT_SVG, s, &o);
	/* But for its own script there is none, nor an end of one. */
	assert_ptr_equal(strstr(o.text.data, "</script>"), strstr(o.text.data, "]]></script>") + 3);
	assert_null(strstr(strstr(o.text.data, "</script>") + 1, "</script>"));
	assert_null(strstr(o.text.data, "<d>"));
	assert_null(strstr(o.text.data, "<!--"));
	assert_has(o.text.data, "data-n=\"a&quot;b\\c&#39;&lt;d&gt;&amp;]]&gt;&lt;/script&gt;");
	for (size_t i = 0; i < o.text.len; i++)
		assert_true((unsigned char)o.text.data[i] >= ' ' || o.text.data[i] == '\n');
	buf_release(&o.text);
	snapshot_put(s);
}

static void
svg_is_well_formed_and_refers_to_nothing_outside(void **state)
{
	struct snapshot *s = scene(hostile);
	char path[] = "/tmp/ptop-svg-XXXXXX";
	char *argv[] = { (char *)"xmllint", (char *)"--noout", (char *)"--nonet", path, NULL };
	int fd = mkstemp(path);
	struct run_result r;
	struct out o;

	(void)state;
	put(FORMAT_SVG, s, &o);
	for (const char *at = o.text.data; (at = strstr(at, "http")) != NULL; at++)
		assert_int_equal(strncmp(at, "http://www.w3.org/2000/svg\"", 27), 0);
	assert_null(strstr(o.text.data, "href"));
	assert_null(strstr(o.text.data, "url("));
	assert_null(strstr(o.text.data, "import"));
	assert_true(write(fd, o.text.data, o.text.len) == (ssize_t)o.text.len);
	close(fd);
	run_program(&r, 60, argv);
	unlink(path);
	buf_release(&o.text);
	snapshot_put(s);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 127) {
		run_release(&r);
		skip_for("xmllint is not there");
	}
	assert_int_equal(r.status, 0);
	run_release(&r);
}

/* A chain of @depth with as many branches at each of its nodes that the tree has @count nodes. */
static struct snapshot *
huge(uint32_t count, uint32_t depth)
{
	struct snapshot *s = scene("f()");
	struct stacks *st = arena_alloc(&s->arena, sizeof(*st));

	*st = *s->stacks;
	st->node_count = count;
	st->nodes = arena_alloc(&s->arena, count * sizeof(*st->nodes));
	st->place_count = 2000;
	st->places = arena_alloc(&s->arena, st->place_count * sizeof(*st->places));
	for (uint32_t i = 0; i < st->place_count; i++) {
		const char *name = arena_printf(&s->arena, "function_of_a_usual_length_%u", i);

		st->places[i] = (struct stack_place){ name, name, "", 0x1000 + i, 1, true };
	}
	for (uint32_t id = 2; id < count; id++)
		st->nodes[id] = (struct stack_node){
			.parent = id <= depth ? id - 1 : id % (depth - 1) + 1,
			.item = id <= depth ? id : (id * 7919) % 2000,
			.samples = 1, .period = 10 };
	s->stacks = st;
	return s;
}

/* One is told as well; where all can be seen, nothing is said. */
static void
the_svg_says_how_many_boxes_it_leaves_out(void **state)
{
	(void)state;
	for (unsigned narrow = 0; narrow < 3; narrow++) {
		struct snapshot *s = scene("f()");
		struct stacks st = *s->stacks;
		char want[32];
		struct out o;

		/* Each box of the second thread is one of a million then. */
		st.top_count = narrow == 0 ? 1 : 2;
		st.tops = COPY(s, (struct stack_top[]){ { "all", 5, 5, 0 },
								{ "few", 5, 7, 0 } });
		st.nodes = COPY(s, (struct stack_node[]){
			{ 0 }, { 0, 0, 1000000, 1000000 }, { 0, 1, 1, 1 }, { 2, 0, 1, 1 } });
		st.node_count = 2 + narrow;
		s->stacks = &st;
		put(FORMAT_SVG, s, &o);
		snprintf(want, sizeof(want), ">%u boxes too narrow", narrow);
		if (narrow > 0)
			assert_has(o.text.data, want);
		else
			assert_null(strstr(o.text.data, "too narrow"));
		buf_release(&o.text);
		snapshot_put(s);
	}
}

/* Whatever the length, it flows: what is buffered is no more than a few pieces. */
static void
a_tree_of_100000_nodes_is_written_in_small_pieces(void **state)
{
	static const enum export_format formats[] = { FORMAT_PPROF, FORMAT_SPEEDSCOPE, FORMAT_SVG };
	struct snapshot *s = huge(100000, 60);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct out o;

		if (format_defs[formats[i]].lacks != NULL)
			continue;
		put(formats[i], s, &o);
		/* Boxes that nobody could see are left out of the picture. */
		if (formats[i] == FORMAT_SVG)
			assert_has(o.text.data, "boxes too narrow to be seen are left out");
		else
			assert_that(o.pieces, >, 1);
		assert_that(o.largest, <=, 128 << 10);
		buf_release(&o.text);
	}
	snapshot_put(s);
}

static void
put_and_forget(enum export_format format, const struct snapshot *s)
{
	struct out o;

	put(format, s, &o);
	buf_release(&o.text);
}

/* A server writes them for days. */
static void
a_file_of_stacks_that_was_written_keeps_no_memory(void **state)
{
	/* The first files teach malloc its sizes. */
	enum { NODES = 200000, FIRST = 3, FILES = 16, LIMIT = 4 << 20 };
	struct snapshot *s;

	(void)state;
	need_mapped_bytes();
	s = huge(NODES, 60);
	/* Few of them have samples: it takes room, but not long. */
	for (uint32_t i = 100; i < NODES; i++)
		s->stacks->nodes[i].samples = s->stacks->nodes[i].period = 0;
	for (enum export_format f = FORMAT_PPROF; f <= FORMAT_SVG; f++) {
		long before;

		if (format_defs[f].lacks != NULL)
			continue;
		for (int i = 0; i < FIRST; i++)
			put_and_forget(f, s);
		before = mapped_bytes();
		for (int i = 0; i < FILES; i++)
			put_and_forget(f, s);
		assert_that(mapped_bytes() - before, <, LIMIT);
	}
	snapshot_put(s);
}

static void
nothing_is_written_after_a_failed_write(void **state)
{
	struct snapshot *s = huge(20000, 60);

	(void)state;
	for (enum export_format f = FORMAT_PPROF; f <= FORMAT_SVG; f++) {
		struct out o = { .fail_after = 1 };
		struct sink sink = { .write = keep, .self = &o };

		if (format_defs[f].lacks != NULL)
			continue;
		assert_int_equal(format_put(f, &sink, s, &(struct report_run){ 0 }), -1);
		assert_int_equal(sink.error, ENOSPC);
		assert_int_equal(o.pieces, 1);
		assert_int_equal(sink.bytes, o.text.len);
		sink_release(&sink);
		buf_release(&o.text);
	}
	snapshot_put(s);
}

static void
each_format_has_an_ending_of_its_own(void **state)
{
	(void)state;
	for (enum export_format f = 0; f < FORMAT_COUNT; f++) {
		char path[64];

		snprintf(path, sizeof(path), "a.b%s", format_defs[f].ending);
		assert_int_equal(format_of_file(path), f);
		assert_non_null(format_defs[f].help);
		assert_true((format_defs[f].put == NULL) == (format_defs[f].lacks != NULL));
	}
	assert_int_equal(format_of_file("x.speedscope"), FORMAT_COUNT);
	assert_int_equal(format_of_file(".svg"), FORMAT_COUNT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_written_as_protocol_buffers_have_them),
		cmocka_unit_test(pprof_has_what_is_known_of_each_stack),
		cmocka_unit_test(pprof_of_a_recording_has_the_time_that_it_is_of),
		cmocka_unit_test(each_stack_has_values_of_its_own_event_in_pprof),
		cmocka_unit_test(pprof_has_no_types_of_events_that_are_filtered_out),
		cmocka_unit_test(stacks_that_were_folded_have_a_location_in_pprof),
		cmocka_unit_test(what_is_inlined_is_in_its_callers_location_in_pprof),
#ifdef HAVE_ZLIB
		cmocka_unit_test(otlp_has_what_is_known_of_each_stack),
		cmocka_unit_test(what_is_inlined_is_in_its_callers_location_in_otlp),
		cmocka_unit_test(otlp_names_no_host_that_is_not_known),
#endif
		cmocka_unit_test(speedscope_has_a_profile_for_each_event),
		cmocka_unit_test(svg_has_a_box_for_each_function_below_its_caller),
		cmocka_unit_test(the_legend_of_the_svg_has_its_entries_side_by_side),
		cmocka_unit_test(svg_says_what_part_of_all_it_shows),
		cmocka_unit_test(svg_says_what_it_compares_with),
		cmocka_unit_test(names_in_the_svg_are_cut_at_their_box),
		cmocka_unit_test(boxes_of_the_svg_lie_on_their_callers_and_within_the_picture),
		cmocka_unit_test(boxes_of_one_caller_lie_by_name_then_by_kind),
		cmocka_unit_test(what_the_svg_compares_is_drawn_as_if_both_had_as_much),
		cmocka_unit_test(what_the_svg_compares_has_a_colour_and_a_sign_by_how_much_it_is),
		cmocka_unit_test(the_svg_says_how_many_boxes_it_leaves_out),
		cmocka_unit_test(a_report_without_samples_is_a_file_all_the_same),
		cmocka_unit_test(hostile_names_stay_names),
		cmocka_unit_test(svg_is_well_formed_and_refers_to_nothing_outside),
		cmocka_unit_test(a_tree_of_100000_nodes_is_written_in_small_pieces),
		cmocka_unit_test(a_file_of_stacks_that_was_written_keeps_no_memory),
		cmocka_unit_test(nothing_is_written_after_a_failed_write),
		cmocka_unit_test(each_format_has_an_ending_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
