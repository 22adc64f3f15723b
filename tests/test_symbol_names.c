/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "base/buf.h"
#include "symbol/elf/demangle.h"

#include "symbol_fixture.h"
#include "tests/skip.h"

static char *
one_name(const struct fixture *f, const char *raw)
{
	uint32_t fn = 42;
	struct symbol_names_msg *m;
	char *name;

	symbol_service_ask_names(f->service, 3, &raw, &fn, 1);
	m = (struct symbol_names_msg *)answer(f, SYMBOL_MSG_NAMES);
	assert_int_equal(m->dso, 3);
	assert_int_equal(m->count, 1);
	assert_int_equal(m->names[0].fn, 42);
	name = m->names[0].name;
	m->names[0].name = NULL;
	msg_free(&m->msg);
	return name;
}

static const struct {
	const char *raw, *name;
} mangled[] = {
	{ "main", "main" },
	{ "_start", "_start" },
	{ "_Z", "_Z" },
	{ "_ZN3foo3barEi", "foo::bar" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
	{ "_ZN3foo3barEi@plt", "foo::bar@plt" },
	{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
	{ "_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example" },
	{ "_Znot_a_name", "_Znot_a_name" },
	{ "_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo" },
	{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
	  "std::operator<< <std::char_traits<char> >" },
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()" },
	{ "_ZN3fooB5cxx11Ev", "foo[abi:cxx11]" },
	{ "_ZN3foo3barEi.cold", "foo::bar.cold" },
	{ "_ZN3foo3barEi.part.0.cold", "foo::bar.part.0.cold" },
	{ "_ZN3foo3barEi.localalias", "foo::bar" },
	{ "_ZN3foo3barEi.constprop.0.isra.0@plt", "foo::bar.constprop.0.isra.0@plt" },
	{ "_ZN3foo3barEi.lto_priv.0", "foo::bar.lto_priv.0" },
	{ "_ZN3foo3barEi.llvm.16049421037", "foo::bar" },
	{ "_ZN4core3fmt5write17h0123456789abcdefE.llvm.1234", "core::fmt::write" },
	{ "_ZN4core3fmt5write17h0123456789abcdefE.cold", "core::fmt::write.cold" },
	{ "_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE.cold.1",
	  "core::ptr::drop_in_place<alloc::string::String>.cold.1" },
	{ "_RNvCs15kBYyAo9fc_7mycrate7example.llvm.123", "mycrate::example" },
	{ "_RNvCs15kBYyAo9fc_7mycrate7example.cold", "mycrate::example.cold" },
	{ "_RINvNtCs3_4core3ptr13drop_in_placeNtNtCs5_5alloc6string6StringECs7_5mytop",
	  "core::ptr::drop_in_place::<alloc::string::String>" },
	{ "_RNCNvCs15kBYyAo9fc_7mycrate4main0B3_", "mycrate::main::{closure#0}" },
	{ "_Dmain", "D main" },
};

/* Needs no library. */
static const struct {
	const char *raw, *name;
} plain[] = {
	{ "main", "main" },
	{ "foo.cold", "foo.cold" },
	{ "foo.constprop.0", "foo.constprop.0" },
	{ "foo.llvm.123456", "foo" },
	{ "foo.cold.llvm.123456.part.1", "foo.cold.part.1" },
	{ "_Do_it.llvm.12", "_Do_it" },
	{ "main.(*Tree).Insert", "main.(*Tree).Insert" },
	{ "gopkg.in/yaml%2ev2.(*parser).parse", "gopkg.in/yaml.v2.(*parser).parse" },
	{ "runtime\302\267memmove", "runtime.memmove" },
	{ "main.Map[go.shape.int]", "main.Map[go.shape.int]" },
	{ "$s4main3fooyyF", "$s4main3fooyyF" },
	{ "sort.pdq__anon_1234", "sort.pdq__anon_1234" },
	{ "percent%d", "percent%d" },
};

static void
names_of_go_swift_zig_and_c_are_plain(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		char *name = one_name(*state, plain[i].raw);

		assert_string_equal(name, plain[i].name);
		free(name);
	}
}

static void
names_are_demangled_as_perf_shows_them(void **state)
{
#ifndef HAVE_LIBIBERTY
	(void)state;
	(void)one_name;
	(void)mangled;
	skip_for("built without libiberty");
#else
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mangled); i++) {
		char *name = one_name(*state, mangled[i].raw);

		assert_string_equal(name, mangled[i].name);
		free(name);
	}
