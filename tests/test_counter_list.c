/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters on kernels and PMUs that are not here: the kernel's part is played. */
#include <config.h>

#include "engine/viewer/counter_list.h"
#include "export/formats.h"
#include "live/sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_root.h"
#include "tests/asserts.h"

enum { FDS_MAX = 256, MS = 1000000 };

/* A kernel as the tests want it. */
static struct {
	int (*refuse)(const struct event_attr *attr, int leader_fd); /* an errno, 0 to open */
	struct {
		struct event_attr attr;
		int leader_fd, cpu;
		bool is_enabled;
	} fds[FDS_MAX];
	uint64_t enabled_ns, running_ns; /* of hardware events */
	uint64_t here_ns;                /* the others', of the same 100 ms */
	int read_errno;
	size_t reads;
} kernel;

static int
take_fd(struct event_attr *attr, int cpu, int leader_fd)
{
	int why = kernel.refuse != NULL ? kernel.refuse(attr, leader_fd) : 0, fd;

	if (why != 0) {
		errno = why;
		return -1;
	}
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_in_range(fd, 0, FDS_MAX - 1);
	kernel.fds[fd].attr = *attr;
	kernel.fds[fd].leader_fd = leader_fd;
	kernel.fds[fd].cpu = cpu;
	kernel.fds[fd].is_enabled = false;
	return fd;
}

static int
play_open(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	(void)self;
	(void)pid;
	return take_fd(attr, cpu, -1);
}

static int
play_open_in(const struct sys *self, struct event_attr *attr, int pid, int cpu, int leader_fd)
{
	(void)self;
	(void)pid;
	return take_fd(attr, cpu, leader_fd);
}

static int
play_id(const struct sys *self, int fd, uint64_t *id)
{
	(void)self;
	*id = (uint64_t)fd + 1000;
	return 0;
}

static int
play_enable(const struct sys *self, int fd)
{
	(void)self;
	kernel.fds[fd].is_enabled = true;
	return 0;
}

/* So that each event counts something else. */
static uint64_t
count_of(int fd)
{
	return kernel.fds[fd].attr.config * 100 + kernel.fds[fd].attr.type;
}

static size_t
put_group(int fd, uint64_t *values)
{
	bool has_lost = kernel.fds[fd].attr.read_format & ABI_FORMAT_LOST;
	size_t n = 3;

	values[0] = 0;
	for (int i = 0; i < FDS_MAX; i++) {
		if (i != fd && (kernel.fds[i].leader_fd != fd || fcntl(i, F_GETFD) < 0))
			continue;
		values[0]++;
		values[n++] = count_of(i);
		values[n++] = (uint64_t)i + 1000;
		if (has_lost)
			values[n++] = 0;
	}
	return n;
}

static int
play_read(const struct sys *self, int fd, uint64_t *values, size_t count)
{
	const struct event_attr *attr = &kernel.fds[fd].attr;
	bool is_hardware = attr->type == PERF_TYPE_HARDWARE;
	uint64_t times[2] = { is_hardware ? kernel.enabled_ns : 100 * MS,
			      is_hardware ? kernel.running_ns : kernel.here_ns };
	size_t n = 4;

	(void)self;
	kernel.reads++;
	if (kernel.read_errno != 0) {
		errno = kernel.read_errno;
		return -1;
	}
	if (attr->read_format & PERF_FORMAT_GROUP) {
		n = put_group(fd, values);
	} else {
		values[0] = count_of(fd);
		values[3] = (uint64_t)fd + 1000;
	}
	memcpy(values + 1, times, sizeof(times));
	assert_that(n, <=, count);
	return (int)(n * sizeof(*values));
}

static const struct sys played = {
	.open = play_open,
	.open_in = play_open_in,
	.id = play_id,
	.enable = play_enable,
	.read = play_read,
};

struct fixture {
	char root[FAKE_ROOT_BYTES];
	struct event_env env;
	struct counter_list list;
	struct counters *counters;
	struct counter_value values[64], before[64];
	struct snapshot *snap;
	struct sink out;
	struct err err;
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	memset(&kernel, 0, sizeof(kernel));
	kernel.enabled_ns = kernel.running_ns = kernel.here_ns = 100 * MS;
	f->env.root = "";
	if (counter_list_init(&f->list, &f->env, NULL, NULL) < 0)
		return -1;
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	int res = fake_root_remove(f->root);

	counters_close(f->counters);
	counter_list_release(&f->list);
	snapshot_put(f->snap);
	sink_release(&f->out);
	free(f);
	return res;
}

