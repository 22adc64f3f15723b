/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of a recording of another machine, from files that the user has of it: a list of its
 * kernel, its vmlinux, a folder with its programs.
 */
#include "core_fixture.h"
#include "datafile/writer.h"
#include "record/encode.h"
#include "run.h"
#include "symbol/kernel/kernel_state.h"
#include "symbol_fixture.h"
#include "tests/skip.h"

#define TEXT UINT64_C(0xffffffff9a000000)
#define LINKED UINT64_C(0xffffffff81000000)
#define EXT4 UINT64_C(0xffffffffc0331000)
#define BPF UINT64_C(0xffffffffc0500000)
#define VDSO_AT UINT64_C(0x7f0000001000)

enum { PATIENCE_S = 60, PID = 30, EVENT_ID = 7, PROG_AT = 0x400000 };

/* Where it was recorded, and where in that kernel its first sample is, how often once more. */
struct origin {
	const char *host;
	uint8_t kernel_id[BUILD_ID_MAX];
	size_t id_len;
	uint64_t first;
	unsigned more;
	const char *version; /* of who wrote it */
};

static const struct origin elsewhere = {
	"another.machine", { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 },
	20, 0x110,
};

static const uint8_t module_id[20] = { 0xaa, 2 };

/* Of the boot that was recorded, and of another one. */
static const char list_format[] =
	"%016llx T _text\n"
	"%016llx t do_sleep\n"
	"%016llx T do_wake\n"
	"ffffffffc0331000 t ext4_readdir\t[ext4]\n"
	"ffffffffc0331100 t ext4_write\t[ext4]\n"
	"ffffffffc0500000 t bpf_prog_1111111111111111_later\t[bpf]\n";

static void
write_list(const struct fixture *f, uint64_t text)
{
	char list[1024];

	snprintf(list, sizeof(list), list_format, (unsigned long long)text,
		 (unsigned long long)text + 0x100, (unsigned long long)text + 0x200);
	write_text(f, "list", list);
}

static void
write_vmlinux(const struct fixture *f, const char *id)
{
	char command[256];

	write_text(f, "kernel.s",
		   ".globl _text, do_sleep, do_wake\n"
		   ".text\n"
		   "_text:	.zero 256\n"
		   ".type do_sleep, %function\n"
		   ".size do_sleep, 256\n"
		   "do_sleep: .zero 256\n"
		   ".type do_wake, %function\n"
		   ".size do_wake, 256\n"
		   "do_wake: .zero 256\n");
	snprintf(command, sizeof(command), "cc -c kernel.s && ld -Ttext=0x%llx -e _text "
		 "--build-id=0x%s kernel.o -o vmlinux", (unsigned long long)LINKED, id);
	assert_true(sh(f, command));
}

/* Of a module perf does not tell an offset. */
static void
put_map(struct buf *b, uint64_t start, uint64_t len, const char *name)
{
	record_encode_kernel_mmap(b, &live_layout, &(struct record_mmap){
		.start = start, .len = len, .pgoff = *name == '[' ? start : 0, .name = name });
}

static void
put_sample(struct buf *b, uint16_t mode, uint64_t ip)
{
	static uint64_t time_ns = 1000;
	const struct record_id id = { .pid = PID, .tid = PID, .id = EVENT_ID, .time_ns = time_ns++ };
	const struct record_sample s = { .ip = ip, .period = 1 };
	struct bytes bytes;
	struct maker m;

	bytes = make_sample(&m, &live_layout, mode, &id, &s);
	buf_add(b, bytes.data, bytes.len);
}

