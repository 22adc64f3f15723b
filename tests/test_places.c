/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions, variables and lines are, as the symbol service tells it. */
#include <config.h>

#include "symbol_fixture.h"

#include "symbol/elf/places.h"
#include "tests/asserts.h"

static const char source[] =
	"#include <stdio.h>\n"                                                      /* 1 */
	"#include <unistd.h>\n"
	"int counter, counters[4] = { 1 };\n"
	"__thread int of_thread;\n"
	"static int (*choose(void))(int);\n"
	"int chosen(int) __attribute__((ifunc(\"choose\")));\n"
	"int alpha(int n) { return n + 1; }\n"                                       /* 7 */
	"int alpha_two(int n) { return n + 2; }\n"
	"int alpha_same(int) __attribute__((alias(\"alpha_two\")));\n"
	"static int (*choose(void))(int) { return alpha; }\n"                       /* 10 */
	"\n"
	"int loop(int n)\n"                                                         /* 12 */
	"{\n"
	"	for (int i = 0; i < 3; i++)\n"                                      /* 14 */
	"		n += alpha(i);\n"
	"	return n;\n"
	"}\n"
	"int main(void)\n"                                                          /* 18 */
	"{\n"
	"	char c;\n"
	"	printf(\"%p\\n\", (void *)loop);\n"
	"	fflush(stdout);\n"
	"	return (int)read(0, &c, 1) + loop(counter) + chosen(counters[0]) + of_thread == 77;\n"
	"}\n";

static void
compile(const struct fixture *f)
{
	write_text(f, "places.c", source);
	assert_true(sh(f, "cc -O0 -g -fPIE -pie places.c -o places"));
}

static struct symbol_places_msg *
ask(const struct fixture *f, const struct symbol_places_ask *a)
{
	symbol_service_ask_places(f->service, a);
	return (struct symbol_places_msg *)answer(f, SYMBOL_MSG_PLACES);
}

static struct symbol_places_msg *
ask_file(const struct fixture *f, const char *name, const char *pattern, bool data)
{
	struct symbol_places_ask a = {
		.file = { .dso = 9, .kind = SYMBOL_ELF, .path = in_dir(f, name) },
		.pattern = pattern, .data = data,
	};
	struct symbol_places_msg *m = ask(f, &a);

	assert_int_equal(m->dso, 9);
	return m;
}

static void
assert_none(struct symbol_places_msg *m, enum err_code code, const char *why, const char *hint)
{
	assert_int_equal(m->count, 0);
	assert_int_equal(m->err.code, code);
	if (strstr(m->err.text, why) == NULL || strstr(m->err.hint, hint) == NULL)
		fail_msg("'%s' (%s), not '%s' (%s)", m->err.text, m->err.hint, why, hint);
	msg_free(&m->msg);
}

static void
a_function_is_found_where_the_program_runs_it(void **state)
{
	struct fixture *f = *state;
	struct symbol_places_msg *m;
	struct child c;

	compile(f);
	c = child_start(f, "places", NULL);
	m = ask_file(f, "places", "loop", false);
	assert_int_equal(m->err.code, ERR_NONE);
	assert_int_equal(m->count, 1);
	assert_int_equal(m->places[0].offset, c.offset);
	assert_string_equal(m->places[0].name, "loop");
	assert_string_equal(m->path, in_dir(f, "places"));
	assert_that(m->places[0].size, >, 8);
	msg_free(&m->msg);
	child_end(&c);
}

/* Its bytes in the process's memory are those that the program has there. */
static void
a_variable_is_found_where_the_process_has_it(void **state)
{
	struct fixture *f = *state;
	struct symbol_places_msg *m;
	struct symbol_places_ask a;
	int value[4] = { 0 };
	char path[64];
	struct child c;
	int fd;

	compile(f);
	c = child_start(f, "places", NULL);
	a = (struct symbol_places_ask){ .file = ask_of_child(&c), .pattern = "counters",
					.data = true };
	a.pgoff = c.offset & ~(uint64_t)(page_size() - 1);
	m = ask(f, &a);
	assert_int_equal(m->count, 1);
	assert_int_equal(m->places[0].size, sizeof(value));
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)c.pid);
	fd = open(path, O_RDONLY);
	assert_that(fd, >=, 0);
	assert_int_equal(pread(fd, value, sizeof(value), (off_t)(m->bias + m->places[0].addr)),
			 sizeof(value));
	close(fd);
	assert_int_equal(value[0], 1);
	assert_int_equal(value[1], 0);
	msg_free(&m->msg);
	child_end(&c);
}