static void
open_all(struct fixture *f)
{
	f->counters = counters_open(&played, &f->env, &(struct counter_target){ .tid = getpid() },
				    f->list.events.items, f->list.events.len, &f->err);
	assert_non_null(f->counters);
	counters_read(f->counters, f->values);
}

static size_t
event(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->list.events.len; i++)
		if (strcmp(f->list.events.items[i].name, name) == 0)
			return i;
	fail_msg("no event %s", name);
	return 0;
}

static const struct counter_row *
row(struct fixture *f, const char *name)
{
	const char *whys[64], *remedies[64], *notes[64];
	const struct counting_part first = { .whys = whys, .remedies = remedies, .notes = notes };
	const struct counting_part before = { .values = f->before };
	const struct counting_part now = { .values = f->values, .time_ns = 500 * MS };
	const struct counter_source src = {
		.first = &first, .before = &before, .now = &now, .pid = 12, .tid = -1,
		.comm = "a,b",
	};

	for (size_t i = 0; i < f->list.events.len; i++) {
		whys[i] = counter_why(f->counters, i);
		remedies[i] = counter_remedy(f->counters, i);
		notes[i] = counter_note(f->counters, i);
	}
	if (f->snap == NULL) {
		f->snap = snapshot_new();
		f->snap->query.view = VIEW_COUNTERS;
		f->snap->query.by_view = true;
		f->snap->rows = arena_alloc(&f->snap->arena, counter_list_rows(&f->list) *
								     sizeof(struct row));
		counter_list_add_rows(&f->list, &src, f->snap);
		assert_in_range(f->snap->row_count, 1, counter_list_rows(&f->list));
	}
	for (size_t i = 0; i < f->snap->row_count; i++)
		if (strcmp(f->snap->rows[i].counter->name, name) == 0)
			return f->snap->rows[i].counter;
	fail_msg("no row %s", name);
	return NULL;
}

static void
groups_are_read_at_once(void **state)
{
	struct fixture *f = *state;

	open_all(f);
	/* software, core, cache */
	assert_int_equal(kernel.reads, 3);
	for (size_t i = 0; i < f->list.events.len; i++) {
		const struct event *ev = &f->list.events.items[i];

		assert_int_equal(f->values[i].raw, ev->config * 100 + ev->type);
		assert_int_equal(f->values[i].running_ns, 100 * MS);
	}
	assert_int_equal(row(f, "instructions")->total, 100);
	assert_true(row(f, "instructions")->per_second == 200); /* half a second */
	assert_true(row(f, "branch miss rate")->ratio == 125);  /* 500 of 400 */
	assert_true(row(f, "branch miss rate")->is_known);
	assert_false(row(f, "instructions")->is_scaled);
}

static void
what_shared_the_hardware_is_scaled_and_marked(void **state)
{
	struct fixture *f = *state;
	const struct counter_row *r;

	kernel.running_ns = 25 * MS;
	open_all(f);
	r = row(f, "branches");
	assert_true(r->is_known && r->is_scaled);
	assert_int_equal(r->total, 1600);
	assert_true(r->running == 0.25);
	assert_true(row(f, "instructions per cycle")->is_scaled);
	assert_false(row(f, "page-faults")->is_scaled);
	text_put_report(&f->out, f->snap, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(f->out.buf.data, " ~1600 "));
	assert_non_null(strstr(f->out.buf.data, " 25.0 "));
}

static void
what_never_ran_is_not_known(void **state)
{
	struct fixture *f = *state;

	kernel.running_ns = 0;
	open_all(f);
	assert_false(row(f, "branches")->is_known);
	assert_false(row(f, "branches")->is_rate_known);
	assert_false(row(f, "branch miss rate")->is_known);
	assert_true(row(f, "task-clock")->is_known);
	csv_put_report(&f->out, f->snap, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(f->out.buf.data, "pid,tid,comm,counter,unit,value,per_second,"
			       "running_percent,note\n"));
	assert_non_null(strstr(f->out.buf.data, "\n12,,\"a,b\",branches,count,,,0.0000,"
			       "other events had the hardware all the time\n"));
	assert_non_null(strstr(f->out.buf.data, ",page-faults,count,201,402.000,100.0000,\n"));
	assert_null(strstr(f->out.buf.data, "branches,count,0"));
}

/* A task that slept: it was never enabled, and what it counted is 0 for sure. */
static void
nothing_is_known_to_be_nothing(void **state)
{
	struct counter_value v = { .raw = 0 };
	bool is_scaled;
	uint64_t n;

	(void)state;
	assert_true(counter_between(NULL, &v, &n, &is_scaled));
	assert_int_equal(n, 0);
	v.is_unread = true;
	assert_false(counter_between(NULL, &v, &n, &is_scaled));
}

