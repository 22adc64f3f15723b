/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions are inlined where: at each instruction of programs of C and C++ those that
 * addr2line -i finds there, in its order; of broken files anything, but quietly.
 */
#include "config.h"

#include "symbol/elf/lines.h"

#include "symbol_fixture.h"
#include "tests/asserts.h"
#include "tests/skip.h"

enum { AT_MAX = INLINES_ASK_MAX, NAMES_MAX = 4096 };

static void
start_service(struct fixture *f, bool demangle)
{
	const struct symbol_config config = { .kallsyms = "/proc/kallsyms", .proc = "/proc",
					      .debug_dir = in_dir(f, "debug"),
					      .demangle = demangle };

	symbol_service_free(f->service);
	f->service = symbol_service_new(&config, f->answers);
}

static void
need_dwarf(void)
{
#ifndef HAVE_LIBDW
	skip_for("built without libdw");
#endif
}

static void
write_sources(const struct fixture *f)
{
	write_text(f, "deep.c",
		   "#include <stdlib.h>\n"
		   "#define IN __attribute__((always_inline)) static inline\n"
		   "volatile unsigned sink;\n"
		   "IN void innermost(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }\n"
		   "IN void middle(unsigned n) { if (n & 1) innermost(n); else sink ^= n; }\n"
		   "IN void outermost(unsigned n) { middle(n); sink *= 3; middle(n + 1); }\n"
		   "__attribute__((noinline)) int caller(unsigned n)\n"
		   "{\n"
		   "	outermost(n);\n"
		   "	if (__builtin_expect(n > 1000000, 0)) { middle(n); abort(); }\n"
		   "	return (int)sink;\n"
		   "}\n"
		   "int main(int argc, char **argv)\n"
		   "{\n"
		   "	(void)argv; middle((unsigned)argc); return caller((unsigned)argc);\n"
		   "}\n");
	write_names(f);
}

/* Where the code of the file's function begins and ends, as nm tells; false: there is none. */
static bool
code_of(const struct fixture *f, const char *file, const char *function, uint64_t *start,
	uint64_t *end)
{
	char command[512], line[512];
	unsigned long long at, size;
	bool found = false;
	FILE *in;

	snprintf(command, sizeof(command), "nm -S '%s' | grep ' %s$'", in_dir(f, file), function);
	in = popen(command, "r");
	if (fgets(line, sizeof(line), in) != NULL && sscanf(line, "%llx %llx", &at, &size) == 2) {
		found = true;
		*start = at;
		*end = at + size;
	}
	pclose(in);
	return found;
}

static struct symbol_lines_msg *
ask_inlines(const struct fixture *f, const char *file, const uint64_t *addrs, uint32_t count)
{
	static uint32_t dso = 1000;
	struct symbol_ask ask = { .dso = dso++, .kind = SYMBOL_ELF, .path = in_dir(f, file) };

	symbol_service_ask_inlines(f->service, &ask, addrs, count);
	return (struct symbol_lines_msg *)answer(f, SYMBOL_MSG_LINES);
}

/* What addr2line says of @addr: names, the outermost first, each a line. */
static void
oracle(const struct fixture *f, const char *file, uint64_t addr, char names[NAMES_MAX])
{
	char command[512], line[NAMES_MAX], rest[NAMES_MAX] = "";
	bool is_name = true;
	unsigned count = 0;
	FILE *in;

	snprintf(command, sizeof(command), "addr2line -f -i -e '%s' %llx", in_dir(f, file),
		 (unsigned long long)addr);
	in = popen(command, "r");
	names[0] = '\0';
	for (; fgets(line, sizeof(line), in) != NULL; is_name = !is_name) {
		if (!is_name)
			continue;
		line[strcspn(line, "\n")] = '\0';
		/* The last one, which is put in front, is the function itself. */
		strcpy(rest, names);
		snprintf(names, NAMES_MAX, "%.*s\n%.*s", 1000, line, NAMES_MAX - 1002, rest);
		count++;
	}
	pclose(in);
	assert_that(count, >, 0);
	memmove(names, strchr(names, '\n') + 1, strlen(strchr(names, '\n')));
}

