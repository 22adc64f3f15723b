/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unwind/unwind_rules.h"
#include "symbol/elf/elf_image.h"
#include "symbol/find/open.h"
#include "symbol/file/sealed.h"
#include "symbol/elf/stripped.h"

#include "symbol_fixture.h"
#include "tests/asserts.h"
#include "tests/skip.h"

#include <sched.h>

static void
check_live(struct fixture *f, const char *program, const char *arg, const char *name)
{
	struct child c = child_start(f, program, arg);
	struct symbol_ask ask = ask_of_child(&c);
	struct symbol_image_msg *m = ask_image(f, &ask);

	assert_non_null(m->image);
	assert_string_equal(m->reason, "");
	assert_string_equal(name_of(m->image, c.offset), name);
	assert_string_equal(name_of(m->image, c.offset + 2), name);
	assert_true(m->build_id_len == 0 || m->build_id_len == 20);
	msg_free(&m->msg);
	child_end(&c);
}

static void
a_position_independent_program_has_names_at_file_offsets(void **state)
{
	check_live(*state, "pie", NULL, "hot_loop");
}

static void
a_program_at_a_fixed_address_has_names_at_file_offsets(void **state)
{
	check_live(*state, "nopie", NULL, "hot_loop");
}

static void
a_shared_library_has_names_at_file_offsets(void **state)
{
	check_live(*state, "pie", "lib", "in_the_lib");
}

static void
a_library_without_symtab_has_the_names_it_exports(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	bool found = false;

	assert_true(sh(f, "strip -o lib_dyn.so libt.so"));
	m = ask_path(f, "lib_dyn.so");
	assert_non_null(m->image);
	for (uint32_t i = 0; i < image_count(m->image); i++) {
		const char *name = image_raw_name(m->image, i);

		if (strcmp(name, "in_the_lib") == 0)
			found = true;
		else
			assert_true(name[0] == '.' || strstr(name, "@plt") != NULL);
	}
	assert_true(found);
	assert_non_null(strstr(m->reason, "stripped but for exported names"));
	msg_free(&m->msg);
}

static void
what_is_no_program_has_a_reason(void **state)
{
	struct fixture *f = *state;

	write_text(f, "empty", "");
	write_text(f, "text", "this is not an ELF file\n");
	write_text(f, "short", "\177ELF\002\001\001");
	assert_int_equal(mkdir(in_dir(f, "directory"), 0700), 0);
	assert_int_equal(mkfifo(in_dir(f, "fifo"), 0600), 0);
	assert_reason(ask_path(f, "empty"), "empty");
	assert_reason(ask_path(f, "text"), "not an ELF");
	assert_reason(ask_path(f, "short"), "truncated");
	assert_reason(ask_path(f, "directory"), "not a regular file");
	assert_reason(ask_path(f, "fifo"), "not a regular file");
	assert_reason(ask_path(f, "missing"), "No such file");
}

/* Where the section begins, in the file as in memory. */
static uint64_t
section_of(const struct fixture *f, const char *file, const char *section)
{
	char line[512], found[64];
	unsigned long addr = 0, at;
	FILE *in;

	snprintf(line, sizeof(line), "readelf -SW '%s' | sed 's/^ *\\[ *[0-9]*\\] *//'",
		 in_dir(f, file));
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in) != NULL)
		if (sscanf(line, "%63s %*s %lx", found, &at) == 2 && strcmp(found, section) == 0)
			addr = at;
	pclose(in);
	if (addr == 0)
		fail_msg("%s has no section %s", file, section);
	return addr;
}

