/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys: of every sample, of some (labels), of control groups and nodes; what is within one, and filters. */
#include "profile/report/report_key.h"
#include "record/look.h"
#include "report_fixture.h"

static void
any_keys_group_and_every_event_has_its_own_shares(void **state)
{
	double shares[EVENTS] = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm,symbol");
	s.query.all_events = true;
	report(&s);
	assert_int_equal(s.snap->row_count, 6);
	for (size_t i = 0; i < s.snap->row_count; i++)
		shares[strcmp(s.snap->rows[i].event, "cycles") != 0] += s.snap->rows[i].share;
	assert_that(fabs(shares[0] - 1), <, 1e-9);
	assert_that(fabs(shares[1] - 1), <, 1e-9);
	assert_int_equal(row_named(&s, "worker", "f1")->samples, 30);
	assert_int_equal(row_named(&s, "db", "f3")->samples, 5);
	assert_non_null(row_named(&s, "db", "0xffffffff81000000"));
	assert_int_equal(s.snap->event_count, 2);
	assert_string_equal(s.snap->events[1].name, "page-faults");
	assert_int_equal(s.snap->events[1].samples, 5);
	scene_close(&s);
}

/* Nanoseconds and faults have no sum. */
static void
what_filters_leave_out_is_told_by_event(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm");
	s.query.all_events = true;
	s.filter = filter_parse("comm=web", NULL);
	report(&s);
	assert_int_equal(s.snap->filtered_count, 2);
	assert_string_equal(s.snap->filtered[0].event, "cycles");
	assert_int_equal(s.snap->filtered[0].samples, 90);
	assert_that(fabs(s.snap->filtered[0].share - 0.9), <, 1e-9);
	assert_string_equal(s.snap->filtered[1].event, "page-faults");
	assert_int_equal(s.snap->filtered[1].samples, 5);
	assert_that(fabs(s.snap->filtered[1].share - 1), <, 1e-9);
	assert_false(s.snap->events[0].is_filtered);
	filter_free(s.filter);
	s.filter = filter_parse("event=page-faults", NULL);
	report(&s);
	assert_int_equal(s.snap->filtered_count, 1);
	assert_true(s.snap->events[0].is_filtered);
	assert_false(s.snap->events[1].is_filtered);
	scene_close(&s);
}

