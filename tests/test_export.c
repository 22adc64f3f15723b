/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/formats.h"
#include "export/json_schema.h"
#include "export/proto.h"

#include <config.h>

#include "tests/asserts.h"
#include "tests/skip.h"

#ifdef HAVE_JANSSON
#include "tests/json_rule.h"
#endif

static struct row
blank(const char *symbol, uint64_t samples)
{
	return (struct row){ .cpu = NAN, .pid = -1, .tid = -1, .cpu_number = -1, .event = "cycles",
			     .comm = "", .dso = "", .symbol = symbol, .source = "", .user = "",
			     .cgroup = "", .command = "", .hottest = "", .reason = "",
			     .samples = samples, .period = samples * 1000,
			     .share = (double)samples / 100 };
}

/* Two rows by comm and symbol, the second with all that a format must escape. */
static struct snapshot *
two_rows(void)
{
	struct snapshot *s = snapshot_new();

	s->query.keys[0] = KEY_COMM;
	s->query.keys[1] = KEY_SYMBOL;
	s->query.key_count = 2;
	s->elapsed_s = 3.0004;
	s->rows = arena_alloc(&s->arena, 2 * sizeof(*s->rows));
	s->row_count = 2;
	s->rows[0] = blank("f(int, char)", 75);
	s->rows[0].comm = "hot";
	s->rows[1] = blank("say \"hi\"", 25);
	s->rows[1].comm = "\033[2J;\n\xff";
	return s;
}

static void
add_filtered(struct snapshot *s)
{
	s->filtered = arena_alloc(&s->arena, sizeof(*s->filtered));
	s->filtered_count = 1;
	*s->filtered = blank("[filtered]", 5);
	s->filtered->flags = ROW_FILTERED;
}

static void
assert_report(void (*put)(struct sink *, const struct snapshot *, const struct report_run *),
	      struct snapshot *s, struct report_run run, const char *expected)
{
	struct sink out = { 0 };

	/* Short enough to be all in the sink. */
	put(&out, s, &run);
	assert_string_equal(buf_str(&out.buf), expected);
	sink_release(&out);
	snapshot_put(s);
}

static void
csv_quotes_commas_and_quotes_and_makes_names_safe(void **state)
{
	(void)state;
	assert_report(csv_put_report, two_rows(), (struct report_run){ .is_first = true },
		      "comm,symbol,samples,period,percent\n"
		      "hot,\"f(int, char)\",75,75000,75.0000\n"
		      "\\x1b[2J;\\x0a\\xff,\"say \"\"hi\"\"\",25,25000,25.0000\n");
}

static void
csv_of_a_series_has_times_and_one_header(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->row_count = 1;
	assert_report(csv_put_report, snapshot_get(s),
		      (struct report_run){ .is_first = true, .is_series = true },
		      "time,comm,symbol,samples,period,percent\n"
		      "3.000,hot,\"f(int, char)\",75,75000,75.0000\n");
	assert_report(csv_put_report, s, (struct report_run){ .is_series = true },
		      "3.000,hot,\"f(int, char)\",75,75000,75.0000\n");
}

/* Two columns of one name are none. */
static void
csv_by_time_has_no_other_times(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->query.keys[0] = KEY_TIME;
	s->row_count = 1;
	s->rows[0].time = NSEC_PER_SEC + 1;
	assert_report(csv_put_report, s, (struct report_run){ .is_first = true, .is_series = true },
		      "time,symbol,samples,period,percent\n"
		      "1.0,\"f(int, char)\",75,75000,75.0000\n");
}

static void
csv_says_what_filters_left_out(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->row_count = 0;
	s->query.keys[0] = KEY_PID;
	add_filtered(s);
	assert_report(csv_put_report, s, (struct report_run){ .is_first = true },
		      "pid,symbol,samples,period,percent\n,[filtered],5,5000,5.0000\n");
}

/* Where rows are of events, the event alone would be what was not left out. */
static void
a_sum_beside_its_event_alone_is_told_from_the_events_row(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->row_count = 0;
	s->query.key_count = 1;
	s->query.keys[0] = KEY_EVENT;
	add_filtered(s);
	s->filtered->event = "faults";
	assert_report(csv_put_report, snapshot_get(s), (struct report_run){ .is_first = true },
		      "event,samples,period,percent\n[filtered] of faults,5,5000,5.0000\n");
	assert_report(text_put_report, s, (struct report_run){ .is_first = true },
		      "%EVT  SAMPLES  PERIOD  EVENT\n"
		      " 5.0        5    5000  [filtered] of faults\n");
}

/* With --relative: it has none of what is shown. */
static void
what_filters_left_out_has_no_share_of_what_is_shown(void **state)
{
	void (*const puts[])(struct sink *out, const struct snapshot *s,
			     const struct report_run *run) = { csv_put_report, text_put_report,
#ifdef HAVE_JANSSON
							       json_put_report,
#endif
							     };
	static const char *const rows[] = {
		"\n[filtered],,5,5000,\n", "\n   -        5    5000  -                 [filtered]\n",
		"],\"filtered\":{\"samples\":5,\"period\":5000,\"percent\":null}}\n",
	};
	static const char *const nodes[] = {
		"\n0,,[filtered],5,5000,5,5000,\n", "\n     -      -           5  [filtered]\n",
		"],\"filtered\":{\"samples\":5,\"period\":5000,\"percent\":null}}\n",
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(puts); i++) {
		const char *want = i % 2 == 0 ? rows[i / 2] : nodes[i / 2];
		struct snapshot *s = two_rows();
		struct sink out = { 0 };

		s->query.shares = SHARES_OF_SHOWN;
		s->query.view = VIEW_TREE;
		s->query.by_view = i % 2 == 1;
		s->row_count = i % 2 == 0 ? 2 : 0;
		add_filtered(s);
		s->filtered->share = NAN;
		puts[i / 2](&out, s, &(struct report_run){ .is_first = true });
		if (strstr(buf_str(&out.buf), want) == NULL)
			fail_msg("case %zu:\n%s", i, buf_str(&out.buf));
		if (i / 2 == 2)
			assert_non_null(strstr(buf_str(&out.buf), "\"percent_of\":\"shown\""));
		sink_release(&out);
		snapshot_put(s);
	}
}

/* Names stay as they are, where they are not for people alone. */
static void
what_a_timer_counts_there_too_is_marked(void **state)
{
	static const struct snapshot_node node = {
		.name = "f", .dso = "[kernel]", .kind = NODE_KERNEL, .end = 1, .is_irq_on = true,
		.total = { 4, 4000 },
	};
	static const struct snapshot_event event = { .name = "cpu-clock", .base = 8000 };
	static const struct {
		void (*put)(struct sink *out, const struct snapshot *s,
			    const struct report_run *run);
		const char *row, *node;
	} formats[] = {
		{ text_put_report, "  f(int, char) (irqs on)\n", "  f (irqs on)  [kernel]\n" },
		{ csv_put_report, "hot,\"f(int, char)\",75,", "0,[kernel],f,0,0,4,4000,50.0000\n" },
#ifdef HAVE_JANSSON
		{ json_put_report, "\"percent\":75.0,\"timer_artefact\":true},{",
		  "\"kind\":\"kernel\",\"timer_artefact\":true," },
#endif
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct snapshot *s = two_rows();
		struct sink out = { 0 };

		s->rows[0].flags |= ROW_IRQ_ON;
		formats[i].put(&out, s, &(struct report_run){ .is_first = true });
		assert_non_null(strstr(buf_str(&out.buf), formats[i].row));
		sink_release(&out);
		s->row_count = 0;
		s->query.by_view = true;
		s->query.view = VIEW_TREE;
		s->events = (struct snapshot_event *)(uintptr_t)&event;
		s->nodes = (struct snapshot_node *)(uintptr_t)&node;
		s->node_count = 1;
		formats[i].put(&out, s, &(struct report_run){ .is_first = true });
		assert_non_null(strstr(buf_str(&out.buf), formats[i].node));
		sink_release(&out);
		snapshot_put(s);
	}
}