static void
a_pattern_names_several_and_aliases_are_one(void **state)
{
	struct fixture *f = *state;
	struct symbol_places_msg *m;

	compile(f);
	m = ask_file(f, "places", "alpha*", false);
	assert_int_equal(m->count, 2);
	assert_true(m->places[0].offset != m->places[1].offset);
	msg_free(&m->msg);
	m = ask_file(f, "places", "counter*", true);
	assert_int_equal(m->count, 2);
	msg_free(&m->msg);
	assert_none(ask_file(f, "places", "beta*", false), ERR_GONE, "no function 'beta*'", "");
}

static void
what_has_no_one_place_says_so(void **state)
{
	struct fixture *f = *state;

	compile(f);
	assert_none(ask_file(f, "places", "of_thread", true), ERR_UNSUPPORTED, "each thread", "mem:");
	assert_none(ask_file(f, "places", "chosen", false), ERR_UNSUPPORTED, "chosen when", "name");
	/* A function is no variable, nor the other way round. */
	assert_none(ask_file(f, "places", "loop", true), ERR_GONE, "no variable 'loop'", "");
	assert_none(ask_file(f, "places", "counter", false), ERR_GONE, "no function", "");
}

static void
a_slip_gets_the_right_name(void **state)
{
	struct fixture *f = *state;

	compile(f);
	assert_none(ask_file(f, "places", "alpah", false), ERR_GONE, "no function", "'alpha'");
	assert_none(ask_file(f, "places", "conuter", true), ERR_GONE, "no variable", "'counter'");
}

static void
a_file_without_symbols_says_so(void **state)
{
	struct fixture *f = *state;

	write_text(f, "text", "this is not an ELF file\n");
	write_text(f, "short", "\177ELF\002\001\001");
	assert_none(ask_file(f, "text", "main", false), ERR_FORMAT, "not an ELF", "");
	assert_none(ask_file(f, "short", "main", false), ERR_FORMAT, "truncated", "");
	assert_none(ask_file(f, "missing", "main", false), ERR_GONE, "No such file", "");
	assert_none(ask_file(f, "stripped", "hot_loop", false), ERR_GONE, "stripped:", "build");
}

static void
too_many_places_are_refused(void **state)
{
	struct fixture *f = *state;
	FILE *out = fopen(in_dir(f, "many.c"), "w");

	assert_non_null(out);
	for (int i = 0; i < PLACES_MAX + 1; i++)
		fprintf(out, "int f%d(void) { return %d; }\n", i, i);
	fputs("int main(void) { return 0; }\n", out);
	assert_int_equal(fclose(out), 0);
	assert_true(sh(f, "cc -O0 many.c -o many"));
	assert_none(ask_file(f, "many", "f*", false), ERR_LIMIT, "more than 256", "fewer");
	msg_free(&ask_file(f, "many", "f1*", false)->msg);
}

static void
a_line_is_the_begin_of_its_code(void **state)
{
	struct fixture *f = *state;
	struct symbol_places_msg *m, *loop;
	char path[512];

	compile(f);
	snprintf(path, sizeof(path), "%s:14", in_dir(f, "places.c"));
	loop = ask_file(f, "places", "loop", false);
	m = ask_file(f, "places", "places.c:14", false);
#ifdef HAVE_LIBDW
	/* A for has code at its begin and at its end: where it begins counts. */
	assert_int_equal(m->count, 1);
	assert_that(m->places[0].offset, >, loop->places[0].offset);
	assert_that(m->places[0].offset, <, loop->places[0].offset + loop->places[0].size / 2);
	msg_free(&m->msg);
	m = ask_file(f, "places", path, false);
	assert_int_equal(m->count, 1);
	msg_free(&m->msg);
	assert_none(ask_file(f, "places", "places.c:11", false), ERR_GONE, "line 11 of 'places.c'",
		    "the next line that has: places.c:1");
	assert_none(ask_file(f, "places", "laces.c:14", false), ERR_GONE, "no source file", "-g");
	assert_none(ask_file(f, "stripped", "prog.c:8", false), ERR_GONE, "no debug data", "-g");
#else
	assert_none(m, ERR_UNSUPPORTED, "without libdw", "");
#endif
	msg_free(&loop->msg);
}

static struct symbol_places_msg *
ask_offset(const struct fixture *f, const char *name, uint64_t offset)
{
	struct symbol_places_ask a = {
		.file = { .dso = 9, .kind = SYMBOL_ELF, .path = in_dir(f, name) },
		.offset = offset,
	};

	return ask(f, &a);
}