static void
labels_are_wanted_by_keys_and_filters(void **state)
{
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm");
	report_want_labels(s.b.profile, &s.query, NULL);
	assert_int_equal(s.b.profile->labels.want, 0);
	ask_keys(&s, "cpu");
	report_want_labels(s.b.profile, &s.query, NULL);
	assert_int_equal(s.b.profile->labels.want, KEY_BIT(KEY_CPU));
	bench_sample(&s.b, 0, 30, 30, 0, DSO_ID_FIRST_FILE, 0x10, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(s.snap->row_count, 2);
	assert_int_equal(s.snap->rows[0].cpu_number, -1); /* of before it was kept */
	assert_int_equal(s.snap->rows[1].cpu_number, 30 % 4);
	ask_keys(&s, "comm");
	s.filter = filter_parse("address=0x10", &err);
	assert_non_null(s.filter);
	report_want_labels(s.b.profile, &s.query, s.filter);
	assert_true(labels_want(&s.b.profile->labels, KEY_ADDRESS));
	scene_close(&s);
}

/* A sample more of db's f0 for each of these labels. */
static void
label_samples(struct scene *s, const struct label *labels, size_t count)
{
	uint32_t who = model_who(s->b.model, model_find_task(s->b.model, 30));

	s->b.profile->labels.want = key_labels(~(key_set)0);
	for (size_t i = 0; i < count; i++) {
		struct profile_sample sample = {
			.who = who, .dso = DSO_ID_FIRST_FILE + 1, .offset = 0x10 + i, .period = 10,
			.leaf = locations_find(&s->b.locations, DSO_ID_FIRST_FILE + 1, 0x10),
			.label = &labels[i],
		};

		profile_add(s->b.profile, &sample);
	}
	bench_interval(&s->b, NSEC_PER_SEC);
}

/* What the column of @key shows, in its own order: each with its samples. */
static void
assert_rows(struct scene *s, const char *key, enum column_id column, const char *want)
{
	static const struct column_style style = { .ascii = true };
	struct buf b = { 0 };

	ask_keys(s, key);
	s->query.sort = column;
	s->query.ascending = true;
	report(s);
	for (size_t i = 0; i < s->snap->row_count; i++) {
		column_put(&b, column, &s->snap->rows[i], &style);
		buf_addf(&b, ":%u ", (unsigned)s->snap->rows[i].samples);
	}
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
	assert_adds_up(s);
}

static void
labels_are_keys_and_their_rows_add_up(void **state)
{
	uint32_t f[2];
	struct scene s;

	(void)state;
	scene_open(&s);
	for (int i = 0; i < 2; i++)
		f[i] = locations_find(&s.b.locations, DSO_ID_FIRST_FILE + 1, (uint64_t)i * 256);
	label_samples(&s, (struct label[]){
		{ .time = 1, .data_src = 0x21, .weight = 1, .from = f[0], .to = f[1] },
		{ .time = 1500000001, .weight = 101, .from = f[0], .to = f[1] },
		{ .time = 1500000001, .data_src = 0x42, .weight = 1,
		  .from = f[1], .to = LOCATION_UNMAPPED, .to_addr = 0x77 },
	}, 3);
	srclines_want(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x10);
	srclines_want(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x12);
	srclines_learn(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x12,
		       strs_add_str(&s.b.model->strs, "db.c:12"));
	assert_rows(&s, "time", COLUMN_TIME, "-:100 0.0:1 1.5:2 ");
	assert_rows(&s, "data_src", COLUMN_DATA_SRC, "-:101 op=load lvl=hit:1 op=na lvl=na:1 ");
	assert_rows(&s, "weight", COLUMN_WEIGHT, "-:100 0:2 100:1 ");
	assert_rows(&s, "branch", COLUMN_BRANCH, "-:100 f0 > f1:2 f1 > 0x77:1 ");
	assert_rows(&s, "srcline", COLUMN_SOURCE, "-:102 db.c:12:1 ");
	srclines_want(&s.b.profile->instructions, DSO_ID_FIRST_FILE + 1, 0x12);
	srclines_learn(&s.b.profile->instructions, DSO_ID_FIRST_FILE + 1, 0x12,
		       strs_add_str(&s.b.model->strs, "pause"));
	assert_rows(&s, "instruction", COLUMN_INSTRUCTION, "-:102 pause:1 ");
	scene_close(&s);
}

/* Sockets by what they lead to, locks and conditions by the variable that they are. */
static void
what_is_waited_for_has_the_name_that_says_most(void **state)
{
	static const char *const files[] = {
		"socket:[123]", "socket:10.0.0.5:5432", "socket:[::1]:80", "pipe:[5]",
		"mutex 0x7f10 held by 12", "mutex 0x7f20 held by 12", "condition 0x7f30",
	};
	struct label labels[ARRAY_SIZE(files)] = { { 0 } };
	struct variables *known;
	uint32_t db;
	struct scene s;

	(void)state;
	scene_open(&s);
	known = &s.b.profile->variables;
	db = model_task_at(s.b.model, model_find_task(s.b.model, 30))->process;
	variables_want(known, db, 0x7f10);
	variables_want(known, db, 0x7f30);
	variables_learn(known, 0, strs_add_str(&s.b.model->strs, "table_lock"));
	variables_learn(known, 1, strs_add_str(&s.b.model->strs, "work+0x28"));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		labels[i].on = strs_add_str(&s.b.model->strs, files[i]);
	label_samples(&s, labels, ARRAY_SIZE(files));
	assert_rows(&s, "on", COLUMN_ON,
		    ":100 10.0.0.5:5432:1 [::1]:80:1 condition work:1 mutex 0x7f20 held by 12:1 "
		    "pipe:[5]:1 socket:[123]:1 table_lock held by 12:1 ");
	scene_close(&s);
}

/* Samples of no wait, as those that were there before, have none. */
static void
who_ended_a_wait_is_a_thread_or_an_interrupt(void **state)
{
	static const struct label labels[] = {
		{ .waker = 77 }, { .waker = 77 }, { .waker = 77 }, /* nobody knows its name */
		{ .waker = 21 }, { .waker = 21 }, { .waker = RECORD_WAKER_INTERRUPT },
	};
	const enum column_id column = (enum column_id)KEY_WAKER;
	struct scene s;

	(void)state;
	scene_open(&s);
	label_samples(&s, labels, ARRAY_SIZE(labels));
	assert_rows(&s, "waker", column, ":100 21 worker:2 77:3 [interrupt]:1 ");
	scene_close(&s);
}

/* Samples of the thread, one for each value of the field that is asked for. */
static void
sample_values(struct scene *s, int tid, const char *const values[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct label label = { .field = strs_add_str(&s->b.model->strs, values[i]),
					     .field_of = split_asked(&s->b.profile->split, 0) };

		profile_add(s->b.profile, &(struct profile_sample){
			.who = model_who(s->b.model, model_find_task(s->b.model, tid)),
			.leaf = locations_find(&s->b.locations, DSO_ID_FIRST_FILE, 0x10),
			.dso = DSO_ID_FIRST_FILE, .offset = 0x10, .period = 10, .label = &label });
	}
}

static void
assert_values(const struct row *row, uint64_t p50, uint64_t p99)
{
	assert_int_equal(row->value_p50, p50 + 1);
	assert_int_equal(row->value_p99, p99 + 1);
}

/* Of those of each row; what is told as no number has no part in it. */
static void
numbers_of_a_field_are_told_by_percentiles_of_each_row(void **state)
{
	static const char *const of_web[] = { "9", "2", "4", "4", "300" },
				 *const of_db[] = { "7", "50", "7", "[other]", "-1" };
	struct scene s;

	(void)state;
	scene_open(&s);
	split_adopt(&s.b.profile->split, 0, CALL_ARGS_EVENT, call_args_formats(NULL));
	ask_view(&s, VIEW_THREADS);
	strcpy(s.query.field, "arg1");
	report_want_labels(s.b.profile, &s.query, NULL);
	sample_values(&s, 20, of_web, ARRAY_SIZE(of_web));
	sample_values(&s, 30, of_db, ARRAY_SIZE(of_db));
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_values(row_named(&s, "web", ""), 4, 300);
	assert_values(row_named(&s, "db", ""), 7, 50);
	/* It has none. */
	assert_int_equal(row_named(&s, "worker", "")->value_p50, 0);
	scene_close(&s);
}

/* In a window that began before the field was asked for some rows would have functions, others values. */
static void
tasks_have_values_or_functions_but_not_both(void **state)
{
	static const char *const values[] = { "9", "9", "4" };
	struct scene s;

	(void)state;
	scene_open(&s);
	split_adopt(&s.b.profile->split, 0, CALL_ARGS_EVENT, call_args_formats(NULL));
	ask_view(&s, VIEW_PROCESSES);
	strcpy(s.query.field, "arg1");
	report_want_labels(s.b.profile, &s.query, NULL);
	report(&s);
	assert_string_equal(row_named(&s, "web", "")->hottest, "f1");
	assert_string_equal(row_named(&s, "db", "")->hottest, "f0");
	sample_values(&s, 20, values, ARRAY_SIZE(values));
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_string_equal(row_named(&s, "web", "")->hottest, "9");
	assert_string_equal(row_named(&s, "db", "")->hottest, "");
	scene_close(&s);
}

/* Of another field, or of none; of an event that has no such field nothing is expected. */
static void
samples_from_before_a_field_was_chosen_say_so(void **state)
{
	static const char *const first[] = { "1", "2" }, *const then[] = { "7" };
	struct split *split;
	struct scene s;

	(void)state;
	scene_open(&s);
	split = &s.b.profile->split;
	assert_rows(&s, "field", COLUMN_FIELD, "-:100 ");
	split_adopt(split, 0, CALL_ARGS_EVENT, call_args_formats(NULL));
	strcpy(s.query.field, "arg1");
	report_want_labels(s.b.profile, &s.query, NULL);
	sample_values(&s, 30, first, ARRAY_SIZE(first));
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_rows(&s, "field", COLUMN_FIELD, "1:1 2:1 [before it was looked at]:100 ");
	strcpy(s.query.field, "arg2");
	report_want_labels(s.b.profile, &s.query, NULL);
	sample_values(&s, 30, then, ARRAY_SIZE(then));
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_rows(&s, "field", COLUMN_FIELD, "7:1 [before it was looked at]:102 ");
	scene_close(&s);
}

static void
processes_of_nobody_known_have_a_row_that_says_why(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	assert_rows(&s, "user", COLUMN_USER, "1000:40 [unknown]:60 ");
	assert_non_null(strstr(s.snap->rows[1].reason, "ended before /proc could tell"));
	assert_string_equal(s.snap->rows[0].reason, "");
	scene_close(&s);
}

/* The function's own address and line, which the screen shows, are not the samples'. */
static void
addresses_and_lines_are_the_samples_in_any_order_of_keys(void **state)
{
	static const char *const orders[] = { "symbol,address,srcline", "srcline,address,symbol" };
	struct scene s;

	(void)state;
	scene_open(&s);
	label_samples(&s, (struct label[]){ { 0 }, { 0 } }, 2);
	srclines_want(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x11);
	srclines_learn(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x11,
		       strs_add_str(&s.b.model->strs, "db.c:12"));
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		size_t found = 0;

		ask_keys(&s, orders[i]);
		report(&s);
		for (size_t r = 0; r < s.snap->row_count; r++)
			found += s.snap->rows[r].address == 0x11 &&
				 strcmp(s.snap->rows[r].source, "db.c:12") == 0 &&
				 strcmp(s.snap->rows[r].symbol, "f0") == 0;
		assert_int_equal(found, 1);
	}
	scene_close(&s);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_ID "a123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* web is in a container, its worker in a group of which only the number is known. */
static void
sort_into_cgroups(struct scene *s)
{
	struct model *m = s->b.model;

	cgroups_learn(&m->cgroups, 31, strs_add_str(&m->strs, "/old"));
	cgroups_learn(&m->cgroups, 31, strs_add_str(&m->strs, "/system.slice/docker-" ID ".scope"));
	model_set_cgroup(m, model_find_task(m, 20), 31);
	model_set_cgroup(m, model_find_task(m, 21), 33);
	model_learn_cgroup(m, model_find_task(m, 30), "/system.slice/db.service");
}

static void
cgroups_and_what_they_are_called_are_keys_and_their_rows_add_up(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	assert_rows(&s, "cgroup", COLUMN_CGROUP, "-:20 /system.slice/db.service:40 "
		    "/system.slice/docker-" ID ".scope:10 cgroup:33:30 ");
	assert_rows(&s, "container", COLUMN_CONTAINER, "-:90 0123456789ab:10 ");
	assert_rows(&s, "unit", COLUMN_UNIT, "-:50 db.service:40 docker-0123456789ab.scope:10 ");
	assert_rows(&s, "pod", COLUMN_POD, "-:100 ");
	assert_rows(&s, "program", COLUMN_PROGRAM, "db:40 swapper:20 web:40 ");
	containers_learn(s.b.profile->containers, 0, "web-1", "");
	assert_rows(&s, "container", COLUMN_CONTAINER, "-:90 web-1:10 ");
	scene_close(&s);
}

static void
assert_tree(struct scene *s, const char *want)
{
	static const struct column_style style = { .ascii = true };
	struct buf b = { 0 };

	report(s);
	for (size_t i = 0; i < s->snap->row_count; i++) {
		column_put(&b, COLUMN_CGROUP, &s->snap->rows[i], &style);
		buf_addf(&b, ":%u\n", (unsigned)s->snap->rows[i].samples);
	}
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
}

static void
cgroups_of_a_report_have_their_containers_beside_them(void **state)
{
	struct scene s;
	unsigned found = 0;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	ask_view(&s, VIEW_CGROUPS);
	s.query.trends = false;
	report(&s);
	for (size_t i = 0; i < s.snap->row_count; i++) {
		const struct row *row = &s.snap->rows[i];
		bool is_docker = strstr(row->cgroup, "docker-") != NULL;

		assert_string_equal(row->container, is_docker ? "0123456789ab" : "");
		found += is_docker && row->samples == 10;
	}
	assert_int_equal(found, 1);
	scene_close(&s);
}

/* On a screen each group has what is below it; the trend and how sure its share is, too. */
static void
cgroups_of_a_screen_are_a_tree_with_sums(void **state)
{
	const struct row *top;
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	model_learn_cgroup(s.b.model, model_find_task(s.b.model, 0), "/");
	ask_view(&s, VIEW_CGROUPS);
	s.query.idle = s.query.sums = true;
	assert_tree(&s, "/:70\n  system.slice:50\n    db.service:40\n    docker-" ID ".scope:10\n"
			"cgroup:33:30\n");
	top = &s.snap->rows[1];
	assert_true(top->share == 0.5);
	assert_string_equal(s.snap->rows[3].container, "0123456789ab");
	assert_non_null(top->sums);
	assert_that(fabs(top->sums->window.of - 500), <, 1e-6);
	assert_int_equal(top->trend[TREND_LEN - 1], 8);
	s.query.ascending = true;
	assert_tree(&s, "cgroup:33:30\n/:70\n  system.slice:50\n    docker-" ID ".scope:10\n"
			"    db.service:40\n");
	s.query.max_rows = 3;
	s.query.ascending = false;
	report(&s);
	assert_int_equal(s.snap->row_count, 3);
	assert_int_equal(s.snap->rows[2].samples, 40 + 10 + 30);
	s.query.trends = false; /* a report has no sums of sums */
	s.query.max_rows = 0;
	report(&s);
	assert_adds_up(&s);
	scene_close(&s);
}

/* Goes into the row that the column calls @name; the view's rows are those that were asked for last. */
static void
go_within(struct scene *s, enum view_id view, const char *name, enum view_id into)
{
	enum key key = view_defs[view].keys[0];
	struct query_within in = { .key = key };
	char number[COLUMN_TEXT_MAX];
	const struct row *row = NULL;

	ask_view(s, view);
	report_want_labels(s->b.profile, &s->query, NULL);
	report(s);
	for (size_t i = 0; i < s->snap->row_count; i++)
		if (strcmp(column_text((enum column_id)key, &s->snap->rows[i], number), name) == 0)
			row = &s->snap->rows[i];
	if (row == NULL)
		fail_msg("no row of %s is called '%s'", view_defs[view].name, name);
	in.part = row->part;
	ask_view(s, into);
	s->query.within[s->query.within_count++] = in;
	assert_true(report_tells_tasks(&s->query, NULL));
	report(s);
}

static uint64_t
rows_sum(const struct scene *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->snap->row_count; i++)
		sum += s->snap->rows[i].samples;
	return sum;
}

