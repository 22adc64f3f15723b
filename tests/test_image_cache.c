/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/unwind/unwind_rules.h"
#include "symbol/file/cache_dir.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/image/image_build.h"
#include "symbol/service/image_cache.h"
#include "symbol/unwind/rules_build.h"

#include "symbol_fixture.h"
#include "tests/asserts.h"

#include <stddef.h>
#include <time.h>

enum { SETTLED_US = 2500000, WAIT_US = 20000, WAITS = 3000 };

/* How many blocks are kept; the name of one of them in @name, NULL: not wanted. */
static size_t
kept(const struct fixture *f, char *name)
{
	DIR *d = opendir(in_dir(f, "cache"));
	struct dirent *e;
	size_t n = 0;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "elf-", 4) != 0 || strstr(e->d_name, ".new-") != NULL)
			continue;
		n++;
		if (name != NULL)
			sprintf(name, "cache/%.200s", e->d_name);
	}
	if (d != NULL)
		closedir(d);
	return n;
}

static void
start(struct fixture *f)
{
	symbol_service_free(f->service);
	f->service = service_with(f, "/proc", in_dir(f, "cache"), true);
}

/* The library is old enough to be kept, nothing is yet, and a service begins. */
static void
begin(struct fixture *f)
{
	static bool is_settled;

	if (!is_settled)
		usleep(SETTLED_US);
	is_settled = true;
	/* The service before may still be keeping one. */
	symbol_service_free(f->service);
	f->service = NULL;
	assert_true(sh(f, "rm -rf cache"));
	start(f);
}

static void
wait_kept(const struct fixture *f, size_t wanted, char *name)
{
	for (int i = 0; kept(f, name) != wanted; i++) {
		assert_that(i, <, WAITS);
		usleep(WAIT_US);
	}
}

/* What is not the user's own, or of others to write, is replaced after the answer. */
static void
wait_replaced(const struct fixture *f, const char *name)
{
	struct stat st;

	for (int i = 0; lstat(in_dir(f, name), &st) != 0 || !S_ISREG(st.st_mode) ||
			(st.st_mode & 07777) != 0600 || st.st_uid != geteuid(); i++) {
		assert_that(i, <, WAITS);
		usleep(WAIT_US);
	}
}

static void
assert_named(struct symbol_image_msg *m, const char *name)
{
	uint32_t fn = 0;

	assert_non_null(m->image);
	while (fn < image_count(m->image) && strcmp(image_raw_name(m->image, fn), name) != 0)
		fn++;
	assert_that(fn, <, image_count(m->image));
	msg_free(&m->msg);
}

/* An image with one name of its own, so that who serves it can be told. */
static void
plant(const struct fixture *f, const char *path)
{
	struct image_build *b = image_build_new(NULL);
	const struct image_symbol sym = { .addr = 0x1000, .size = 0x1000, .name = "planted",
					  .name_len = strlen("planted") };
	int dir = cache_dir_open(in_dir(f, "cache")), fd;

	image_build_add(b, &sym);
	fd = image_build_finish(b, NULL);
	image_build_free(b);
	assert_true(cache_dir_save(dir, strrchr(path, '/') + 1, fd));
	close(fd);
	close(dir);
}

static void
an_image_is_found_again_in_the_next_run(void **state)
{
	struct fixture *f = *state;
	uint8_t first[20], second[20];
	struct symbol_image_msg *m;
	char name[256];

	begin(f);
	m = ask_path(f, "libt.so");
	memcpy(first, m->build_id, sizeof(first));
	assert_named(m, "in_the_lib");
	wait_kept(f, 1, name);
	start(f);
	m = ask_path(f, "libt.so");
	memcpy(second, m->build_id, sizeof(second));
	assert_named(m, "in_the_lib");
	assert_memory_equal(first, second, sizeof(first));
	/* It is the kept one that serves. */
	plant(f, name);
	assert_named(ask_path(f, "libt.so"), "planted");
}

