/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What numbers in payloads are called on a machine, by a sysfs in a folder. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <unistd.h>

#include "event/tracepoint.h"
#include "live/session/value_names.h"
#include "record/payload.h"
#include "tests/fake_root.h"

struct payload {
	uint32_t dev, irq, other;
};

static char root[FAKE_ROOT_BYTES];

static void
link_device(const char *number, const char *to)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/sys/dev/block/%s", root, number);
	assert_int_equal(symlink(to, path), 0);
}

static int
setup(void **state)
{
	(void)state;
	if (!fake_root_make(root))
		return -1;
	fake_root_write(root, "sys/kernel/tracing/events/river/flood/format",
			"name: flood\nID: 9\nformat:\n"
			"\tfield:dev_t dev;\toffset:0;\tsize:4;\tsigned:0;\n"
			"\tfield:int irq;\toffset:4;\tsize:4;\tsigned:1;\n"
			"\tfield:int other;\toffset:8;\tsize:4;\tsigned:1;\n\n"
			"print fmt: \"%d\", REC->other\n");
	fake_root_write(root, "sys/kernel/irq/7/actions", "river0-config,river1\n");
	fake_root_write(root, "sys/kernel/irq/8/actions", "\n");
	fake_root_write(root, "sys/kernel/irq/9/other", "\n");
	fake_root_write(root, "sys/dev/block/7:1", "no link\n");
	link_device("8:17", "../../devices/river/block/sdb/sdb\0331");
	link_device("9", "../../devices/river/block/md");
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	return fake_root_remove(root);
}

static void
assert_value(struct payload_formats *f, const char *name, const struct payload *p, const char *text)
{
	const struct bytes raw = { (const uint8_t *)p, sizeof(*p) };
	const struct payload_field *field = payload_field(f, "river:flood", name);
	struct buf b = { 0 };

	assert_non_null(field);
	payload_field_put(field, raw, &b);
	assert_string_equal(buf_str(&b), text);
	buf_release(&b);
}

static void
devices_and_interrupts_have_the_names_that_sysfs_shows(void **state)
{
	const struct event_env env = { .root = root };
	const struct traced flood = { .name = (char[]){ "river:flood" } };
	struct payload_formats *f;
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(tracing_data_build(&env, &flood, 1, &b, NULL), 0);
	f = payload_formats_new((struct bytes){ (const uint8_t *)b.data, b.len });
	assert_non_null(f);
	value_names_read(f, "river:flood:u", root);
	assert_value(f, "dev", &(struct payload){ .dev = 8 << 20 | 17 }, "8:17 sdb\\x1b1");
	assert_value(f, "dev", &(struct payload){ .dev = 7 << 20 | 1 }, "7:1");
	assert_value(f, "dev", &(struct payload){ .dev = 9 }, "0:9");
	assert_value(f, "irq", &(struct payload){ .irq = 7 }, "7 river0-config,river1");
	assert_value(f, "irq", &(struct payload){ .irq = 8 }, "8");
	assert_value(f, "irq", &(struct payload){ .irq = 9 }, "9");
	assert_value(f, "other", &(struct payload){ .other = 7 }, "7");
	payload_formats_free(f);
	buf_release(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_and_interrupts_have_the_names_that_sysfs_shows),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