static void
join(const struct symbol_line *line, char names[NAMES_MAX])
{
	const char *name = line->inlined;
	size_t len = 0;

	names[0] = '\0';
	for (uint32_t i = 0; i < line->inlined_count; i++, name += strlen(name) + 1)
		len += (size_t)snprintf(names + len, NAMES_MAX - len, "%s\n", name);
}

/*
 * It tells the symbol's name in place of the innermost one that the linker has no name for: that
 * there is one must do.
 */
static void
forgive_addr2line(char *want, char *got, const char *function)
{
	size_t len = strlen(want), tail = strlen(function) + 1;
	char *last;

	if (len < tail || memcmp(want + len - tail, function, tail - 1) != 0)
		return;
	want[len - tail] = '\0';
	got[MAX(strlen(got), 1) - 1] = '\0';
	last = strrchr(got, '\n');
	assert_true(got[0] != '\0');
	if (last != NULL && want[0] != '\0')
		last[1] = '\0';
	else
		got[0] = '\0';
}

/* At each byte of the code; how many functions were inlined at most. */
static uint32_t
check_code(const struct fixture *f, const char *file, const char *whole, const char *function)
{
	char want[NAMES_MAX], got[NAMES_MAX];
	struct symbol_lines_msg *m;
	uint64_t addrs[AT_MAX], start, end, step;
	uint32_t count = 0, deepest = 0;

	if (!code_of(f, whole, function, &start, &end))
		fail_msg("%s has no %s", whole, function);
	step = MAX((end - start) / 100, 1);
	for (uint64_t at = start; at < end && count < AT_MAX; at += step)
		addrs[count++] = at;
	m = ask_inlines(f, file, addrs, count);
	assert_true(m->of_inlines);
	assert_false(m->is_lost);
	for (uint32_t i = 0; i < count; i++) {
		oracle(f, whole, addrs[i], want);
		join(&m->lines[i], got);
		forgive_addr2line(want, got, function);
		if (strcmp(want, got) != 0)
			fail_msg("%s+%llx: '%s', by addr2line '%s'", function,
				 (unsigned long long)(addrs[i] - start), got, want);
		deepest = MAX(deepest, m->lines[i].inlined_count);
	}
	msg_free(&m->msg);
	return deepest;
}

static void
inlined_functions_of_a_c_program_are_those_of_addr2line(void **state)
{
	const struct fixture *f = *state;

	need_dwarf();
	assert_true(sh(f, "cc -g -O2 -fPIE -pie deep.c -o deep"));
	assert_int_equal(check_code(f, "deep", "deep", "caller"), 3);
	assert_int_equal(check_code(f, "deep", "deep", "main"), 2);
}

static void
inlined_functions_are_found_in_the_debug_file(void **state)
{
	const struct fixture *f = *state;

	need_dwarf();
	assert_true(sh(f, "cc -g -O2 -fPIE -pie deep.c -o deep && cp deep apart && "
			  "objcopy --only-keep-debug apart apart.debug && strip apart && "
			  "objcopy --add-gnu-debuglink=apart.debug apart"));
	assert_int_equal(check_code(f, "apart", "deep", "caller"), 3);
}

static void
inlined_functions_of_a_cplusplus_program_are_those_of_addr2line(void **state)
{
	struct fixture *f = *state;

	need_dwarf();
	if (!sh(f, "c++ -g -O2 -fPIE -pie names.cc -o names"))
		skip_for("no C++ compiler here");
	start_service(f, false);
	assert_that(check_code(f, "names", "names", "_ZN5space6callerEi"), >=, 4);
	start_service(f, true);
}

static void
names_of_inlined_functions_are_demangled(void **state)
{
	const struct fixture *f = *state;
	bool found = false;
	uint64_t start, end;

	need_dwarf();
	if (!sh(f, "c++ -g -O2 -fPIE -pie names.cc -o names"))
		skip_for("no C++ compiler here");
	assert_true(code_of(f, "names", "_ZN5space6callerEi", &start, &end));
	for (uint64_t from = start; from < end && !found; from += AT_MAX) {
		struct symbol_lines_msg *m;
		uint64_t addrs[AT_MAX];
		char got[NAMES_MAX];

		for (uint32_t i = 0; i < AT_MAX; i++)
			addrs[i] = from + i;
		m = ask_inlines(f, "names", addrs, AT_MAX);
		for (uint32_t i = 0; i < AT_MAX; i++) {
			join(&m->lines[i], got);
			if (strstr(got, "_Z") != NULL)
				fail_msg("'%s'", got);
			found |= strstr(got, "space::box<int>::get() const") != NULL ||
				 strstr(got, "space::box<int>::get\n") != NULL;
		}
		msg_free(&m->msg);
	}
	assert_true(found);
}