/* It is looked at with nearly each start: no process need be made for it. */
static void
the_vdso_is_found_again_in_the_next_run(void **state)
{
	const struct symbol_ask ask = { .dso = 3, .kind = SYMBOL_VDSO, .path = "[vdso]" };
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	char name[256];

	begin(f);
	m = ask_image(f, &ask);
	assert_non_null(m->image);
	assert_string_equal(m->reason, "");
	msg_free(&m->msg);
	wait_kept(f, 1, name);
	assert_non_null(strstr(name, "-vdso-"));
	start(f);
	m = ask_image(f, &ask);
	assert_non_null(m->image);
	assert_string_equal(m->reason, "");
	msg_free(&m->msg);
	assert_int_equal(symbol_service_cpu_ns(f->service), 0);
	plant(f, name);
	assert_named(ask_image(f, &ask), "planted");
}

static void
a_changed_file_finds_nothing(void **state)
{
	struct fixture *f = *state;
	char name[256];

	begin(f);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	wait_kept(f, 1, name);
	plant(f, name);
	assert_true(sh(f, "cp -p libt.so copy.so && touch -r copy.so libt.so"));
	/* Before that nothing is looked for. */
	usleep(SETTLED_US);
	assert_named(ask_path(f, "copy.so"), "in_the_lib");
	/* Size, inode and time of change are as they were; that of the inode is not. */
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
}

static void
a_file_that_just_changed_is_not_kept(void **state)
{
	struct fixture *f = *state;

	begin(f);
	assert_true(sh(f, "cp libt.so young.so"));
	assert_named(ask_path(f, "young.so"), "in_the_lib");
	/* Whatever is kept, is kept in order. */
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	wait_kept(f, 1, NULL);
}

static void
a_debug_file_that_came_since_is_used(void **state)
{
	struct fixture *f = *state;
	struct symbol_config config = { .kallsyms = "", .proc = "/proc" };

	begin(f);
	assert_true(sh(f, "sed 's/in_the_lib/static_one/; s/^int/static int __attribute__((used))/' "
			  "lib.c > two.c && cc -O0 -Wl,--build-id=0x0123456789abcdef -fPIC -shared lib.c two.c "
			  "-o full.so && strip -o stripped.so full.so"));
	usleep(SETTLED_US);
	symbol_service_free(f->service);
	config.cache = in_dir(f, "cache");
	config.debug_dir = in_dir(f, "debug");
	f->service = symbol_service_new(&config, f->answers);
	assert_named(ask_path(f, "stripped.so"), "in_the_lib");
	wait_kept(f, 1, NULL);
	assert_true(sh(f, "mkdir -p debug/.build-id/01 && cp full.so "
			  "debug/.build-id/01/23456789abcdef.debug"));
	assert_named(ask_path(f, "stripped.so"), "static_one");
}

static void
what_others_could_have_planted_is_not_used(void **state)
{
	struct fixture *f = *state;
	char name[256];

	begin(f);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	wait_kept(f, 1, name);
	plant(f, name);
	assert_int_equal(chmod(in_dir(f, name), 0620), 0);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	wait_replaced(f, name);
	plant(f, name);
	assert_int_equal(rename(in_dir(f, name), in_dir(f, "elsewhere")), 0);
	assert_int_equal(symlink("../elsewhere", in_dir(f, name)), 0);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	wait_replaced(f, name);
	if (geteuid() == 0) {
		assert_true(sh(f, "rm -rf cache"));
		start(f);
		assert_named(ask_path(f, "libt.so"), "in_the_lib");
		wait_kept(f, 1, name);
		plant(f, name);
		assert_int_equal(chown(in_dir(f, name), 65534, 65534), 0);
		assert_named(ask_path(f, "libt.so"), "in_the_lib");
		wait_replaced(f, name);
	}
	assert_int_equal(chmod(in_dir(f, "cache"), 0770), 0);
	start(f);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	assert_true(sh(f, "rm -rf cache && mkdir -m 700 other && ln -s other cache"));
	start(f);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	assert_int_equal(kept(f, NULL), 0);
	assert_true(sh(f, "rm -rf cache other"));
}

/* Broken by a full disk, say: it is made anew and replaces the broken one. */
static void
a_broken_image_is_made_anew(void **state)
{
	struct fixture *f = *state;
	char name[256];

	begin(f);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	wait_kept(f, 1, name);
	assert_int_equal(truncate(in_dir(f, name), 100), 0);
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
}

#ifdef HAVE_LIBDW

