/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the names of ELF files come from: each case is made by the tools that make it in real
 * life, and held against the same program with its symbol table, or against nm and addr2line.
 */
#include "config.h"

#include "symbol/elf/elf_image.h"
#include "symbol/elf/lines.h"
#include "symbol/file/sealed.h"

#include "symbol_fixture.h"
#include "tests/asserts.h"
#include "tests/skip.h"

#include <sys/sysmacros.h>

#ifdef HAVE_LIBDW
enum { WITH_DWARF = true };
#else
enum { WITH_DWARF = false };
#endif

static void
write_sources(const struct fixture *f)
{
	write_text(f, "whole.c",
		   "#include <stdio.h>\n"
		   "#include <stdlib.h>\n"
		   "#include <string.h>\n"
		   "#define KEEP __attribute__((noinline, noclone))\n"
		   "KEEP static int small(int n) { return n * 3 + 1; }\n"
		   "KEEP __attribute__((cold)) static void give_up(void) { abort(); }\n"
		   "KEEP int split(int n, char **v)\n"
		   "{\n"
		   "	if (__builtin_expect(n > 1000, 0)) {\n"
		   "		fprintf(stderr, \"too many: %d %s\\n\", n, v[0]);\n"
		   "		give_up();\n"
		   "	}\n"
		   "	return small(n) + (int)strlen(v[0]);\n"
		   "}\n"
		   "static int one(int n) { return n + 1; }\n"
		   "static int (*choose(void))(int) { return one; }\n"
		   "int chosen(int) __attribute__((ifunc(\"choose\")));\n"
		   "int (*volatile taken)(const char *) = puts;\n"
		   "int main(int argc, char **argv)\n"
		   "{\n"
		   "	taken(\"x\");\n"
		   "	return split(argc, argv) + chosen(argc);\n"
		   "}\n");
}

static int
setup(void **state)
{
	struct symbol_config config = { .proc = "/proc", .kallsyms = "/proc/kallsyms" };
	char dir[128];
	struct fixture *f;

	if (fixture_setup(state) != 0)
		return -1;
	f = *state;
	symbol_service_free(f->service);
	snprintf(dir, sizeof(dir), "%s/debug", f->dir);
	config.debug_dir = dir;
	f->service = symbol_service_new(&config, f->answers);
	write_sources(f);
	assert_true(sh(f, "mkdir -p debug/.build-id"));
	assert_true(sh(f, "cc -g -O2 -fPIE -pie -Wl,--build-id=sha1 whole.c -o whole"));
	return 0;
}

/*
 * Where the functions of @file begin, by nm: file offsets, since ld puts code at its own.  Until the
 * next call.  Mostly it is the file of before, and nm takes long to start.
 */
static const struct symbol_place *
nm_functions(const struct fixture *f, const char *file, size_t *count)
{
	static struct symbol_place all[512];
	static struct stat asked;
	static size_t n;
	char line[512], name[256], type;
	unsigned long addr;
	struct stat st;
	FILE *in;

	assert_int_equal(stat(in_dir(f, file), &st), 0);
	*count = n;
	if (st.st_ino == asked.st_ino && st.st_mtim.tv_sec == asked.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == asked.st_mtim.tv_nsec)
		return all;
	while (n > 0)
		free(all[--n].name);
	asked = st;
	snprintf(line, sizeof(line), "nm --defined-only '%s' 2>/dev/null", in_dir(f, file));
	in = popen(line, "r");
	assert_non_null(in);
	while (n < ARRAY_SIZE(all) && fgets(line, sizeof(line), in) != NULL)
		if (sscanf(line, "%lx %c %255s", &addr, &type, name) == 3 &&
		    (strchr("tTi", type) != NULL || (type == 'W' && name[0] == '_' &&
						      name[1] == 'Z')) && addr != 0)
			all[n++] = (struct symbol_place){ .name = strdup(name), .addr = addr };
	pclose(in);
	*count = n;
	return all;
}

/* Whether @name is one of the functions that nm has at @addr. */
static bool
is_of_nm(const struct symbol_place *all, size_t n, uint64_t addr, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].addr == addr && strcmp(all[i].name, name) == 0)
			return true;
	return false;
}

/* @file names at least @parts in a hundred of the functions in @whole's table, none wrongly. */
static void
check_names(struct fixture *f, const char *file, const char *whole, unsigned parts)
{
	size_t n, named = 0;
	const struct symbol_place *all = nm_functions(f, whole, &n);
	struct symbol_image_msg *m = ask_path(f, file);

	assert_that(n, >, 8);
	if (m->image == NULL)
		fail_msg("%s: %s", file, m->reason);
	for (size_t i = 0; i < n; i++) {
		const char *name = name_of(m->image, all[i].addr);

		if (is_of_nm(all, n, all[i].addr, name))
			named++;
		else if (strcmp(name, "-") != 0 && name[0] != '.' && !image_is_entry(name))
			fail_msg("%s: %s is named %s", file, all[i].name, name);
	}
	if (named * 100 < n * parts)
		fail_msg("%s: %zu of %zu functions have names", file, named, n);
	msg_free(&m->msg);
}

static uint64_t
address_of(const struct fixture *f, const char *whole, const char *function)
{
	size_t n;
	const struct symbol_place *all = nm_functions(f, whole, &n);
	uint64_t addr = 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, function) == 0)
			addr = all[i].addr;
	if (addr == 0)
		fail_msg("%s has no function %s", whole, function);
	return addr;
}

