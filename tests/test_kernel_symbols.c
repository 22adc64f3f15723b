/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buf.h"
#include "symbol/kernel/kernel_state.h"

#include "symbol_fixture.h"
#include "tests/root.h"
#include "tests/skip.h"

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
ask_kernel_as(struct fixture *f, const char *cache, const struct symbol_ask *ask)
{
	struct symbol_service *real = f->service;
	struct symbol_image_msg *m;

	f->service = service_with(f, in_dir(f, "proc"), cache, true);
	m = ask_image(f, ask);
	assert_int_equal(m->dso, 5);
	symbol_service_free(f->service);
	f->service = real;
	return m;
}

static struct symbol_image_msg *
ask_kernel(struct fixture *f, const char *cache)
{
	return ask_kernel_as(f, cache, &(struct symbol_ask){ .dso = 5, .kind = SYMBOL_KERNEL });
}

static void
assert_kernel_has(struct fixture *f, const char *cache, uint64_t addr, const char *name)
{
	struct symbol_image_msg *m = ask_kernel(f, cache);

	assert_non_null(m->image);
	assert_string_equal(name_of(m->image, addr), name);
	msg_free(&m->msg);
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
	msg_free(&m->msg);
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
	assert_non_null(strstr(m->remedy, "CAP_SYSLOG"));
	assert_reason(m, "kptr_restrict");
	write_text(f, "proc/sys/kernel/kptr_restrict", "2\n");
	m = ask_kernel(f, NULL);
	assert_string_equal(m->remedy, "sudo sysctl kernel.kptr_restrict=0");
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
	msg_free(&m->msg);
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
}

static void
an_image_of_another_user_is_not_believed(void **state)
{
	struct fixture *f = *state;
	char name[256];

	if (geteuid() != 0)
		skip_for("only root can give a file away");
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

/* A kernel's list with @programs of BPF. */
static void
write_programs(const struct fixture *f, uint32_t programs)
{
	struct buf list = { 0 };

	buf_add_str(&list, without_bpf);
	for (uint32_t i = 0; i < programs; i++)
		buf_addf(&list, "ffffffffc%07x t bpf_prog_6deef7357e7b4530_p\t[bpf]\n", i * 64);
	write_text(f, "proc/kallsyms", buf_str(&list));
	buf_release(&list);
}

/*
 * One more than there were when the kernel's state was asked for: it came while the list was read,
 * and where it is another one may be by the time that this state is met again.
 */
static void
a_list_with_a_program_too_many_is_not_kept(void **state)
{
	struct fixture *f = *state;
	struct kernel_programs now = { .is_known = false };
	char name[256];

	kernel_programs_read(&now);
	if (!now.is_known)
		now.functions = 0;
	assert_true(sh(f, "rm -rf cache"));
	make_proc(f, without_bpf);
	write_programs(f, now.functions + 1);
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "first");
	assert_int_equal(cached_files(f, name), 0);
	write_programs(f, now.functions);
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "first");
	assert_int_equal(cached_files(f, name), 1);
	kernel_programs_release(&now);
}