static int
no_hardware(const struct event_attr *attr, int leader_fd)
{
	(void)leader_fd;
	return attr->type == PERF_TYPE_HARDWARE ? ENOENT : 0;
}

/* The reason first, the errno last: in between is what the machine has to do with it. */
static void
assert_begins_and_ends(const char *text, const char *begin, const char *end)
{
	if (strncmp(text, begin, strlen(begin)) != 0 || strlen(text) < strlen(end) ||
	    strcmp(text + strlen(text) - strlen(end), end) != 0)
		fail_msg("'%s' is not '%s...%s'", text, begin, end);
}

static void
what_the_machine_has_not_is_a_question_mark_with_its_reason(void **state)
{
	struct fixture *f = *state;

	kernel.refuse = no_hardware;
	open_all(f);
	assert_false(row(f, "cycles")->is_known);
	assert_begins_and_ends(row(f, "cycles")->note, "this machine has no such hardware counter",
			       " (ENOENT)");
	assert_string_equal(row(f, "instructions per cycle")->note,
			    "there is no count of instructions");
	assert_int_equal(row(f, "context-switches")->total, 301);
	text_put_report(&f->out, f->snap, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(f->out.buf.data, " cycles "));
	assert_non_null(strstr(f->out.buf.data, " ?  "));
#ifdef HAVE_JANSSON
	buf_reset(&f->out.buf);
	json_put_report(&f->out, f->snap, &(struct report_run){ .is_first = true });
	assert_non_null(strstr(f->out.buf.data, "{\"pid\":12,\"tid\":null,\"comm\":\"a,b\","
			       "\"counter\":\"cycles\",\"unit\":\"count\","
			       "\"value\":null,\"per_second\":null,"));
#endif
}

static int
no_kernel(const struct event_attr *attr, int leader_fd)
{
	(void)leader_fd;
	return attr->exclude_kernel ? 0 : EACCES;
}

/* They would read 0: a wrong number. */
static void
switches_are_not_known_without_the_kernel(void **state)
{
	struct fixture *f = *state;

	kernel.refuse = no_kernel;
	open_all(f);
	assert_false(row(f, "context-switches")->is_known);
	assert_non_null(strstr(row(f, "context-switches")->note, "EACCES"));
	assert_false(row(f, "cpu-migrations")->is_known);
	assert_true(row(f, "page-faults")->is_known);
	assert_non_null(strstr(row(f, "page-faults")->note, "without the kernel's part"));
	assert_string_equal(row(f, "task-clock")->note, ""); /* it runs on in the kernel */
}

static int
no_right(const struct event_attr *attr, int leader_fd)
{
	(void)leader_fd;
	return attr->type == PERF_TYPE_HARDWARE ? ENOENT : EACCES;
}

/* The note is the cause; whoever asks about the row, by the key i, hears what would change it. */
static void
a_missing_right_is_told_with_what_gives_it(void **state)
{
	struct fixture *f = *state;

	kernel.refuse = no_right;
	open_all(f);
	assert_non_null(strstr(row(f, "page-faults")->note, "(EACCES)"));
	assert_null(strstr(row(f, "page-faults")->note, "sudo"));
	for (size_t i = 0; i < f->snap->row_count; i++) {
		const char *name = f->snap->rows[i].counter->name, *reason = f->snap->rows[i].reason;

		assert_int_equal(strstr(reason, "; sudo ") != NULL || strstr(reason, "; run as root") != NULL,
				 strstr("page-faults minor-faults major-faults task-clock "
					"context-switches cpu-migrations", name) != NULL);
	}
	assert_string_equal(counter_remedy(f->counters, event(f, "cycles")), "");
}

static int
no_lost(const struct event_attr *attr, int leader_fd)
{
	(void)leader_fd;
	return attr->read_format & ABI_FORMAT_LOST ? EINVAL : 0;
}

static int
no_groups(const struct event_attr *attr, int leader_fd)
{
	(void)leader_fd;
	return attr->inherit && (attr->read_format & PERF_FORMAT_GROUP) ? EINVAL : 0;
}

static void
older_kernels_count_the_same(void **state)
{
	struct fixture *f = *state;

	kernel.refuse = no_lost;
	open_all(f);
	assert_int_equal(kernel.reads, 3);
	assert_int_equal(f->values[event(f, "branches")].raw, 400);
	counters_close(f->counters);
	kernel.reads = 0;
	kernel.refuse = no_groups;
	open_all(f);
	assert_int_equal(kernel.reads, f->list.events.len);
	for (size_t i = 0; i < f->list.events.len; i++)
		assert_int_equal(f->values[i].raw, f->list.events.items[i].config * 100 +
							   f->list.events.items[i].type);
}

