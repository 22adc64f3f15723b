/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/cache_dir.h"
#include "symbol/elf_symbols.h"
#include "symbol/image_build.h"
#include "symbol/image_cache.h"

#include "symbol_fixture.h"

#include <time.h>

enum { SETTLED_US = 2500000, WAIT_US = 20000, WAITS = 500 };

/* The images that are kept; the name of one of them in @name, NULL: not wanted. */
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
		assert_true(i < WAITS);
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
		assert_true(i < WAITS);
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
	assert_true(fn < image_count(m->image));
	symbol_image_msg_free(m);
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

static void
make_file(int dir, const char *name, off_t bytes, int age_s)
{
	struct timespec times[2] = { { .tv_sec = time(NULL) - age_s }, { .tv_sec = time(NULL) - age_s } };
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
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
	make_file(dir, "elf-old", 1000, 300);
	make_file(dir, "elf-older", 1000, 400);
	make_file(dir, "elf-new", 1000, 100);
	make_file(dir, "other", 1000, 500);
	cache_dir_trim(dir, "elf-", NULL, 3000);
	assert_int_equal(kept(f, NULL), 3);
	cache_dir_trim(dir, "elf-", NULL, 2999);
	assert_int_equal(faccessat(dir, "elf-older", F_OK, 0), -1);
	assert_int_equal(kept(f, NULL), 2);
	cache_dir_trim(dir, "elf-", "elf-old", 0);
	assert_int_equal(faccessat(dir, "elf-old", F_OK, 0), 0);
	assert_int_equal(kept(f, NULL), 1);
	assert_int_equal(faccessat(dir, "other", F_OK, 0), 0);
	close(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_is_found_again_in_the_next_run),
		cmocka_unit_test(a_changed_file_finds_nothing),
		cmocka_unit_test(a_file_that_just_changed_is_not_kept),
		cmocka_unit_test(a_debug_file_that_came_since_is_used),
		cmocka_unit_test(what_others_could_have_planted_is_not_used),
		cmocka_unit_test(a_broken_image_is_made_anew),
		cmocka_unit_test(the_folder_stays_within_its_bound),
	};

	return cmocka_run_group_tests_name("image cache", tests, fixture_setup, fixture_teardown);
}