static void
within_a_group_is_what_has_its_key_alone(void **state)
{
	static const struct {
		enum view_id view;
		const char *name;
		uint64_t samples;
	} ways[] = {
		{ VIEW_CGROUPS, "/system.slice", 50 }, { VIEW_CGROUPS, "/system.slice/db.service", 40 },
		{ VIEW_CGROUPS, "cgroup:33", 30 }, { VIEW_CONTAINERS, "0123456789ab", 10 },
		{ VIEW_UNITS, "db.service", 40 }, { VIEW_USERS, "1000", 40 }, { VIEW_PROGRAMS, "web", 40 },
		{ VIEW_NAMES, "worker", 30 },
	};
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		static const enum view_id into[] = { VIEW_PROCESSES, VIEW_THREADS, VIEW_FUNCTIONS };

		for (size_t v = 0; v < ARRAY_SIZE(into); v++) {
			go_within(&s, ways[i].view, ways[i].name, into[v]);
			if (rows_sum(&s) != ways[i].samples)
				fail_msg("%s '%s' has %u in %s", view_defs[ways[i].view].name,
					 ways[i].name, (unsigned)rows_sum(&s), view_defs[into[v]].name);
		}
	}
	go_within(&s, VIEW_CGROUPS, "/system.slice", VIEW_CONTAINERS);
	assert_int_equal(s.snap->row_count, 2);
	assert_int_equal(rows_sum(&s), 50);
	scene_close(&s);
}