static struct unwind_rules *
ask_rules(const struct fixture *f, const struct symbol_ask *ask)
{
	struct symbol_rules_msg *m;
	struct unwind_rules *rules;

	symbol_service_ask_rules(f->service, ask);
	m = (struct symbol_rules_msg *)answer(f, SYMBOL_MSG_RULES);
	rules = m->rules;
	m->rules = NULL;
	if (rules == NULL)
		print_message("# %s\n", m->err.text);
	msg_free(&m->msg);
	return rules;
}

/* How many rows the rules of a file of the directory have, 0: it has none. */
static size_t
rows_of(const struct fixture *f, const char *name)
{
	struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF, .path = in_dir(f, name) };
	struct unwind_rules *rules = ask_rules(f, &ask);
	size_t rows = rules != NULL ? unwind_rules_rows(rules) : 0;

	unwind_rules_free(rules);
	return rows;
}

/* A block of no more rows than a file has ever: one function, and its end. */
enum { PLANTED_ROWS = 2 };

static int
planted_rules(const char *build_id)
{
	struct rules_build *b = rules_build_new(&unwind_x86_64, 0);
	const struct unwind_state state = { .cfa_reg = 7, .cfa = 8, .ra = 16 };
	int fd;

	rules_build_set_id(b, (const uint8_t *)build_id, strlen(build_id));
	assert_true(rules_build_function(b, 0x1000, 0x2000));
	rules_build_row(b, 0x1000, &state);
	fd = rules_build_finish(b, NULL);
	rules_build_free(b);
	assert_that(fd, >=, 0);
	return fd;
}

static void
plant_rules(const struct fixture *f, const char *path, const char *build_id)
{
	int dir = cache_dir_open(in_dir(f, "cache")), fd = planted_rules(build_id);

	assert_true(cache_dir_save(dir, strrchr(path, '/') + 1, fd));
	close(fd);
	close(dir);
}

/* Rules for a file that has some kept of no use: they take their place after the answer. */
static size_t
rows_made_anew(const struct fixture *f, const struct symbol_ask *ask, const char *name)
{
	struct unwind_rules *rules;
	struct stat old, new;
	size_t rows;

	assert_int_equal(stat(in_dir(f, name), &old), 0);
	rules = ask_rules(f, ask);
	assert_non_null(rules);
	rows = unwind_rules_rows(rules);
	unwind_rules_free(rules);
	for (int i = 0; stat(in_dir(f, name), &new) != 0 || new.st_ino == old.st_ino; i++) {
		assert_that(i, <, WAITS);
		usleep(WAIT_US);
	}
	return rows;
}

/* The rules of a library are kept, as @name; how many rows they have. */
static size_t
begin_with_rules(struct fixture *f, char *name)
{
	size_t rows;

	begin(f);
	rows = rows_of(f, "libt.so");
	assert_that(rows, >, PLANTED_ROWS);
	wait_kept(f, 1, name);
	assert_non_null(strstr(name, "/elf-cfi-"));
	return rows;
}

static void
rules_are_found_again_in_the_next_run(void **state)
{
	struct fixture *f = *state;
	char name[256];
	size_t rows = begin_with_rules(f, name);

	start(f);
	assert_int_equal(rows_of(f, "libt.so"), rows);
	plant_rules(f, name, "");
	assert_int_equal(rows_of(f, "libt.so"), PLANTED_ROWS);
	/* They and the image stand beside each other. */
	assert_named(ask_path(f, "libt.so"), "in_the_lib");
	wait_kept(f, 2, NULL);
	assert_int_equal(rows_of(f, "libt.so"), PLANTED_ROWS);
}

static void
a_changed_file_finds_no_rules(void **state)
{
	struct fixture *f = *state;
	char name[256];
	size_t rows = begin_with_rules(f, name);

	plant_rules(f, name, "");
	assert_true(sh(f, "cp -p libt.so copy.so && touch -r copy.so libt.so"));
	/* Before that nothing is looked for. */
	usleep(SETTLED_US);
	assert_int_equal(rows_of(f, "copy.so"), rows);
	assert_int_equal(rows_of(f, "libt.so"), rows);
}