/* Lines as kernels have them, and what becomes of an address. */
static void
what_is_no_function_cuts_none_in_pieces(void **state)
{
	static const char text[] =
		"0000000000000040 t cpu_local_thing\n"
		"ffffffff81000000 T _text\n"
		"ffffffff81000010 t __pfx_do_one\n"
		"ffffffff81000020 T __cfi_do_one\n"
		"ffffffff81000030 T do_one\n"
		"ffffffff81000034 t .Ltmp12\n"
		"ffffffff81000100 t do_one.cold\n"
		"ffffffff81000200 D jiffies\n"
		"ffffffff81000210 d not_code\n"
		"ffffffff81000300 t twin\n"
		"ffffffff81000400 t twin\n"
		"ffffffff81000410 t __pfx_weak\n"
		"ffffffff81000500 W weak\n"
		"ffffffff81000500 T strong\n"
		"ffffffff81000600 T __pfx___copy\n"
		"ffffffff81000610 W copy_alias\n"
		"ffffffff81000610 T copy\n"
		"ffffffff81000700 T __hot_text_start\n"
		"ffffffff81000700 t __pfx_first\n"
		"ffffffff81000710 t first\n"
		"ffffffff81000780 t __pfx_second\n"
		"ffffffff81000780 T __hot_text_end\n"
		"ffffffff81000790 t second\n"
		"ffffffff81000800 t __pfx_of_nothing\n"
		"ffffffffc0331000 t .LBB0\t[ext4]\n"
		"ffffffffc0331004 t ext4_readdir\t[ext4]\n"
		"ffffffffc0600000 t kprobe_insn_page\t[__builtin__kprobes]\n"
		"ffffffffc0601000 t ftrace_trampoline\t[__builtin__ftrace]\n";
	static const struct {
		uint64_t addr;
		const char *name, *module;
	} rows[] = {
		{ 0x40, "-", NULL },
		{ 0xffffffff81000008, "_text", "" },
		{ 0xffffffff81000018, "do_one", "" },
		{ 0xffffffff81000028, "do_one", "" },
		{ 0xffffffff81000030, "do_one", "" },
		{ 0xffffffff81000038, "do_one", "" },
		{ 0xffffffff81000180, "do_one.cold", "" },
		{ 0xffffffff81000310, "twin", "" },
		{ 0xffffffff81000408, "twin", "" },
		{ 0xffffffff81000418, "__pfx_weak", "" },
		{ 0xffffffff81000510, "strong", "" },
		{ 0xffffffff81000608, "copy", "" },
		{ 0xffffffff81000618, "copy", "" },
		{ 0xffffffff81000718, "first", "" },
		{ 0xffffffff81000798, "second", "" },
		{ 0xffffffff81000808, "__pfx_of_nothing", "" },
		{ 0xffffffffc0331000, "-", NULL },
		{ 0xffffffffc0331008, "ext4_readdir", "ext4" },
		{ 0xffffffffc0600010, "kprobe_insn_page", "__builtin__kprobes" },
		{ 0xffffffffc0601010, "ftrace_trampoline", "__builtin__ftrace" },
	};
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	make_proc(f, text);
	m = ask_kernel(f, NULL);
	assert_non_null(m->image);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(name_of(m->image, rows[i].addr), rows[i].name);
		if (rows[i].module != NULL)
			assert_string_equal(image_module(m->image, image_find(m->image, rows[i].addr)),
					    rows[i].module);
	}
	msg_free(&m->msg);
}

static void
a_list_that_hides_a_part_says_so(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	struct buf b = { 0 };

	buf_add_str(&b, without_bpf);
	for (int i = 0; i < 100; i++)
		buf_addf(&b, "0000000000000000 t hidden_%d\n", i);
	make_proc(f, b.data);
	buf_release(&b);
	assert_true(sh(f, "rm -rf cache"));
	for (int i = 0; i < 2; i++) {
		m = ask_kernel(f, in_dir(f, "cache"));
		assert_non_null(m->image);
		assert_string_equal(name_of(m->image, 0xffffffff81000000), "first");
		assert_string_equal(m->reason, "100 of the kernel's 102 functions have no address");
		msg_free(&m->msg);
	}
}

static void
a_list_is_read_again_only_if_the_kernel_has_changed(void **state)
{
	struct symbol_ask ask = { .dso = 5, .kind = SYMBOL_KERNEL };
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	make_proc(f, without_bpf);
	m = ask_kernel_as(f, NULL, &ask);
	assert_non_null(m->image);
	assert_int_not_equal(m->state, 0);
	ask.state = m->state;
	ask.programs = m->programs;
	ask.knows_programs = true;
	msg_free(&m->msg);
	/* How often a module is used changes nothing. */
	write_text(f, "proc/modules", "ext4 90112 7 jbd2, Live 0xffffffffc0331000 (E)\n");
	write_text(f, "proc/kallsyms", good);
	m = ask_kernel_as(f, NULL, &ask);
	assert_null(m->image);
	assert_true(m->is_unchanged);
	msg_free(&m->msg);
	write_text(f, "proc/modules", "ext4 90112 1 - Live 0xffffffffc0331000\n"
				      "xfs 90112 1 - Live 0xffffffffc0400000\n");
	m = ask_kernel_as(f, NULL, &ask);
	assert_false(m->is_unchanged);
	assert_int_not_equal(m->state, ask.state);
	assert_string_equal(name_of(m->image, 0xffffffffc0400000), "xfs_read");
	msg_free(&m->msg);
}