/* db is sampled once on each of four CPUs. */
static void
sample_on_cpus(struct scene *s)
{
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		profile_add(s->b.profile, &(struct profile_sample){
			.who = model_who(s->b.model, model_find_task(s->b.model, 30)), .cpu = cpu,
			.leaf = locations_find(&s->b.locations, DSO_ID_FIRST_FILE, 0x10),
			.dso = DSO_ID_FIRST_FILE, .offset = 0x10, .period = 10 });
	bench_interval(&s->b, NSEC_PER_SEC);
}

static void
within_a_cpu_is_what_was_sampled_there_since_it_was_asked_for(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = KEY_BIT(KEY_CPU);
	cpu_nodes_of_text(&s.b.profile->nodes, "node 0: 1 kB, 1 kB free, cpus 0-1;");
	sample_on_cpus(&s);
	go_within(&s, VIEW_CPUS, "3", VIEW_PROCESSES);
	assert_int_equal(rows_sum(&s), 1);
	go_within(&s, VIEW_NODES, "0", VIEW_CPUS);
	assert_int_equal(rows_sum(&s), 2);
	scene_close(&s);
}

/* Those that do nothing now are in their container all the same. */
static void
tasks_without_samples_are_listed_within_their_group_alone(void **state)
{
	struct task_facts facts[] = { { .pid = 98, .tid = 98, .comm = "quiet", .command = "quiet" },
				      { .pid = 99, .tid = 99, .comm = "other", .command = "other" } };
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	model_learn_cgroup(s.b.model, model_task(s.b.model, 98, 98), "/system.slice/db.service/x");
	s.src.processes = facts;
	s.src.process_count = ARRAY_SIZE(facts);
	go_within(&s, VIEW_CGROUPS, "/system.slice", VIEW_PROCESSES);
	assert_non_null(row_named(&s, "quiet", ""));
	assert_null(row_named(&s, "other", ""));
	s.filter = filter_parse("unit=db.service", &err);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_non_null(row_named(&s, "quiet", ""));
	assert_null(row_named(&s, "other", ""));
	scene_close(&s);
}