static char *
line_of(struct fixture *f, const char *file, uint64_t addr)
{
	static uint32_t dso = 1000;
	struct symbol_ask ask = { .dso = dso++, .kind = SYMBOL_ELF, .path = in_dir(f, file) };
	struct symbol_lines_msg *l;
	char *line;

	symbol_service_ask_lines(f->service, &ask, &addr, 1);
	l = (struct symbol_lines_msg *)answer(f, SYMBOL_MSG_LINES);
	line = l->lines[0].line;
	l->lines[0].line = NULL;
	msg_free(&l->msg);
	return line;
}

/* The lines of @file's functions are those that addr2line finds in @whole. */
static void
check_lines(struct fixture *f, const char *file, const char *whole)
{
	static const char *const functions[] = { "main", "split", "small" };
	char command[512], want[512];

	for (size_t i = 0; i < ARRAY_SIZE(functions) && WITH_DWARF; i++) {
		uint64_t addr = address_of(f, whole, functions[i]);
		char *line = line_of(f, file, addr);
		FILE *in;

		snprintf(command, sizeof(command), "addr2line -s -e '%s' %llx", in_dir(f, whole),
			 (unsigned long long)addr);
		in = popen(command, "r");
		assert_non_null(fgets(want, sizeof(want), in));
		pclose(in);
		want[strcspn(want, " \n")] = '\0';
		if (line == NULL || strcmp(line, want) != 0)
			fail_msg("%s: %s is at %s, not %s", file, functions[i], want,
				 line != NULL ? line : "no line");
		free(line);
	}
}

/* What a file without a table has all the same: no name of the program's own. */
static void
check_unnamed(struct fixture *f, const char *file, const char *whole, const char *reason)
{
	struct symbol_image_msg *m = ask_path(f, file);

	if (m->image != NULL) {
		const char *name = name_of(m->image, address_of(f, whole, "split"));

		assert_true(strcmp(name, "-") == 0 || image_is_entry(name));
	}
	if (strstr(m->reason, reason) == NULL)
		fail_msg("'%s' is not in '%s'", reason, m->reason);
	msg_free(&m->msg);
}

static void
a_program_with_its_table_has_all_names(void **state)
{
	check_names(*state, "whole", "whole", 100);
	check_lines(*state, "whole", "whole");
}

/* Moves the debug file to where its build-id leads; the command's last word is the file. */
#define TO_BUILD_ID(file, debug)                                                                  \
	"id=$(readelf -n " file " | sed -n 's/.*Build ID: //p'); "                                \
	"mkdir -p debug/.build-id/${id%${id#??}} && "                                             \
	"cp " debug " debug/.build-id/${id%${id#??}}/${id#??}.debug"

static void
a_stripped_program_has_the_names_of_a_debug_file_by_build_id(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	assert_true(sh(f, "strip -o by_id whole"));
	m = ask_path(f, "by_id");
	assert_non_null(strstr(m->reason, "no debug file for build-id "));
	assert_non_null(strstr(m->remedy, "/usr/lib/debug/.build-id/"));
	msg_free(&m->msg);
	assert_true(sh(f, "objcopy --only-keep-debug whole id.debug && "
			  TO_BUILD_ID("whole", "id.debug")));
	check_names(f, "by_id", "whole", 100);
	check_lines(f, "by_id", "whole");
	assert_true(sh(f, "rm -rf debug/.build-id/*"));
	check_unnamed(f, "by_id", "whole", "no debug file for build-id");
}

static void
a_debug_file_of_another_build_gives_no_names(void **state)
{
	struct fixture *f = *state;

	assert_true(sh(f, "cc -g -O0 -fPIE -pie -Wl,--build-id=sha1 whole.c -o another && "
			  "objcopy --only-keep-debug another another.debug && "
			  TO_BUILD_ID("whole", "another.debug") " && strip -o forged whole"));
	check_unnamed(f, "forged", "whole", "debug file is of another build");
	assert_true(sh(f, "rm -rf debug/.build-id/*"));
}

static void
a_stripped_program_has_the_names_of_a_debug_file_by_link(void **state)
{
	static const char *const places[] = { ".", ".debug", "debug$PWD" };
	struct fixture *f = *state;
	char command[512];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(command, sizeof(command),
			 "mkdir -p %s && objcopy --only-keep-debug whole %s/link.debug && "
			 "strip -o linked whole && "
			 "objcopy --add-gnu-debuglink=%s/link.debug linked",
			 places[i], places[i], places[i]);
		assert_true(sh(f, command));
		check_names(f, "linked", "whole", 100);
		check_lines(f, "linked", "whole");
		snprintf(command, sizeof(command), "rm %s/link.debug", places[i]);
		assert_true(sh(f, command));
		check_unnamed(f, "linked", "whole", "no debug file");
	}
}

static void
without_build_ids_the_crc_tells_the_debug_file(void **state)
{
	struct fixture *f = *state;

	assert_true(sh(f, "cc -g -O2 -fPIE -pie -Wl,--build-id=none whole.c -o noid && "
			  "objcopy --only-keep-debug noid noid.debug && strip -o crc noid && "
			  "objcopy --add-gnu-debuglink=noid.debug crc"));
	check_names(f, "crc", "noid", 100);
	check_lines(f, "crc", "noid");
	/* One byte more, and it is another file. */
	assert_true(sh(f, "printf x >>noid.debug"));
	check_unnamed(f, "crc", "noid", "another build");
	/* The right one behind the wrong one is found. */
	assert_true(sh(f, "mkdir -p .debug && head -c -1 noid.debug >.debug/noid.debug"));
	check_names(f, "crc", "noid", 100);
	assert_true(sh(f, "rm .debug/noid.debug noid.debug"));
	check_unnamed(f, "crc", "noid", "no debug file 'noid.debug'");
}