/* Two samples in the kernel, one in its module, one in a program of BPF, one in a file, one in the vdso. */
static void
write_recording_of(const struct fixture *f, const struct origin *o, uint64_t kernel, const char *module)
{
	const uint64_t addrs[] = { TEXT + o->first, TEXT + 0x210, EXT4 + 0x110, BPF + 0x10 };
	struct event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
				   .sample_type = LIVE_TYPE, .sample_id_all = 1, .sample_period = 1 };
	const struct writer_info info = { .hostname = o->host, .version = o->version };
	struct writer *w = writer_new(in_dir(f, "file"), true, NULL);
	struct buf b = { 0 };
	struct err err;

	assert_non_null(w);
	writer_event(w, "cpu-clock", &attr);
	writer_id(w, 0, EVENT_ID);
	if (kernel != 0)
		put_map(&b, kernel, 0x4000000, "[kernel.kallsyms]_text");
	if (module != NULL)
		put_map(&b, EXT4, 0x10000, module);
	record_encode_comm(&b, &live_layout, PID, PID, "prog");
	record_encode_mmap2(&b, &live_layout, &(struct record_mmap){
		.pid = PID, .tid = PID, .start = PROG_AT, .len = 0x100000, .prot = 5, .flags = 2,
		.ino = 99999999, .name = "/opt/nowhere/else/prog" });
	record_encode_mmap2(&b, &live_layout, &(struct record_mmap){
		.pid = PID, .tid = PID, .start = VDSO_AT, .len = 0x1000, .prot = 5, .flags = 2,
		.name = "[vdso]" });
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++)
		put_sample(&b, PERF_RECORD_MISC_KERNEL, addrs[i]);
	for (unsigned i = 0; i < o->more; i++)
		put_sample(&b, PERF_RECORD_MISC_KERNEL, addrs[0]);
	put_sample(&b, PERF_RECORD_MISC_USER, PROG_AT + 0x1010);
	put_sample(&b, PERF_RECORD_MISC_USER, VDSO_AT + 0x100);
	assert_int_equal(writer_put(w, b.data, b.len, &err), 0);
	buf_release(&b);
	writer_build_id(w, PERF_RECORD_MISC_KERNEL, -1, "[kernel.kallsyms]", o->kernel_id,
			o->id_len);
	if (module != NULL && *module == '/')
		writer_build_id(w, PERF_RECORD_MISC_KERNEL, -1, module, module_id, 20);
	assert_int_equal(writer_close(w, &info, 1000, 2000, &err), 0);
}

static void
write_recording(const struct fixture *f, uint64_t kernel)
{
	write_recording_of(f, &elsewhere, kernel, "[ext4]");
}

/* What ptop says of the recording; NULL: no option, or one without a value. */
static void
report_by(const struct fixture *f, struct run_result *r, const char *keys, const char *option,
	  const char *value)
{
	char file[384];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-i", file, "--by", (char *)(uintptr_t)keys,
			 "--format", "csv", (char *)(uintptr_t)option, (char *)(uintptr_t)value, NULL };

	snprintf(file, sizeof(file), "%s", in_dir(f, "file"));
	run_program(r, PATIENCE_S, argv);
	assert_int_equal(r->status, 0);
}

/* The same; @option's value is a name in the fixture's folder. */
static void
report(const struct fixture *f, struct run_result *r, const char *option, const char *value)
{
	char given[384];

	if (option != NULL)
		snprintf(given, sizeof(given), "%s", in_dir(f, value));
	report_by(f, r, "dso,symbol", option, option != NULL ? given : NULL);
}

static void
assert_rows(struct run_result *r, const char *const *rows)
{
	for (size_t i = 0; rows[i] != NULL; i++)
		if (strstr(r->out, rows[i]) == NULL)
			fail_msg("no row '%s':\n%s%s", rows[i], r->out, r->err);
	run_release(r);
}

static void
without_files_the_kernel_of_another_machine_has_no_names(void **state)
{
	const struct fixture *f = *state;
	struct run_result r;

	write_recording(f, TEXT);
	report(f, &r, NULL, NULL);
	assert_rows(&r, (const char *const[]){ "[kernel],0x", "[ext4],0x", "[unknown],[unknown],1",
					       "prog,0x", NULL });
}

static void
a_list_of_that_boot_names_kernel_and_modules(void **state)
{
	const struct fixture *f = *state;
	struct run_result r;

	write_recording(f, TEXT);
	write_list(f, TEXT);
	report(f, &r, "--kallsyms", "list");
	/* The program may have been loaded after the recording. */
	assert_null(strstr(r.out, "bpf_prog_"));
	assert_rows(&r, (const char *const[]){ "[kernel],do_sleep,1", "[kernel],do_wake,1",
					       "[ext4],ext4_write,1", NULL });
}