static void
cpus_are_of_nodes(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(KEY_BIT(KEY_NODE));
	assert_int_equal(s.b.profile->labels.want, KEY_BIT(KEY_CPU));
	cpu_nodes_of_text(&s.b.profile->nodes, "numa_topology: node 0: 16 kB, 8 kB free, cpus 0-1; "
					       "node 3: 1 kB, 1 kB free, cpus 2,5; node 9999: 1 kB");
	sample_on_cpus(&s);
	assert_rows(&s, "node", COLUMN_NODE, "-:101 0:2 3:1 ");
	scene_close(&s);
}

/* One name is left, with so many samples. */
static void
assert_filtered(struct scene *s, const char *filter, uint64_t samples)
{
	struct err err = { 0 };

	filter_free(s->filter);
	s->filter = filter_parse(filter, &err);
	assert_non_null(s->filter);
	ask_keys(s, "comm");
	report(s);
	assert_int_equal(s->snap->row_count, 1);
	assert_int_equal(s->snap->rows[0].samples, samples);
	assert_adds_up(s);
}

static void
filters_look_at_cgroups(void **state)
{
	static const char *const filters[] = { "cgroup=/system.slice/docker*", "container=0123456789ab",
					       "unit~^docker", "program=web unit!=-" };
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		assert_filtered(&s, filters[i], 10);
		assert_true(report_tells_tasks(&s.query, s.filter));
	}
	scene_close(&s);
}