static void
csv_tells_events_apart_only_if_there_are_some(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->row_count = 1;
	assert_report(csv_put_report, snapshot_get(s),
		      (struct report_run){ .is_first = true, .has_events = true },
		      "event,comm,symbol,samples,period,percent\n"
		      "cycles,hot,\"f(int, char)\",75,75000,75.0000\n");
	s->query.keys[0] = KEY_EVENT;
	assert_report(csv_put_report, s,
		      (struct report_run){ .is_first = true, .has_events = true },
		      "event,symbol,samples,period,percent\n"
		      "cycles,\"f(int, char)\",75,75000,75.0000\n");
}

static const struct counter_row faults = { .name = "faults, minor", .is_known = true,
					   .is_rate_known = true, .total = 120, .per_second = 7.5,
					   .running = 0.25, .note = "scaled" };
static const struct counter_row ipc = { .name = "ipc", .unit = COUNTER_RATIO, .is_known = true,
					.ratio = 1.25, .running = -1, .note = "" };

static struct snapshot *
two_counters(void)
{
	struct snapshot *s = snapshot_new();

	s->query.by_view = true;
	s->query.view = VIEW_COUNTERS;
	s->elapsed_s = 2;
	s->rows = arena_alloc(&s->arena, 2 * sizeof(*s->rows));
	s->row_count = 2;
	s->rows[0] = s->rows[1] = blank("", 0);
	s->rows[0].pid = 12;
	s->rows[0].tid = 13;
	s->rows[0].comm = "hot";
	s->rows[0].counter = &faults;
	s->rows[1].counter = &ipc;
	return s;
}

/* Where ptop can write it, JSON has the text. */
static void
assert_json(const struct snapshot *s, struct report_run run, const char *text)
{
#ifdef HAVE_JANSSON
	struct sink out = { 0 };

	json_put_report(&out, s, &run);
	if (strstr(buf_str(&out.buf), text) == NULL)
		fail_msg("'%s' is not in %s", text, buf_str(&out.buf));
	sink_release(&out);
#else
	(void)s;
	(void)run;
	(void)text;
#endif
}

static void
counters_say_whose_they_are_and_which(void **state)
{
	struct snapshot *s = two_counters();

	(void)state;
	assert_report(csv_put_report, snapshot_get(s),
		      (struct report_run){ .is_first = true, .is_series = true },
		      "time,pid,tid,comm,counter,unit,value,per_second,running_percent,note\n"
		      "2.000,12,13,hot,\"faults, minor\",count,120,7.500,25.0000,scaled\n"
		      "2.000,,,,ipc,ratio,1.25,,,\n");
	assert_json(s, (struct report_run){ .is_series = true },
		    "\"rows\":[{\"pid\":12,\"tid\":13,\"comm\":\"hot\","
		    "\"counter\":\"faults, minor\",\"unit\":\"count\",\"value\":120,"
		    "\"per_second\":7.5,\"running_percent\":25.0,\"scaled\":false,"
		    "\"note\":\"scaled\"},"
		    "{\"pid\":null,\"tid\":null,\"comm\":\"\",\"counter\":\"ipc\","
		    "\"unit\":\"ratio\",\"value\":1.25,\"per_second\":null,"
		    "\"running_percent\":null,\"scaled\":false,\"note\":\"\"}]");
	snapshot_put(s);
}

static void
counted_functions_say_whose_calls_they_are(void **state)
{
	static const struct call_row of_one = { .function = "parse", .pid = 12, .calls = 3, .state = "timed",
						.note = "", .seconds = 2 };
	static const struct call_row of_all = { .function = "parse", .pid = -1, .calls = 5,
						.state = "entry only", .note = "", .seconds = 1 };
	struct snapshot *s = two_counters();

	(void)state;
	s->query.view = VIEW_CALLS;
	s->rows[0].counter = s->rows[1].counter = NULL;
	s->rows[0].call = &of_one;
	s->rows[1].call = &of_all;
	assert_report(csv_put_report, snapshot_get(s), (struct report_run){ .is_first = true },
		      "function,calls,lost,min,p50,p95,p99,max,per_second,timed,state,note,pid,seconds\n"
		      "parse,3,0,,,,,,1.500,0,timed,,12,2.000\n"
		      "parse,5,0,,,,,,5.000,0,entry only,,,1.000\n");
	assert_json(s, (struct report_run){ .is_first = true }, "\"function\":\"parse\",\"pid\":12,");
	assert_json(s, (struct report_run){ .is_first = true }, "\"per_second\":1.5,\"seconds\":2.0,");
	assert_json(s, (struct report_run){ .is_first = true }, "\"function\":\"parse\",\"pid\":null,");
	snapshot_put(s);
}