static int
small_pmu(const struct event_attr *attr, int leader_fd)
{
	return attr->type == PERF_TYPE_HARDWARE && leader_fd >= 0 &&
	       attr->config != PERF_COUNT_HW_INSTRUCTIONS ? EINVAL : 0;
}

static void
a_group_that_does_not_fit_takes_turns(void **state)
{
	struct fixture *f = *state;

	kernel.refuse = small_pmu;
	open_all(f);
	/* software; cycles with instructions; the four others alone */
	assert_int_equal(kernel.reads, 6);
	for (size_t i = 0; i < f->list.events.len; i++)
		assert_true(row(f, f->list.events.items[i].name)->is_known);
}

static void
a_count_that_cannot_be_read_is_not_known(void **state)
{
	struct fixture *f = *state;

	kernel.read_errno = ECHILD;
	open_all(f);
	assert_false(row(f, "task-clock")->is_known);
	assert_string_equal(row(f, "task-clock")->note, "a part of it could not be read");
}

static int refuse_after;

static int
at_last_refused(const struct event_attr *attr, int leader_fd)
{
	(void)leader_fd;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_BRANCH_MISSES)
		return refuse_after-- > 0 ? 0 : EBUSY;
	return 0;
}

/* Four CPUs, as a folder of f->root tells. */
static void
make_cpus(struct fixture *f)
{
	assert_true(fake_root_make(f->root));
	f->env.root = f->root;
	fake_root_write(f->root, "sys/devices/system/cpu/online", "0-3\n");
}

/* A sum over some of the CPUs would be short. */
static void
what_is_refused_on_one_cpu_is_not_counted_on_the_others(void **state)
{
	struct fixture *f = *state;
	size_t open = 0;

	make_cpus(f);
	kernel.refuse = at_last_refused;
	refuse_after = 2;
	f->counters = counters_open(&played, &f->env, &(struct counter_target){ .pid = 0 },
				    f->list.events.items, f->list.events.len, &f->err);
	assert_non_null(f->counters);
	counters_read(f->counters, f->values);
	assert_true(f->values[event(f, "branch-misses")].is_refused);
	assert_non_null(strstr(counter_why(f->counters, event(f, "branch-misses")), "EBUSY"));
	assert_int_equal(f->values[event(f, "branches")].raw, 4 * 400);
	for (int i = 0; i < FDS_MAX; i++)
		open += kernel.fds[i].attr.size != 0 && fcntl(i, F_GETFD) >= 0;
	assert_int_equal(open, 4 * (f->list.events.len - 1));
}

/* There it is enabled, too, but its time there says nothing of who had the hardware here. */
static void
a_task_that_runs_on_other_cpus_is_not_scaled_up_for_it(void **state)
{
	struct fixture *f = *state;
	unsigned cpu = 2;

	make_cpus(f);
	kernel.here_ns = 40 * MS;
	kernel.running_ns = 20 * MS;
	f->counters = counters_open(&played, &f->env, &(struct counter_target){
		.tid = getpid(), .cpus = &cpu, .cpu_count = 1 }, f->list.events.items,
		f->list.events.len, &f->err);
	assert_non_null(f->counters);
	counters_read(f->counters, f->values);
	assert_int_equal(row(f, "page-faults")->total, 201);
	assert_false(row(f, "page-faults")->is_scaled);
	assert_int_equal(row(f, "branches")->total, 800);
	assert_true(row(f, "branches")->is_scaled);
	assert_true(row(f, "branches")->running == 0.5);
}