/* As a command line has them; another container of the name is another one. */
static void
filters_take_whole_ids_whatever_is_shown(void **state)
{
	static const char *const filters[] = {
		"unit=docker-" ID ".scope", "unit=docker-0123456789ab.scope", "container=" ID,
		"container=0123456789ab", "unit!=docker-" OTHER_ID ".scope unit!=-",
		"container!=" OTHER_ID " container!=-",
	};
	struct model *m;
	struct scene s;

	(void)state;
	scene_open(&s);
	m = s.b.model;
	model_learn_cgroup(m, model_find_task(m, 20), "/system.slice/docker-" ID ".scope");
	model_set_cgroup(m, model_find_task(m, 21), 33);
	model_learn_cgroup(m, model_find_task(m, 30), "/system.slice/docker-" OTHER_ID ".scope");
	for (int named = 0; named < 2; named++) {
		for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
			assert_filtered(&s, filters[i], 10);
		assert_filtered(&s, "container=" OTHER_ID, 40);
		for (size_t n = 0; n < s.b.profile->containers->containers.len; n++)
			containers_learn(s.b.profile->containers, n, "web-1", "");
	}
	assert_filtered(&s, "container=web-1 program=db", 40);
	ask_keys(&s, "container");
	report(&s);
	assert_int_equal(s.snap->row_count, 1);
	assert_int_equal(s.snap->rows[0].samples, 40);
	scene_close(&s);
}