static void
a_debug_file_is_read_whether_or_not_its_sections_are_compressed(void **state)
{
	static const char *const ways[] = { "zlib-gabi", "zlib-gnu", "none" };
	struct fixture *f = *state;
	char command[512];

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		snprintf(command, sizeof(command),
			 "objcopy --compress-debug-sections=%s whole packed", ways[i]);
		assert_true(sh(f, command));
		check_names(f, "packed", "whole", 100);
		check_lines(f, "packed", "whole");
	}
}

/* As distributions do it: what .dynsym has is left out. */
static void
a_stripped_program_has_the_names_that_are_packed_into_it(void **state)
{
	struct fixture *f = *state;

#ifndef HAVE_LZMA
	skip_for("built without liblzma");
#endif
	assert_true(sh(f, "nm -D whole --format=posix --defined-only | awk '{print $1}' | "
			  "sort >dyn; "
			  "nm whole --format=posix --defined-only | "
			  "awk '$2 ~ /[TtDi]/ {print $1}' | sort >all; comm -13 dyn all >keep; "
			  "objcopy --only-keep-debug whole mini.full && "
			  "objcopy -S --remove-section .gdb_index --remove-section .comment "
			  "--keep-symbols=keep mini.full mini.debug && xz -k mini.debug && "
			  "strip -o mini whole && "
			  "objcopy --add-section .gnu_debugdata=mini.debug.xz mini"));
	check_names(f, "mini", "whole", 100);
	/* It has no lines. */
	assert_null(line_of(f, "mini", address_of(f, "whole", "main")));
}

static void
a_broken_pack_of_names_is_said_to_be(void **state)
{
	struct fixture *f = *state;

#ifndef HAVE_LZMA
	skip_for("built without liblzma");
#endif
	assert_true(sh(f, "strip -o bad_mini whole; head -c 5000 whole | xz >cut.xz; "
			  "head -c 900 cut.xz >cutter.xz; "
			  "objcopy --add-section .gnu_debugdata=cutter.xz bad_mini"));
	check_unnamed(f, "bad_mini", "whole", ".gnu_debugdata is broken");
	assert_true(sh(f, "strip -o bad_mini whole; head -c 5000 /dev/zero | xz >zero.xz; "
			  "objcopy --add-section .gnu_debugdata=zero.xz bad_mini"));
	check_unnamed(f, "bad_mini", "whole", ".gnu_debugdata: not an ELF file");
	/* 100 KB that would be 400 MB. */
	assert_true(sh(f, "strip -o bad_mini whole; head -c 400000000 /dev/zero | xz -0 >bomb.xz; "
			  "objcopy --add-section .gnu_debugdata=bomb.xz bad_mini"));
	check_unnamed(f, "bad_mini", "whole", ".gnu_debugdata is too large");
}

static void
debug_data_name_functions_where_the_table_is_gone(void **state)
{
	struct fixture *f = *state;

	if (!WITH_DWARF)
		skip_for("built without libdw");
	/* strip would take them along. */
	assert_true(sh(f, "objcopy --strip-all --keep-section '.debug_*' whole dwarf_only"));
	/* What the C library brings along is not in them. */
	check_names(f, "dwarf_only", "whole", 40);
	check_lines(f, "dwarf_only", "whole");
	/* In a file of their own. */
	assert_true(sh(f, "strip -o dwarf_apart whole && "
			  TO_BUILD_ID("whole", "dwarf_only")));
	check_names(f, "dwarf_apart", "whole", 40);
	assert_true(sh(f, "rm -rf debug/.build-id/*"));
}

static void
cplusplus_functions_of_debug_data_have_their_mangled_names(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	if (!WITH_DWARF)
		skip_for("built without libdw");
	write_text(f, "names.cc",
		   "#define KEEP __attribute__((noinline, noclone))\n"
		   "namespace a { namespace { KEEP int hidden(int n) { return n * 5; } }\n"
		   "template <class T> struct box { T v; KEEP T get(T n) { return v + n; } };\n"
		   "struct base { KEEP base(int n) : v(n) {} virtual ~base(); int v; };\n"
		   "base::~base() { v = 0; }\n"
		   "KEEP int run(int n) { box<int> b{n}; base c(n); auto l = [&](int k) KEEP {\n"
		   "	return k + n; }; return b.get(2) + hidden(n) + c.v + l(n); } }\n"
		   "int main(int argc, char **) { return a::run(argc); }\n");
	if (!sh(f, "c++ -g -O1 -fPIE -pie names.cc -o names"))
		skip_for("no C++ compiler here");
	assert_true(sh(f, "objcopy --strip-all --keep-section '.debug_*' names names_dwarf"));
	m = ask_path(f, "names_dwarf");
	assert_string_equal(name_of(m->image, address_of(f, "names", "_ZN1a3boxIiE3getEi")),
			    "_ZN1a3boxIiE3getEi");
	assert_string_equal(name_of(m->image, address_of(f, "names", "_ZN1a3runEi")),
			    "_ZN1a3runEi");
	msg_free(&m->msg);
}