/* perf gives it to whatever symbol is before it. */
static void
what_no_symbol_covers_is_called_by_its_section(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	uint64_t init, fini, plt;

	assert_true(sh(f, "cc -O2 -fPIE -pie -Wl,-z,lazy prog.c lib.c -o lazy && "
			  "strip -o lazy_stripped lazy"));
	init = section_of(f, "lazy", ".init");
	fini = section_of(f, "lazy", ".fini");
	plt = section_of(f, "lazy", ".plt");
	m = ask_path(f, "lazy");
	assert_string_equal(name_of(m->image, init), "_init");
	assert_string_equal(name_of(m->image, fini), "_fini");
	assert_string_equal(name_of(m->image, plt), ".plt");
	msg_free(&m->msg);
	m = ask_path(f, "lazy_stripped");
	assert_string_equal(name_of(m->image, init), ".init");
	assert_string_equal(name_of(m->image, fini), ".fini");
	assert_string_equal(name_of(m->image, plt), ".plt");
	assert_non_null(strstr(name_of(m->image, plt + 16), "@plt"));
	msg_free(&m->msg);
}

static void
a_stripped_program_has_the_names_of_its_linkage_table_and_a_reason(void **state)
{
	struct symbol_image_msg *m = ask_path(*state, "stripped");
	size_t named = 0;

	assert_non_null(strstr(m->reason, "stripped"));
	for (uint32_t i = 0; m->image != NULL && i < image_count(m->image); i++) {
		const char *name = image_raw_name(m->image, i);

		assert_true(name[0] == '.' || strstr(name, "@plt") != NULL || image_is_entry(name));
		named += strcmp(name, "printf@plt") == 0;
	}
	assert_int_equal(named, 1);
	msg_free(&m->msg);
}