/* Most programs filter system calls: their code is in no list, so it is met again and again. */
static void
programs_that_the_asker_was_told_of_need_no_new_list(void **state)
{
	struct symbol_ask ask = { .dso = 5, .kind = SYMBOL_KERNEL };
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	make_proc(f, without_bpf);
	m = ask_kernel_as(f, NULL, &ask);
	ask.state = m->state;
	ask.programs = m->programs + 2; /* there were others then */
	msg_free(&m->msg);
	m = ask_kernel_as(f, NULL, &ask);
	assert_false(m->is_unchanged);
	assert_non_null(m->image);
	msg_free(&m->msg);
	ask.knows_programs = true;
	m = ask_kernel_as(f, NULL, &ask);
	assert_true(m->is_unchanged);
	assert_null(m->image);
	msg_free(&m->msg);
}

static void
a_list_of_another_boot_is_moved_without_its_modules(void **state)
{
	static const uint64_t by = 0x1200000;
	struct fixture *f = *state;
	char name[256], *list = mem_strdup(in_dir(f, "list"));
	struct symbol_ask ask = { .dso = 5, .kind = SYMBOL_KERNEL, .kallsyms = list,
				  .text = 0xffffffff81000000 };
	struct symbol_image_msg *m;

	fill_cache(f, name);
	write_text(f, "list", good);
	m = ask_kernel_as(f, in_dir(f, "cache"), &ask);
	assert_non_null(m->image);
	assert_string_equal(name_of(m->image, 0xffffffff81000110), "do_one");
	assert_string_equal(name_of(m->image, 0xffffffffc0331010), "ext4_readdir");
	msg_free(&m->msg);
	ask.text += by;
	m = ask_kernel_as(f, in_dir(f, "cache"), &ask);
	assert_non_null(m->image);
	assert_string_equal(name_of(m->image, 0xffffffff81000110 + by), "do_one");
	assert_string_equal(name_of(m->image, 0xffffffff81000110), "-");
	assert_string_equal(name_of(m->image, 0xffffffffc0331010), "-");
	assert_string_equal(name_of(m->image, 0xffffffffc0331010 + by), "-");
	msg_free(&m->msg);
	write_text(f, "proc/kallsyms", good);
	ask.kallsyms = NULL;
	m = ask_kernel_as(f, in_dir(f, "cache"), &ask);
	assert_non_null(m->image);
	assert_string_equal(name_of(m->image, 0xffffffff81000110 + by), "do_one");
	assert_string_equal(name_of(m->image, 0xffffffffc0331010), "-");
	msg_free(&m->msg);
	ask.kallsyms = list;
	/* Nothing of it was kept as the running kernel's. */
	assert_kernel_has(f, in_dir(f, "cache"), 0xffffffff81000000, "first");
	write_text(f, "list", "ffffffff81000100 t do_one\n");
	assert_reason(ask_kernel_as(f, NULL, &ask), "where the kernel begins");
	write_text(f, "list", "0000000000000000 T _text\n0000000000000000 t do_one\n");
	assert_reason(ask_kernel_as(f, NULL, &ask), "where the kernel begins");
	free(list);
}

static void
a_list_that_one_may_not_read_is_named_so(void **state)
{
	enum { NOBODY = 65534 };
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	struct symbol_ask ask = { .dso = 5, .kind = SYMBOL_KERNEL, .kallsyms = in_dir(f, "secret"),
				  .text = 0xffffffff81000000 };

	need_root();
	write_text(f, "secret", good);
	assert_int_equal(chmod(ask.kallsyms, 0600), 0);
	assert_int_equal(chmod(f->dir, 0755), 0);
	assert_int_equal(seteuid(NOBODY), 0);
	m = ask_kernel_as(f, NULL, &ask);
	assert_int_equal(seteuid(0), 0);
	assert_non_null(strstr(m->reason, "/secret'"));
	assert_reason(m, "Permission denied");
}