static void
a_list_of_another_boot_names_the_kernel_alone(void **state)
{
	const struct fixture *f = *state;
	struct run_result r;

	write_recording(f, TEXT);
	write_list(f, LINKED);
	report(f, &r, "--kallsyms", "list");
	assert_rows(&r, (const char *const[]){ "[kernel],do_sleep,1", "[kernel],do_wake,1",
					       "[ext4],0x", NULL });
}

static void
a_vmlinux_of_that_build_names_the_kernel(void **state)
{
	const struct fixture *f = *state;
	struct run_result r;

	write_recording(f, TEXT);
	write_vmlinux(f, "0102030405060708090a0b0c0d0e0f1011121314");
	report(f, &r, "--vmlinux", "vmlinux");
	assert_rows(&r, (const char *const[]){ "[kernel],do_sleep,1", "[kernel],do_wake,1",
					       "[ext4],0x", NULL });
	write_vmlinux(f, "ff02030405060708090a0b0c0d0e0f1011121314");
	report(f, &r, "--vmlinux", "vmlinux");
	assert_non_null(strstr(r.err, "is not the kernel that was sampled: its build-id must be"));
	assert_null(strstr(r.out, "do_sleep"));
	assert_rows(&r, (const char *const[]){ "[kernel],0x", NULL });
}

/*
 * The sample is at 0x110.  What is in .init.text lies elsewhere, .text.odd behind .text at its
 * alignment; a table of jumps would make room for itself.
 */
static void
write_module(const struct fixture *f, const char *id, const char *first)
{
	char command[256], text[1024];

	snprintf(text, sizeof(text),
		 "%s"
		 ".section .init.text,\"ax\",%%progbits\n"
		 ".type at_start, %%function\n"
		 ".size at_start, 4096\n"
		 "at_start: .zero 4096\n"
		 ".text\n"
		 ".type ext4_readdir, %%function\n"
		 ".size ext4_readdir, 200\n"
		 "ext4_readdir: .zero 200\n"
		 ".section .text.odd,\"ax\",%%progbits\n"
		 ".balign 256\n"
		 ".type ext4_write, %%function\n"
		 ".size ext4_write, 256\n"
		 "ext4_write: .zero 256\n"
		 ".section .gnu.linkonce.this_module,\"aw\",%%progbits\n"
		 ".zero 64\n", first);
	write_text(f, "ext4.s", text);
	snprintf(command, sizeof(command), "cc -c ext4.s && ld -r --unique --build-id=0x%s ext4.o -o ext4.ko",
		 id);
	assert_true(sh(f, command));
}

static void
a_modules_file_of_that_build_names_its_functions(void **state)
{
	static const char room[] = ".section .plt,\"ax\",%progbits\n.zero 1\n";
	const struct fixture *f = *state;
	char id[41] = "aa02", path[384];
	struct run_result r;

	memset(id + 4, '0', 36);
	snprintf(path, sizeof(path), "%s", in_dir(f, "ext4.ko"));
	write_recording_of(f, &elsewhere, TEXT, path);
	write_module(f, id, "");
	report(f, &r, NULL, NULL);
	assert_rows(&r, (const char *const[]){ "[kernel],0x", "[ext4],ext4_write,1", NULL });
	/* Nobody knows how long that table was. */
	write_module(f, id, room);
	report(f, &r, NULL, NULL);
	assert_rows(&r, (const char *const[]){ "[ext4],0x", NULL });
	id[0] = 'b';
	write_module(f, id, "");
	report(f, &r, NULL, NULL);
	assert_rows(&r, (const char *const[]){ "[ext4],0x", NULL });
}