/* Two programs that share a dwz file, found by its build-id, its path or not at all. */
static void
names_and_lines_are_found_where_dwz_shares_debug_data(void **state)
{
	struct fixture *f = *state;

	if (!WITH_DWARF)
		skip_for("built without libdw");
	if (!sh(f, "command -v dwz"))
		skip_for("no dwz here");
	assert_true(sh(f, "mkdir -p shared && cp whole d1 && "
			  "cc -g -O1 -fPIE -pie -DOTHER whole.c -o d2 && "
			  "dwz -m shared/common.debug -M $PWD/shared/common.debug d1 d2"));
	assert_true(sh(f, "readelf -SW d1 | grep -q gnu_debugaltlink"));
	check_lines(f, "d1", "whole");
	assert_true(sh(f, "objcopy --strip-all --keep-section '.debug_*' "
			  "--keep-section .gnu_debugaltlink d1 d1_dwarf"));
	check_names(f, "d1_dwarf", "whole", 40);
	/* By build-id. */
	assert_true(sh(f, TO_BUILD_ID("shared/common.debug", "shared/common.debug")
			  " && mv shared/common.debug hidden.debug"));
	check_lines(f, "d1", "whole");
	assert_true(sh(f, "rm -rf debug/.build-id/*"));
	assert_null(line_of(f, "d1", address_of(f, "whole", "main")));
	check_unnamed(f, "d1_dwarf", "whole", "shared by dwz, and no file");
	/* Another file in its place is not taken. */
	assert_true(sh(f, "cp whole shared/common.debug"));
	assert_null(line_of(f, "d1", address_of(f, "whole", "main")));
	/* Nor one that leads on: to itself. */
	assert_true(sh(f, "cp hidden.debug shared/common.debug && "
			  "objcopy -O binary --only-section .gnu_debugaltlink "
			  "--set-section-flags .gnu_debugaltlink=alloc d1 link.bin && "
			  "objcopy --add-section .gnu_debugaltlink=link.bin shared/common.debug"));
	assert_null(line_of(f, "d1", address_of(f, "whole", "main")));
	/* A relative path is one from the program's folder, or from that below the debug folder. */
	assert_true(sh(f, "cp hidden.debug shared/common.debug && cp whole d1 && "
			  "cc -g -O1 -fPIE -pie -DOTHER whole.c -o d2 && "
			  "dwz -r -m shared/common.debug d1 d2"));
	check_lines(f, "d1", "whole");
	assert_true(sh(f, "rm -rf shared"));
}

static void
check_place(struct fixture *f, const char *file, const char *pattern, uint64_t offset)
{
	struct symbol_places_ask ask = {
		.file = { .dso = 3, .kind = SYMBOL_ELF, .path = in_dir(f, file) },
		.pattern = pattern,
	};
	struct symbol_places_msg *m;

	symbol_service_ask_places(f->service, &ask);
	m = (struct symbol_places_msg *)answer(f, SYMBOL_MSG_PLACES);
	if (m->count != 1)
		fail_msg("%s in %s: %zu places: %s", pattern, file, m->count, m->err.text);
	assert_true(m->places[0].offset == offset);
	msg_free(&m->msg);
}

static void
places_of_functions_and_lines_are_found_in_the_debug_file(void **state)
{
	struct fixture *f = *state;
	uint64_t small = address_of(f, "whole", "small");

	assert_true(sh(f, "objcopy --only-keep-debug whole place.debug && strip -o placed whole && "
			  "objcopy --add-gnu-debuglink=place.debug placed"));
	check_place(f, "placed", "small", small);
	if (WITH_DWARF)
		check_place(f, "placed", "whole.c:5", small);
#ifdef HAVE_LZMA
	check_place(f, "mini", "small", small);
#endif
}