/* A kernel of two functions, linked where kernels are, with a build-id. */
static void
make_vmlinux(const struct fixture *f)
{
	write_text(f, "kernel.s",
		   ".globl _text, do_linked, do_other\n"
		   ".text\n"
		   "_text:\n"
		   "	.zero 256\n"
		   ".type do_linked, %function\n"
		   ".size do_linked, 256\n"
		   "do_linked:\n"
		   "	.zero 256\n"
		   ".type do_other, %function\n"
		   ".size do_other, 256\n"
		   "do_other:\n"
		   "	.zero 256\n");
	assert_true(sh(f, "cc -c kernel.s && ld -Ttext=0xffffffff81000000 -e _text --build-id="
			  "0x0102030405060708090a0b0c0d0e0f1011121314 kernel.o -o vmlinux"));
}

static const uint8_t vmlinux_id[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
					18, 19, 20 };

static struct symbol_ask
ask_of_vmlinux(const struct fixture *f)
{
	static char path[384];
	struct symbol_ask ask = { .dso = 5, .kind = SYMBOL_VMLINUX, .path = path,
				  .text = 0xffffffff9a000000, .build_id_len = 20 };

	snprintf(path, sizeof(path), "%s", in_dir(f, "vmlinux"));
	memcpy(ask.build_id, vmlinux_id, sizeof(vmlinux_id));
	return ask;
}

static void
a_vmlinux_names_the_kernel_where_it_runs(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	struct symbol_ask ask;

	make_vmlinux(f);
	make_proc(f, good);
	ask = ask_of_vmlinux(f);
	m = ask_kernel_as(f, NULL, &ask);
	assert_non_null(m->image);
	assert_string_equal(name_of(m->image, 0xffffffff9a000110), "do_linked");
	assert_string_equal(name_of(m->image, 0xffffffff9a000210), "do_other");
	assert_string_equal(name_of(m->image, 0xffffffff81000110), "-");
	/* Modules are in no vmlinux. */
	assert_string_equal(name_of(m->image, 0xffffffffc0331010), "ext4_readdir");
	assert_string_equal(image_module(m->image, image_find(m->image, 0xffffffffc0331010)),
			    "ext4");
	msg_free(&m->msg);
	ask.kallsyms = "";
	m = ask_kernel_as(f, NULL, &ask);
	assert_string_equal(name_of(m->image, 0xffffffff9a000110), "do_linked");
	assert_string_equal(name_of(m->image, 0xffffffffc0331010), "-");
	msg_free(&m->msg);
}

static void
a_vmlinux_of_another_kernel_is_refused(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask;

	make_vmlinux(f);
	make_proc(f, good);
	ask = ask_of_vmlinux(f);
	ask.build_id[0]++;
	assert_reason(ask_kernel_as(f, NULL, &ask), "is not the kernel that was sampled");
	ask.path = in_dir(f, "pie");
	ask.build_id_len = 0;
	assert_reason(ask_kernel_as(f, NULL, &ask), "no kernel: it has no symbol '_text'");
	write_text(f, "bzImage", "MZ and so on, long enough that it could be a header of something");
	ask.path = in_dir(f, "bzImage");
	assert_reason(ask_kernel_as(f, NULL, &ask), "not an ELF file");
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
		cmocka_unit_test(an_image_of_another_user_is_not_believed),
		cmocka_unit_test(a_directory_that_others_can_write_to_keeps_nothing),
		cmocka_unit_test(a_list_with_a_program_too_many_is_not_kept),
		cmocka_unit_test(what_is_no_function_cuts_none_in_pieces),
		cmocka_unit_test(a_list_that_hides_a_part_says_so),
		cmocka_unit_test(a_list_is_read_again_only_if_the_kernel_has_changed),
		cmocka_unit_test(programs_that_the_asker_was_told_of_need_no_new_list),
		cmocka_unit_test(a_list_of_another_boot_is_moved_without_its_modules),
		cmocka_unit_test(a_list_that_one_may_not_read_is_named_so),
		cmocka_unit_test(a_vmlinux_names_the_kernel_where_it_runs),
		cmocka_unit_test(a_vmlinux_of_another_kernel_is_refused),
	};

	return cmocka_run_group_tests_name("kernel symbols", tests, fixture_setup,
					   fixture_teardown);
}