static void
rules_of_another_build_are_not_taken(void **state)
{
	static const uint8_t id[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xed };
	struct fixture *f = *state;
	struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF, .build_id_len = sizeof(id) };
	struct unwind_rules *rules;
	uint8_t has[20];
	char name[256], path[256];
	size_t rows;

	assert_true(sh(f, "cc -O0 -fPIC -shared -Wl,--build-id=0x0123456789abcded lib.c -o id.so"));
	usleep(SETTLED_US);
	begin(f);
	snprintf(path, sizeof(path), "%s", in_dir(f, "id.so"));
	ask.path = path;
	memcpy(ask.build_id, id, sizeof(id));
	rows = rows_of(f, "id.so");
	wait_kept(f, 1, name);
	rules = ask_rules(f, &ask);
	assert_non_null(rules);
	assert_int_equal(unwind_rules_rows(rules), rows);
	assert_int_equal(unwind_rules_build_id(rules, has), sizeof(id));
	assert_memory_equal(has, id, sizeof(id));
	unwind_rules_free(rules);
	plant_rules(f, name, "another");
	/* Who asks for no build gets what is there. */
	assert_int_equal(rows_of(f, "id.so"), PLANTED_ROWS);
	assert_int_equal(rows_made_anew(f, &ask, name), rows);
}

static void
write_at(const struct fixture *f, const char *name, off_t at, const void *data, size_t len)
{
	int fd = open(in_dir(f, name), O_WRONLY | O_CLOEXEC);

	assert_that(fd, >=, 0);
	assert_int_equal(pwrite(fd, data, len, at), (ssize_t)len);
	close(fd);
}

static void
broken_rules_are_made_anew(void **state)
{
	static const uint64_t old_magic = UNWIND_MAGIC - (UINT64_C(1) << 56);
	static const uint32_t many = UINT32_MAX;
	static const uint8_t no_such_how = UNWIND_HOWS;
	/* The planted block: a part of two rows, and its start, padded; the rule that is none, and one. */
	static const off_t part = sizeof(struct unwind_header) + 4 + 4;
	static const off_t rule = part + sizeof(struct unwind_part) + sizeof(struct unwind_rule);
	static const struct {
		off_t at;
		const void *data;
		size_t len;
	} damages[] = {
		{ offsetof(struct unwind_header, magic), &old_magic, sizeof(old_magic) },
		{ offsetof(struct unwind_header, row_count), &many, sizeof(many) },
		{ offsetof(struct unwind_header, build_id_len), &many, sizeof(many) },
		{ offsetof(struct unwind_header, part_count), &many, sizeof(many) },
		{ part + (off_t)offsetof(struct unwind_part, later), &many, 2 },
		{ part + (off_t)offsetof(struct unwind_part, numbers), &many, 2 },
		{ rule + (off_t)offsetof(struct unwind_rule, ra_how), &no_such_how, 1 },
		{ rule + (off_t)offsetof(struct unwind_rule, saved_count), &many, sizeof(many) },
	};
	struct fixture *f = *state;
	char name[256], path[256];
	const struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF, .path = path };
	size_t rows = begin_with_rules(f, name);

	snprintf(path, sizeof(path), "%s", in_dir(f, "libt.so"));
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		plant_rules(f, name, "");
		assert_int_equal(rows_of(f, "libt.so"), PLANTED_ROWS);
		write_at(f, name, damages[i].at, damages[i].data, damages[i].len);
		assert_int_equal(rows_made_anew(f, &ask, name), rows);
	}
	assert_int_equal(truncate(in_dir(f, name), 100), 0);
	assert_int_equal(rows_made_anew(f, &ask, name), rows);
	assert_int_equal(rows_of(f, "libt.so"), rows);
}

static void
rules_that_others_could_have_planted_are_not_used(void **state)
{
	struct fixture *f = *state;
	char name[256];
	size_t rows = begin_with_rules(f, name);

	plant_rules(f, name, "");
	assert_int_equal(chmod(in_dir(f, name), 0620), 0);
	assert_int_equal(rows_of(f, "libt.so"), rows);
	wait_replaced(f, name);
	if (geteuid() == 0) {
		plant_rules(f, name, "");
		assert_int_equal(chown(in_dir(f, name), 65534, 65534), 0);
		assert_int_equal(rows_of(f, "libt.so"), rows);
		wait_replaced(f, name);
	}
	assert_int_equal(rows_of(f, "libt.so"), rows);
}

