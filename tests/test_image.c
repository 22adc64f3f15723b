/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/image/image.h"
#include "symbol/image/image_build.h"
#include "symbol/file/sealed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

/* What is added to an entry's offset for its ELF address. */
enum { ENTRY_BIAS = 0x400000 };

struct sym {
	uint64_t addr, size;
	const char *name; /* "": an entry of unwind tables */
	enum image_binding binding;
	const char *module;
};

static int
build_fd(const struct sym *syms, size_t n, uint64_t section_end)
{
	struct err err = { 0 };
	struct image_build *b = image_build_new(&err);
	size_t i;
	int fd;

	assert_non_null(b);
	if (section_end != 0)
		image_build_section(b, 0, section_end);
	for (i = 0; i < n; i++) {
		struct image_symbol s = { syms[i].addr, syms[i].size, syms[i].name,
					  strlen(syms[i].name), syms[i].binding, 0 };

		if (syms[i].module != NULL)
			s.module = image_build_module(b, syms[i].module, strlen(syms[i].module));
		if (s.name_len == 0)
			assert_true(image_build_add_entry(b, s.addr, s.size, s.addr + ENTRY_BIAS));
		else
			assert_true(image_build_add(b, &s));
	}
	fd = image_build_finish(b, &err);
	image_build_free(b);
	assert_that(fd, >=, 0);
	return fd;
}

static struct image *
build(const struct sym *syms, size_t n, uint64_t section_end)
{
	struct err err = { 0 };
	struct image *img = image_open(build_fd(syms, n, section_end), &err);

	assert_string_equal(err.text, "");
	assert_non_null(img);
	return img;
}

static const char *
name_at(const struct image *img, uint64_t addr)
{
	uint32_t fn = image_find(img, addr);

	return fn == IMAGE_NONE ? "-" : image_raw_name(img, fn);
}

/* Functions of all sizes, gaps between them, and the few of modules far away. */
static void
an_index_finds_what_is_found_without_it(void **state)
{
	enum { COUNT = 3000, NEAR = 2900 };
	struct err err = { 0 };
	struct image_build *b = image_build_new(&err);
	struct image *plain, *indexed;
	uint64_t addr = 0x1000, end = 0;
	int fd;

	(void)state;
	for (uint64_t i = 0; i < COUNT; i++) {
		struct image_symbol s = { addr, 1 + i * 7 % 61, "f", 1, IMAGE_GLOBAL, 0 };

		assert_true(image_build_add(b, &s));
		end = addr + s.size;
		addr = end + i * 11 % 37 + (i == NEAR ? UINT64_C(1) << 31 : 0);
	}
	fd = image_build_finish(b, &err);
	image_build_free(b);
	plain = image_open(dup(fd), &err);
	indexed = image_open(fd, &err);
	assert_int_equal(image_count(indexed), COUNT);
	image_index(indexed);
	for (addr = 0; addr < 0x40000; addr++)
		assert_int_equal(image_find(indexed, addr), image_find(plain, addr));
	for (addr = end - 0x1000; addr < end + 0x1000; addr++)
		assert_int_equal(image_find(indexed, addr), image_find(plain, addr));
	assert_int_equal(image_find(indexed, UINT64_MAX), IMAGE_NONE);
	image_free(plain);
	image_free(indexed);
}

static void
an_image_finds_the_function_around_an_address(void **state)
{
	static const struct sym syms[] = {
		{ 0x300, 0x20, "third", IMAGE_GLOBAL, NULL },
		{ 0x100, 0x10, "first", IMAGE_GLOBAL, NULL },
		{ 0x110, 0x10, "second", IMAGE_LOCAL, NULL },
	};
	struct image *img = build(syms, 3, 0);

	(void)state;
	assert_int_equal(image_count(img), 3);
	assert_string_equal(name_at(img, 0xff), "-");
	assert_string_equal(name_at(img, 0x100), "first");
	assert_string_equal(name_at(img, 0x10f), "first");
	assert_string_equal(name_at(img, 0x110), "second");
	assert_string_equal(name_at(img, 0x120), "-");
	assert_string_equal(name_at(img, 0x31f), "third");
	assert_string_equal(name_at(img, 0x320), "-");
	assert_string_equal(name_at(img, UINT64_MAX), "-");
	assert_int_equal(image_address(img, 2), 0x300);
	assert_int_equal(image_size(img, 2), 0x20);
	assert_string_equal(image_module(img, 2), "");
	image_free(img);
}

