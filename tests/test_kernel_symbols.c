/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buf.h"

#include "symbol_fixture.h"

static const char good[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t do_one\n"
	"ffffffff81000200 W weak_two\n"
	"ffffffff81000300 D some_data\n"
	"ffffffff81000400 T last_of_kernel\n"
	"ffffffffc0331000 t $x\t[ext4]\n"
	"ffffffffc0331000 t ext4_readdir\t[ext4]\n"
	"ffffffffc0331080 b ext4_data\t[ext4]\n"
	"ffffffffc0400000 t xfs_read\t[xfs]\n"
	"ffffffffc0500000 t bpf_prog_6deef7357e7b4530_sd_devices\t[bpf]\n";

/* A /proc of its own, so that nothing depends on the machine. */
static void
make_proc(const struct fixture *f, const char *kallsyms)
{
	assert_true(sh(f, "rm -rf proc && mkdir -p proc/sys/kernel/random"));
	write_text(f, "proc/sys/kernel/random/boot_id", "1234\n");
	write_text(f, "proc/sys/kernel/kptr_restrict", "1\n");
	write_text(f, "proc/modules", "ext4 90112 1 - Live 0xffffffffc0331000\n");
	write_text(f, "proc/kallsyms", kallsyms);
}

static struct symbol_image_msg *
ask_kernel(struct fixture *f, const char *cache)
{
	struct symbol_service *real = f->service;
	struct symbol_ask ask = { .dso = 5, .kind = SYMBOL_KERNEL, .path = "[kernel]" };
	struct symbol_image_msg *m;

	f->service = service_with(f, in_dir(f, "proc"), cache, true);
	m = ask_image(f, &ask);
	assert_int_equal(m->dso, 5);
	symbol_service_free(f->service);
	f->service = real;
	return m;
}

static void
assert_kernel_has(struct fixture *f, const char *cache, uint64_t addr, const char *name)
{
	struct symbol_image_msg *m = ask_kernel(f, cache);

	assert_non_null(m->image);
	assert_string_equal(name_of(m->image, addr), name);
	symbol_image_msg_free(m);
}

static void
kernel_functions_have_absolute_addresses_and_modules(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	make_proc(f, good);
	m = ask_kernel(f, NULL);
	assert_non_null(m->image);
	assert_string_equal(m->reason, "");
	assert_int_equal(image_count(m->image), 7);
	assert_string_equal(name_of(m->image, 0xffffffff81000000), "_text");
	assert_string_equal(name_of(m->image, 0xffffffff810001ff), "do_one");
	assert_string_equal(name_of(m->image, 0xffffffff81000300), "weak_two");
	assert_string_equal(name_of(m->image, 0xffffffffc0331010), "ext4_readdir");
	assert_string_equal(image_module(m->image, image_find(m->image, 0xffffffffc0331010)),
			    "ext4");
	assert_string_equal(image_module(m->image, image_find(m->image, 0xffffffffc0400000)),
			    "xfs");
	assert_string_equal(image_module(m->image, image_find(m->image, 0xffffffffc0500000)),
			    "bpf");
	assert_string_equal(image_module(m->image, 0), "");
	symbol_image_msg_free(m);
}

static void
hidden_kernel_addresses_are_explained(void **state)
{
	static const char hidden[] = "0000000000000000 T _stext\n"
				     "0000000000000000 T _text\n"
				     "0000000000000000 t do_one\n";
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	make_proc(f, hidden);
	m = ask_kernel(f, NULL);
	assert_non_null(strstr(m->remedy, "sysctl kernel.kptr_restrict=0"));
	assert_reason(m, "kptr_restrict");
	write_text(f, "proc/sys/kernel/kptr_restrict", "0\n");
	m = ask_kernel(f, NULL);
	assert_non_null(strstr(m->remedy, "sysctl kernel.perf_event_paranoid=1"));
	assert_reason(m, "perf_event_paranoid");
}

static void
a_table_that_is_none_is_explained(void **state)
{
	struct fixture *f = *state;
	struct buf b = { 0 };

	make_proc(f, "");
	assert_reason(ask_kernel(f, NULL), "no kernel functions");
	write_text(f, "proc/kallsyms", "zzz\n\n1\n1 \n1 T\n1 T \nffffffff81000000Tx\n T x\n");
	assert_reason(ask_kernel(f, NULL), "no kernel functions");
	buf_add_fill(&b, 'f', 200000);
	write_text(f, "proc/kallsyms", b.data);
	assert_reason(ask_kernel(f, NULL), "no kernel functions");
	buf_release(&b);
	assert_int_equal(unlink(in_dir(f, "proc/kallsyms")), 0);
	assert_reason(ask_kernel(f, NULL), "No such file");
}

static void
lines_that_straddle_reads_are_whole(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	struct buf b = { 0 };
	uint32_t i;

	for (i = 0; i < 20000; i++)
		buf_addf(&b, "%016llx t function_number_%u\n", 0xffffffff81000000ull + i * 16, i);
	make_proc(f, b.data);
	buf_release(&b);
	m = ask_kernel(f, NULL);
	assert_non_null(m->image);
	assert_int_equal(image_count(m->image), 20000);
	for (i = 0; i < 20000; i++) {
		char name[64];

		snprintf(name, sizeof(name), "function_number_%u", i);
		assert_string_equal(image_raw_name(m->image, i), name);
	}
	symbol_image_msg_free(m);
}

/* The files in the cache; the name of one of them in @name. */
static unsigned
cached_files(const struct fixture *f, char *name)
{
	DIR *d = opendir(in_dir(f, "cache"));
	struct dirent *e;
	unsigned n = 0;

	if (d == NULL)
		return 0;
	while ((e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		sprintf(name, "cache/%.200s", e->d_name);
		n++;
	}
	closedir(d);
	return n;
}

static const char without_bpf[] = "ffffffff81000000 T first\nffffffff81000100 t second\n";

static void
fill_cache(struct fixture *f, char *name)
{
	assert_true(sh(f, "rm -rf cache"));
	make_proc(f, without_bpf);
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "first");
	assert_int_equal(cached_files(f, name), 1);
	write_text(f, "proc/kallsyms", "ffffffff81000000 T fresh\n");
}

static void
the_kernels_image_is_kept_for_the_next_run(void **state)
{
	struct fixture *f = *state;
	char name[256];
	struct stat st;

	fill_cache(f, name);
	assert_int_equal(stat(in_dir(f, name), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(in_dir(f, "cache"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "first");
	assert_kernel_has(f, NULL, 0xffffffff81000000, "fresh");
}

static void
the_kept_image_ends_with_the_boot_and_with_the_modules(void **state)
{
	struct fixture *f = *state;
	char name[256], next[256];

	fill_cache(f, name);
	write_text(f, "proc/modules", "ext4 90112 1 - Live 0xffffffffc0441000\n");
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");
	assert_int_equal(cached_files(f, next), 1);
	assert_string_not_equal(name, next);
	fill_cache(f, name);
	write_text(f, "proc/sys/kernel/random/boot_id", "5678\n");
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");
	assert_int_equal(cached_files(f, next), 1);
}

static void
a_planted_image_is_not_believed(void **state)
{
	struct fixture *f = *state;
	char name[256], command[600];

	fill_cache(f, name);
	write_text(f, name, "garbage");
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");

	fill_cache(f, name);
	assert_int_equal(chmod(in_dir(f, name), 0644), 0);
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");

	fill_cache(f, name);
	snprintf(command, sizeof(command), "mv '%s' elsewhere && ln -s ../elsewhere '%s'", name,
		 name);
	assert_true(sh(f, command));
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");

	if (geteuid() != 0)
		return;
	fill_cache(f, name);
	assert_int_equal(chown(in_dir(f, name), 65534, 65534), 0);
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");
}

static void
a_directory_that_others_can_write_to_keeps_nothing(void **state)
{
	struct fixture *f = *state;
	char name[256];

	fill_cache(f, name);
	assert_int_equal(chmod(in_dir(f, "cache"), 0777), 0);
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");
	assert_int_equal(chmod(in_dir(f, "cache"), 0700), 0);
	assert_true(sh(f, "mv cache real && ln -s real cache"));
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "fresh");
	assert_true(sh(f, "rm -rf cache real"));
	assert_kernel_has(f, in_dir(f, "no/such/place"), 0xffffffff81000000, "fresh");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_functions_have_absolute_addresses_and_modules),
		cmocka_unit_test(hidden_kernel_addresses_are_explained),
		cmocka_unit_test(a_table_that_is_none_is_explained),
		cmocka_unit_test(lines_that_straddle_reads_are_whole),
		cmocka_unit_test(the_kernels_image_is_kept_for_the_next_run),
		cmocka_unit_test(the_kept_image_ends_with_the_boot_and_with_the_modules),
		cmocka_unit_test(a_planted_image_is_not_believed),
		cmocka_unit_test(a_directory_that_others_can_write_to_keeps_nothing),
	};

	return cmocka_run_group_tests_name("kernel symbols", tests, fixture_setup,
					   fixture_teardown);
}
