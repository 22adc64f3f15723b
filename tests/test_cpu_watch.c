/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs that go off line and come on line: what tells of it, without any that does. */
#include "live/sys/cpu_watch.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_root.h"

struct fixture {
	char root[FAKE_ROOT_BYTES];
	struct event_env env;
	struct cpu_watch watch;
	struct cpu_changes seen;
};

static int
setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	if (!fake_root_make(f->root))
		return -1;
	f->env.root = f->root;
	fake_root_write(f->root, "sys/devices/system/cpu/online", "0-3\n");
	cpu_watch_open(&f->watch, &f->env);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	int res = fake_root_remove(f->root);

	cpu_watch_close(&f->watch);
	cpu_changes_release(&f->seen);
	free(f);
	return res;
}

static struct cpu_changes *
look(struct fixture *f)
{
	cpu_changes_release(&f->seen);
	cpu_watch_look(&f->watch, &f->seen);
	return &f->seen;
}

static void
another_list_is_seen_once(void **state)
{
	struct fixture *f = *state;

	assert_false(look(f)->any);
	fake_root_write(f->root, "sys/devices/system/cpu/online", "0-1,3\n");
	assert_true(look(f)->any);
	/* Which ones is told by the list. */
	assert_false(cpu_changes_were_off(&f->seen, 2));
	assert_false(look(f)->any);
	cpu_watch_again(&f->watch);
	assert_true(look(f)->any);
	assert_false(look(f)->any);
}

static void
after_a_suspend_each_cpu_may_have_been_off_line(void **state)
{
	struct fixture *f = *state;

	assert_false(look(f)->any);
	f->watch.asleep_ns -= (int64_t)NSEC_PER_SEC; /* since then the machine slept a second */
	assert_true(look(f)->any);
	assert_true(cpu_changes_were_off(&f->seen, 0));
	assert_true(cpu_changes_were_off(&f->seen, 3));
	assert_false(look(f)->any);
	assert_false(cpu_changes_were_off(&f->seen, 3));
}

static void
messages_of_the_kernel_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		int cpu;
	} messages[] = {
#define MESSAGE(s, cpu) { s, sizeof(s), cpu }
		MESSAGE("offline@/devices/system/cpu/cpu1\0ACTION=offline", 1),
		MESSAGE("offline@/devices/system/cpu/cpu4095", 4095),
		MESSAGE("offline@/devices/system/cpu/cpu0", 0),
		MESSAGE("online@/devices/system/cpu/cpu1\0ACTION=online", -1),
		MESSAGE("offline@/devices/system/memory/memory3", -1),
		MESSAGE("offline@/devices/system/cpu/cpufreq", -1),
		MESSAGE("offline@/devices/system/cpu/cpu", -1),
		MESSAGE("offline@/devices/system/cpu/cpu1/cache", -1),
		MESSAGE("offline@/devices/system/cpu/cpu99999", -1),
		MESSAGE("offline@/devices/system/cpu/cpu4294967297", -1),
		MESSAGE("", -1),
#undef MESSAGE
		{ "offline@/devices/system/cpu/cpu12", 33, -1 }, /* cut off in a number */
		{ "offline@/devices/system/cpu/cpu12", 8, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		assert_int_equal(cpu_watch_parse(messages[i].text, messages[i].len),
				 messages[i].cpu);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(another_list_is_seen_once, setup, teardown),
		cmocka_unit_test_setup_teardown(after_a_suspend_each_cpu_may_have_been_off_line,
						setup, teardown),
		cmocka_unit_test(messages_of_the_kernel_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