static void
an_image_without_functions_finds_none(void **state)
{
	struct image *img = build(NULL, 0, 0);

	(void)state;
	assert_int_equal(image_count(img), 0);
	assert_int_equal(image_find(img, 0), IMAGE_NONE);
	image_free(img);
}

static void
of_aliases_the_one_stays_that_perf_shows(void **state)
{
	static const struct {
		struct sym a, b;
		const char *best;
	} rows[] = {
		{ { 1, 0, "sizeless", IMAGE_GLOBAL, NULL }, { 1, 4, "x", IMAGE_LOCAL, NULL }, "x" },
		{ { 1, 4, "weak_long", IMAGE_WEAK, NULL }, { 1, 4, "l", IMAGE_LOCAL, NULL }, "l" },
		{ { 1, 4, "local_long", IMAGE_LOCAL, NULL }, { 1, 4, "g", IMAGE_GLOBAL, NULL },
		  "g" },
		{ { 1, 4, "__memcpy", IMAGE_GLOBAL, NULL }, { 1, 4, "memcpy", IMAGE_GLOBAL, NULL },
		  "memcpy" },
		{ { 1, 4, "cfree", IMAGE_GLOBAL, NULL }, { 1, 4, "free", IMAGE_GLOBAL, NULL },
		  "cfree" },
		{ { 1, 4, "_Z3foov", IMAGE_GLOBAL, NULL }, { 1, 4, "_x", IMAGE_GLOBAL, NULL },
		  "_Z3foov" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sym both[2] = { rows[i].a, rows[i].b }, turned[2] = { rows[i].b, rows[i].a };
		struct image *one = build(both, 2, 0), *two = build(turned, 2, 0);

		assert_int_equal(image_count(one), 1);
		assert_string_equal(name_at(one, 1), rows[i].best);
		assert_string_equal(name_at(two, 1), rows[i].best);
		image_free(one);
		image_free(two);
	}
}

static void
of_aliases_without_a_size_the_last_stays(void **state)
{
	static const struct sym syms[] = {
		{ 0x1000, 0, "__do_sys_read", IMAGE_LOCAL, NULL },
		{ 0x1000, 0, "__ia32_sys_read", IMAGE_GLOBAL, NULL },
		{ 0x1000, 0, "__x64_sys_read", IMAGE_GLOBAL, NULL },
	};
	struct image *img = build(syms, 3, 0);

	(void)state;
	assert_string_equal(name_at(img, 0x1000), "__x64_sys_read");
	image_free(img);
}

static void
of_overlapping_functions_the_innermost_is_found(void **state)
{
	static const struct sym syms[] = {
		{ 0x100, 0x100, "outer", IMAGE_GLOBAL, NULL },
		{ 0x140, 0x20, "middle", IMAGE_GLOBAL, NULL },
		{ 0x148, 0x8, "inner", IMAGE_GLOBAL, NULL },
		{ 0x180, 0, "label", IMAGE_LOCAL, NULL },
		{ 0x1f0, 0x20, "half_in", IMAGE_GLOBAL, NULL },
		{ UINT64_MAX - 8, 0x100, "at_the_end", IMAGE_GLOBAL, NULL },
	};
	struct image *img = build(syms, ARRAY_SIZE(syms), 0);

	(void)state;
	assert_string_equal(name_at(img, 0x13f), "outer");
	assert_string_equal(name_at(img, 0x140), "middle");
	assert_string_equal(name_at(img, 0x148), "inner");
	assert_string_equal(name_at(img, 0x14f), "inner");
	assert_string_equal(name_at(img, 0x150), "middle");
	assert_string_equal(name_at(img, 0x160), "outer");
	assert_string_equal(name_at(img, 0x180), "outer"); /* a label does not cut a function */
	assert_string_equal(name_at(img, 0x1ef), "outer");
	assert_string_equal(name_at(img, 0x1ff), "half_in");
	assert_string_equal(name_at(img, 0x20f), "half_in");
	assert_string_equal(name_at(img, 0x210), "-");
	assert_string_equal(name_at(img, UINT64_MAX - 1), "at_the_end");
	image_free(img);
}

static void
entries_bound_what_no_symbol_names(void **state)
{
	static const struct sym syms[] = {
		{ 0x100, 0x40, "", IMAGE_LOCAL, NULL },
		{ 0x200, 0x20, "begins_it", IMAGE_GLOBAL, NULL },
		{ 0x200, 0x80, "", IMAGE_LOCAL, NULL },
		{ 0x300, 0x100, "", IMAGE_LOCAL, NULL },
		{ 0x340, 0x10, "in_it", IMAGE_LOCAL, NULL },
		{ 0x500, 0x100, "around_it", IMAGE_GLOBAL, NULL },
		{ 0x540, 0x20, "", IMAGE_LOCAL, NULL },
		{ 0x600, 0x100, "", IMAGE_LOCAL, NULL },
		{ 0x640, 0, "label", IMAGE_GLOBAL, NULL },
		{ 0x700, 0x10, "", IMAGE_LOCAL, NULL },
		{ 0x800, 0x40, "", IMAGE_LOCAL, NULL },
		{ 0x810, 0x10, "a@plt", IMAGE_GLOBAL, NULL },
		{ 0x800, 0x40, ".plt", IMAGE_SECTION, NULL },
		{ 0x900, 0x10, "b@plt", IMAGE_GLOBAL, NULL },
		{ 0x900, 0x20, ".plt.sec", IMAGE_SECTION, NULL },
		{ 0x900, 0x20, "", IMAGE_LOCAL, NULL },
	};
	static const struct {
		uint64_t addr;
		const char *name;
	} places[] = {
		{ 0xff, "-" }, { 0x100, "+0x400100" }, { 0x13f, "+0x400100" }, { 0x140, "-" },
		{ 0x200, "begins_it" }, { 0x21f, "begins_it" }, { 0x220, "+0x400200" },
		{ 0x27f, "+0x400200" }, { 0x280, "-" }, { 0x300, "+0x400300" }, { 0x33f, "+0x400300" },
		{ 0x340, "in_it" }, { 0x350, "+0x400300" }, { 0x3ff, "+0x400300" }, { 0x400, "-" },
		{ 0x53f, "around_it" }, { 0x540, "around_it" }, { 0x5ff, "around_it" },
		{ 0x600, "+0x400600" }, { 0x63f, "+0x400600" }, { 0x640, "label" }, { 0x6ff, "label" },
		{ 0x700, "+0x400700" }, { 0x800, ".plt" }, { 0x810, "a@plt" }, { 0x81f, "a@plt" },
		{ 0x820, ".plt" }, { 0x83f, ".plt" }, { 0x840, "-" }, { 0x900, "b@plt" },
		{ 0x910, ".plt.sec" }, { 0x91f, ".plt.sec" }, { 0x920, "-" },
	};
	struct image *img = build(syms, ARRAY_SIZE(syms), 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		assert_string_equal(name_at(img, places[i].addr), places[i].name);
	assert_true(image_is_entry(name_at(img, 0x100)));
	assert_false(image_is_entry(name_at(img, 0x200)));
	image_free(img);
}

/* In any order the same: of what overlaps, too. */
static void
entries_that_overlap_make_a_good_image(void **state)
{
	struct err err = { 0 };
	unsigned x = 1;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct image_build *b = image_build_new(&err);
		struct image *img;

		for (unsigned i = 0; i < 60; i++) {
			struct image_symbol s = { .name = "f", .name_len = 1 };

			x = x * 1103515245 + 12345;
			s.addr = x >> 8 & 0xff;
			s.size = x >> 16 & 0x3f;
			s.binding = (x >> 24) % (IMAGE_GLOBAL + 1);
			if (x >> 30 == 0)
				assert_true(image_build_add_entry(b, s.addr, s.size + 1, s.addr));
			else
				assert_true(image_build_add(b, &s));
		}
		img = image_open(image_build_finish(b, &err), &err);
		if (img == NULL)
			fail_msg("round %u: %s", round, err.text);
		image_build_free(b);
		image_free(img);
	}
}

static void
functions_without_a_size_reach_to_the_next_but_not_far(void **state)
{
	static const struct sym syms[] = {
		{ 0x1000, 0, "a", IMAGE_GLOBAL, NULL },
		{ 0x1800, 0, "b", IMAGE_GLOBAL, NULL },
		{ 0x10000000, 0, "far", IMAGE_GLOBAL, NULL },
		{ 0x10000100, 0, "in_module", IMAGE_GLOBAL, "ext4" },
	};
	struct image *img = build(syms, 4, 0), *section = build(syms, 2, 0x1880);

	(void)state;
	assert_string_equal(name_at(img, 0x17ff), "a");
	assert_string_equal(name_at(img, 0x1fff), "b");
	assert_string_equal(name_at(img, 0x2000), "-");
	assert_string_equal(name_at(img, 0x100000ff), "far");
	assert_string_equal(name_at(img, 0x10000fff), "in_module");
	assert_string_equal(name_at(section, 0x187f), "b");
	assert_string_equal(name_at(section, 0x1880), "-");
	image_free(img);
	image_free(section);
}

static void
modules_are_told_apart(void **state)
{
	static const struct sym syms[] = {
		{ 0xffffffff81000000, 8, "do_it", IMAGE_GLOBAL, NULL },
		{ 0xffffffffc0001000, 8, "read", IMAGE_LOCAL, "ext4" },
		{ 0xffffffffc0002000, 8, "read", IMAGE_LOCAL, "xfs" },
		{ 0xffffffffc0003000, 8, "write", IMAGE_LOCAL, "ext4" },
	};
	struct image *img = build(syms, 4, 0);

	(void)state;
	assert_string_equal(image_module(img, image_find(img, 0xffffffff81000001)), "");
	assert_string_equal(image_module(img, image_find(img, 0xffffffffc0001001)), "ext4");
	assert_string_equal(image_module(img, image_find(img, 0xffffffffc0002001)), "xfs");
	assert_string_equal(image_module(img, image_find(img, 0xffffffffc0003001)), "ext4");
	image_free(img);
}

static void
addresses_farther_apart_than_32_bits_are_kept(void **state)
{
	static const struct sym syms[] = {
		{ 0x1000, 8, "low", IMAGE_GLOBAL, NULL },
		{ 0xffff800000000000, 8, "high", IMAGE_GLOBAL, "m" },
	};
	struct image *img = build(syms, 2, 0);

	(void)state;
	assert_string_equal(name_at(img, 0x1007), "low");
	assert_string_equal(name_at(img, 0xffff800000000007), "high");
	assert_int_equal(image_address(img, 1), 0xffff800000000000);
	image_free(img);
}

static void
many_symbols_in_any_order_come_out_sorted(void **state)
{
	enum { N = 100000 };
	struct err err = { 0 };
	struct image_build *b = image_build_new(&err);
	uint32_t i, x = 1, fn;
	struct image *img;
	char name[32];

	(void)state;
	for (i = 0; i < N; i++) {
		struct image_symbol s = { .size = 16, .name = name, .binding = IMAGE_GLOBAL };

		x = (x + 61813) % N; /* has no factor in common with N: each comes once */
		s.addr = (uint64_t)x * 16 << 4;
		s.name_len = (size_t)snprintf(name, sizeof(name), "f%u", x);
		assert_true(image_build_add(b, &s));
	}
	img = image_open(image_build_finish(b, &err), &err);
	image_build_free(b);
	assert_non_null(img);
	assert_int_equal(image_count(img), N);
	for (i = 0; i < N; i += 7) {
		fn = image_find(img, ((uint64_t)i * 16 << 4) + 3);
		assert_int_equal(fn, i);
		snprintf(name, sizeof(name), "f%u", i);
		assert_string_equal(image_raw_name(img, fn), name);
	}
	image_free(img);
}

static void
a_builder_that_is_full_says_so(void **state)
{
	struct err err = { 0 };
	struct image_build *b = image_build_new(&err);
	struct image_symbol s = { 1, 1, "a_name_of_length_20__", 21, IMAGE_GLOBAL, 0 };
	struct image *img;

	(void)state;
	image_build_limit_names(b, 50);
	assert_true(image_build_add(b, &s));
	s.addr = 2;
	assert_true(image_build_add(b, &s));
	s.addr = 3;
	assert_false(image_build_add(b, &s));
	img = image_open(image_build_finish(b, &err), &err);
	image_build_free(b);
	assert_non_null(img);
	assert_int_equal(image_count(img), 2);
	image_free(img);
}

/* Takes everything out, so that a sanitizer sees what lies outside. */
static size_t
use_all(const struct image *img)
{
	uint32_t i, n = image_count(img);
	size_t sum = 0;

	for (i = 0; i < n; i++) {
		uint64_t addr = image_address(img, i);

		sum += strlen(image_raw_name(img, i)) + strlen(image_module(img, i));
		assert_that(image_size(img, i), >, 0);
		assert_int_equal(image_find(img, addr), i);
		assert_int_equal(image_find(img, addr + image_size(img, i) - 1), i);
	}
	return sum + image_find(img, 0) + image_find(img, UINT64_MAX);
}

/* The same of one that may be damaged: what comes out may be wrong. */
static void
look_all_up(const struct image *img)
{
	struct buf name = { 0 };

	for (uint32_t i = 0; i < image_count(img); i++) {
		image_copy_name(img, i, &name);
		assert_that(strlen(image_raw_name(img, i)) + strlen(image_module(img, i)), <, 1024);
		image_find(img, image_address(img, i));
		image_find(img, image_address(img, i) + image_size(img, i));
	}
	buf_release(&name);
}

static int
sealed_bytes(const uint8_t *bytes, size_t len)
{
	int fd = sealed_new("test", NULL);

	assert_that(fd, >=, 0);
	assert_int_equal(sealed_write(fd, bytes, len), 0);
	assert_int_equal(sealed_seal(fd), 0);
	return fd;
}

static struct image *
open_bytes(const uint8_t *bytes, size_t len)
{
	return image_open(sealed_bytes(bytes, len), NULL);
}

static const struct sym corrupt_me[] = {
	{ 0x1000, 16, "one", IMAGE_GLOBAL, NULL },
	{ 0x2000, 32, "two", IMAGE_GLOBAL, "mod" },
	{ 0x3000, 16, "three", IMAGE_GLOBAL, NULL },
};

static size_t
read_image(int fd, uint8_t *bytes, size_t max)
{
	ssize_t n = pread(fd, bytes, max, 0);

	close(fd);
	assert_that(n, >, 0);
	assert_that((size_t)n, <, max);
	return (size_t)n;
}

static void
a_corrupt_image_is_refused_or_harmless(void **state)
{
	uint8_t bytes[1024];
	size_t len = read_image(build_fd(corrupt_me, 3, 0), bytes, sizeof(bytes)), i;
	unsigned refused = 0, v;

	(void)state;
	for (i = 0; i < len; i++) {
		uint8_t old = bytes[i];

		for (v = 0; v < 256; v += i < 48 ? 1 : 5) {
			struct image *img;

			bytes[i] = (uint8_t)v;
			img = open_bytes(bytes, len);
			if (img == NULL)
				refused++;
			else
				use_all(img);
			image_free(img);
		}
		bytes[i] = old;
	}
	assert_that(refused, >, 1000);
}

static void
a_kept_image_that_is_damaged_does_no_harm(void **state)
{
	uint8_t bytes[1024];
	size_t len = read_image(build_fd(corrupt_me, 3, 0), bytes, sizeof(bytes)), i;
	unsigned opened = 0, v;

	(void)state;
	for (i = 0; i < len; i++) {
		uint8_t old = bytes[i];

		for (v = 0; v < 256; v += 5) {
			struct image *img;

			bytes[i] = (uint8_t)v;
			img = image_open_kept(sealed_bytes(bytes, len), NULL);
			if (img != NULL) {
				look_all_up(img);
				opened++;
			}
			image_free(img);
		}
		bytes[i] = old;
	}
	assert_that(opened, >, 1000);
}

static void
a_truncated_or_longer_image_is_refused(void **state)
{
	uint8_t bytes[1024] = { 0 };
	size_t len = read_image(build_fd(corrupt_me, 3, 0), bytes, sizeof(bytes) - 64), i;

	(void)state;
	for (i = 0; i < len + 32; i++) {
		struct image *img = open_bytes(bytes, i);

		assert_true((img != NULL) == (i == len));
		image_free(img);
	}
}

static void
an_image_that_could_change_is_refused(void **state)
{
	uint8_t bytes[1024];
	size_t len = read_image(build_fd(corrupt_me, 3, 0), bytes, sizeof(bytes));
	struct err err = { 0 };
	int fd = sealed_new("test", &err);

	(void)state;
	assert_int_equal(sealed_write(fd, bytes, len), 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	assert_null(image_open(fd, &err));
	assert_non_null(strstr(err.text, "could change"));
}

static void
mangled_names_are_known_by_their_beginning(void **state)
{
	(void)state;
	assert_true(image_is_mangled("_ZN3foo3barEv"));
	assert_true(image_is_mangled("_RNvCs1234_7mycrate3foo"));
	assert_true(image_is_mangled("_D3foo3barFZv"));
	assert_false(image_is_mangled("main"));
	assert_false(image_is_mangled("_start"));
	assert_false(image_is_mangled(""));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_finds_the_function_around_an_address),
		cmocka_unit_test(an_index_finds_what_is_found_without_it),
		cmocka_unit_test(an_image_without_functions_finds_none),
		cmocka_unit_test(of_aliases_the_one_stays_that_perf_shows),
		cmocka_unit_test(of_aliases_without_a_size_the_last_stays),
		cmocka_unit_test(of_overlapping_functions_the_innermost_is_found),
		cmocka_unit_test(entries_bound_what_no_symbol_names),
		cmocka_unit_test(entries_that_overlap_make_a_good_image),
		cmocka_unit_test(functions_without_a_size_reach_to_the_next_but_not_far),
		cmocka_unit_test(modules_are_told_apart),
		cmocka_unit_test(addresses_farther_apart_than_32_bits_are_kept),
		cmocka_unit_test(many_symbols_in_any_order_come_out_sorted),
		cmocka_unit_test(a_builder_that_is_full_says_so),
		cmocka_unit_test(a_corrupt_image_is_refused_or_harmless),
		cmocka_unit_test(a_kept_image_that_is_damaged_does_no_harm),
		cmocka_unit_test(a_truncated_or_longer_image_is_refused),
		cmocka_unit_test(an_image_that_could_change_is_refused),
		cmocka_unit_test(mangled_names_are_known_by_their_beginning),
	};

	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