#ifdef HAVE_LIBIBERTY
	{
		char *name = one_name(*state, "_D3std5stdio7writelnFZv");

		assert_string_equal(name, "std.stdio.writeln()");
		free(name);
	}
#endif
#endif
}

static void
names_too_long_to_demangle_stay_raw(void **state)
{
	struct buf raw = { 0 };
	unsigned i;
	char *name;

	(void)state;
	buf_add_str(&raw, "_ZN");
	for (i = 0; i < 2000; i++)
		buf_add_str(&raw, "3foo");
	buf_add_str(&raw, "3bar");
	buf_add_fill(&raw, 'x', 4000);
	name = demangle(raw.data);
	assert_string_equal(name, raw.data);
	free(name);
	buf_release(&raw);
}

static void
a_name_that_grows_without_end_stays_raw(void **state)
{
	struct buf raw = { 0 };
	char *name;
	unsigned i;

	(void)state;
	/* Each argument is a pair of the one before: at the end gigabytes of name. */
	buf_add_str(&raw, "_Z1fI1AIiiE");
	for (i = 1; i < 34; i++)
		buf_addf(&raw, "S0_IS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i],
			 "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
	buf_add_str(&raw, "Evv");
	name = demangle(raw.data);
	assert_string_equal(name, raw.data);
	free(name);
	buf_release(&raw);
}

static void
without_demangling_names_are_as_the_file_has_them(void **state)
{
	struct fixture *f = *state;
	struct symbol_service *demangling = f->service;
	char *name;

	f->service = service_with(f, "/proc", NULL, false);
	name = one_name(f, "_ZN3foo3barEi");
	assert_string_equal(name, "_ZN3foo3barEi");
	free(name);
	symbol_service_free(f->service);
	f->service = demangling;
}

static void
a_cplusplus_program_has_mangled_names(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	bool found = false;
	uint32_t i;

	write_text(f, "c.cc",
		   "namespace ns { template <class T> struct box { T v;"
		   " __attribute__((noinline)) T get(T n) { return v + n; } }; }\n"
		   "int main(int argc, char **) { ns::box<int> b{argc}; return b.get(2); }\n");
	if (!sh(f, "c++ -O1 c.cc -o cplus"))
		skip_for("no C++ compiler here");
	m = ask_path(f, "cplus");
	assert_non_null(m->image);
	for (i = 0; i < image_count(m->image); i++) {
		char *name = demangle(image_raw_name(m->image, i));

		found = found || strcmp(name, "ns::box<int>::get") == 0;
		free(name);
	}
	assert_true(found);
	msg_free(&m->msg);
}

static void
a_rust_program_has_names_without_hashes(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	unsigned found = 0;
	uint32_t i;

	write_text(f, "r.rs",
		   "mod inner { #[inline(never)] pub fn spin(n: u64) -> u64 {"
		   " std::hint::black_box(n) * 3 } }\n"
		   "fn main() { println!(\"{}\", inner::spin(4)); }\n");
	if (!sh(f, "rustc -O -o rusty r.rs"))
		skip_for("no rustc here");
	m = ask_path(f, "rusty");
	assert_non_null(m->image);
	for (i = 0; i < image_count(m->image); i++) {
		char *name = demangle(image_raw_name(m->image, i));

		found += strcmp(name, "r::inner::spin") == 0 ||
			 strcmp(name, "rusty::inner::spin") == 0;
		free(name);
	}
	assert_int_equal(found, 1);
	msg_free(&m->msg);
}

static char *
one_line(struct fixture *f, uint32_t dso, const char *file, const char *function)
{
	struct symbol_image_msg *m = ask_path(f, file);
	struct symbol_ask ask = { .dso = dso, .kind = SYMBOL_ELF, .path = in_dir(f, file) };
	struct symbol_lines_msg *l;
	uint64_t addr = 0;
	uint32_t i;
	char *line;

	for (i = 0; m->image != NULL && i < image_count(m->image); i++)
		if (strcmp(image_raw_name(m->image, i), function) == 0)
			addr = image_address(m->image, i);
	msg_free(&m->msg);
	symbol_service_ask_lines(f->service, &ask, &addr, 1);
	l = (struct symbol_lines_msg *)answer(f, SYMBOL_MSG_LINES);
	assert_int_equal(l->dso, dso);
	assert_int_equal(l->count, 1);
	assert_int_equal(l->lines[0].addr, addr);
	line = l->lines[0].line;
	l->lines[0].line = NULL;
	msg_free(&l->msg);
	return line;
}

static void
check_line(struct fixture *f, uint32_t dso, const char *file, const char *function,
	   const char *want)
{
	char *line = one_line(f, dso, file, function);

#ifdef HAVE_LIBDW
	assert_non_null(line);
	assert_string_equal(line, want);
#else
	(void)want;
	assert_null(line);
#endif
	free(line);
}

static void
addresses_have_source_lines(void **state)
{
	struct fixture *f = *state;
	uint32_t dso;

	check_line(f, 100, "pie", "hot_loop", "prog.c:7");
	check_line(f, 101, "nopie", "in_the_lib", "lib.c:2");
	check_line(f, 102, "libt.so", "in_the_lib", "lib.c:2");
	/* More files than stay open at once, and back to the first. */
	for (dso = 103; dso < 110; dso++)
		check_line(f, dso, "pie", "main", "prog.c:11");
	check_line(f, 100, "pie", "hot_loop", "prog.c:7");
}

static void
without_aranges_addresses_have_source_lines_too(void **state)
{
	struct fixture *f = *state;

	if (!sh(f, "objcopy -R .debug_aranges nopie noaranges"))
		skip_for("no objcopy here");
	check_line(f, 120, "noaranges", "hot_loop", "prog.c:7");
}

static void
without_debug_data_there_are_no_lines(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask kernel = { .dso = 9, .kind = SYMBOL_KERNEL, .path = "[kernel]" };
	uint64_t addrs[2] = { 1, 2 };
	struct symbol_lines_msg *l;

	assert_null(one_line(f, 130, "stripped", "main"));
	assert_null(one_line(f, 131, "missing", "main"));
	symbol_service_ask_lines(f->service, &kernel, addrs, 2);
	l = (struct symbol_lines_msg *)answer(f, SYMBOL_MSG_LINES);
	assert_int_equal(l->count, 2);
	assert_null(l->lines[1].line);
	msg_free(&l->msg);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_go_swift_zig_and_c_are_plain),
		cmocka_unit_test(names_are_demangled_as_perf_shows_them),
		cmocka_unit_test(names_too_long_to_demangle_stay_raw),
		cmocka_unit_test(a_name_that_grows_without_end_stays_raw),
		cmocka_unit_test(without_demangling_names_are_as_the_file_has_them),
		cmocka_unit_test(a_cplusplus_program_has_mangled_names),
		cmocka_unit_test(a_rust_program_has_names_without_hashes),
		cmocka_unit_test(addresses_have_source_lines),
		cmocka_unit_test(without_aranges_addresses_have_source_lines_too),
		cmocka_unit_test(without_debug_data_there_are_no_lines),
	};

	return cmocka_run_group_tests_name("symbol names", tests, fixture_setup,
					   fixture_teardown);
}