static void
an_offset_is_a_place_where_the_file_has_code(void **state)
{
	struct fixture *f = *state;
	struct symbol_places_msg *loop, *m;

	compile(f);
	write_text(f, "text", "this is not an ELF file\n");
	loop = ask_file(f, "places", "loop", false);
	m = ask_offset(f, "places", loop->places[0].offset + 1);
	assert_int_equal(m->err.code, ERR_NONE);
	assert_int_equal(m->count, 1);
	assert_int_equal(m->places[0].offset, loop->places[0].offset + 1);
	assert_string_equal(m->path, in_dir(f, "places"));
	msg_free(&m->msg);
	msg_free(&loop->msg);
	assert_none(ask_offset(f, "places", 120), ERR_USAGE, "0x78 of the file is not in its code",
		    "FILE.c:120");
	assert_none(ask_offset(f, "places", UINT64_MAX), ERR_USAGE, "is not in its code", "");
	assert_none(ask_offset(f, "text", 1), ERR_FORMAT, "not an ELF file", "");
	assert_none(ask_offset(f, "missing", 1), ERR_GONE, "No such file", "");
}

#ifdef HAVE_LIBDW

static const char with_arguments[] =
	"#include <stddef.h>\n"
	"struct pair { int a, b; };\n"
	"struct large { long items[4]; };\n"
	"typedef const unsigned short code;\n"
	"enum color { RED };\n"
	"#define OWN __attribute__((noinline, noclone))\n"
	"OWN void *plain(const char *text, size_t size, signed char step, code c)\n"
	"{ return (void *)(text + size + step + c); }\n"
	"OWN long floats(double part, int n, float other, enum color color, _Bool yes)\n"
	"{ return (long)(part + other) + n + color + yes; }\n"
	"OWN int structure(int before, struct pair p, int behind)\n"
	"{ return before + p.a + p.b + behind; }\n"
	"OWN struct large result(long n) { struct large l = { { n } }; return l; }\n"
	"OWN int many(int a, int b, int c, int d, int e, int f, int g)\n"
	"{ return a + b + c + d + e + f + g; }\n"
	"OWN int variable(const char *format, ...) { return *format; }\n"
	"OWN int pointers(char **words, const unsigned char *bytes, int *n)\n"
	"{ return **words + *bytes + *n; }\n"
	"OWN int none(void) { return 7; }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	struct pair p = { argc, 2 };\n"
	"	return (int)(size_t)plain(*argv, 1, 2, 3) + (int)floats(1, argc, 3, RED, 1) +\n"
	"	       structure(1, p, argc) + (int)result(argc).items[0] +\n"
	"	       many(1, 2, 3, 4, 5, 6, argc) + variable(\"%d\", argc) + none() +\n"
	"	       pointers(argv, (unsigned char *)*argv, &argc);\n"
	"}\n";

/* "text:s8 size:u8 | 2"; a register that has no known name is "-". */
static void
put_arguments(const struct arguments *args, struct buf *b)
{
	for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
		const struct argument *a = &args->items[i];

		if (*a->name != '\0')
			buf_addf(b, "%s:%s%u ", a->name,
				 a->is_text ? "s" : a->is_address ? "*" : a->is_signed ? "i" : "u", a->bytes);
		else
			buf_add_str(b, "- ");
	}
	buf_addf(b, "| %u", args->count);
}

static void
assert_arguments(const struct fixture *f, const char *file, const char *function, const char *wanted)
{
	struct symbol_places_msg *place = ask_file(f, file, function, false);
	struct symbol_places_ask a = {
		.file = { .dso = 9, .kind = SYMBOL_ELF, .path = in_dir(f, file) },
		.arguments = true,
	};
	struct symbol_places_msg *m;
	struct buf b = { 0 };

	assert_int_equal(place->count, 1);
	a.offset = place->places[0].offset;
	m = ask(f, &a);
	assert_int_equal(m->count, 1);
	put_arguments(&m->places[0].arguments, &b);
	if (strcmp(buf_str(&b), wanted) != 0)
		fail_msg("%s of %s: '%s', not '%s'", function, file, buf_str(&b), wanted);
	buf_release(&b);
	msg_free(&m->msg);
	msg_free(&place->msg);
}