/* web is a user's, who named its group as those of db. */
static void
what_a_user_names_as_the_machines_is_not_added_to_it(void **state)
{
	static const char user[] = "/user.slice/user-7.slice/user@7.service";
	struct buf path = { 0 };
	struct model *m;
	struct scene s;

	(void)state;
	scene_open(&s);
	m = s.b.model;
	buf_addf(&path, "%s/docker-" ID ".scope", user);
	model_learn_cgroup(m, model_find_task(m, 20), path.data);
	model_set_cgroup(m, model_find_task(m, 21), 33);
	model_learn_cgroup(m, model_find_task(m, 30), "/system.slice/docker-" ID ".scope");
	assert_rows(&s, "unit", COLUMN_UNIT,
		    "-:50 docker-0123456789ab.scope:40 user@7/docker-0123456789ab.scope:10 ");
	assert_rows(&s, "container", COLUMN_CONTAINER, "-:50 0123456789ab:40 user@7/0123456789ab:10 ");
	assert_filtered(&s, "container=" ID, 40);
	assert_filtered(&s, "container=user@7/" ID, 10);
	assert_filtered(&s, "container=user@7/0123456789ab", 10);
	assert_filtered(&s, "unit=docker-" ID ".scope", 40);
	assert_filtered(&s, "unit=user@7/docker-" ID ".scope", 10);
	assert_filtered(&s, "unit=user@7/*", 10);
	scene_close(&s);
	buf_release(&path);
}

static void
filters_look_at_labels(void **state)
{
	static const char *const filters[] = { "time=1.5", "data_src~load",
					       "weight=7", "branch=*>*0x77" };
	struct scene s;

	(void)state;
	scene_open(&s);
	label_samples(&s, &(struct label){ .time = 1500000001, .data_src = 0x42,
					   .weight = 8, .from = LOCATION_UNMAPPED,
					   .to = LOCATION_UNMAPPED, .to_addr = 0x77 }, 1);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		assert_filtered(&s, filters[i], 1);
	scene_close(&s);
}

static void
each_key_is_found_in_samples_and_has_a_member_of_the_row(void **state)
{
	(void)state;
	for (enum key k = 0; k < KEY_COUNT; k++) {
		if (report_keys[k].part == NULL)
			fail_msg("'%s' has no row in report_keys[]", key_name(k));
		assert_true(columns[k].kind != VALUE_OWN);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_is_found_in_samples_and_has_a_member_of_the_row),
		cmocka_unit_test(any_keys_group_and_every_event_has_its_own_shares),
		cmocka_unit_test(what_filters_leave_out_is_told_by_event),
		cmocka_unit_test(labels_are_wanted_by_keys_and_filters),
		cmocka_unit_test(labels_are_keys_and_their_rows_add_up),
		cmocka_unit_test(what_is_waited_for_has_the_name_that_says_most),
		cmocka_unit_test(who_ended_a_wait_is_a_thread_or_an_interrupt),
		cmocka_unit_test(tasks_have_values_or_functions_but_not_both),
		cmocka_unit_test(numbers_of_a_field_are_told_by_percentiles_of_each_row),
		cmocka_unit_test(samples_from_before_a_field_was_chosen_say_so),
		cmocka_unit_test(processes_of_nobody_known_have_a_row_that_says_why),
		cmocka_unit_test(addresses_and_lines_are_the_samples_in_any_order_of_keys),
		cmocka_unit_test(filters_take_whole_ids_whatever_is_shown),
		cmocka_unit_test(what_a_user_names_as_the_machines_is_not_added_to_it),
		cmocka_unit_test(filters_look_at_labels),
		cmocka_unit_test(cgroups_and_what_they_are_called_are_keys_and_their_rows_add_up),
		cmocka_unit_test(cgroups_of_a_report_have_their_containers_beside_them),
		cmocka_unit_test(cgroups_of_a_screen_are_a_tree_with_sums),
		cmocka_unit_test(within_a_group_is_what_has_its_key_alone),
		cmocka_unit_test(within_a_cpu_is_what_was_sampled_there_since_it_was_asked_for),
		cmocka_unit_test(tasks_without_samples_are_listed_within_their_group_alone),
		cmocka_unit_test(cpus_are_of_nodes),
		cmocka_unit_test(filters_look_at_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
