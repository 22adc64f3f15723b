/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of several languages, sampled: each function has the name that its source has. */
#include "config.h"

#include "tests/root.h"
#include "tests/spinner.h"

static void
need_demangler(void)
{
#ifndef HAVE_LIBIBERTY
	skip_for("this ptop was built without libiberty");
#endif
}

static void
check(const struct fixture *f, const char *program, const char *function)
{
	char path[384];
	struct spinner_how how = { .program = path };
	struct spinner s;

	snprintf(path, sizeof(path), "%s", in_dir(f, program));
	s = spinner_start(f, &how);
	assert_spins(&s, function);
	spinner_end(&s);
}

static bool
can(const struct fixture *f, const char *command, const char *what)
{
	if (sh(f, command))
		return true;
	print_message("# no %s here\n", what);
	return false;
}

static void
cplusplus_has_whole_names_in_exports(void **state)
{
	struct fixture *f = *state;

	need_root();
	need_demangler();
	write_text(f, "map.cc",
		   "#include <map>\n"
		   "#include <string>\n"
		   "#include <unistd.h>\n"
		   "static volatile unsigned sink;\n"
		   "namespace { template <class K, class V> struct Table {\n"
		   "	__attribute__((noinline)) void spin(K) {\n"
		   "		for (unsigned i = 0; i < 3000000; i++) sink += i; } }; }\n"
		   "int main() { Table<std::string, int> t;\n"
		   "	for (;;) { t.spin(\"\"); if (write(1, \"r\", 1) < 0) return 0; } }\n");
	if (!can(f, "c++ -O1 map.cc -o map", "C++ compiler"))
		skip();
	check(f, "map",
	      "(anonymous namespace)::Table<std::__cxx11::basic_string<char, std::char_traits<char>,"
	      " std::allocator<char> >, int>::spin");
}

/* Both kinds of mangled names. */
static void
rust_has_names_without_hashes(void **state)
{
	static const char *const kinds[] = { "", "-C symbol-mangling-version=v0" };
	struct fixture *f = *state;

	need_root();
	need_demangler();
	write_text(f, "heap.rs",
		   "use std::io::Write;\n"
		   "mod inner { pub struct Heap; pub trait Spin { fn spin(&self); }\n"
		   "impl Spin for Heap { #[inline(never)] fn spin(&self) {\n"
		   "	for i in 0..3000000u64 { std::hint::black_box(i); } } } }\n"
		   "fn main() { use inner::Spin; let h = inner::Heap;\n"
		   "	loop { h.spin(); let mut o = std::io::stdout();\n"
		   "		if o.write(b\"r\").is_err() || o.flush().is_err() { return; } } }\n");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		char line[128];

		snprintf(line, sizeof(line), "rustc -O %s -o heap heap.rs", kinds[i]);
		if (!can(f, line, "rustc"))
			skip();
		check(f, "heap", "<heap::inner::Heap as heap::inner::Spin>::spin");
	}
}

/* DIR/named spins in @symbol, which may be what no assembler takes. */
static void
build_named(const struct fixture *f, const char *symbol)
{
	char line[512];

	spinner_build(f, "renamed.o", "to_be_renamed", "-c");
	snprintf(line, sizeof(line),
		 "objcopy --redefine-sym 'to_be_renamed=%s' renamed.o && cc renamed.o -o named",
		 symbol);
	assert_true(sh(f, line));
}

/* Names as the compilers of Go, Zig and Swift make them. */
static void
names_of_go_zig_and_swift_are_plain(void **state)
{
	static const struct {
		const char *symbol, *name;
	} names[] = {
		{ "main.(*Tree[go.shape.int]).Insert", "main.(*Tree[go.shape.int]).Insert" },
		{ "gopkg.in/yaml%2ev3.(*parser).parse", "gopkg.in/yaml.v3.(*parser).parse" },
		{ "sort.pdqContext__anon_2345", "sort.pdqContext__anon_2345" },
		{ "$s4main4spinyyF", "$s4main4spinyyF" },
	};
	struct fixture *f = *state;

	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		build_named(f, names[i].symbol);
		check(f, "named", names[i].name);
	}
}

static void
split_functions_have_names_of_their_own(void **state)
{
	/* A cold part is one of its function. */
	static const char *const suffixes[][2] = {
		{ ".cold", "" },
		{ ".part.0", ".part.0" },
		{ ".constprop.0.isra.0", ".constprop.0.isra.0" },
	};
	struct fixture *f = *state;

	need_root();
	need_demangler();
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		char mangled[64], name[64];

		snprintf(mangled, sizeof(mangled), "_ZN2ns5splitEi%s", suffixes[i][0]);
		snprintf(name, sizeof(name), "ns::split%s", suffixes[i][1]);
		build_named(f, mangled);
		check(f, "named", name);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cplusplus_has_whole_names_in_exports),
		cmocka_unit_test(rust_has_names_without_hashes),
		cmocka_unit_test(names_of_go_zig_and_swift_are_plain),
		cmocka_unit_test(split_functions_have_names_of_their_own),
	};

	return cmocka_run_group_tests_name("symbol languages", tests, fixture_setup,
					   fixture_teardown);
}
