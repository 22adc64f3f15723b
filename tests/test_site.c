/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of several addresses: what the kernel is asked for, and what its refusals mean there. */
#include "event/site.h"
#include "live/open/open_impl.h"
#include "live/session/open_everywhere.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { OPENS_MAX = 64, PROBE_TYPE = 8 };

/* What a kernel was asked for; it answers @refuse, or a descriptor if that is 0. */
struct mock {
	struct sys sys; /* first: the functions get it */
	int refuse, refuse_aux;
	size_t count, aux_count;
	uint64_t aux_at;
	struct asked {
		struct event_attr attr;
		char target[32];
		int pid, cpu;
	} opens[OPENS_MAX];
};

static int
mock_open(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	struct mock *m = (struct mock *)(uintptr_t)self;
	struct asked *a = &m->opens[m->count++ % OPENS_MAX];

	*a = (struct asked){ .attr = *attr, .pid = pid, .cpu = cpu };
	/* As the kernel does: the pointer must be good when it is asked. */
	if (attr->type == PROBE_TYPE && attr->config1 != 0)
		strncpy(a->target, (const char *)(uintptr_t)attr->config1, sizeof(a->target) - 1);
	errno = m->refuse;
	return m->refuse != 0 ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int
mock_set_output(const struct sys *self, int fd, int owner)
{
	(void)self;
	return fd >= 0 && owner >= 0 ? 0 : -1;
}

static int
mock_id(const struct sys *self, int fd, uint64_t *id)
{
	(void)self;
	*id = (uint64_t)fd;
	return 0;
}

static int
mock_open_in(const struct sys *self, struct event_attr *attr, int pid, int cpu, int leader_fd)
{
	return leader_fd >= 0 ? mock_open(self, attr, pid, cpu) : -1;
}

static void *
mock_map_aux(const struct sys *self, int fd, size_t len, uint64_t offset)
{
	struct mock *m = (struct mock *)(uintptr_t)self;

	errno = m->refuse_aux;
	if (fd < 0 || m->refuse_aux != 0)
		return MAP_FAILED;
	m->aux_count++;
	m->aux_at = offset;
	return mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static struct mock
mock_new(void)
{
	return (struct mock){ .sys = { .open = mock_open, .open_in = mock_open_in,
				       .set_output = mock_set_output, .id = mock_id,
				       .map_aux = mock_map_aux } };
}

static const struct lane lanes[] = { { .cpu = 0, .aux_at = 0x9000 }, { .cpu = 1, .aux_at = 0x9000 } };

static struct event
probe(void)
{
	struct event ev = { .name = mem_strdup("uprobe:f*"), .type = PROBE_TYPE,
			    .place = EVENT_PLACE_UPROBE };

	event_add_site(&ev, "/bin/one", 0x100, 0);
	event_add_site(&ev, "/lib/two", 0x200, 0);
	return ev;
}

static struct event
breakpoint(int pid, int other)
{
	struct event ev = { .name = mem_strdup("mem:x:w"), .type = PERF_TYPE_BREAKPOINT,
			    .place = EVENT_PLACE_DATA, .bp_type = HW_BREAKPOINT_W, .config2 = 4 };

	event_add_site(&ev, NULL, 0x1000, pid);
	event_add_site(&ev, NULL, 0x2000, other);
	return ev;
}

static int
spread(struct mock *m, enum session_scope scope, struct targets *targets, struct event *ev,
       struct event_fds *fds, struct err *err)
{
	const struct event_env env = { .root = "" };
	const struct open_options options = { .rate = 1 };
	struct everywhere s = { .sys = &m->sys, .scope = scope, .targets = targets };
	struct open_plan plan;
	int res;

	open_plan_sampling(&plan, &env, ev, &options);
	res = open_everywhere(&s, &plan, lanes, ARRAY_SIZE(lanes), NULL, EVERYWHERE_SAMPLES, fds,
			      err);
	/* What is handed on has no address of this process in it. */
	assert_true(plan.attr.config1 < page_size() || plan.attr.type != PROBE_TYPE);
	open_plan_release(&plan);
	return res;
}

/* A PMU that traces, and an event whose samples have some of it. */
static int
open_traced(struct mock *m, struct event_fds fds[2], struct err *err)
{
	const struct event_env env = { .root = "" };
	const struct open_options options = { .rate = 1, .in_aux_group = true };
	struct everywhere s = { .sys = &m->sys, .scope = SESSION_SYSTEM };
	struct event tracer = { .name = mem_strdup("intel_pt//"), .type = 9 };
	struct event traced = { .name = mem_strdup("cycles/aux-sample-size=64/"),
				.terms.aux_sample_size = 64 };
	struct open_plan plans[2];
	const struct open_everywhere_event events[] = { { &plans[0], &fds[0] },
							{ &plans[1], &fds[1] } };
	int res;

	open_plan_sampling(&plans[0], &env, &tracer, &options);
	open_plan_sampling(&plans[1], &env, &traced, &options);
	res = open_everywhere_group(&s, events, 2, lanes, ARRAY_SIZE(lanes), NULL,
				    EVERYWHERE_SAMPLES, err);
	for (int i = 0; i < 2; i++)
		open_plan_release(&plans[i]);
	event_release(&tracer);
	event_release(&traced);
	return res;
}

/* No such PMU is here: the kernel is played. */
static void
a_group_that_traces_has_an_aux_area_on_each_cpu(void **state)
{
	struct event_fds fds[2] = { { 0 } };
	struct mock m = mock_new();
	struct err err = { 0 };

	(void)state;
	assert_int_equal(open_traced(&m, fds, &err), 0);
	assert_int_equal(m.aux_count, ARRAY_SIZE(lanes));
	assert_int_equal(m.aux_at, 0x9000);
	assert_int_equal(m.opens[0].attr.type, 9);
	assert_int_equal(m.opens[1].attr.aux_sample_size, 64);
	for (size_t i = 0; i < ARRAY_SIZE(lanes); i++) {
		assert_non_null(fds[0].items[i].aux);
		assert_null(fds[1].items[i].aux);
	}
	event_fds_close(&fds[0]);
	event_fds_close(&fds[1]);
	m.refuse_aux = EPERM;
	assert_int_equal(open_traced(&m, fds, &err), -1);
	assert_non_null(strstr(err.text, "cannot map the AUX area of event 'intel_pt//' on CPU 0"));
	assert_non_null(strstr(err.hint, "ulimit -l"));
	assert_int_equal(fds[0].len, 0);
}

static void
a_copy_has_its_own_sites(void **state)
{
	struct event ev = probe(), copy;

	(void)state;
	event_copy(&copy, &ev);
	event_release(&ev);
	assert_int_equal(copy.site_count, 2);
	assert_string_equal(copy.sites[1].target, "/lib/two");
	assert_int_equal(copy.sites[1].at, 0x200);
	assert_true(event_is_probe(&copy));
	assert_false(event_is_of_processes(&copy));
	event_release(&copy);
}

static void
a_probe_is_opened_at_each_place_on_each_cpu_in_any_scope(void **state)
{
	static const enum session_scope scopes[] = { SESSION_SYSTEM, SESSION_TASKS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		struct mock m = mock_new();
		struct targets targets = { 0 };
		struct event_fds fds = { 0 };
		struct event ev = probe();
		struct err err = { 0 };

		targets_add_process(&targets, getpid(), FOLLOW_CHILDREN, &err);
		assert_int_equal(spread(&m, scopes[i], &targets, &ev, &fds, &err), 0);
		assert_int_equal(fds.len, 4);
		assert_int_equal(m.count, 4);
		assert_string_equal(m.opens[0].target, "/bin/one");
		assert_int_equal(m.opens[0].attr.config2, 0x100);
		assert_string_equal(m.opens[1].target, "/lib/two");
		assert_int_equal(m.opens[1].attr.config2, 0x200);
		for (size_t n = 0; n < m.count; n++) {
			assert_int_equal(m.opens[n].pid, -1);
			assert_int_equal(m.opens[n].attr.inherit, 0);
		}
		event_fds_close(&fds);
		event_release(&ev);
		targets_release(&targets);
	}
}

static void
a_breakpoint_is_opened_for_its_process_in_any_scope(void **state)
{
	static const enum session_scope scopes[] = { SESSION_SYSTEM, SESSION_TASKS };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		struct mock m = mock_new();
		struct targets targets = { 0 };
		struct event_fds fds = { 0 };
		struct event ev = breakpoint(getppid(), getpid());
		struct err err = { 0 };

		targets_add_process(&targets, getpid(), FOLLOW_CHILDREN, &err);
		assert_int_equal(spread(&m, scopes[i], &targets, &ev, &fds, &err), 0);
		assert_int_equal(fds.len, 2);
		for (size_t n = 0; n < m.count; n++) {
			assert_int_equal(m.opens[n].pid, getpid());
			assert_int_equal(m.opens[n].cpu, (int)n);
			assert_int_equal(m.opens[n].attr.config1, 0x2000);
			assert_int_equal(m.opens[n].attr.config2, 4);
			assert_int_equal(m.opens[n].attr.bp_type, HW_BREAKPOINT_W);
			assert_int_equal(m.opens[n].attr.remove_on_exec, 1);
		}
		event_fds_close(&fds);
		event_release(&ev);
		targets_release(&targets);
	}
}

static void
assert_refused(struct event ev, int why, enum err_code code, const char *says, const char *hint)
{
	struct mock m = mock_new();
	struct targets targets = { 0 };
	struct event_fds fds = { 0 };
	struct err err = { 0 };

	m.refuse = why;
	targets_add_process(&targets, getpid(), FOLLOW_CHILDREN, &err);
	assert_int_equal(spread(&m, SESSION_SYSTEM, &targets, &ev, &fds, &err), -1);
	assert_int_equal(fds.len, 0);
	assert_int_equal(err.code, code);
	assert_int_equal(err.sys, why);
	if (strstr(err.text, says) == NULL || strstr(err.hint, hint) == NULL)
		fail_msg("'%s' (%s), not '%s' (%s)", err.text, err.hint, says, hint);
	event_release(&ev);
	targets_release(&targets);
}

static void
a_refusal_is_told_in_the_words_of_the_place(void **state)
{
	struct event of_kernel = { .name = mem_strdup("kprobe:f"), .type = PROBE_TYPE,
				   .place = EVENT_PLACE_KPROBE };
	struct event reads = breakpoint(getpid(), getpid());

	(void)state;
	event_add_site(&of_kernel, "f", 3, 0);
	reads.bp_type = HW_BREAKPOINT_R;
	assert_refused(probe(), ENOENT, ERR_GONE, "/bin/one+0x100: the file is not there", "");
	assert_refused(probe(), 524, ERR_UNSUPPORTED, "no such instruction", "another place");
	assert_refused(of_kernel, EILSEQ, ERR_UNSUPPORTED, "f+0x3: no instruction begins", "offset");
	assert_refused(breakpoint(getpid(), 1), EINVAL, ERR_UNSUPPORTED, "at 0x1000: ", "a length");
	assert_refused(reads, EINVAL, ERR_UNSUPPORTED, "reads alone", ":rw");
	/* What is of no place is told as ever. */
	assert_refused(probe(), EMFILE, ERR_LIMIT, "EMFILE", "ulimit");
}

static int
count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int
mock_set_no_output(const struct sys *self, int fd, int owner)
{
	const struct mock *m = (const struct mock *)self;

	(void)owner;
	errno = EINVAL;
	return fd >= 0 && m->count < 4 ? 0 : -1;
}

static void
places_that_were_opened_before_one_failed_are_closed(void **state)
{
	struct mock m = mock_new();
	struct event_fds fds = { 0 };
	struct event ev = probe();
	struct err err = { 0 };
	int before = count_descriptors();

	(void)state;
	m.sys.set_output = mock_set_no_output;
	assert_int_equal(spread(&m, SESSION_SYSTEM, NULL, &ev, &fds, &err), -1);
	assert_int_equal(m.count, 4);
	assert_int_equal(count_descriptors(), before);
	event_release(&ev);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_has_its_own_sites),
		cmocka_unit_test(a_group_that_traces_has_an_aux_area_on_each_cpu),
		cmocka_unit_test(a_probe_is_opened_at_each_place_on_each_cpu_in_any_scope),
		cmocka_unit_test(a_breakpoint_is_opened_for_its_process_in_any_scope),
		cmocka_unit_test(a_refusal_is_told_in_the_words_of_the_place),
		cmocka_unit_test(places_that_were_opened_before_one_failed_are_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
