/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/asserts.h"

static const struct {
	const char *name, *brief;
} names[] = {
	/* C, assembler, the kernel: as they are */
	{ "main", "main" },
	{ "__libc_start_main@@GLIBC_2.34", "__libc_start_main@@GLIBC_2.34" },
	{ "memcpy@plt", "memcpy@plt" },
	{ "quicksort.part.0.cold", "quicksort.part.0.cold" },
	{ "do_syscall_64", "do_syscall_64" },
	{ "", "" },
	/* C++ */
	{ "foo::bar", "foo::bar" },
	{ "A<int>::f", "A<int>::f" },
	{ "A<3>::f", "A<3>::f" },
	{ "A<3, true>::f", "A<...>::f" },
	{ "std::vector<int, std::allocator<int> >::push_back", "std::vector<...>::push_back" },
	{ "std::__sort<__gnu_cxx::__normal_iterator<int*, std::vector<int, std::allocator<int> > >,"
	  " __gnu_cxx::__ops::_Iter_less_iter>", "std::__sort<...>" },
	{ "std::function<void ()>::operator()", "std::function<...>::operator()" },
	{ "std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke",
	  "std::_Function_handler<...>::_M_invoke" },
	{ "(anonymous namespace)::foo", "(anonymous namespace)::foo" },
	{ "ns::(anonymous namespace)::Pool<ns::Item>::get",
	  "ns::(anonymous namespace)::Pool<...>::get" },
	{ "main::{lambda(int)#1}::operator()", "main::{lambda(int)#1}::operator()" },
	{ "foo<int>(int)::{lambda(std::vector<int> const&)#2}::operator()",
	  "foo<int>(int)::{lambda(...)#2}::operator()" },
	{ "f(std::string)::{lambda(auto:1)#1}::operator()<int>",
	  "f(...)::{lambda(...)#1}::operator()<int>" },
	{ "std::operator<< <std::char_traits<char> >", "std::operator<< <...>" },
	{ "foo::operator< <int>", "foo::operator< <int>" },
	{ "foo::operator<=>", "foo::operator<=>" },
	{ "foo::operator->", "foo::operator->" },
	{ "foo<char, int>::operator->*", "foo<...>::operator->*" },
	{ "foo::operator>>", "foo::operator>>" },
	{ "A::operator()<std::pair<int, int> >", "A::operator()<...>" },
	{ "foo::operator[]", "foo::operator[]" },
	{ "operator new[]", "operator new[]" },
	{ "foo::operator std::__cxx11::basic_string<char, std::char_traits<char>,"
	  " std::allocator<char> >", "foo::operator std::__cxx11::basic_string<...>" },
	{ "my_operator<char const*>", "my_operator<...>" },
	{ "A<((3)>(2))>::f", "A<...>::f" },
	{ "A<(a<b)>::f", "A<...>::f" },
	{ "A<&(B::operator<)>::f", "A<...>::f" },
	{ "A<&(B::operator->)>::f", "A<...>::f" },
	{ "foo[abi:cxx11]", "foo[abi:cxx11]" },
	{ "foo[abi:cxx11]<char const*>", "foo[abi:cxx11]<...>" },
	{ "vtable for std::vector<int, std::allocator<int> >", "vtable for std::vector<...>" },
	{ "non-virtual thunk to foo::bar(unsigned long)", "non-virtual thunk to foo::bar(...)" },
	{ "ns::Map<K, V>::find.cold", "ns::Map<...>::find.cold" },
	{ "decltype(nullptr)", "decltype(...)" },
	/* Rust */
	{ "core::fmt::write", "core::fmt::write" },
	{ "core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place<...>" },
	{ "core::ptr::drop_in_place::<alloc::string::String>", "core::ptr::drop_in_place::<...>" },
	{ "<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend",
	  "<alloc::vec::Vec<T> as core::iter::Extend<T>>::extend" },
	{ "<alloc::vec::Vec<u8, A> as core::iter::Extend<&u8>>::extend",
	  "<alloc::vec::Vec<...> as core::iter::Extend<&u8>>::extend" },
	{ "<&mut F as core::ops::FnOnce<(A, B)>>::call_once",
	  "<&mut F as core::ops::FnOnce<...>>::call_once" },
	{ "<[T]>::sort_by_key::<u64, main::{closure#0}>", "<[T]>::sort_by_key::<...>" },
	{ "core::num::<impl u64>::pow", "core::num::<impl u64>::pow" },
	{ "core::fmt::num::imp::<impl core::fmt::Display for u64>::fmt",
	  "core::fmt::num::imp::<impl core::fmt::Display for u64>::fmt" },
	{ "mycrate::main::{closure#0}", "mycrate::main::{closure#0}" },
	{ "main::{{closure}}", "main::{{closure}}" },
	{ "call::<fn(u8) -> alloc::vec::Vec<u8>>", "call::<...>" },
	/* Go, Zig, D, Swift */
	{ "main.(*Tree).Insert", "main.(*Tree).Insert" },
	{ "main.(*List[go.shape.int]).Push", "main.(*List[...]).Push" },
	{ "main.Map[go.shape.int,go.shape.string]", "main.Map[...]" },
	{ "main.main.func1", "main.main.func1" },
	{ "gopkg.in/yaml.v2.(*parser).parse-fm", "gopkg.in/yaml.v2.(*parser).parse-fm" },
	{ "sort.pdq__anon_1234", "sort.pdq__anon_1234" },
	{ "std.stdio.writeln!(immutable(char)[]).writeln(immutable(char)[])",
	  "std.stdio.writeln!(...).writeln(...)" },
	{ "$s4main3fooyyF", "$s4main3fooyyF" },
	/* what is no function */
	{ "[filtered]", "[filtered]" },
	{ "12 more rows", "12 more rows" },
	{ "0x7f12 in libfoo.so (deleted)", "0x7f12 in libfoo.so (deleted)" },
	{ "main > std::vector<int, A>::size", "main > std::vector<...>::size" },
	/* broken */
	{ "a<bcdef", "a<...>" },
	{ "a<b<c<d", "a<...>" },
	{ "a>b)c]", "a>b)c]" },
	{ "f(abcd>)", "f(...)" },
	{ "f<", "f<" },
};