/* By the rules of x86-64 and aarch64, whose integers and addresses are in six registers at least. */
static void
arguments_in_registers_have_the_names_that_debug_data_know(void **state)
{
	static const char *const rows[][2] = {
		{ "plain", "text:s8 size:u8 step:i1 c:u2 - - | 4" },
		{ "floats", "n:i4 color:u4 yes:u1 - - - | 3" },
		{ "pointers", "words:*8 bytes:*8 n:*8 - - - | 3" },
		{ "many", "a:i4 b:i4 c:i4 d:i4 e:i4 f:i4 | 6" },
		{ "variable", "format:s8 - - - - - | 0" },
		{ "none", "- - - - - - | 0" },
	};
	static const char *const files[][2] = { { "args0", "-O0 -g" }, { "args2", "-O2 -g" } };
	struct fixture *f = *state;
	char command[128];

#if !defined(__x86_64__) && !defined(__aarch64__)
	skip_for("this machine's registers are not known");
#endif
	write_text(f, "args.c", with_arguments);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(command, sizeof(command), "cc %s args.c -o %s", files[i][1], files[i][0]);
		assert_true(sh(f, command));
		for (size_t n = 0; n < ARRAY_SIZE(rows); n++)
			assert_arguments(f, files[i][0], rows[n][0], rows[n][1]);
	}
	/* What a structure takes is not known here: without a place at the begin nothing behind it is. */
	assert_arguments(f, "args0", "structure", "before:i4 - - - - - | 0");
#ifdef __x86_64__
	/* Its first register says where the result is to be. */
	assert_arguments(f, "args0", "result", "- n:i8 - - - - | 2");
#endif
	assert_true(sh(f, "cc -O2 args.c -o nodebug"));
	assert_arguments(f, "nodebug", "plain", "- - - - - - | 0");
}

static uint32_t
copies_of(const struct fixture *f, const char *file, const char *function)
{
	struct symbol_places_msg *place = ask_file(f, file, function, false), *m;
	struct symbol_places_ask a = {
		.file = { .dso = 9, .kind = SYMBOL_ELF, .path = in_dir(f, file) }, .copies = true,
	};
	uint32_t count;

	assert_int_equal(place->count, 1);
	a.offset = place->places[0].offset;
	m = ask(f, &a);
	assert_int_equal(m->count, 1);
	count = m->places[0].copies;
	msg_free(&m->msg);
	msg_free(&place->msg);
	return count;
}

/* That of another file is another function; of one in a header each file has its own. */
static void
copies_are_counted_of_the_function_itself_whatever_others_are_called(void **state)
{
	static const char both[] =
		"#define ALWAYS static inline __attribute__((always_inline))\n"
		"extern volatile int sink;\n"
		"ALWAYS int shared(int n) { sink += n; return n; }\n";
	static const char a[] =
		"#include \"both.h\"\n"
		"volatile int sink;\n"
		"int b(int n);\n"
		"ALWAYS int own(int n) { sink += 2 * n; return n; }\n"
		"int (*volatile pointers[2])(int) = { own, shared };\n"
		"int main(int argc, char **argv)\n"
		"{ (void)argv; return own(argc) + shared(argc) + shared(7) + b(argc) + pointers[0](1); }\n";
	static const char b[] =
		"#include \"both.h\"\n"
		"ALWAYS int own(int n) { sink -= n; return n; }\n"
		"int b(int n) { return own(n) + own(n + 1) + own(n + 2) + shared(n); }\n";
	struct fixture *f = *state;

	write_text(f, "both.h", both);
	write_text(f, "a.c", a);
	write_text(f, "b.c", b);
	assert_true(sh(f, "cc -O2 -g a.c b.c -o copied"));
	assert_int_equal(copies_of(f, "copied", "own"), 1);
	assert_int_equal(copies_of(f, "copied", "shared"), 3);
}

#endif

static void
lines_are_told_from_names(void **state)
{
	size_t len;
	unsigned line;

	(void)state;
	assert_true(places_is_line("a/b.c:12", &len, &line));
	assert_int_equal(len, 5);
	assert_int_equal(line, 12);
	assert_false(places_is_line("ns::f", &len, &line));
	assert_false(places_is_line("ns::1", &len, &line));
	assert_false(places_is_line("b.c:", &len, &line));
	assert_false(places_is_line("b.c:0", &len, &line));
	assert_false(places_is_line(":4", &len, &line));
	assert_false(places_is_line("b.c:99999999999999999999", &len, &line));
}