/* A program that waits in a root of its own, where its path and its debug file are. */
static struct child
start_in_root(const struct fixture *f)
{
	struct child c = { 0 };
	int in[2], out[2];
	char line[8];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	c.pid = run_fork();
	if (c.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (chroot(in_dir(f, "root")) == 0 && chdir("/") == 0)
			execl("/bin/inner", "inner", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	c.in = in[1];
	c.out = out[0];
	assert_int_equal(read(c.out, line, 1), 1);
	return c;
}

static void
debug_files_are_looked_for_in_the_root_of_the_process(void **state)
{
	struct symbol_ask ask = { .dso = 5, .kind = SYMBOL_ELF, .path = "/bin/inner" };
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	bool found = false;
	struct child c;
	struct stat st;

	if (geteuid() != 0)
		skip_for("not root");
	write_text(f, "inner.c",
		   "#include <unistd.h>\n"
		   "__attribute__((noinline)) int deep_inside(int n) { return n * 7; }\n"
		   "int main(int argc, char **argv) { char c; (void)argv; write(1, \"x\", 1);\n"
		   "	return read(0, &c, 1) + deep_inside(argc); }\n");
	if (!sh(f, "cc -static -g -O1 inner.c -o inner"))
		skip_for("no static libc here");
	assert_true(sh(f, "mkdir -p root/bin/.debug && "
			  "objcopy --only-keep-debug inner root/bin/.debug/inner.debug && "
			  "strip -o root/bin/inner inner && "
			  "objcopy --add-gnu-debuglink=root/bin/.debug/inner.debug root/bin/inner"));
	assert_int_equal(stat(in_dir(f, "root/bin/inner"), &st), 0);
	ask.ino = st.st_ino;
	ask.maj = major(st.st_dev);
	ask.min = minor(st.st_dev);
	c = start_in_root(f);
	ask.pid = c.pid;
	m = ask_image(f, &ask);
	child_end(&c);
	for (uint32_t i = 0; m->image != NULL && i < image_count(m->image); i++)
		found |= strcmp(image_raw_name(m->image, i), "deep_inside") == 0;
	if (!found)
		fail_msg("deep_inside has no name: %s", m->reason);
	msg_free(&m->msg);
}

/* Layouts of linkage tables: what objdump names, ptop names so. */
static void
check_plt(struct fixture *f, const char *file)
{
	char line[512], name[256];
	struct symbol_image_msg *m = ask_path(f, file);
	unsigned long addr;
	unsigned n = 0;
	FILE *in;

	snprintf(line, sizeof(line), "objdump -d '%s'", in_dir(f, file));
	in = popen(line, "r");
	while (fgets(line, sizeof(line), in) != NULL) {
		if (sscanf(line, "%lx <%255[^>]>:", &addr, name) != 2 ||
		    strlen(name) < 4 || strcmp(name + strlen(name) - 4, "@plt") != 0)
			continue;
		n++;
		addr -= addr >= 0x400000 ? 0x400000 : 0; /* where ld puts what does not move */
		if (m->image == NULL || strcmp(name_of(m->image, addr), name) != 0 ||
		    strcmp(name_of(m->image, addr + 5), name) != 0)
			fail_msg("%s: %s is named %s", file, name, name_of(m->image, addr));
	}
	pclose(in);
	assert_that(n, >=, 3);
	msg_free(&m->msg);
}

static void
linkage_tables_of_all_layouts_have_names(void **state)
{
	static const char *const ways[] = {
		"-fPIE -pie", "-fPIE -pie -Wl,-z,now", "-no-pie", "-no-pie -Wl,-z,lazy",
		"-fPIE -pie -fcf-protection=full -Wl,-z,ibtplt", "-fPIE -pie -Wl,-z,lazy",
	};
	struct fixture *f = *state;
	char command[512];

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		snprintf(command, sizeof(command), "cc -s -O1 %s whole.c -o plt", ways[i]);
		if (!sh(f, command))
			continue;
		check_plt(f, "plt");
	}
}

/* Where an entry of a static program leads is known by its resolver alone. */
static void
static_programs_have_all_names(void **state)
{
	static const char *const ways[] = { "-static", "-static-pie -fPIE" };
	struct fixture *f = *state;
	char command[512];

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct symbol_image_msg *m;
		uint32_t n, chosen = 0;

		snprintf(command, sizeof(command), "cc -g -O2 %s whole.c -o static", ways[i]);
		if (!sh(f, command))
			skip_for("no static libc here");
		m = ask_path(f, "static");
		assert_non_null(m->image);
		for (n = 0; n < image_count(m->image); n++) {
			const char *name = image_raw_name(m->image, n);

			if (strncmp(name, "*ABS*+0x", 8) == 0) {
				uint64_t to = strtoull(name + 8, NULL, 16);
				const char *resolver = "-";

				for (uint64_t d = 0; d <= 0x400000; d += 0x400000)
					if (to >= d && strcmp(resolver, "-") == 0)
						resolver = name_of(m->image, to - d);
				assert_string_not_equal(resolver, "-");
				chosen++;
			}
		}
		assert_that(chosen, >=, 3);
		msg_free(&m->msg);
	}
}

static void
a_function_in_parts_has_a_name_for_each(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	uint64_t cold;

	/* As GCC writes it, which does it for what it thinks is cold. */
	write_text(f, "parts.s",
		   ".section .text.hot,\"ax\"\n.globl _start\n.type _start,@function\n"
		   "_start: nop\njmp _start.cold\n.size _start,.-_start\n"
		   ".type work.part.0,@function\nwork.part.0: nop\n.size work.part.0,.-work.part.0\n"
		   ".section .text.unlikely,\"ax\"\n.type _start.cold,@function\n"
		   "_start.cold: nop\nnop\n.size _start.cold,.-_start.cold\n");
	assert_true(sh(f, "as parts.s -o parts.o && ld -pie parts.o -o parts"));
	cold = address_of(f, "parts", "_start.cold");
	m = ask_path(f, "parts");
	assert_string_equal(name_of(m->image, cold), "_start.cold");
	assert_string_equal(name_of(m->image, cold + 1), "_start.cold");
	assert_string_equal(name_of(m->image, address_of(f, "parts", "_start")), "_start");
	assert_string_equal(name_of(m->image, address_of(f, "parts", "work.part.0")),
			    "work.part.0");
	msg_free(&m->msg);
}

static void
debug_data_know_all_parts_of_a_function(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	uint64_t part;

	if (!WITH_DWARF || !sh(f, "clang -g -O1 -ffunction-sections -fbasic-block-sections=all "
				  "-fPIE -pie whole.c -o blocks"))
		skip_for("no clang here that makes sections of blocks, or no libdw");
	part = address_of(f, "blocks", "split.__part.1");
	assert_true(sh(f, "objcopy --strip-all --keep-section '.debug_*' blocks blocks_dwarf"));
	m = ask_path(f, "blocks");
	assert_string_equal(name_of(m->image, part), "split.__part.1");
	msg_free(&m->msg);
	m = ask_path(f, "blocks_dwarf");
	assert_string_equal(name_of(m->image, part), "split");
	assert_string_equal(name_of(m->image, address_of(f, "blocks", "split")), "split");
	msg_free(&m->msg);
}