/* What comes, changes and goes without a trace in the file itself. */
static void
rules_from_a_debug_file_are_not_kept(void **state)
{
	struct fixture *f = *state;
	struct symbol_config config = { .kallsyms = "", .proc = "/proc" };
	size_t rows;

	begin(f);
	assert_true(sh(f, "cc -O0 -g -fno-asynchronous-unwind-tables -nostartfiles -fPIC -shared "
			  "-Wl,--build-id=0x0123456789abcdee lib.c -o full.so && "
			  "objcopy -R .eh_frame -R .eh_frame_hdr full.so && "
			  "strip -o stripped.so full.so && mkdir -p debug/.build-id/01"));
	usleep(SETTLED_US);
	symbol_service_free(f->service);
	config.cache = in_dir(f, "cache");
	config.debug_dir = in_dir(f, "debug");
	f->service = symbol_service_new(&config, f->answers);
	assert_int_equal(rows_of(f, "stripped.so"), 0);
	assert_true(sh(f, "cp full.so debug/.build-id/01/23456789abcdee.debug"));
	rows = rows_of(f, "stripped.so");
	assert_that(rows, >, 0);
	/* Whatever is kept, is kept in order. */
	assert_that(rows_of(f, "libt.so"), >, 0);
	wait_kept(f, 1, NULL);
	assert_int_equal(rows_of(f, "stripped.so"), rows);
	assert_true(sh(f, "rm debug/.build-id/01/23456789abcdee.debug"));
	assert_int_equal(rows_of(f, "stripped.so"), 0);
	assert_int_equal(kept(f, NULL), 1);
}

#endif

static void
make_file(int dir, const char *name, off_t bytes, int age_s)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - age_s }, { .tv_sec = time(NULL) - age_s } };
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_that(fd, >=, 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static void
the_folder_stays_within_its_bound(void **state)
{
	struct fixture *f = *state;
	int dir;

	assert_true(sh(f, "rm -rf cache"));
	dir = cache_dir_open(in_dir(f, "cache"));
	make_file(dir, "elf-cfi-old", 1000, 300);
	make_file(dir, "elf-older", 1000, 400);
	make_file(dir, "elf-new", 1000, 100);
	make_file(dir, "other", 1000, 500);
	cache_dir_trim(dir, "elf-", NULL, 3000);
	assert_int_equal(kept(f, NULL), 3);
	cache_dir_trim(dir, "elf-", NULL, 2999);
	assert_int_equal(faccessat(dir, "elf-older", F_OK, 0), -1);
	assert_int_equal(kept(f, NULL), 2);
	cache_dir_trim(dir, "elf-", "elf-cfi-old", 0);
	assert_int_equal(faccessat(dir, "elf-cfi-old", F_OK, 0), 0);
	assert_int_equal(kept(f, NULL), 1);
	assert_int_equal(faccessat(dir, "other", F_OK, 0), 0);
	close(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_is_found_again_in_the_next_run),
		cmocka_unit_test(the_vdso_is_found_again_in_the_next_run),
		cmocka_unit_test(a_changed_file_finds_nothing),
		cmocka_unit_test(a_file_that_just_changed_is_not_kept),
		cmocka_unit_test(a_debug_file_that_came_since_is_used),
		cmocka_unit_test(what_others_could_have_planted_is_not_used),
		cmocka_unit_test(a_broken_image_is_made_anew),
#ifdef HAVE_LIBDW
		cmocka_unit_test(rules_are_found_again_in_the_next_run),
		cmocka_unit_test(a_changed_file_finds_no_rules),
		cmocka_unit_test(rules_of_another_build_are_not_taken),
		cmocka_unit_test(broken_rules_are_made_anew),
		cmocka_unit_test(rules_that_others_could_have_planted_are_not_used),
		cmocka_unit_test(rules_from_a_debug_file_are_not_kept),
#endif
		cmocka_unit_test(the_folder_stays_within_its_bound),
	};

	return cmocka_run_group_tests_name("image cache", tests, fixture_setup, fixture_teardown);
}