/* Its addresses were hidden when it was recorded: each sample tells that it is the kernel's. */
static void
without_its_map_the_kernel_is_told_by_samples(void **state)
{
	const struct fixture *f = *state;
	struct origin hidden = elsewhere;
	struct run_result r;

	hidden.more = 20;
	hidden.version = "ptop 1";
	write_recording_of(f, &hidden, 0, "[ext4]");
	report(f, &r, NULL, NULL);
	assert_null(strstr(r.out, "[unknown]"));
	assert_non_null(strstr(r.err, "functions of the kernel have no names: the recording does not say "
				      "where the kernel was"));
	assert_non_null(strstr(r.err, "record with names: "));
	assert_rows(&r, (const char *const[]){ "[kernel],0xffffffff9a000000,22",
					       "[kernel],0xffffffffc0500000,1", "[ext4],0x",
					       "prog,0x", NULL });
	report_by(f, &r, "dso,reason", NULL, NULL);
	assert_rows(&r, (const char *const[]){ "[kernel],\"the recording does not say where the kernel "
					       "was", NULL });
	report_by(f, &r, "dso,symbol", "-K", NULL);
	assert_null(strstr(r.out, "[kernel]"));
	assert_rows(&r, (const char *const[]){ "prog,0x", NULL });
}

/* All else is as in ptop's own. */
static void
in_perfs_recordings_such_a_kernel_has_the_name_that_perf_gives_it(void **state)
{
	const struct fixture *f = *state;
	struct origin hidden = elsewhere;
	struct run_result r;

	hidden.more = 20;
	hidden.version = "6.1.55";
	write_recording_of(f, &hidden, 0, "[ext4]");
	report(f, &r, NULL, NULL);
	assert_non_null(strstr(r.err, "functions of the kernel have no names: the recording does not say "
				      "where the kernel was"));
	assert_rows(&r, (const char *const[]){ "[unknown],0xffffffff9a000000,22", "[ext4],0x", "prog,0x",
					       NULL });
	report_by(f, &r, "dso,symbol", "-K", NULL);
	assert_null(strstr(r.out, "[unknown]"));
	assert_rows(&r, (const char *const[]){ "prog,0x", NULL });
	write_list(f, TEXT);
	report(f, &r, "--kallsyms", "list");
	assert_null(strstr(r.out, "[unknown]"));
	assert_rows(&r, (const char *const[]){ "[kernel],do_", NULL });
}

/* Each boot puts the kernel elsewhere: a list is believed as it is, a file has no place. */
static void
without_the_kernels_place_a_list_alone_names_it(void **state)
{
	const struct fixture *f = *state;
	struct run_result r;

	write_recording(f, 0);
	write_list(f, TEXT);
	write_vmlinux(f, "0102030405060708090a0b0c0d0e0f1011121314");
	report(f, &r, "--kallsyms", "list");
	assert_null(strstr(r.out, "bpf_prog_"));
	assert_null(strstr(r.err, "no names"));
	assert_rows(&r, (const char *const[]){ "[kernel],do_sleep,1", "[kernel],do_wake,1", NULL });
	report(f, &r, "--vmlinux", "vmlinux");
	assert_null(strstr(r.out, "do_"));
	assert_rows(&r, (const char *const[]){ "[kernel],0x", NULL });
}

/* Where in the running kernel that function begins, 0: it is hidden. */
static uint64_t
offset_of(const char *function)
{
	char line[512], name[256], type;
	unsigned long long at, found = 0;
	FILE *list = fopen("/proc/kallsyms", "re");

	while (list != NULL && found == 0 && fgets(line, sizeof(line), list) != NULL)
		if (sscanf(line, "%llx %c %255s", &at, &type, name) == 3 && strcmp(name, function) == 0)
			found = at;
	if (list != NULL)
		fclose(list);
	return found != 0 ? found - running_kernel_text() : 0;
}

/* Each boot puts it elsewhere: its own list has the names, but not those of modules. */
static void
the_running_kernel_names_a_recording_of_another_boot(void **state)
{
	const struct fixture *f = *state;
	char host[256] = "";
	struct origin here = { .host = host, .first = offset_of("schedule") };
	struct run_result r;

	here.id_len = running_kernel_build_id(here.kernel_id);
	if (here.first == 0 || here.id_len == 0)
		skip_for("where the kernel is, or its build-id, is hidden");
	gethostname(host, sizeof(host) - 1);
	write_recording_of(f, &here, TEXT, "[ext4]");
	report(f, &r, NULL, NULL);
	assert_rows(&r, (const char *const[]){ "[kernel],schedule,1", "[ext4],0x", NULL });
	/* Another build may have it anywhere. */
	here.kernel_id[0] ^= 1;
	write_recording_of(f, &here, TEXT, "[ext4]");
	report(f, &r, NULL, NULL);
	assert_null(strstr(r.out, "schedule"));
	assert_rows(&r, (const char *const[]){ "[kernel],0x", NULL });
}