static void
the_users_groups_are_pairs(void **state)
{
	struct fixture *f = *state;
	struct event_list *events = &f->list.events;
	char text[] = "L1-dcache-loads,task-clock,L1-dcache-load-misses,cycles";
	const struct engine_config config = { .events = text };
	size_t first;

	counter_list_release(&f->list);
	assert_int_equal(counter_list_init(&f->list, &f->env, &config, NULL), 0);
	first = f->list.standard_count;
	/* What the standard set has is not counted twice. */
	assert_int_equal(events->len, first + 2);
	events->items[first].group = events->items[first + 1].group = 9;
	open_all(f);
	assert_true(row(f, "L1-dcache-load-misses / L1-dcache-loads")->is_known);
	assert_int_equal(row(f, "L1-dcache-loads")->total, events->items[first].config * 100 + 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A reading each half second: so many of the first event, twice as many of the second. */
static void
add_readings(struct counter_past *p, struct counter_value values[2], uint64_t *now_ns, int seconds,
	     uint64_t rate)
{
	for (int i = 0; i < 2 * seconds; i++) {
		struct counter_value before[2] = { values[0], values[1] };
		const struct counting_part old = { .time_ns = *now_ns, .values = before };
		const struct counting_part new = { .time_ns = *now_ns + NSEC_PER_SEC / 2, .values = values };
		uint64_t n = rate / 2 + (uint64_t)(i * 7 % 5);

		for (int k = 0; k < 2; k++) {
			values[k].raw += n * (unsigned)(k + 1);
			values[k].enabled_ns += NSEC_PER_SEC / 2;
			values[k].running_ns += NSEC_PER_SEC / 2;
		}
		*now_ns += NSEC_PER_SEC / 2;
		counter_past_add(p, &old, &new, 2);
	}
}

static void
compare_past(const struct counter_past *p, int part, int whole, uint64_t now_ns, int length_s,
	     struct difference *d)
{
	const uint64_t length_ns = (uint64_t)length_s * NSEC_PER_SEC;
	const struct counter_stretch now = { now_ns - length_ns, now_ns };
	const struct counter_stretch then = { now_ns - 2 * length_ns, now_ns - length_ns };
	struct share_change *one = &d->change;

	counter_past_compare(p, part, whole, &now, &then, d);
	share_judge(&one, 1);
}

static bool
is_about(double value, double wanted)
{
	return value > 0.97 * wanted && value < 1.03 * wanted;
}

static void
counters_are_compared_with_the_time_before(void **state)
{
	struct counter_past past = { .len = 0 };
	struct counter_value values[2] = { { .raw = 0 } };
	uint64_t now_ns = 1000 * NSEC_PER_SEC;
	struct difference d;

	(void)state;
	add_readings(&past, values, &now_ns, 40, 1000);
	assert_int_equal(past.len, 40);
	compare_past(&past, 0, COUNTER_PAST_TIME, now_ns, 20, &d);
	assert_true(is_about(d.change.now * d.scale, 1004) && is_about(d.change.then * d.scale, 1004));
	assert_false(d.change.is_significant);
	assert_true(d.change.needs_s <= 0);
	add_readings(&past, values, &now_ns, 20, 1300);
	compare_past(&past, 0, COUNTER_PAST_TIME, now_ns, 20, &d);
	assert_true(is_about(d.change.now * d.scale, 1304) && is_about(d.change.then * d.scale, 1004));
	assert_true(is_about(d.change.delta * d.scale, 300));
	assert_true(d.change.is_significant);
	/* Both have more of it: the ratio of the two has not changed. */
	compare_past(&past, 1, 0, now_ns, 20, &d);
	assert_true(is_about(d.change.now * d.scale, 2) && is_about(d.change.then * d.scale, 2));
	assert_false(d.change.is_significant);
	/* Before the first reading nothing is known. */
	compare_past(&past, 0, COUNTER_PAST_TIME, now_ns, 60, &d);
	assert_true(isnan(d.change.then) && isnan(d.change.delta) && !isnan(d.change.now));
	assert_false(d.change.is_significant);
	counter_past_release(&past);
}

static void
the_past_of_counters_has_a_bound(void **state)
{
	struct counter_past past = { .len = 0 };
	struct counter_value values[2] = { { .raw = 0 } };
	uint64_t now_ns = NSEC_PER_SEC;
	struct counter_stretch all = { 0, UINT64_MAX };

	(void)state;
	add_readings(&past, values, &now_ns, COUNTER_PAST_UNITS + 100, 1000);
	assert_int_equal(past.len, COUNTER_PAST_UNITS);
	assert_true(is_about(counter_past_known_s(&past, &all), COUNTER_PAST_UNITS));
	counter_past_release(&past);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(groups_are_read_at_once),
		TEST(what_shared_the_hardware_is_scaled_and_marked),
		TEST(what_never_ran_is_not_known),
		TEST(nothing_is_known_to_be_nothing),
		TEST(what_the_machine_has_not_is_a_question_mark_with_its_reason),
		TEST(switches_are_not_known_without_the_kernel),
		TEST(a_missing_right_is_told_with_what_gives_it),
		TEST(older_kernels_count_the_same),
		TEST(a_group_that_does_not_fit_takes_turns),
		TEST(a_count_that_cannot_be_read_is_not_known),
		TEST(what_is_refused_on_one_cpu_is_not_counted_on_the_others),
		TEST(a_task_that_runs_on_other_cpus_is_not_scaled_up_for_it),
		TEST(the_users_groups_are_pairs),
		cmocka_unit_test(counters_are_compared_with_the_time_before),
		cmocka_unit_test(the_past_of_counters_has_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