static void
the_source_of_the_names_is_told(void **state)
{
	static const struct {
		const char *file, *command, *source, *reason;
	} cases[] = {
		{ "nopie", "true", ".symtab", "" },
		{ "only.so", "cc -O1 -shared -fPIC -s lib.c -o only.so", ".dynsym only",
		  "but for exported names" },
		{ "stripped", "true", "linkage table only", "stripped" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symbol_image_msg *m;

		assert_true(sh(*state, cases[i].command));
		m = ask_path(*state, cases[i].file);
		assert_non_null(m->image);
		assert_string_equal(m->source, cases[i].source);
		assert_non_null(strstr(m->reason, cases[i].reason));
		assert_int_equal(*m->reason == '\0', *cases[i].reason == '\0');
		msg_free(&m->msg);
	}
}

/* The command is for a shell: nothing of a name may become one. */
static void
the_remedy_of_a_stripped_file_names_build_id_and_package(void **state)
{
	struct fixture *f = *state;
	static const uint8_t id[] = { 0x12, 0x34, 0x56 };
	struct symbol_ask ask = { .path = "/usr/bin/thing (deleted)" };
	bool has_dpkg = access("/etc/debian_version", R_OK) == 0;
	struct err err = { 0 };

	(void)f;
	stripped_explain(&err, id, sizeof(id), false);
	stripped_hint(&err, id, sizeof(id), &ask, SYMBOL_NS_OWN);
	assert_string_equal(err.text, "stripped, no debug file for build-id 123456");
	assert_non_null(strstr(err.hint, "debuginfod-find debuginfo 123456 "));
	assert_non_null(strstr(err.hint, "/usr/lib/debug/.build-id/12/3456.debug"));
	if (has_dpkg) {
		assert_non_null(strstr(err.hint, "dpkg -S /usr/bin/thing names"));
		assert_non_null(strstr(err.hint, "-dbgsym (archive ")); /* none of the usual ones has it */
	}
	stripped_hint(&err, id, sizeof(id), &ask, SYMBOL_NS_OTHER);
	assert_null(strstr(err.hint, "dpkg"));
	ask.path = "/usr/bin/$(touch x)";
	stripped_explain(&err, id, 0, true);
	stripped_hint(&err, id, 0, &ask, SYMBOL_NS_OWN);
	assert_null(strstr(err.hint, "touch"));
	assert_non_null(strstr(err.hint, "not stripped"));
	assert_non_null(strstr(err.text, "no build-id"));
}

/* A process that waits, in a mount namespace of its own or not; 0: there is no right to make one. */
static pid_t
waiting_child(bool own_namespace)
{
	int ready[2];
	char ok = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = run_fork();
	if (pid == 0) {
		ok = !own_namespace || unshare(CLONE_NEWNS) == 0;
		if (write(ready[1], &ok, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &ok, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (ok)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static void
another_mount_namespace_is_told_from_the_own(void **state)
{
	pid_t own = waiting_child(false), other = waiting_child(true);

	(void)state;
	assert_int_equal(mount_ns_of("/proc", own), SYMBOL_NS_OWN);
	kill(own, SIGKILL);
	waitpid(own, NULL, 0);
	assert_int_equal(mount_ns_of("/proc", own), SYMBOL_NS_UNKNOWN);
	assert_int_equal(mount_ns_of("/proc", 0), SYMBOL_NS_UNKNOWN);
	if (other == 0)
		skip_for("a mount namespace cannot be made here");
	assert_int_equal(mount_ns_of("/proc", other), SYMBOL_NS_OTHER);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void
names_of_things_that_are_no_files_have_a_reason(void **state)
{
	struct symbol_ask ask = { .kind = SYMBOL_ELF, .path = "//anon" };

	assert_reason(ask_image(*state, &ask), "not a file");
	ask.path = "[heap]";
	assert_reason(ask_image(*state, &ask), "not a file");
	ask.path = "/dev/zero";
	assert_reason(ask_image(*state, &ask), "not a regular file");
}

static void
a_deleted_file_is_read_while_a_process_maps_it(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	struct symbol_ask ask;
	struct child c;

	assert_true(sh(f, "cp nopie doomed"));
	c = child_start(f, "doomed", NULL);
	assert_int_equal(unlink(in_dir(f, "doomed")), 0);
	find_map(&c, c.start);
	assert_non_null(strstr(c.path, " (deleted)"));
	ask = ask_of_child(&c);
	ask.pid = 0;
	assert_reason(ask_image(f, &ask), "deleted");
	ask.pid = c.pid;
	m = ask_image(f, &ask);
	if (geteuid() == 0) {
		assert_non_null(m->image);
		msg_free(&m->msg);
	} else {
		assert_reason(m, "deleted");
	}
	child_end(&c);
}

static void
a_file_replaced_since_it_was_mapped_is_not_read(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask;
	struct child c;

	assert_true(sh(f, "cp nopie changing"));
	c = child_start(f, "changing", NULL);
	assert_true(sh(f, "cp pie other && mv other changing"));
	ask = ask_of_child(&c);
	ask.pid = 0;
	assert_reason(ask_image(f, &ask), "replaced");
	child_end(&c);
}

static void
a_map_of_another_file_at_the_same_place_is_not_taken(void **state)
{
	struct fixture *f = *state;
	struct child c = child_start(f, "nopie", NULL);
	struct symbol_ask ask = ask_of_child(&c);

	/* The pid and the range are those of a process that died: another lives there now. */
	ask.path = in_dir(f, "long-gone");
	ask.ino = c.ino + 1;
	assert_reason(ask_image(f, &ask), "No such file");
	child_end(&c);
}

static void
the_vdso_has_names(void **state)
{
	struct symbol_ask ask = { .kind = SYMBOL_VDSO, .path = "[vdso]" };
	struct symbol_image_msg *m = ask_image(*state, &ask);
	bool found = false;
	uint32_t i;

	assert_non_null(m->image);
	for (i = 0; i < image_count(m->image); i++)
		found = found || strstr(image_raw_name(m->image, i), "gettime") != NULL;
	assert_true(found);
	msg_free(&m->msg);
}

static void
a_32_bit_program_has_names(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	write_text(f, "i386.s",
		   ".text\n.globl _start\n.type _start,@function\n_start: nop\nnop\n"
		   ".size _start,2\n.type small,@function\nsmall: nop\n.size small,1\n");
	if (!sh(f, "as --32 i386.s -o i386.o && ld -m elf_i386 i386.o -o i386"))
		skip_for("no assembler for i386 here");
	m = ask_path(f, "i386");
	assert_non_null(m->image);
	assert_int_equal(image_count(m->image), 2);
	assert_string_equal(image_raw_name(m->image, 0), "_start");
	assert_int_equal(image_size(m->image, 0), 2);
	assert_string_equal(name_of(m->image, image_address(m->image, 0) + 2), "small");
	msg_free(&m->msg);
}

static void
a_program_with_half_a_million_symbols_is_read_whole(void **state)
{
	enum { N = 500000 };
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	FILE *out = fopen(in_dir(f, "big.s"), "w");
	char name[32];
	uint32_t i;

	fprintf(out, ".text\n.globl _start\n_start:\n.skip %u\n", N);
	for (i = 0; i < N; i++)
		fprintf(out, ".set f%u,_start+%u\n.type f%u,2\n.size f%u,1\n", i, i, i, i);
	fclose(out);
	if (!sh(f, "as big.s -o big.o && ld big.o -o big"))
		skip_for("no assembler here");
	m = ask_path(f, "big");
	assert_non_null(m->image);
	assert_int_equal(image_count(m->image), N);
	for (i = 0; i < N; i += 12347) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_string_equal(name_of(m->image, image_address(m->image, 0) + i), name);
	}
	msg_free(&m->msg);
}

static size_t
slurp(const char *path, uint8_t *bytes, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, bytes, max);

	close(fd);
	assert_that(n, >, 0);
	assert_that((size_t)n, <, max);
	return (size_t)n;
}

/* What the service does with a file, short of threads. */
static bool
parse(const uint8_t *bytes, size_t len)
{
	int fd = sealed_new("test", NULL), out = -1;
	struct err err = { 0 };
	struct image *img;
	struct elf_file e;

	assert_int_equal(sealed_write(fd, bytes, len), 0);
	if (elf_file_open(&e, fd, &err) == 0) {
		out = elf_image(&e, NULL, &err);
		elf_file_close(&e);
	}
	close(fd);
	if (out < 0) {
		assert_string_not_equal(err.text, "");
		return false;
	}
	img = image_open(out, &err);
	assert_non_null(img);
	image_free(img);
	return true;
}

static void
a_truncated_program_is_harmless(void **state)
{
	static uint8_t bytes[1 << 20];
	size_t len = slurp(in_dir(*state, "pie"), bytes, sizeof(bytes)), i;

	assert_true(parse(bytes, len));
	for (i = 0; i < len; i += i < 1024 ? 8 : 97)
		parse(bytes, i);
}

static void
a_hostile_program_is_harmless(void **state)
{
	static uint8_t bytes[1 << 20], copy[1 << 20];
	size_t len = slurp(in_dir(*state, "nopie"), bytes, sizeof(bytes));
	uint64_t x = 88172645463325252, i, k;
	uint64_t shoff;

	memcpy(&shoff, bytes + 40, sizeof(shoff));
	for (i = 0; i < 4000; i++) {
		memcpy(copy, bytes, len);
		for (k = 0; k < 1 + i % 4; k++) {
			size_t at;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			/* Mostly the headers: what tells sizes and places. */
			at = x % 3 == 0 ? (x >> 8) % 900 : shoff + (x >> 8) % (len - shoff);
			if (x % 7 == 0)
				at = (x >> 8) % len;
			copy[at] = x % 5 == 0 ? 0xff : (uint8_t)(x >> 48);
		}
		parse(copy, len);
	}
}

static void
a_service_that_ends_drops_what_it_was_asked(void **state)
{
	struct fixture *f = *state;
	struct symbol_service *s = service_with(f, "/proc", NULL, true);
	struct symbol_ask ask = { .kind = SYMBOL_ELF, .path = in_dir(f, "pie") };
	struct symbol_ask kernel = { .kind = SYMBOL_KERNEL, .path = "" };
	uint64_t addr = 1;
	struct msg *m;
	unsigned i, answered = 0;

	for (i = 0; i < 20; i++) {
		const char *raw = "_Z3foov";

		symbol_service_ask_image(s, &ask);
		symbol_service_ask_image(s, &kernel);
		symbol_service_ask_lines(s, &ask, &addr, 1);
		symbol_service_ask_names(s, 1, &raw, &i, 1);
	}
	symbol_service_free(s);
	for (; (m = queue_take(f->answers)) != NULL; answered++)
		msg_free(m);
	assert_that(answered, <, 4 * i);
}

/* A 32-bit program that does nothing for ever; 0: there are none here. */
static pid_t
start_32_bit(const struct fixture *f)
{
	char link[64], exe[256];
	ssize_t len;
	pid_t pid;

	write_text(f, "wait32.c", "void _start(void);\nvoid _start(void) { for (;;) ; }\n");
	if (!sh(f, "cc -m32 -nostdlib -static -fno-pie -no-pie wait32.c -o wait32"))
		return 0;
	pid = run_fork();
	if (pid == 0) {
		execl(in_dir(f, "wait32"), "wait32", NULL);
		_exit(127);
	}
	/* It is that program, or has ended as this machine cannot run it. */
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
		len = readlink(link, exe, sizeof(exe) - 1);
		exe[len > 0 ? len : 0] = '\0';
		if (strstr(exe, "/wait32") != NULL)
			return pid;
		usleep(1000);
	}
	return 0;
}

static bool
find_vdso(pid_t pid, struct symbol_ask *ask)
{
	char path[64], line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		unsigned long start, end;

		if (strstr(line, "[vdso]") == NULL || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		ask->start = start;
		ask->end = end;
		found = true;
	}
	if (maps != NULL)
		fclose(maps);
	return found;
}

static void
the_vdso_of_32_bit_programs_comes_from_their_memory(void **state)
{
	struct symbol_ask ask = { .dso = 9, .kind = SYMBOL_MEMORY, .path = "[vdso]" };
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	bool found, named = false;

	ask.pid = start_32_bit(f);
	if (ask.pid == 0)
		skip_for("no 32-bit program can be made or run here");
	/* Its exec maps the program before the vdso. */
	for (int ms = 0; !(found = find_vdso(ask.pid, &ask)) && ms < 2000; ms++)
		usleep(1000);
	m = found ? ask_image(f, &ask) : NULL;
	kill(ask.pid, SIGKILL);
	waitpid(ask.pid, NULL, 0);
	if (!found)
		skip_for("32-bit programs have no vdso here");
	assert_true(ask.start >> 32 == 0);
	assert_non_null(m->image);
	for (uint32_t fn = 0; fn < image_count(m->image); fn++)
		named |= strcmp(image_raw_name(m->image, fn), "__kernel_vsyscall") == 0;
	assert_true(named);
	msg_free(&m->msg);
	/* It is gone now. */
	assert_reason(ask_image(f, &ask), "cannot open");
	ask.pid = 0;
	assert_reason(ask_image(f, &ask), "no process that maps it");
}

static struct symbol_rules_msg *
ask_rules(const struct fixture *f, const struct symbol_ask *ask)
{
	struct symbol_rules_msg *m;

	symbol_service_ask_rules(f->service, ask);
	m = (struct symbol_rules_msg *)answer(f, SYMBOL_MSG_RULES);
	assert_int_equal(m->dso, ask->dso);
	return m;
}

static void
assert_no_rules(const struct fixture *f, const struct symbol_ask *ask, const char *why,
		bool is_unread)
{
	struct symbol_rules_msg *m = ask_rules(f, ask);

	assert_null(m->rules);
	if (strstr(m->err.text, why) == NULL)
		fail_msg("'%s' is not in '%s'", why, m->err.text);
	assert_int_equal(m->is_unread, is_unread);
	msg_free(&m->msg);
}

static void
files_that_are_mapped_have_rules(void **state)
{
	struct fixture *f = *state;
	struct child c = child_start(f, "pie", "lib");
	struct symbol_ask ask = ask_of_child(&c);
	struct symbol_rules_msg *m = ask_rules(f, &ask);

	assert_non_null(m->rules);
	assert_non_null(unwind_rules_find(m->rules, c.offset));
	assert_null(unwind_rules_find(m->rules, UINT64_MAX / 2));
	msg_free(&m->msg);
	child_end(&c);
}

static void
the_vdso_has_rules(void **state)
{
	const struct symbol_ask ask = { .dso = 3, .kind = SYMBOL_VDSO };
	struct symbol_rules_msg *m = ask_rules(*state, &ask);

	assert_non_null(m->rules);
	assert_that(unwind_rules_rows(m->rules), >, 0);
	msg_free(&m->msg);
}

static void
files_without_rules_have_a_reason(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF };

	write_text(f, "no_elf", "this is not an ELF file\n");
	ask.path = in_dir(f, "no_elf");
	assert_no_rules(f, &ask, "not an ELF", false);
	ask.path = in_dir(f, "nowhere");
	assert_no_rules(f, &ask, "No such file", true);
	assert_true(sh(f, "objcopy -R .eh_frame -R .eh_frame_hdr -R .debug_frame pie without"));
	ask.path = in_dir(f, "without");
	assert_no_rules(f, &ask, "no call frame information", false);
	assert_true(sh(f, "cc -O1 -shared -fPIC -Wl,--build-id=0x1234 lib.c -o id.so"));
	ask.path = in_dir(f, "id.so");
	memcpy(ask.build_id, "another build", 13);
	ask.build_id_len = 13;
	assert_no_rules(f, &ask, "is another build", true);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vdso_of_32_bit_programs_comes_from_their_memory),
		cmocka_unit_test(a_position_independent_program_has_names_at_file_offsets),
		cmocka_unit_test(files_that_are_mapped_have_rules),
		cmocka_unit_test(the_vdso_has_rules),
		cmocka_unit_test(files_without_rules_have_a_reason),
		cmocka_unit_test(a_program_at_a_fixed_address_has_names_at_file_offsets),
		cmocka_unit_test(a_shared_library_has_names_at_file_offsets),
		cmocka_unit_test(a_library_without_symtab_has_the_names_it_exports),
		cmocka_unit_test(what_is_no_program_has_a_reason),
		cmocka_unit_test(another_mount_namespace_is_told_from_the_own),
		cmocka_unit_test(the_source_of_the_names_is_told),
		cmocka_unit_test(the_remedy_of_a_stripped_file_names_build_id_and_package),
		cmocka_unit_test(what_no_symbol_covers_is_called_by_its_section),
		cmocka_unit_test(a_stripped_program_has_the_names_of_its_linkage_table_and_a_reason),
		cmocka_unit_test(names_of_things_that_are_no_files_have_a_reason),
		cmocka_unit_test(a_deleted_file_is_read_while_a_process_maps_it),
		cmocka_unit_test(a_file_replaced_since_it_was_mapped_is_not_read),
		cmocka_unit_test(a_map_of_another_file_at_the_same_place_is_not_taken),
		cmocka_unit_test(the_vdso_has_names),
		cmocka_unit_test(a_32_bit_program_has_names),
		cmocka_unit_test(a_program_with_half_a_million_symbols_is_read_whole),
		cmocka_unit_test(a_truncated_program_is_harmless),
		cmocka_unit_test(a_hostile_program_is_harmless),
		cmocka_unit_test(a_service_that_ends_drops_what_it_was_asked),
	};

	return cmocka_run_group_tests_name("symbol service", tests, fixture_setup,
					   fixture_teardown);
}