/* Its own functions, but for those that .dynsym names. */
static void
check_bounds(struct fixture *f, const char *file, const char *whole, uint64_t base)
{
	struct symbol_image_msg *m = ask_path(f, file);
	unsigned long addr, size;
	char line[512], name[256], entry[32], type;
	unsigned entries = 0;
	FILE *in;

	assert_non_null(m->image);
	snprintf(line, sizeof(line), "nm -S --defined-only '%s'", in_dir(f, whole));
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in) != NULL) {
		uint32_t fn;

		if (sscanf(line, "%lx %lx %c %255s", &addr, &size, &type, name) != 4 ||
		    strchr("tT", type) == NULL || name[0] == '_')
			continue;
		fn = image_find(m->image, addr - base);
		if (fn == IMAGE_NONE || image_address(m->image, fn) != addr - base ||
		    image_size(m->image, fn) != size)
			fail_msg("%s: %s has other bounds", file, name);
		if (!image_is_entry(image_raw_name(m->image, fn)))
			continue; /* .dynsym has it */
		snprintf(entry, sizeof(entry), "+0x%lx", addr);
		assert_string_equal(image_raw_name(m->image, fn), entry);
		entries++;
	}
	pclose(in);
	assert_that(entries, >=, 3);
	assert_string_equal(name_of(m->image, 0), "-");
	msg_free(&m->msg);
}

static void
functions_of_stripped_files_are_bounded_by_their_unwind_tables(void **state)
{
	struct fixture *f = *state;

	if (!WITH_DWARF)
		skip_for("built without libdw");
	assert_true(sh(f, "strip -o bounded whole"));
	check_bounds(f, "bounded", "whole", 0);
	check_plt(f, "bounded");
	/* Its addresses are no offsets in the file. */
	assert_true(sh(f, "cc -O2 -fno-pie -no-pie whole.c -o fixed && strip -o fixed.s fixed"));
	check_bounds(f, "fixed.s", "fixed", 0x400000);
	check_plt(f, "fixed.s");
	assert_true(sh(f, "cc -O2 -fPIC -shared whole.c -o whole.so && strip -o whole.s.so whole.so"));
	check_bounds(f, "whole.s.so", "whole.so", 0);
	check_plt(f, "whole.s.so");
	/* Without sections the unwind tables are found all the same. */
	if (sizeof(void *) == 8) {
		assert_true(sh(f, "cp whole headless && "
				  "head -c 8 /dev/zero | dd of=headless bs=1 seek=40 conv=notrunc && "
				  "head -c 4 /dev/zero | dd of=headless bs=1 seek=60 conv=notrunc"));
		check_bounds(f, "headless", "whole", 0);
	}
}

static void
an_indirect_function_is_named_as_nm_names_it(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m = ask_path(f, "whole");
	const char *name = name_of(m->image, address_of(f, "whole", "chosen"));

	/* The resolver and what it stands for begin at one address; the global one is shown. */
	assert_string_equal(name, "chosen");
	msg_free(&m->msg);
}

static void
assembler_symbols_have_the_room_up_to_the_next(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	uint64_t at;

	write_text(f, "labels.s",
		   ".text\n.globl _start\n_start: nop\nnop\n"
		   "plain: nop\nnop\nnop\n.Linner: nop\n"
		   ".globl sized\n.type sized,@function\nsized: nop\ninside: nop\nnop\n"
		   ".size sized,.-sized\n"
		   ".type outer,@function\nouter: nop\n"
		   ".type inner,@function\ninner: nop\n.size inner,1\nnop\n.size outer,.-outer\n"
		   ".section .rodata\n.type in_data,@function\nin_data: .long 1\n.size in_data,4\n");
	if (!sh(f, "as --keep-locals labels.s -o labels.o && ld -N labels.o -o labels"))
		skip_for("no assembler for x86 here");
	m = ask_path(f, "labels");
	assert_non_null(m->image);
	at = image_address(m->image, 0);
	assert_string_equal(name_of(m->image, at), "_start");
	assert_string_equal(name_of(m->image, at + 1), "_start");
	assert_string_equal(name_of(m->image, at + 2), "plain");
	assert_string_equal(name_of(m->image, at + 5), "plain"); /* .Linner is nobody's name */
	assert_string_equal(name_of(m->image, at + 6), "sized");
	assert_string_equal(name_of(m->image, at + 8), "sized");
	assert_string_equal(name_of(m->image, at + 9), "outer");
	assert_string_equal(name_of(m->image, at + 10), "inner");
	assert_string_equal(name_of(m->image, at + 11), "outer");
	for (uint32_t i = 0; i < image_count(m->image); i++)
		assert_string_not_equal(image_raw_name(m->image, i), "in_data");
	msg_free(&m->msg);
}

static void
a_32_bit_program_has_the_names_of_its_debug_file_and_linkage_table(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;

	write_text(f, "m32.c",
		   "int away(int);\n"
		   "int __attribute__((noinline)) here(int n) { return n + away(n); }\n"
		   "void _start(void) { here(1); for (;;) ; }\n");
	write_text(f, "m32lib.c", "int away(int n) { return n * 2; }\n");
	if (!sh(f, "cc -m32 -g -O1 -nostdlib -shared -fPIC m32lib.c -o libm32.so && "
		   "cc -m32 -g -O1 -nostdlib -Wl,--build-id=sha1 -fno-pie -no-pie m32.c "
		   "./libm32.so -o m32"))
		skip_for("no 32-bit compiler here");
	assert_true(sh(f, "objcopy --only-keep-debug m32 m32.debug && "
			  TO_BUILD_ID("m32", "m32.debug") " && strip -o m32s m32"));
	m = ask_path(f, "m32s");
	assert_non_null(m->image);
	assert_string_equal(m->reason, "");
	for (uint32_t i = 0, plt = 0, here = 0;; i++) {
		if (i == image_count(m->image)) {
			assert_int_equal(plt, 1);
			assert_int_equal(here, 1);
			break;
		}
		plt += strcmp(image_raw_name(m->image, i), "away@plt") == 0;
		here += strcmp(image_raw_name(m->image, i), "here") == 0;
	}
	msg_free(&m->msg);
	assert_true(sh(f, "rm -rf debug/.build-id/*"));
}