/* Its code is that of the build, wherever the kernel was, and where that was hidden. */
static void
a_build_is_known_where_the_kernel_was_hidden(void **state)
{
	const struct fixture *f = *state;
	char host[256] = "";
	struct origin here = { .host = host };
	struct run_result r;

	here.id_len = running_kernel_build_id(here.kernel_id);
	if (here.id_len == 0)
		skip_for("the kernel's build-id is hidden");
	gethostname(host, sizeof(host) - 1);
	write_recording_of(f, &here, 0, NULL);
	report_by(f, &r, "dso,reason", NULL, NULL);
	assert_null(strstr(r.out, "another kernel"));
	assert_rows(&r, (const char *const[]){ "[vdso],", NULL });
	here.kernel_id[0] ^= 1;
	write_recording_of(f, &here, 0, NULL);
	report_by(f, &r, "dso,reason", NULL, NULL);
	assert_rows(&r, (const char *const[]){ "[vdso],recorded with another kernel", NULL });
}

static void
files_are_found_below_a_folder(void **state)
{
	const struct fixture *f = *state;
	struct run_result r;

	write_recording(f, TEXT);
	write_text(f, "prog.s", ".globl in_the_prog\n"
				".type in_the_prog, %function\n"
				".size in_the_prog, 8192\n"
				"in_the_prog: .zero 8192\n");
	assert_true(sh(f, "mkdir -p root/opt/nowhere/else && cc -c prog.s && "
			  "ld -Ttext=0x401000 -e in_the_prog prog.o -o root/opt/nowhere/else/prog"));
	report(f, &r, "--symfs", "root");
	assert_rows(&r, (const char *const[]){ "prog,in_the_prog,1", NULL });
}

static void
files_that_are_not_there_end_it_at_once(void **state)
{
	static const char *const options[] = { "--vmlinux", "--kallsyms", "--symfs" };
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-i", "/dev/null", NULL, NULL, NULL };
	struct run_result r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		argv[3] = (char *)(uintptr_t)options[i];
		argv[4] = "/nonexistent";
		run_program(&r, PATIENCE_S, argv);
		assert_int_equal(WEXITSTATUS(r.status), 1);
		assert_non_null(strstr(r.err, "cannot open '/nonexistent'"));
		assert_non_null(strstr(r.err, options[i]));
		run_release(&r);
		argv[4] = i == 2 ? "/dev/null" : "/dev";
		run_program(&r, PATIENCE_S, argv);
		assert_int_equal(WEXITSTATUS(r.status), 1);
		assert_non_null(strstr(r.err, i == 2 ? "is not a folder" : "is not a file"));
		run_release(&r);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_files_the_kernel_of_another_machine_has_no_names),
		cmocka_unit_test(a_list_of_that_boot_names_kernel_and_modules),
		cmocka_unit_test(a_list_of_another_boot_names_the_kernel_alone),
		cmocka_unit_test(a_vmlinux_of_that_build_names_the_kernel),
		cmocka_unit_test(a_modules_file_of_that_build_names_its_functions),
		cmocka_unit_test(without_its_map_the_kernel_is_told_by_samples),
		cmocka_unit_test(in_perfs_recordings_such_a_kernel_has_the_name_that_perf_gives_it),
		cmocka_unit_test(without_the_kernels_place_a_list_alone_names_it),
		cmocka_unit_test(the_running_kernel_names_a_recording_of_another_boot),
		cmocka_unit_test(a_build_is_known_where_the_kernel_was_hidden),
		cmocka_unit_test(files_are_found_below_a_folder),
		cmocka_unit_test(files_that_are_not_there_end_it_at_once),
	};

	return cmocka_run_group_tests_name("kernel files", tests, fixture_setup, fixture_teardown);
}