static void
without_debug_data_nothing_is_inlined_and_without_a_file_nothing_is_known(void **state)
{
	const struct fixture *f = *state;
	const uint64_t at = 0x1000;
	struct symbol_lines_msg *m;

	assert_true(sh(f, "cc -O2 -fPIE -pie deep.c -o plain"));
	m = ask_inlines(f, "plain", &at, 1);
	assert_int_equal(m->lines[0].inlined_count, 0);
	assert_false(m->is_lost);
	msg_free(&m->msg);
	m = ask_inlines(f, "nothing_there", &at, 1);
	assert_int_equal(m->lines[0].inlined_count, 0);
	assert_true(m->is_lost);
	msg_free(&m->msg);
}

/* Any chain from a file that says anything: bounded, and names with ends. */
static void
read_mutant(const char *path, const uint64_t *addrs, size_t count)
{
	struct lines *lines = lines_new();
	struct buf names = { 0 };

	lines_open(lines, 1, open(path, O_RDONLY | O_CLOEXEC), NULL, NULL);
	for (size_t i = 0; i < count; i++) {
		unsigned n = lines_inlined(lines, 1, addrs[i], &names);
		const char *name = buf_str(&names);

		assert_that(n, <=, INLINES_MAX);
		assert_that(names.len, <=, INLINES_BYTES_MAX);
		for (unsigned k = 0; k < n; k++)
			name += strlen(name) + 1;
		assert_int_equal(name - buf_str(&names), names.len);
		buf_reset(&names);
	}
	buf_release(&names);
	lines_free(lines);
}

/* Bytes of .debug_info and .debug_abbrev are overwritten, by a generator that always starts alike. */
static void
broken_debug_data_are_harmless(void **state)
{
	enum { ROUNDS = 400, CHANGES = 12, SIZE_MAX_BYTES = 256 << 10 };
	static char bytes[SIZE_MAX_BYTES], copy[SIZE_MAX_BYTES];
	const struct fixture *f = *state;
	uint64_t addrs[64], start, end, seed = 1;
	size_t len;
	FILE *in;

	need_dwarf();
	assert_true(sh(f, "cc -g -O2 -fPIE -pie deep.c -o deep"));
	assert_true(code_of(f, "deep", "caller", &start, &end));
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++)
		addrs[i] = start + i * (end - start) / ARRAY_SIZE(addrs);
	in = fopen(in_dir(f, "deep"), "r");
	len = fread(bytes, 1, sizeof(bytes), in);
	fclose(in);
	for (int round = 0; round < ROUNDS; round++) {
		FILE *out = fopen(in_dir(f, "mutant"), "w");

		memcpy(copy, bytes, len);
		/* Behind the code and its data lies little but debug data. */
		for (int i = 0; i < CHANGES; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			copy[0x3000 + (seed >> 33) % (len - 0x3000 - 0x1000)] = (char)(seed >> 20);
		}
		assert_int_equal(fwrite(copy, 1, len, out), len);
		fclose(out);
		read_mutant(in_dir(f, "mutant"), addrs, ARRAY_SIZE(addrs));
	}
}

static int
setup(void **state)
{
	if (fixture_setup(state) != 0)
		return -1;
	write_sources(*state);
	start_service(*state, true);
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(inlined_functions_of_a_c_program_are_those_of_addr2line),
		cmocka_unit_test(inlined_functions_are_found_in_the_debug_file),
		cmocka_unit_test(inlined_functions_of_a_cplusplus_program_are_those_of_addr2line),
		cmocka_unit_test(names_of_inlined_functions_are_demangled),
		cmocka_unit_test(without_debug_data_nothing_is_inlined_and_without_a_file_nothing_is_known),
		cmocka_unit_test(broken_debug_data_are_harmless),
	};

	return cmocka_run_group_tests_name("inlined functions", tests, setup, fixture_teardown);
}