static void
an_arm_program_has_neither_mapping_symbols_nor_unnamed_entries(void **state)
{
	static const char *const layouts[] = { "-pie", "-z force-bti", "-pie -z pac-plt" };
	struct fixture *f = *state;
	char command[512];

	write_text(f, "arm.s",
		   ".text\n.globl _start\n.type _start,%function\n_start: bl away\nbl other\nret\n"
		   ".word 7\nnop\n.size _start,.-_start\n");
	write_text(f, "armlib.s",
		   ".text\n.globl away\n.type away,%function\naway: ret\n"
		   ".globl other\n.type other,%function\nother: ret\n");
	if (!sh(f, "command -v aarch64-linux-gnu-ld"))
		skip_for("no binutils of aarch64 here");
	assert_true(sh(f, "aarch64-linux-gnu-as arm.s -o arm.o && "
			  "aarch64-linux-gnu-as armlib.s -o armlib.o && "
			  "aarch64-linux-gnu-ld -shared armlib.o -o libarm.so"));
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct symbol_image_msg *m;
		uint32_t found = 0;

		snprintf(command, sizeof(command),
			 "aarch64-linux-gnu-ld %s arm.o libarm.so -o arm", layouts[i]);
		assert_true(sh(f, command));
		m = ask_path(f, "arm");
		assert_non_null(m->image);
		for (uint32_t n = 0; n < image_count(m->image); n++) {
			const char *name = image_raw_name(m->image, n);

			assert_int_not_equal(name[0], '$');
			found += strcmp(name, "away@plt") == 0 || strcmp(name, "other@plt") == 0;
			if (strcmp(name, "away@plt") == 0)
				assert_int_equal(image_size(m->image, n), i == 0 ? 16 : 24);
		}
		assert_int_equal(found, 2);
		msg_free(&m->msg);
	}
}

/* A program moved by prelink, or linked for another address than its debug file says. */
static void
a_program_that_was_moved_has_the_names_of_its_debug_file(void **state)
{
	struct fixture *f = *state;

	assert_true(sh(f, "objcopy --only-keep-debug whole moved.debug && strip -o moved whole && "
			  "objcopy --change-addresses 0x10000 moved.debug 2>/dev/null"));
	/* The sections moved; the segments, by which prelink's move shows, did too. */
	if (!sh(f, "readelf -lW moved.debug | grep -q 'LOAD.*0x0000000000011000'"))
		skip_for("this objcopy moves no segments");
	assert_true(sh(f, TO_BUILD_ID("whole", "moved.debug")));
	check_names(f, "moved", "whole", 100);
	assert_true(sh(f, "rm -rf debug/.build-id/*"));
}

/* A debug link is a file's word for what ptop opens. */
static void
links_to_what_is_no_debug_file_are_not_followed(void **state)
{
	static const char *const targets[] = {
		"ln -s /etc/passwd x.debug", "mkfifo x.debug", "ln -s x.debug x.debug",
		"mkdir x.debug", "ln -s /dev/zero x.debug",
		"mknod x.debug c 1 5 || ln -s /dev/zero x.debug", "cp looped x.debug", ": >x.debug",
	};
	struct fixture *f = *state;
	char command[512];

	assert_true(sh(f, "cp whole x.debug && strip -o looped whole && "
			  "objcopy --add-gnu-debuglink=x.debug looped"));
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		snprintf(command, sizeof(command), "rm -rf x.debug; %s", targets[i]);
		assert_true(sh(f, command));
		check_unnamed(f, "looped", "whole", "debug file");
	}
	assert_true(sh(f, "rm -rf x.debug; cp whole x.debug"));
	check_names(f, "looped", "whole", 100);
	/* A path is no name: it could lead anywhere. */
	assert_true(sh(f, "strip -o leads whole && mkdir -p up/s && cp whole up/x.debug && "
			  "printf '../x.debug\\0\\0\\1\\2\\3\\4' >link.bin && "
			  "cp leads up/s/leads && "
			  "objcopy --add-section .gnu_debuglink=link.bin up/s/leads"));
	check_unnamed(f, "up/s/leads", "whole", "no debug file");
}

static size_t
slurp(const char *path, uint8_t **bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	*bytes = malloc((size_t)st.st_size);
	assert_int_equal(read(fd, *bytes, (size_t)st.st_size), st.st_size);
	close(fd);
	return (size_t)st.st_size;
}

/* The file that each ask is answered with. */
struct one_file {
	struct debug_finder finder;
	int fd;
};

static int
find_one(const struct debug_finder *self, const struct debug_ask *ask)
{
	const struct one_file *o = (const struct one_file *)self;

	return ask->nth > 0 ? -1 : dup(o->fd);
}

static int
in_memory(const uint8_t *bytes, size_t len)
{
	int fd = sealed_new("test", NULL);

	assert_that(fd, >=, 0);
	assert_int_equal(sealed_write(fd, bytes, len), 0);
	return fd;
}