static void
lists_of_arguments_are_left_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct buf b = { 0 };

		brief_add(&b, names[i].name);
		assert_string_equal(buf_str(&b), names[i].brief);
		buf_release(&b);
	}
}

static void
a_name_never_gets_longer(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct buf b = { 0 };

		/* Cut anywhere, too: what is broken is as any other. */
		for (size_t len = 1; len <= strlen(names[i].name); len++) {
			char cut[256];

			snprintf(cut, sizeof(cut), "%.*s", (int)len, names[i].name);
			buf_reset(&b);
			brief_add(&b, cut);
			assert_that(b.len, <=, MAX(strlen(cut), strlen("a<...>")));
		}
		buf_release(&b);
	}
}

/* 64 KiB, as long as names get: of @part again and again. */
static void
assert_bounded(const char *part)
{
	struct buf name = { 0 }, b = { 0 };

	while (name.len < 64 << 10)
		buf_add_str(&name, part);
	for (unsigned i = 0; i < 100; i++) {
		buf_reset(&b);
		brief_add(&b, buf_str(&name));
		assert_that(b.len, <=, (4 << 10) + 8);
	}
	buf_release(&name);
	buf_release(&b);
}

static void
hostile_names_are_bounded(void **state)
{
	static const char *const parts[] = { "<",   "a<",  "(",	   "f(", "[",  "a[",  "{", "<a<",
					     "a<)", "<(<", "a>><", "\033[2J", "a<\n", "operator<" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		assert_bounded(parts[i]);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_arguments_are_left_out),
		cmocka_unit_test(a_name_never_gets_longer),
		cmocka_unit_test(hostile_names_are_bounded),
	};

	return cmocka_run_group_tests_name("brief", tests, NULL, NULL);
}