/* Of each as much as some row has: the idle loop's numbers are 0. */
static void
text_of_counters_has_columns_for_whose_they_are(void **state)
{
	static const struct {
		int pid, tid;
		const char *begin;
	} rows[] = {
		{ 12, 13, "PID  TID  COMM  COUNTER " }, { 12, -1, "PID  COMM  COUNTER " },
		{ -1, -1, "COUNTER " }, { 0, 0, "PID  TID  COMM  COUNTER " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *s = two_counters();
		struct sink out = { 0 };

		s->rows[0].pid = rows[i].pid;
		s->rows[0].tid = rows[i].tid;
		text_put_report(&out, s, &(struct report_run){ .is_first = true });
		if (strncmp(buf_str(&out.buf), rows[i].begin, strlen(rows[i].begin)) != 0)
			fail_msg("case %zu:\n%s", i, buf_str(&out.buf));
		sink_release(&out);
		snapshot_put(s);
	}
}

#ifdef HAVE_JANSSON

static void
assert_schema_has(const char *text)
{
	struct buf rules = { 0 };
	json_t *schema, *report = json_loads(text, 0, NULL);

	json_put_schema(&rules);
	schema = json_loads(buf_str(&rules), 0, NULL);
	assert_non_null(report);
	assert_non_null(schema);
	assert_described("report", schema, report);
	json_decref(schema);
	json_decref(report);
	buf_release(&rules);
}

#endif

/* Of counters that are not known now. */
static void
the_schema_has_what_is_not_known_of_counters(void **state)
{
#ifdef HAVE_JANSSON
	const struct difference d = {
		.change = { .now = NAN, .then = 0.25, .delta = NAN, .low = NAN, .high = NAN, .q = NAN },
		.scale = 8,
	};
	struct snapshot *s = two_counters();
	struct sink out = { 0 };

	(void)state;
	s->query.compare = COMPARE_BEFORE;
	s->rows[0].difference = s->rows[1].difference = &d;
	json_put_report(&out, s, &(struct report_run){ .is_first = true });
	assert_schema_has(buf_str(&out.buf));
	sink_release(&out);
	snapshot_put(s);
#else
	(void)state;
	skip_for("built without jansson");
#endif
}

/* In their own units. */
static void
counters_that_are_compared_have_differences(void **state)
{
	const struct difference d = {
		.change = { .now = 0.5, .then = 0.25, .delta = 0.25, .low = 0.125, .high = NAN,
			    .q = 0.001, .is_significant = true },
		.scale = 8,
	};
	struct snapshot *s = two_counters();
	struct sink out = { 0 };

	(void)state;
	s->query.compare = COMPARE_BEFORE;
	s->rows[1].difference = &d;
	assert_report(csv_put_report, snapshot_get(s), (struct report_run){ .is_first = true },
		      "pid,tid,comm,counter,unit,value,per_second,running_percent,note,"
		      "now,then,delta,low,high,q,significant\n"
		      "12,13,hot,\"faults, minor\",count,120,7.500,25.0000,scaled,,,,,,,\n"
		      ",,,ipc,ratio,1.25,,,,4,2,2,1,,0.001,yes\n");
	assert_json(s, (struct report_run){ .is_first = true },
		    "\"note\":\"\",\"now\":4.0,\"then\":2.0,\"delta\":2.0,\"low\":1.0,"
		    "\"high\":null,\"q\":0.001,\"significant\":true}");
	text_put_report(&out, s, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(buf_str(&out.buf), "NOW"));
	assert_non_null(strstr(buf_str(&out.buf), "4.000"));
	sink_release(&out);
	snapshot_put(s);
}

static const struct snapshot_count code_counts[] = {
	{ .offset = 0x1000, .event = 0, .cost = { 3, 3000 } },
	{ .offset = 0x1000, .event = 1, .cost = { 7, 7000 } },
	{ .offset = 0x1004, .event = 0, .cost = { 1, 1000 } },
};
static const struct cost code_told[] = { { 4, 4000 }, { 7, 7000 } };
static const struct cost code_all[] = { { 6, 6000 }, { 7, 7000 } };

/* A function whose code is not known, but which of its addresses samples have. */
static struct snapshot *
code_without_a_listing(void)
{
	static const struct snapshot_event events[] = {
		{ .name = "cycles", .base = 8000, .samples = 6, .period = 6000 },
		{ .name = "page-faults", .base = 7000, .samples = 7, .period = 7000 },
	};
	static const struct snapshot_code code = {
		.location = 1, .symbol = "f", .dso = "prog", .path = "/bin/prog",
		.counts = code_counts, .count_len = ARRAY_SIZE(code_counts),
		.told = code_told, .all = code_all,
	};
	struct snapshot *s = snapshot_new();

	s->query.by_view = true;
	s->query.view = VIEW_ANNOTATE;
	s->events = (struct snapshot_event *)(uintptr_t)events;
	s->event_count = ARRAY_SIZE(events);
	s->code = arena_alloc(&s->arena, sizeof(*s->code));
	*s->code = code;
	return s;
}

static void
code_that_is_not_known_is_a_row_for_each_address(void **state)
{
	(void)state;
	assert_report(csv_put_report, code_without_a_listing(),
		      (struct report_run){ .is_first = true, .has_events = true },
		      "event,address,bytes,text,file,line,inline,samples,period,percent\n"
		      "cycles,0x1000,,,,,,3,3000,37.5000\n"
		      "cycles,0x1004,,,,,,1,1000,12.5000\n"
		      "cycles,,,[elsewhere],,,,2,2000,25.0000\n"
		      "page-faults,0x1000,,,,,,7,7000,100.0000\n");
	/* Of the event that is shown. */
	assert_report(text_put_report, code_without_a_listing(),
		      (struct report_run){ .is_first = true },
		      "f  prog\n"
		      "%PERCENT   SAMPLES  ADDRESS\n"
		      "  37.50         3  0x1000\n"
		      "  12.50         1  0x1004\n"
		      "  25.00         2  [elsewhere]\n");
}

/* The same function with its three instructions. */
static struct snapshot *
code_with_a_listing(void)
{
	static const uint8_t bytes[] = { 0x48, 0x89, 0xe5, 0x90, 0xf3, 0x90 };
	static const struct listing_instruction items[] = {
		{ .offset = 0x1000, .addr = 0x401000, .len = 3, .reg = LISTING_NO_REG,
		  .bytes = bytes, .text = "mov    %rsp,%rbp", .operand = "" },
		{ .offset = 0x1003, .addr = 0x401003, .len = 1, .reg = LISTING_NO_REG,
		  .bytes = bytes + 3, .text = "nop", .operand = "" },
		{ .offset = 0x1004, .addr = 0x401004, .len = 2, .reg = LISTING_NO_REG,
		  .bytes = bytes + 4, .text = "pause", .operand = "" },
	};
	struct snapshot *s = code_without_a_listing();
	struct listing *l = listing_new();

	l->offset = 0x1000;
	l->size = sizeof(bytes);
	l->items = items;
	l->count = ARRAY_SIZE(items);
	s->code->listing = l;
	return s;
}

/* Each has what is at its own bytes, also nothing; what is at none of them is the last row. */
static void
code_that_is_known_is_a_row_for_each_instruction(void **state)
{
	(void)state;
	assert_report(csv_put_report, code_with_a_listing(),
		      (struct report_run){ .is_first = true },
		      "address,bytes,text,file,line,inline,samples,period,percent\n"
		      "0x401000,4889e5,\"mov    %rsp,%rbp\",,,,3,3000,37.5000\n"
		      "0x401003,90,nop,,,,0,0,0.0000\n"
		      "0x401004,f390,pause,,,,1,1000,12.5000\n"
		      ",,[elsewhere],,,,2,2000,25.0000\n");
}

/* One after the other; each says where another function's code begins. */
static void
code_as_text_has_each_event_and_what_is_inlined(void **state)
{
	static const struct listing_frame frames[] = {
		{ .function = "g", .file = LISTING_NONE },
		{ .function = "f", .file = LISTING_NONE },
	};
	static const struct listing_place places[] = { { frames + 1, 1 }, { frames, 2 } };
	static const uint32_t places_of[] = { 0, 0, 1 };
	struct snapshot *s = code_with_a_listing();
	struct listing_lines *lines = listing_lines_new();

	(void)state;
	lines->places_of = places_of;
	lines->count = ARRAY_SIZE(places_of);
	lines->places = places;
	lines->place_count = ARRAY_SIZE(places);
	s->code->lines = lines;
	assert_report(text_put_report, s,
		      (struct report_run){ .is_first = true, .has_events = true },
		      "cycles: f  prog  4 samples\n"
		      "%PERCENT   SAMPLES  CODE\n"
		      "  37.50         3        401000:  mov    %rsp,%rbp\n"
		      "                         401003:  nop\n"
		      "  12.50         1    \xe2\xa4\xb7 g in f\n"
		      "  12.50         1          401004:  pause\n"
		      "  25.00         2  [elsewhere]\n"
		      "page-faults: f  prog  7 samples\n"
		      "%PERCENT   SAMPLES  CODE\n"
		      " 100.00         7        401000:  mov    %rsp,%rbp\n"
		      "                         401003:  nop\n"
		      "                     \xe2\xa4\xb7 g in f\n"
		      "                           401004:  pause\n");
}

static void
csv_has_every_key(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	for (int k = 0; k < KEY_COUNT; k++)
		s->query.keys[k] = k;
	s->query.key_count = KEY_COUNT;
	s->row_count = 1;
	s->rows[0] = (struct row){ .pid = 1, .tid = 2, .cpu_number = 3, .address = 0x40,
				   .event = "e", .comm = "c", .dso = "d", .symbol = "s",
				   .source = "f:1", .instruction = "pause", .user = "u",
				   .cgroup = "g", .time = 1500000001, .data_src = "op=load", .weight = 8,
				   .sample_id = 78, .stream_id = 89,
				   .branch = "a > b", .path = "/d", .build_id = "ab",
				   .names_from = ".symtab", .reason = "r", .remedy = "m",
				   .state = "lock", .waitkind = "file lock", .on = "/x",
				   .lock = "g_lock", .waker = "9 w", .length = "1-2 ms", .node = 1,
				   .container = "web", .pod = "ns/p", .unit = "u.scope", .program = "sh",
				   .syscall = "read", .field = "SIGTERM", .host = "web1" };
	assert_report(csv_put_report, s, (struct report_run){ .is_first = true },
		      "event,comm,pid,tid,dso,symbol,srcline,address,instruction,cpu,cgroup,user,"
		      "time,data_src,weight,id,stream_id,branch,path,build_id,source,reason,remedy,"
		      "state,waitkind,on,lock,waker,length,node,container,pod,unit,program,syscall,field,host,"
		      "samples,period,percent\n"
		      "e,c,1,2,d,s,f:1,0x40,pause,3,g,u,1.5,op=load,7,77,88,a > b,/d,ab,.symtab,r,m,"
		      "lock,file lock,/x,g_lock,9 w,1-2 ms,1,web,ns/p,u.scope,sh,read,SIGTERM,web1,0,0,0.0000\n");
}

/* What the view unnamed gives: three parts of four in one file. */
static struct snapshot *
unnamed_rows(void)
{
	const struct view_def *view = &view_defs[VIEW_UNNAMED];
	struct snapshot *s = two_rows();

	s->query.by_view = s->query.unnamed = true;
	s->query.view = VIEW_UNNAMED;
	s->query.key_count = view->key_count;
	memcpy(s->query.keys, view->keys, sizeof(view->keys));
	s->row_count = 1;
	s->rows[0].comm = s->rows[0].symbol = "";
	s->rows[0].dso = "d";
	s->rows[0].path = "/d";
	s->rows[0].build_id = "ab";
	s->rows[0].names_from = ".dynsym only";
	s->rows[0].reason = "stripped";
	s->rows[0].remedy = "mend, it";
	s->rows[0].unnamed = 0.8;
	s->named = arena_alloc(&s->arena, sizeof(*s->named));
	s->named_count = 1;
	*s->named = blank("[named]", 25);
	s->named->flags = ROW_FILTERED;
	return s;
}

static void
csv_and_text_say_why_there_is_no_name_and_how_much_has_one(void **state)
{
	(void)state;
	assert_report(csv_put_report, unnamed_rows(), (struct report_run){ .is_first = true },
		      "dso,path,build_id,source,reason,remedy,samples,period,percent\n"
		      "d,/d,ab,.dynsym only,stripped,\"mend, it\",75,75000,75.0000\n"
		      "[named],,,,,,25,25000,25.0000\n");
	assert_report(text_put_report, unnamed_rows(), (struct report_run){ .is_first = true },
		      "%EVT  SAMPLES  PERIOD  %OWN  DSO      WHY       WHAT MENDS IT\n"
		      "75.0       75   75000  80.0  d        stripped  mend, it\n"
		      "25.0       25   25000     -  [named]  -         -\n");
}

static void
text_is_aligned_with_its_header_and_safe(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->rows[0].comm = "caf\xc3\xa9";
	add_filtered(s);
	assert_report(text_put_report, s, (struct report_run){ .is_first = true },
		      "%EVT  SAMPLES  PERIOD  COMM              FUNCTION\n"
		      "75.0       75   75000  caf\xc3\xa9              f(int, char)\n"
		      "25.0       25   25000  \\x1b[2J;\\x0a\\xff  say \"hi\"\n"
		      " 5.0        5    5000  -                 [filtered]\n");
}

static void
text_of_a_series_has_times_and_gaps(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->row_count = 0;
	assert_report(text_put_report, s, (struct report_run){ .is_series = true },
		      "\ntime 3.000\n%EVT  SAMPLES  PERIOD  COMM  FUNCTION\n");
}

/* Without rows there may have been samples all the same. */
static void
a_report_says_which_part_of_its_window_is_forgotten(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->row_count = 0;
	s->head.forgotten = "this window is forgotten";
	assert_json(s, (struct report_run){ .is_first = true }, "\"forgotten\":\"this window is forgotten\"");
	assert_report(text_put_report, s, (struct report_run){ .is_first = true },
		      "%EVT  SAMPLES  PERIOD  COMM  FUNCTION\nthis window is forgotten\n");
}

static void
text_of_a_view_has_what_needs_no_screen(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->query.by_view = true;
	s->query.view = VIEW_PROCESSES;
	s->row_count = 1;
	s->rows[0].pid = 12;
	s->rows[0].user = "root";
	s->rows[0].cpu = 50;
	s->rows[0].threads = 4;
	s->rows[0].command = "hot -x";
	add_filtered(s);
	assert_report(text_put_report, s,
		      (struct report_run){ .is_first = true, .has_events = true },
		      "EVENT   PID  USER  THR  %CPU  %EVT  SAMPLES  PERIOD  COMMAND\n"
		      "cycles   12  root    4  50.0  75.0       75   75000  hot -x\n"
		      "cycles    -  -       -     -   5.0        5    5000  [filtered]\n");
}

static void
text_tells_cpu_time_that_is_an_estimate(void **state)
{
	for (int is_recording = 0; is_recording < 2; is_recording++) {
		struct snapshot *s = two_rows();

		(void)state;
		s->query.by_view = true;
		s->query.view = VIEW_THREADS;
		s->row_count = 1;
		s->rows[0].cpu = 29.1;
		s->rows[0].flags |= ROW_ESTIMATE;
		s->head.recording = is_recording ? "perf.data" : NULL;
		assert_report(text_put_report, s, (struct report_run){ .is_first = true },
			      is_recording
			      ? "PID  TID  ~%CPU  %EVT  SAMPLES  PERIOD  COMM\n"
				"  -    -   29.1  75.0       75   75000  hot\n"
			      : "PID  TID   %CPU  %EVT  SAMPLES  PERIOD  COMM\n"
				"  -    -  ~29.1  75.0       75   75000  hot\n");
	}
}

static void
text_labels_sums_even_without_a_column_of_names(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->query.keys[0] = KEY_CPU;
	s->query.key_count = 1;
	s->row_count = 1;
	s->rows[0].cpu_number = 2;
	add_filtered(s);
	assert_report(text_put_report, s, (struct report_run){ .is_first = true },
		      "%EVT  SAMPLES  PERIOD         CPU\n"
		      "75.0       75   75000           2\n"
		      " 5.0        5    5000  [filtered]\n");
}

/* Shares in percent, and their change in points: by @p that is chance, or so much time is missing. */
static void
assert_node_is(enum node_kind kind, double p, double needs_s, const char *word)
{
	const struct difference d = {
		.change = { .now = 0.75, .then = 0.25, .delta = 0.5, .p = p, .q = p, .needs_s = needs_s },
		.is_new = true,
	};
	const struct snapshot_node node = {
		.name = "f", .dso = "prog", .kind = kind, .end = 1, .total = { 6, 6000 },
		.difference = &d,
	};
	static const struct snapshot_event event = { .name = "cycles", .base = 8000 };
	struct snapshot *s = snapshot_new();
	char text[200];

	s->query.by_view = true;
	s->query.view = VIEW_TREE;
	s->query.compare = COMPARE_BEFORE;
	s->events = (struct snapshot_event *)(uintptr_t)&event;
	s->nodes = &node;
	s->node_count = 1;
	snprintf(text, sizeof(text),
		 "  %%NOW  %%THEN   DELTA  CHANGED     FUNCTION\n"
		 " 75.00  25.00  +50.00  %-10s  f  prog\n", word);
	assert_report(text_put_report, s, (struct report_run){ .is_first = true }, text);
}

static void
text_of_a_tree_that_is_compared_has_now_then_and_between(void **state)
{
	(void)state;
	assert_node_is(NODE_OWN, NAN, 0, "new"); /* without a test */
	assert_node_is(NODE_REST, NAN, 0, ""); /* its parts differ each time */
	assert_node_is(NODE_OWN, 0.2, 0, "= new");
	assert_node_is(NODE_OWN, 0.2, 3, "needs 3 s");
	assert_node_is(NODE_OWN, NAN, 8, "needs 8 s");
}

#ifdef HAVE_JANSSON

#define NO_LOSSES \
	"\"losses\":{\"window_lost\":0,\"sideband_lost\":0,\"late\":0,\"unknown\":0," \
	"\"foreign\":0,\"broken\":0,\"dropped\":0,\"unmapped\":0,\"denied\":0,\"waits_unknown\":0," \
	"\"times_unknown\":0,\"callers_missing\":0," \
	"\"unexplained\":0,\"folded\":0,\"throttled_seconds\":0.0},\"percent_of\":\"all\""

static void
add_events(struct snapshot *s)
{
	s->events = arena_alloc(&s->arena, 2 * sizeof(*s->events));
	s->events[0] = (struct snapshot_event){ .name = "cycles", .samples = 100,
						.period = 100000, .lost = 2,
						.throttled = 4 };
	s->events[1] = (struct snapshot_event){ .name = "page-faults" };
	s->event_count = 2;
	s->head.host = "box";
	s->head.losses[LOSS_SAMPLES] = 2;
	s->head.window_lost = 1;
	s->head.losses[LOSS_LATE] = 5;
	s->head.losses[LOSS_UNKNOWN] = 1;
	s->head.losses[LOSS_FOREIGN] = 8;
	s->head.losses[LOSS_TASKS] = 6;
	s->head.losses[LOSS_THROTTLED] = 3;
	s->head.is_freq = true;
	s->head.rate = 120;
	s->head.rate_asked = 999;
	s->head.self_cpu = 0.4321;
	s->head.self_bytes = 4096;
	s->head.throttled_ns = 250000000;
}

static void
json_is_one_object_in_one_line(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	add_events(s);
	add_filtered(s);
	assert_report(json_put_report, s, (struct report_run){ .is_series = true },
		      "{\"version\":1,\"time\":3.0,\"host\":\"box\",\"events\":["
		      "{\"name\":\"cycles\",\"samples\":100,\"period\":100000,\"lost\":2,"
		      "\"throttled\":4,\"unit\":\"count\"},"
		      "{\"name\":\"page-faults\",\"samples\":0,\"period\":0,\"lost\":0,"
		      "\"throttled\":0,\"unit\":\"count\"}],"
		      "\"lost\":2,\"throttled\":3,\"event\":\"\",\"self_cpu\":0.432,\"self_memory\":4096,"
		      "\"frequency\":120,\"frequency_asked\":999,\"window\":0.0,"
		      "\"losses\":{\"window_lost\":1,\"sideband_lost\":0,\"late\":5,\"unknown\":9,"
		      "\"foreign\":8,\"broken\":0,\"dropped\":0,\"unmapped\":0,\"denied\":0,\"waits_unknown\":0,"
		      "\"times_unknown\":0,\"callers_missing\":0,\"unexplained\":0,\"folded\":6,"
		      "\"throttled_seconds\":0.25},\"percent_of\":\"all\","
		      "\"rows\":["
		      "{\"comm\":\"hot\",\"symbol\":\"f(int, char)\","
		      "\"samples\":75,\"period\":75000,\"percent\":75.0},"
		      "{\"comm\":\"\\\\x1b[2J;\\\\x0a\\\\xff\",\"symbol\":\"say \\\"hi\\\"\","
		      "\"samples\":25,\"period\":25000,\"percent\":25.0}],"
		      "\"filtered\":{\"samples\":5,\"period\":5000,\"percent\":5.0}}\n");
}

/* As it is in the last report of a batch. */
static void
json_has_what_was_counted_on_each_cpu(void **state)
{
	static const struct snapshot_tally tallies[] = { { 0, 60, 50, 2 }, { 3, 50, 50, 0 } };
	struct snapshot *s = two_rows();
	struct sink out = { 0 };

	(void)state;
	add_events(s);
	s->events[0].tallies = tallies;
	s->events[0].tally_count = ARRAY_SIZE(tallies);
	s->events[0].left_out = 8;
	json_put_report(&out, s, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(buf_str(&out.buf),
			       "\"throttled\":4,\"unit\":\"count\",\"left_out\":8,\"cpus\":["
			       "{\"cpu\":0,\"counted\":60,\"samples\":50,\"lost\":2},"
			       "{\"cpu\":3,\"counted\":50,\"samples\":50,\"lost\":0}]},"));
	assert_schema_has(buf_str(&out.buf));
	sink_release(&out);
	snapshot_put(s);
}

/* JSON has no word for such a number: the member is there all the same. */
static void
json_numbers_without_an_end_are_zero(void **state)
{
	struct counter_row endless = ipc;
	struct snapshot *s = two_counters();
	struct sink out = { 0 };

	(void)state;
	endless.ratio = INFINITY;
	s->rows[1].counter = &endless;
	json_put_report(&out, s, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(buf_str(&out.buf),
			       "\"counter\":\"ipc\",\"unit\":\"ratio\",\"value\":0.0,"));
	sink_release(&out);
	snapshot_put(s);
}

static void
json_of_code_that_is_not_known_has_addresses_alone(void **state)
{
	struct snapshot *s = code_without_a_listing();
	struct sink out = { 0 };

	(void)state;
	json_put_report(&out, s, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(buf_str(&out.buf),
			       "\"rows\":[{\"address\":\"0x1000\",\"bytes\":\"\",\"text\":\"\","
			       "\"file\":\"\",\"line\":null,\"inline\":\"\",\"samples\":3,"
			       "\"period\":3000,\"percent\":37.5},"
			       "{\"address\":\"0x1004\",\"bytes\":\"\",\"text\":\"\","
			       "\"file\":\"\",\"line\":null,\"inline\":\"\",\"samples\":1,"
			       "\"period\":1000,\"percent\":12.5},"
			       "{\"address\":null,\"bytes\":\"\",\"text\":\"[elsewhere]\","
			       "\"file\":\"\",\"line\":null,\"inline\":\"\",\"samples\":2,"
			       "\"period\":2000,\"percent\":25.0}]}\n"));
	sink_release(&out);
	snapshot_put(s);
}

static void
json_numbers_are_numbers_and_missing_ones_null(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	for (int k = 0; k < KEY_COUNT; k++)
		s->query.keys[k] = k;
	s->query.key_count = KEY_COUNT;
	s->rows[0] = (struct row){ .pid = 1, .tid = 2, .cpu_number = 3, .event = "e",
				   .address = 0xffffffff81000000, .comm = "c", .dso = "d",
				   .symbol = "s", .source = "f:1", .instruction = "ret", .user = "u",
				   .cgroup = "g", .time = 9950000001, .data_src = "op=load", .weight = 8,
				   .sample_id = 78, .stream_id = 89,
				   .branch = "a > b", .share = 0.1234567, .period = UINT64_MAX,
				   .path = "/d", .build_id = "ab", .names_from = ".symtab",
				   .reason = "r", .remedy = "m", .state = "run", .waitkind = "", .on = "",
				   .waker = "", .length = "", .node = -1,
				   .syscall = "-", .field = "8:0" };
	s->rows[1] = (struct row){ .pid = -1, .tid = -1, .cpu_number = -1, .node = -1, .share = NAN };
	assert_report(json_put_report, s, (struct report_run){ .has_events = true },
		      "{\"version\":1,\"time\":3.0,\"host\":\"\",\"events\":[],\"lost\":0,"
		      "\"throttled\":0,\"event\":\"\",\"self_cpu\":0.0,\"self_memory\":0,"
		      "\"window\":0.0,"
		      NO_LOSSES ",\"rows\":[{\"event\":\"e\",\"comm\":\"c\",\"pid\":1,"
		      "\"tid\":2,\"dso\":\"d\",\"symbol\":\"s\",\"srcline\":\"f:1\","
		      "\"address\":\"0xffffffff81000000\",\"instruction\":\"ret\",\"cpu\":3,\"cgroup\":\"g\","
		      "\"user\":\"u\",\"time\":9.95,\"data_src\":\"op=load\",\"weight\":7,\"id\":77,\"stream_id\":88,"
		      "\"branch\":\"a > b\",\"path\":\"/d\",\"build_id\":\"ab\","
		      "\"source\":\".symtab\",\"reason\":\"r\",\"remedy\":\"m\",\"state\":\"run\",\"waitkind\":\"\",\"on\":\"\",\"lock\":\"\","
		      "\"waker\":\"\",\"length\":\"\",\"node\":null,\"container\":\"\",\"pod\":\"\","
		      "\"unit\":\"\",\"program\":\"\",\"syscall\":\"-\",\"field\":\"8:0\",\"host\":\"\","
		      "\"samples\":0,\"period\":9223372036854775807,"
		      "\"percent\":12.3457},{\"event\":\"\",\"comm\":\"\",\"pid\":null,"
		      "\"tid\":null,\"dso\":\"\",\"symbol\":\"\",\"srcline\":\"\","
		      "\"address\":\"0x0\",\"instruction\":\"\",\"cpu\":null,\"cgroup\":\"\",\"user\":\"\","
		      "\"time\":null,\"data_src\":\"\",\"weight\":null,\"id\":null,"
		      "\"stream_id\":null,\"branch\":\"\","
		      "\"path\":\"\",\"build_id\":\"\",\"source\":\"\",\"reason\":\"\","
		      "\"remedy\":\"\",\"state\":\"\",\"waitkind\":\"\",\"on\":\"\",\"lock\":\"\",\"waker\":\"\",\"length\":\"\",\"node\":null,"
		      "\"container\":\"\",\"pod\":\"\",\"unit\":\"\",\"program\":\"\",\"syscall\":\"\",\"field\":\"\",\"host\":\"\",\"samples\":0,\"period\":0,\"percent\":null}]}\n");
}

static void
json_rows_of_events_say_theirs_and_a_rest_is_a_sum(void **state)
{
	struct snapshot *s = two_rows();

	(void)state;
	s->query.key_count = 1;
	s->rows[1].flags = ROW_REST;
	assert_report(json_put_report, s, (struct report_run){ .has_events = true },
		      "{\"version\":1,\"time\":3.0,\"host\":\"\",\"events\":[],\"lost\":0,"
		      "\"throttled\":0,\"event\":\"\",\"self_cpu\":0.0,\"self_memory\":0,"
		      "\"window\":0.0,"
		      NO_LOSSES ",\"rows\":[{\"event\":\"cycles\",\"comm\":\"hot\","
		      "\"samples\":75,\"period\":75000,\"percent\":75.0}],"
		      "\"rest\":{\"samples\":25,\"period\":25000,\"percent\":25.0}}\n");
}

static void
json_of_a_view_of_stacks_has_its_nodes(void **state)
{
	static const struct snapshot_node nodes[] = {
		{ .name = "all", .dso = "", .kind = NODE_ALL, .end = 3, .total = { 4, 4000 } },
		{ .name = "\"f\"\n", .dso = "[kernel]", .kind = NODE_KERNEL, .depth = 1, .end = 2,
		  .self = { 3, 3000 }, .total = { 3, 3000 } },
		{ .name = "[cut]", .dso = "", .kind = NODE_CUT, .depth = 1, .end = 3,
		  .total = { 1, 1000 } },
	};
	static const struct snapshot_event events[] = { { .name = "cycles", .base = 8000 } };
	struct snapshot *s = snapshot_new();

	(void)state;
	s->query.by_view = true;
	s->query.view = VIEW_TREE;
	s->events = (struct snapshot_event *)(uintptr_t)events;
	s->nodes = (struct snapshot_node *)(uintptr_t)nodes;
	s->node_count = ARRAY_SIZE(nodes);
	assert_report(json_put_report, s, (struct report_run){ .has_events = true },
		      "{\"version\":1,\"time\":0.0,\"host\":\"\",\"events\":[],\"lost\":0,"
		      "\"throttled\":0,\"event\":\"\",\"self_cpu\":0.0,\"self_memory\":0,"
		      "\"window\":0.0," NO_LOSSES ",\"rows\":["
		      "{\"event\":\"cycles\",\"depth\":0,\"dso\":\"\",\"symbol\":\"all\","
		      "\"kind\":\"all\",\"self_samples\":0,\"self_period\":0,\"samples\":4,"
		      "\"period\":4000,\"percent\":50.0},"
		      "{\"event\":\"cycles\",\"depth\":1,\"dso\":\"[kernel]\","
		      "\"symbol\":\"\\\"f\\\"\\\\x0a\",\"kind\":\"kernel\",\"self_samples\":3,"
		      "\"self_period\":3000,\"samples\":3,\"period\":3000,\"percent\":37.5},"
		      "{\"event\":\"cycles\",\"depth\":1,\"dso\":\"\",\"symbol\":\"[cut]\","
		      "\"kind\":\"cut\",\"self_samples\":0,\"self_period\":0,\"samples\":1,"
		      "\"period\":1000,\"percent\":12.5}]}\n");
}

/* Callers and callees are trees; those of one line each are a list. */
static void
trees_of_functions_are_told_apart_by_an_empty_line(void **state)
{
	static const struct snapshot_node nodes[] = {
		{ .name = "f", .dso = "", .kind = NODE_OWN, .end = 2, .total = { 4, 4000 } },
		{ .name = "main", .dso = "", .kind = NODE_OWN, .end = 2, .depth = 1,
		  .total = { 4, 4000 } },
		{ .name = "g", .dso = "", .kind = NODE_OWN, .end = 3, .total = { 3, 2000 } },
		{ .name = "h", .dso = "", .kind = NODE_OWN, .end = 4, .total = { 2, 1000 } },
		{ .name = "i", .dso = "", .kind = NODE_OWN, .end = 6, .total = { 1, 1000 } },
		{ .name = "start", .dso = "", .kind = NODE_OWN, .end = 6, .depth = 1,
		  .total = { 1, 1000 } },
	};
	static const struct {
		enum view_id view;
		const char *between, *before_sum;
	} rows[] = { { VIEW_CALLERS, "\n", "\n" }, { VIEW_CALLEES, "\n", "\n" }, { VIEW_TREE, "", "" } };
	static const struct snapshot_event event = { .name = "cycles", .base = 8000 };
	struct row filtered = { .flags = ROW_FILTERED, .symbol = "[filtered]", .samples = 3,
				.period = 4000, .share = 0.5 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct snapshot *s = snapshot_new();
		char want[1024];

		s->query.by_view = true;
		s->query.view = rows[i].view;
		s->events = (struct snapshot_event *)(uintptr_t)&event;
		s->nodes = nodes;
		s->node_count = ARRAY_SIZE(nodes);
		s->filtered = &filtered;
		s->filtered_count = 1;
		snprintf(want, sizeof(want),
			 "%%TOTAL  %%SELF     SAMPLES  FUNCTION\n"
			 " 50.00   0.00           4  f\n 50.00   0.00           4    main\n"
			 "%s 25.00   0.00           3  g\n 12.50   0.00           2  h\n"
			 "%s 12.50   0.00           1  i\n 12.50   0.00           1    start\n"
			 "%s 50.00  50.00           3  [filtered]\n",
			 rows[i].between, rows[i].between, rows[i].before_sum);
		assert_report(text_put_report, s, (struct report_run){ .is_first = true }, want);
	}
}

static void
trees_say_what_was_left_out(void **state)
{
	static const struct snapshot_node node = {
		.name = "all", .dso = "", .kind = NODE_ALL, .end = 1, .total = { 4, 4000 },
	};
	static const struct snapshot_event event = { .name = "cycles", .base = 8000 };
	struct row filtered = { .flags = ROW_FILTERED, .symbol = "[filtered]", .samples = 3,
				.period = 4000, .share = 0.5, .event = "cycles" };
	struct row named = { .flags = ROW_FILTERED, .symbol = "[named]", .samples = 2,
			     .period = 2000, .share = 0.25, .event = "cycles" };
	void (*const puts[])(struct sink *out, const struct snapshot *s,
			     const struct report_run *run) = { text_put_report, csv_put_report,
							       json_put_report };
	static const char *const ends[] = {
		(" 50.00   0.00           4  all of cycles\n 25.00  25.00           2  [named] of cycles\n"
		 " 50.00  50.00           3  [filtered] of cycles\n"),
		("\n1.000,cycles,0,,all,0,0,4,4000,50.0000\n"
		 "1.000,cycles,0,,[named],2,2000,2,2000,25.0000\n"
		 "1.000,cycles,0,,[filtered],3,4000,3,4000,50.0000\n"),
		("],\"named\":[{\"samples\":2,\"period\":2000,\"percent\":25.0,\"event\":\"cycles\"}],"
		 "\"filtered\":[{\"samples\":3,\"period\":4000,\"percent\":50.0,\"event\":\"cycles\"}]}\n"),
	};
	struct snapshot *s = snapshot_new();

	(void)state;
	s->elapsed_s = 1;
	s->query.by_view = true;
	s->query.view = VIEW_TREE;
	s->events = (struct snapshot_event *)(uintptr_t)&event;
	s->nodes = &node;
	s->node_count = 1;
	s->named = &named;
	s->filtered = &filtered;
	s->named_count = s->filtered_count = 1;
	for (size_t i = 0; i < ARRAY_SIZE(puts); i++) {
		struct report_run run = { .is_first = true, .has_events = true,
					  .is_series = i > 0 };
		struct sink out = { 0 };
		const char *text;

		puts[i](&out, s, &run);
		text = buf_str(&out.buf);
		if (strlen(text) < strlen(ends[i]) ||
		    strcmp(text + out.buf.len - strlen(ends[i]), ends[i]) != 0)
			fail_msg("case %zu:\n%s", i, text);
		assert_true(*text != '\n');
		sink_release(&out);
	}
	snapshot_put(s);
}

static void
json_says_what_has_a_name(void **state)
{
	struct snapshot *s = unnamed_rows();

	(void)state;
	assert_report(json_put_report, s, (struct report_run){ .is_first = true },
		      "{\"version\":1,\"time\":3.0,\"host\":\"\",\"events\":[],\"lost\":0,"
		      "\"throttled\":0,\"event\":\"\",\"self_cpu\":0.0,\"self_memory\":0,"
		      "\"window\":0.0,"
		      NO_LOSSES ",\"rows\":[{\"dso\":\"d\",\"path\":\"/d\","
		      "\"build_id\":\"ab\",\"source\":\".dynsym only\",\"reason\":\"stripped\","
		      "\"remedy\":\"mend, it\",\"samples\":75,\"period\":75000,"
		      "\"percent\":75.0}],"
		      "\"named\":{\"samples\":25,\"period\":25000,\"percent\":25.0}}\n");
}

static void
json_rows_that_are_compared_have_differences(void **state)
{
	const struct difference d = {
		.change = { .now = 0.75, .then = 0.5, .delta = 0.25, .low = 0.125, .high = NAN,
			    .q = 0.001, .is_significant = true },
		.then_samples = 40, .then_period = 40000,
	};
	struct snapshot *s = two_rows();
	struct sink out = { 0 };

	(void)state;
	s->query.compare = COMPARE_BEFORE;
	s->rows[0].difference = &d;
	json_put_report(&out, s, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(buf_str(&out.buf),
			       "\"samples\":75,\"period\":75000,\"percent\":75.0,"
			       "\"now\":75.0,\"then\":50.0,\"delta\":25.0,\"low\":12.5,"
			       "\"high\":null,\"q\":0.001,\"significant\":true,"
			       "\"then_samples\":40,\"then_period\":40000},"));
	sink_release(&out);
	snapshot_put(s);
}

/* Some views have columns that are no keys. */
static void
the_schema_has_the_columns_of_every_view(void **state)
{
	struct buf rules = { 0 };
	json_t *schema;

	(void)state;
	json_put_schema(&rules);
	schema = json_loads(buf_str(&rules), 0, NULL);
	assert_non_null(schema);
	for (int v = 0; v < VIEW_COUNT; v++) {
		struct snapshot *s = two_rows();
		struct sink out = { 0 };
		json_t *report;

		s->query.by_view = true;
		s->query.view = v;
		s->query.key_count = view_defs[v].key_count;
		memcpy(s->query.keys, view_defs[v].keys, sizeof(view_defs[v].keys));
		json_put_report(&out, s, &(struct report_run){ .is_first = true });
		report = json_loads(buf_str(&out.buf), 0, NULL);
		assert_non_null(report);
		assert_int_equal(json_array_size(json_object_get(report, "rows")), 2);
		assert_described(view_defs[v].name, schema, report);
		json_decref(report);
		sink_release(&out);
		snapshot_put(s);
	}
	json_decref(schema);
	buf_release(&rules);
}

#endif

static void
folded_is_a_line_for_each_stack(void **state)
{
	static const struct snapshot_frame frames[] = {
		{ "cycles", 0, 0, 0 }, { "hot", 1, 2, 20 }, { "hot", 1, 0, 0 },
		{ "main", 2, 0, 0 }, { "a b", 3, 7, 70 }, { "c", 3, 1, 10 }, { "web", 1, 0, 0 },
		{ "main", 2, 3, 30 },
	};
	struct snapshot *s = snapshot_new();

	(void)state;
	s->frames = frames;
	s->frame_count = ARRAY_SIZE(frames);
	assert_report(folded_put_report, snapshot_get(s), (struct report_run){ .is_first = true },
		      "hot 2\nhot;main;a b 7\nhot;main;c 1\nweb;main 3\n");
	assert_report(folded_put_report, s, (struct report_run){ .has_events = true },
		      "cycles;hot 2\ncycles;hot;main;a b 7\ncycles;hot;main;c 1\n"
		      "cycles;web;main 3\n");
	assert_report(folded_put_report, snapshot_new(), (struct report_run){ 0 }, "");
}

/* How often was looked says nothing: for how long does. */
static void
folded_looks_are_a_line_of_nanoseconds(void **state)
{
	static const struct snapshot_frame frames[] = {
		{ "cycles", 0, 0, 0 }, { "hot", 1, 2, 20 }, { "off-cpu", 0, 0, 0 },
		{ "hot", 1, 2, 20 },
	};
	static struct snapshot_event events[] = {
		{ .name = "cycles" }, { .name = "off-cpu", .is_looks = true },
	};
	struct snapshot *s = snapshot_new();

	(void)state;
	s->events = events;
	s->event_count = ARRAY_SIZE(events);
	s->frames = frames;
	s->frame_count = ARRAY_SIZE(frames);
	assert_report(folded_put_report, s, (struct report_run){ .has_events = true },
		      "cycles;hot 2\noff-cpu;hot 20\n");
}

struct pieces {
	size_t count, longest;
};

static int
take_piece(void *self, const void *data, size_t len)
{
	struct pieces *p = self;

	(void)data;
	p->count++;
	p->longest = MAX(p->longest, len);
	return 0;
}

static void
assert_pieces(void (*put)(struct sink *, const struct snapshot *, const struct report_run *),
	      struct snapshot *s)
{
	struct pieces pieces = { 0 };
	struct sink out = { .write = take_piece, .self = &pieces };

	put(&out, s, &(struct report_run){ .is_first = true });
	assert_that(pieces.count, >, 2);
	assert_that(pieces.longest, <, 70 << 10);
	assert_that(out.buf.len, <, 70 << 10);
	sink_release(&out);
	snapshot_put(s);
}

/* Each of these many rows is less than a piece. */
static void
long_reports_are_passed_on_piece_by_piece(void **state)
{
	enum { LEN = 20000 };
	static const struct snapshot_event event = { .name = "cycles", .base = LEN };
	struct snapshot *rows = snapshot_new(), *tree = snapshot_new();
	struct snapshot_node *nodes = arena_alloc(&tree->arena, LEN * sizeof(*nodes));

	(void)state;
	rows->query.keys[0] = KEY_SYMBOL;
	rows->query.key_count = 1;
	rows->rows = arena_alloc(&rows->arena, LEN * sizeof(*rows->rows));
	rows->row_count = LEN;
	for (size_t i = 0; i < LEN; i++) {
		rows->rows[i] = blank("function", 1);
		nodes[i] = (struct snapshot_node){ .name = "function", .dso = "prog",
						   .kind = NODE_OWN, .end = (uint32_t)i + 1,
						   .self = { 1, 1 }, .total = { 1, 1 } };
	}
	tree->query.by_view = true;
	tree->query.view = VIEW_TREE;
	tree->events = (struct snapshot_event *)(uintptr_t)&event;
	tree->event_count = 1;
	tree->nodes = nodes;
	tree->node_count = LEN;
	assert_pieces(csv_put_report, snapshot_get(rows));
#ifdef HAVE_JANSSON
	assert_pieces(json_put_report, snapshot_get(rows));
	assert_pieces(json_put_report, snapshot_get(tree));
#endif
	assert_pieces(text_put_report, rows);
	assert_pieces(csv_put_report, snapshot_get(tree));
	assert_pieces(text_put_report, tree);
}

static void
numbers_of_a_protocol_buffer_have_seven_bits_a_byte(void **state)
{
	static const struct {
		uint64_t number;
		const char *bytes;
	} rows[] = {
		{ 0, "" }, { 1, "\x08\x01" }, { 127, "\x08\x7f" }, { 128, "\x08\x80\x01" },
		{ 16383, "\x08\xff\x7f" }, { 16384, "\x08\x80\x80\x01" },
		{ UINT64_MAX, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		buf_reset(&b);
		proto_add_number(&b, 1, rows[i].number);
		assert_string_equal(buf_str(&b), rows[i].bytes);
	}
	/* A list says how long it is. */
	buf_reset(&b);
	proto_add_numbers(&b, 2, (const uint64_t[]){ 128, 127 }, 2);
	assert_string_equal(buf_str(&b), "\x12\x03\x80\x01\x7f");
	buf_release(&b);
}

static void
every_view_and_key_can_be_printed(void **state)
{
	(void)state;
	for (int v = 0; v < VIEW_COUNT + KEY_COUNT; v++) {
		struct snapshot *s = two_rows();
		struct sink out = { 0 };

		s->query.by_view = v < VIEW_COUNT;
		s->query.view = v < VIEW_COUNT ? v : VIEW_PROCESSES;
		s->query.keys[0] = v < VIEW_COUNT ? KEY_COMM : v - VIEW_COUNT;
		add_filtered(s);
		text_put_report(&out, s, &(struct report_run){ .is_first = true });
		csv_put_report(&out, s, &(struct report_run){ .is_first = true });
		if (!query_wants_nodes(&s->query) && !query_wants_code(&s->query))
			assert_non_null(strstr(out.buf.data, "[filtered]"));
		assert_null(strchr(out.buf.data, '\033'));
		sink_release(&out);
		snapshot_put(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_quotes_commas_and_quotes_and_makes_names_safe),
		cmocka_unit_test(csv_of_a_series_has_times_and_one_header),
		cmocka_unit_test(csv_by_time_has_no_other_times),
		cmocka_unit_test(csv_says_what_filters_left_out),
		cmocka_unit_test(a_sum_beside_its_event_alone_is_told_from_the_events_row),
		cmocka_unit_test(what_filters_left_out_has_no_share_of_what_is_shown),
		cmocka_unit_test(what_a_timer_counts_there_too_is_marked),
		cmocka_unit_test(csv_tells_events_apart_only_if_there_are_some),
		cmocka_unit_test(counters_say_whose_they_are_and_which),
		cmocka_unit_test(counted_functions_say_whose_calls_they_are),
		cmocka_unit_test(text_of_counters_has_columns_for_whose_they_are),
		cmocka_unit_test(counters_that_are_compared_have_differences),
		cmocka_unit_test(the_schema_has_what_is_not_known_of_counters),
		cmocka_unit_test(code_that_is_not_known_is_a_row_for_each_address),
		cmocka_unit_test(code_that_is_known_is_a_row_for_each_instruction),
		cmocka_unit_test(code_as_text_has_each_event_and_what_is_inlined),
		cmocka_unit_test(csv_has_every_key),
		cmocka_unit_test(csv_and_text_say_why_there_is_no_name_and_how_much_has_one),
		cmocka_unit_test(text_is_aligned_with_its_header_and_safe),
		cmocka_unit_test(text_of_a_series_has_times_and_gaps),
		cmocka_unit_test(a_report_says_which_part_of_its_window_is_forgotten),
		cmocka_unit_test(text_of_a_view_has_what_needs_no_screen),
		cmocka_unit_test(text_tells_cpu_time_that_is_an_estimate),
		cmocka_unit_test(text_labels_sums_even_without_a_column_of_names),
		cmocka_unit_test(text_of_a_tree_that_is_compared_has_now_then_and_between),
#ifdef HAVE_JANSSON
		cmocka_unit_test(json_is_one_object_in_one_line),
		cmocka_unit_test(json_has_what_was_counted_on_each_cpu),
		cmocka_unit_test(json_numbers_without_an_end_are_zero),
		cmocka_unit_test(json_of_code_that_is_not_known_has_addresses_alone),
		cmocka_unit_test(json_numbers_are_numbers_and_missing_ones_null),
		cmocka_unit_test(json_rows_of_events_say_theirs_and_a_rest_is_a_sum),
		cmocka_unit_test(trees_say_what_was_left_out),
		cmocka_unit_test(trees_of_functions_are_told_apart_by_an_empty_line),
		cmocka_unit_test(json_says_what_has_a_name),
		cmocka_unit_test(json_of_a_view_of_stacks_has_its_nodes),
		cmocka_unit_test(json_rows_that_are_compared_have_differences),
		cmocka_unit_test(the_schema_has_the_columns_of_every_view),
#endif
		cmocka_unit_test(folded_is_a_line_for_each_stack),
		cmocka_unit_test(folded_looks_are_a_line_of_nanoseconds),
		cmocka_unit_test(long_reports_are_passed_on_piece_by_piece),
		cmocka_unit_test(numbers_of_a_protocol_buffer_have_seven_bits_a_byte),
		cmocka_unit_test(every_view_and_key_can_be_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