/* All that the service does with a file and what is beside it; only that it ends is asked. */
static void
use(int fd, int beside)
{
	struct one_file o = { { find_one, "/", "/proc", NULL }, beside };
	struct lines *lines = lines_new();
	struct buf names = { 0 };
	struct err err = { 0 };
	struct elf_file e;

	if (elf_file_open(&e, fd, &err) == 0) {
		int img = elf_image(&e, beside >= 0 ? &o.finder : NULL, &err);
		struct image *image = img >= 0 ? image_open(img, &err) : NULL;

		if (img >= 0)
			assert_non_null(image);
		else
			assert_string_not_equal(err.text, "");
		image_free(image);
		elf_file_close(&e);
	}
	lines_open(lines, 1, dup(fd), beside >= 0 ? &o.finder : NULL, &err);
	for (uint64_t at = 0x1000; at < 0x1400; at += 32) {
		free(lines_find(lines, 1, at, NULL));
		lines_inlined(lines, 1, at, &names);
	}
	buf_release(&names);
	lines_free(lines);
}

struct random {
	uint64_t x;
};

static uint64_t
next(struct random *r)
{
	r->x ^= r->x << 13;
	r->x ^= r->x >> 7;
	r->x ^= r->x << 17;
	return r->x;
}

/* Mostly the headers, which tell sizes and places, and the debug data. */
static void
mutate(struct random *r, uint8_t *bytes, size_t len)
{
	uint64_t shoff, changes = 1 + next(r) % 4;

	memcpy(&shoff, bytes + 40, sizeof(shoff));
	while (changes-- > 0) {
		uint64_t x = next(r), at = (x >> 8) % len;

		if (x % 3 == 0 && shoff < len)
			at = shoff + (x >> 8) % (len - shoff);
		bytes[at] = x % 5 == 0 ? 0xff : (uint8_t)(x >> 48);
	}
}

/* $PTOP_MUTATIONS: how often, for a long run. */
static unsigned
rounds(void)
{
	const char *text = getenv("PTOP_MUTATIONS");

	return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 150;
}

static void
hostile_files_of_each_kind_are_harmless(void **state)
{
	static const char *const kinds[] = {
		"whole", "mini", "dwarf_only", "d1", "packed", "arm", "hidden.debug", "static",
	};
	struct random r = { 88172645463325252 };
	struct fixture *f = *state;

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		uint8_t *bytes, *copy;
		size_t len;

		if (access(in_dir(f, kinds[k]), R_OK) != 0)
			continue;
		len = slurp(in_dir(f, kinds[k]), &bytes);
		copy = malloc(len);
		for (unsigned i = 0; i < rounds() / (len > 400000 ? 5 : 1); i++) {
			int whole = in_memory(bytes, len), fd;

			memcpy(copy, bytes, len);
			mutate(&r, copy, len);
			fd = in_memory(copy, i % 8 == 0 ? next(&r) % len : len);
			/* By itself, beside a good file, and beside itself. */
			use(fd, -1);
			use(whole, fd);
			use(fd, fd);
			close(fd);
			close(whole);
		}
		free(copy);
		free(bytes);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_with_its_table_has_all_names),
		cmocka_unit_test(a_stripped_program_has_the_names_of_a_debug_file_by_build_id),
		cmocka_unit_test(a_debug_file_of_another_build_gives_no_names),
		cmocka_unit_test(a_stripped_program_has_the_names_of_a_debug_file_by_link),
		cmocka_unit_test(without_build_ids_the_crc_tells_the_debug_file),
		cmocka_unit_test(a_debug_file_is_read_whether_or_not_its_sections_are_compressed),
		cmocka_unit_test(a_stripped_program_has_the_names_that_are_packed_into_it),
		cmocka_unit_test(a_broken_pack_of_names_is_said_to_be),
		cmocka_unit_test(debug_data_name_functions_where_the_table_is_gone),
		cmocka_unit_test(cplusplus_functions_of_debug_data_have_their_mangled_names),
		cmocka_unit_test(names_and_lines_are_found_where_dwz_shares_debug_data),
		cmocka_unit_test(places_of_functions_and_lines_are_found_in_the_debug_file),
		cmocka_unit_test(debug_files_are_looked_for_in_the_root_of_the_process),
		cmocka_unit_test(linkage_tables_of_all_layouts_have_names),
		cmocka_unit_test(static_programs_have_all_names),
		cmocka_unit_test(a_function_in_parts_has_a_name_for_each),
		cmocka_unit_test(debug_data_know_all_parts_of_a_function),
		cmocka_unit_test(functions_of_stripped_files_are_bounded_by_their_unwind_tables),
		cmocka_unit_test(an_indirect_function_is_named_as_nm_names_it),
		cmocka_unit_test(assembler_symbols_have_the_room_up_to_the_next),
		cmocka_unit_test(a_32_bit_program_has_the_names_of_its_debug_file_and_linkage_table),
		cmocka_unit_test(an_arm_program_has_neither_mapping_symbols_nor_unnamed_entries),
		cmocka_unit_test(a_program_that_was_moved_has_the_names_of_its_debug_file),
		cmocka_unit_test(links_to_what_is_no_debug_file_are_not_followed),
		cmocka_unit_test(hostile_files_of_each_kind_are_harmless),
	};

	return cmocka_run_group_tests_name("symbol sources", tests, setup, fixture_teardown);
}