static void
functions_of_the_kernel_are_found_by_name(void **state)
{
	static const char text[] = "0000000000000000 T do_one\n"
				   "0000000000000000 t do_two\n"
				   "0000000000000000 D do_data\n"
				   "0000000000000000 t bpf_prog_do\t[bpf]\n"
				   "broken line\n"
				   "ffffffffc0000000 t ext4_do\t[ext4]\n";
	struct fixture *f = *state;
	struct places found = { 0 };
	struct err err = { 0 };

	write_text(f, "kallsyms", text);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "do_*", false, &found, &err), 0);
	assert_int_equal(found.len, 2);
	assert_string_equal(found.items[1].name, "do_two");
	places_release(&found);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "ext4_do", false, &found, &err), 0);
	assert_int_equal(found.items[0].addr, 0xffffffffc0000000);
	places_release(&found);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "do_onne", false, &found, &err), -1);
	assert_non_null(strstr(err.hint, "'do_one'"));
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "do_data", false, &found, &err), -1);
	assert_int_equal(places_in_kernel(in_dir(f, "nothing"), "do_data", false, &found, &err), -1);
	assert_non_null(strstr(err.text, "cannot read"));
}

static void
variables_of_the_kernel_are_found_by_name(void **state)
{
	struct fixture *f = *state;
	struct buf b = { 0 };
	struct places found = { 0 };
	struct err err = { 0 };

	buf_add_str(&b, "ffffffff82000000 T jiffies\nffffffff82a05940 D jiffies\n"
			"0000000000012340 D of_each_cpu\n0000000000000000 b hidden\n"
			"ffffffffc0000000 d ext4_data\t[ext4]\n");
	write_text(f, "kallsyms", b.data);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "jiffies", true, &found, &err), 0);
	assert_int_equal(found.len, 1);
	assert_int_equal(found.items[0].addr, 0xffffffff82a05940);
	places_release(&found);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "ext4_data", true, &found, &err), 0);
	places_release(&found);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "of_each_cpu", true, &found, &err), -1);
	assert_non_null(strstr(err.text, "each CPU has its own"));
	places_release(&found);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "hidden", true, &found, &err), -1);
	assert_non_null(strstr(err.hint, "kptr_restrict"));
	places_release(&found);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "jifies", true, &found, &err), -1);
	assert_non_null(strstr(err.hint, "CONFIG_KALLSYMS_ALL"));
	for (unsigned i = 0; i < 1000; i++)
		buf_addf(&b, "ffffffff82b%05x d some_%u\n", i * 8, i);
	write_text(f, "kallsyms", b.data);
	assert_int_equal(places_in_kernel(in_dir(f, "kallsyms"), "jifies", true, &found, &err), -1);
	assert_non_null(strstr(err.hint, "did you mean 'jiffies'?"));
	buf_release(&b);
}

static size_t
count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static void
questions_leave_no_descriptor_behind(void **state)
{
	static const char *const patterns[] = { "alpha*", "alpah", "places.c:14", "places.c:11", "*" };
	static const char *const files[] = { "places", "text", "missing", "stripped" };
	struct fixture *f = *state;
	size_t before;

	compile(f);
	write_text(f, "text", "this is not an ELF file\n");
	msg_free(&ask_file(f, "places", "alpha", false)->msg);
	/* A question's file is closed when its answer is under way already: that of this one, too. */
	before = count_descriptors();
	for (size_t i = 0; i < ARRAY_SIZE(patterns) * ARRAY_SIZE(files); i++)
		msg_free(&ask_file(f, files[i % ARRAY_SIZE(files)],
						patterns[i / ARRAY_SIZE(files)], i % 2 == 0)->msg);
	for (int i = 0; i < 500 && count_descriptors() > before; i++)
		usleep(10000);
	assert_that(count_descriptors(), <=, before);
}

#define PLACES_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		PLACES_TEST(a_function_is_found_where_the_program_runs_it),
		PLACES_TEST(a_variable_is_found_where_the_process_has_it),
		PLACES_TEST(a_pattern_names_several_and_aliases_are_one),
		PLACES_TEST(what_has_no_one_place_says_so),
		PLACES_TEST(a_slip_gets_the_right_name),
		PLACES_TEST(a_file_without_symbols_says_so),
		PLACES_TEST(too_many_places_are_refused),
		PLACES_TEST(a_line_is_the_begin_of_its_code),
		PLACES_TEST(an_offset_is_a_place_where_the_file_has_code),
#ifdef HAVE_LIBDW
		PLACES_TEST(arguments_in_registers_have_the_names_that_debug_data_know),
		PLACES_TEST(copies_are_counted_of_the_function_itself_whatever_others_are_called),
#endif
		cmocka_unit_test(lines_are_told_from_names),
		PLACES_TEST(functions_of_the_kernel_are_found_by_name),
		PLACES_TEST(variables_of_the_kernel_are_found_by_name),
		PLACES_TEST(questions_leave_no_descriptor_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
