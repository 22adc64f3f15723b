/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are found by their build-id: of processes that have gone, and of recordings. */
#include "symbol/file/build_id.h"
#include "symbol/find/debug_find.h"
#include "tests/asserts.h"
#include "tests/symbol_fixture.h"
#include "tests/skip.h"

#include <elf.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#define KNOWN_ID "0xfeed0123456789abcdef0123456789abcdef0123"

static int
id_of(const struct fixture *f, const char *name, uint8_t id[BUILD_ID_BYTES])
{
	int fd = open(in_dir(f, name), O_RDONLY | O_CLOEXEC), len;

	assert_that(fd, >=, 0);
	len = build_id_read(fd, id);
	close(fd);
	return len;
}

/* What a recording knows of a file that is at @path no more. */
static struct symbol_ask
ask_for_build(const struct fixture *f, const char *name, const char *path)
{
	struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF, .path = path };

	ask.build_id_len = (uint8_t)id_of(f, name, ask.build_id);
	assert_int_equal(ask.build_id_len, BUILD_ID_BYTES);
	return ask;
}

static const char *
hex(const uint8_t *id, size_t len)
{
	static char text[2 * BUILD_ID_BYTES + 1];

	for (size_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return text;
}

/* Runs @script with $1 the first two digits of the file's build-id and $2 the others. */
static void
with_id(const struct fixture *f, const char *name, const char *script)
{
	uint8_t id[BUILD_ID_BYTES];
	const char *text = hex(id, (size_t)id_of(f, name, id));
	char line[900];

	snprintf(line, sizeof(line), "set -e; set -- %.2s %s; %s", text, text + 2, script);
	if (!sh(f, line))
		fail_msg("failed: %s", line);
}

/* Runs @script likewise in the folder that perf keeps that build in. */
static void
in_perfs_cache(const struct fixture *f, const char *name, const char *script)
{
	char line[700];

	snprintf(line, sizeof(line), "t=$PWD; d=home/.debug/.build-id/$1/$2; mkdir -p $d; cd $d; %s",
		 script);
	with_id(f, name, line);
}

static int
setup(void **state)
{
	if (fixture_setup(state) != 0)
		return -1;
	fixture_move_home(*state);
	return fixture_build_bare(*state) ? 0 : -1;
}

/* Each test has a home of its own. */
static int
empty_home(void **state)
{
	return sh(*state, "rm -rf home && mkdir -m 0755 home") ? 0 : -1;
}

static void
the_build_id_is_read_of_any_class_and_byte_order(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *name, *command;
	} kinds[] = {
		{ "little64", "cc -nostdlib -shared -x c /dev/null -o little64 "
			      "-Wl,--build-id=" KNOWN_ID },
		{ "little32", "as --32 /dev/null -o o && ld -m elf_i386 -shared o -o little32 "
			      "--build-id=" KNOWN_ID },
		{ "big64", "aarch64-linux-gnu-as -EB /dev/null -o o && aarch64-linux-gnu-ld -EB "
			   "-shared o -o big64 --build-id=" KNOWN_ID },
		{ "debug", "objcopy --only-keep-debug little64 debug" },
	};
	uint8_t id[BUILD_ID_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!sh(f, kinds[i].command)) {
			print_message("# left out: %s\n", kinds[i].command);
			assert_true(i == 1 || i == 2);
			continue;
		}
		assert_int_equal(id_of(f, kinds[i].name, id), BUILD_ID_BYTES);
		assert_string_equal(hex(id, BUILD_ID_BYTES), &KNOWN_ID[2]);
	}
	assert_true(sh(f, "cc -nostdlib -shared -x c /dev/null -o none -Wl,--build-id=none"));
	assert_int_equal(id_of(f, "none", id), 0);
	assert_int_equal(id_of(f, "prog.c", id), -1);
	assert_true(sh(f, "cc -nostdlib -shared -x c /dev/null -o long "
			  "-Wl,--build-id=0x$(printf %080d 7)"));
	assert_int_equal(id_of(f, "long", id), BUILD_ID_BYTES);
}

/* Whatever is cut or changed of a file, reading it ends, and within its bounds. */
static void
a_broken_file_has_any_build_id_or_none(void **state)
{
	struct fixture *f = *state;
	uint8_t bytes[8192], id[BUILD_ID_BYTES];
	int whole = open(in_dir(f, "pie"), O_RDONLY | O_CLOEXEC);
	ssize_t len = read(whole, bytes, sizeof(bytes));
	int fd = open(in_dir(f, "broken"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	unsigned seed = 1;

	close(whole);
	assert_true(len == sizeof(bytes));
	assert_that(fd, >=, 0);
	for (int round = 0; round < 3000; round++) {
		uint8_t changed[sizeof(bytes)];
		ssize_t keep = round % 3 == 0 ? rand_r(&seed) % (len + 1) : len;

		memcpy(changed, bytes, sizeof(bytes));
		for (int i = 0; i < 8; i++)
			changed[rand_r(&seed) % (i < 4 ? 64 : 1024)] = (uint8_t)rand_r(&seed);
		memcpy(changed, ELFMAG, SELFMAG);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, changed, (size_t)keep, 0), keep);
		assert_in_range(build_id_read(fd, id) + 1, 0, BUILD_ID_BYTES + 1);
	}
	close(fd);
}

static void
a_file_that_is_gone_is_found_in_perfs_cache(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = ask_for_build(f, "nopie", "/nowhere/nopie");

	assert_false(fixture_names(f, &ask, "hot_loop"));
	with_id(f, "nopie", "d=home/.debug; mkdir -p $d/.build-id/$1 $d/nowhere/nopie/$1$2;"
			    "cp nopie $d/nowhere/nopie/$1$2/elf;"
			    "ln -s ../../nowhere/nopie/$1$2 $d/.build-id/$1/$2");
	assert_true(fixture_names(f, &ask, "hot_loop"));
	/* Without the build-id nothing tells that it is the one. */
	ask.build_id_len = 0;
	assert_false(fixture_names(f, &ask, "hot_loop"));
}

static void
another_build_at_its_path_does_not_hide_the_kept_one(void **state)
{
	struct fixture *f = *state;
	char path[384];
	struct symbol_ask ask;

	snprintf(path, sizeof(path), "%s", in_dir(f, "stripped"));
	ask = ask_for_build(f, "nopie", path);
	assert_reason(ask_image(f, &ask), "is another build");
	in_perfs_cache(f, "nopie", "cp $t/nopie elf");
	assert_true(fixture_names(f, &ask, "hot_loop"));
}

static void
a_cache_that_others_can_write_to_is_not_read(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = ask_for_build(f, "nopie", "/nowhere/nopie");

	in_perfs_cache(f, "nopie", "cp $t/nopie elf; chmod 0775 $t/home/.debug");
	assert_false(fixture_names(f, &ask, "hot_loop"));
	in_perfs_cache(f, "nopie", "chmod 0755 $t/home/.debug; chmod 0666 elf");
	assert_false(fixture_names(f, &ask, "hot_loop"));
	in_perfs_cache(f, "nopie", "chmod 0644 elf");
	assert_true(fixture_names(f, &ask, "hot_loop"));
	if (geteuid() == 0) {
		in_perfs_cache(f, "nopie", "chown 65534 $t/home/.debug");
		assert_false(fixture_names(f, &ask, "hot_loop"));
	}
}

static void
a_kept_file_with_another_build_id_is_not_taken(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = ask_for_build(f, "nopie", "/nowhere/nopie");

	in_perfs_cache(f, "nopie", "cp $t/pie elf");
	assert_reason(ask_image(f, &ask), "cannot open");
	/* A FIFO would hold up whoever opens it. */
	in_perfs_cache(f, "nopie", "rm elf; mkfifo elf");
	assert_reason(ask_image(f, &ask), "cannot open");
}

static void
a_file_that_is_gone_is_found_in_the_folder_of_debug_files(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask;
	bool found;

	if (geteuid() != 0)
		skip_for("only root can put a file below /usr/lib/debug");
	assert_true(sh(f, "cc -O0 -fno-pie -no-pie prog.c lib.c -o unique -Wl,--build-id=0x"
			  "$(head -c 20 /dev/urandom | od -An -v -tx1 | tr -d ' \\n')"));
	ask = ask_for_build(f, "unique", "/nowhere/unique");
	with_id(f, "unique", "d=/usr/lib/debug/.build-id; test ! -e $d/$1/$2;"
			     "mkdir -p $d/$1; ln -s \"$PWD/unique\" $d/$1/$2");
	found = fixture_names(f, &ask, "hot_loop");
	with_id(f, "unique", "cd /usr/lib/debug/.build-id; rm $1/$2; rmdir $1 2>/dev/null ||:;"
			     "cd /; rmdir -p /usr/lib/debug/.build-id 2>/dev/null ||:");
	assert_true(found);
}

static void
what_was_downloaded_is_found(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask = ask_for_build(f, "nopie", "/nowhere/nopie");

	with_id(f, "nopie", "d=home/.cache/debuginfod_client/$1$2; mkdir -p -m 0700 $d;"
			    "cp nopie $d/debuginfo");
	assert_false(fixture_names(f, &ask, "hot_loop"));
	with_id(f, "nopie", "cd home/.cache/debuginfod_client/$1$2; mv debuginfo executable");
	assert_true(fixture_names(f, &ask, "hot_loop"));
	with_id(f, "nopie", "cd home/.cache/debuginfod_client/$1$2; mv executable other;"
			    "ln -s other executable");
	assert_false(fixture_names(f, &ask, "hot_loop"));
	with_id(f, "nopie", "cd home/.cache/debuginfod_client; mv $1$2/other $1$2/executable;"
			    "chmod 0770 $PWD");
	assert_false(fixture_names(f, &ask, "hot_loop"));
}

static void
debug_files_are_found_in_the_caches(void **state)
{
	static const char *const places[] = {
		"mkdir -p home/.debug/.build-id/$1/$2; cp its.debug home/.debug/.build-id/$1/$2/debug",
		"d=home/.cache/debuginfod_client/$1$2; mkdir -p $d; cp its.debug $d/debuginfo",
	};
	struct fixture *f = *state;
	char path[384];
	struct symbol_ask ask;

	snprintf(path, sizeof(path), "%s", in_dir(f, "bare"));
	ask = ask_for_build(f, "bare", path);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		assert_int_equal(empty_home(state), 0);
		assert_false(fixture_names(f, &ask, "cold"));
		with_id(f, "bare", places[i]);
		assert_true(fixture_names(f, &ask, "cold"));
		with_id(f, "bare", "chmod -R g+w home");
		assert_false(fixture_names(f, &ask, "cold"));
	}
}

static void
what_is_known_to_be_missing_is_seen_when_it_comes(void **state)
{
	static const char *const comes[] = {
		"d=debug/.build-id/$1; mkdir -p $d; cp /bin/true $d/$2.debug",
		"mkdir -p home/.debug/.build-id/$1/$2; cp /bin/true home/.debug/.build-id/$1/$2/debug",
		"d=home/.cache/debuginfod_client/$1$2; mkdir -p $d; cp /bin/true $d/debuginfo",
	};
	struct fixture *f = *state;
	const struct debug_finder finder = { debug_find, in_dir(f, "debug"), "/proc", NULL };
	struct debug_ask ask = { .want = DEBUG_BY_ID };
	struct statfs fs;

	assert_true(sh(f, "cc -O0 prog.c lib.c -o unnamed"));
	ask.build_id_len = (uint8_t)id_of(f, "unnamed", ask.build_id);
	for (size_t i = 0; i < ARRAY_SIZE(comes); i++) {
		assert_int_equal(empty_home(state), 0);
		assert_true(sh(f, "rm -rf debug"));
		assert_int_equal(debug_find(&finder, &ask), -1);
		/* tmpfs does not remember what it has not. */
		if (statfs(f->dir, &fs) == 0 && fs.f_type != TMPFS_MAGIC)
			assert_true(debug_find_is_none(&finder, &ask));
		with_id(f, "unnamed", comes[i]);
		assert_false(debug_find_is_none(&finder, &ask));
	}
}

/* A process whose root is the fixture's folder; it waits until it is killed.  -1: not allowed. */
static pid_t
start_with_root(const struct fixture *f)
{
	int ready[2];
	char done = 0;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = run_fork();
	if (pid == 0) {
		done = chroot(f->dir) == 0;
		if (write(ready[1], &done, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &done, 1), 1);
	close(ready[0]);
	if (done)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return -1;
}

static void
another_root_is_never_known(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask file = { .path = "/x" };
	const struct debug_finder finder = { debug_find, in_dir(f, "debug"), "/proc", &file };
	struct debug_ask ask = { .want = DEBUG_BY_ID, .build_id_len = BUILD_ID_BYTES };
	bool is_known;

	file.pid = start_with_root(f);
	if (file.pid < 0)
		skip_for("no right to change a process's root");
	assert_int_equal(debug_find(&finder, &ask), -1);
	is_known = debug_find_is_none(&finder, &ask);
	kill(file.pid, SIGKILL);
	waitpid(file.pid, NULL, 0);
	assert_false(is_known);
}

/* Its debug files are looked for below ptop's own root alone: those of a recording mostly. */
static void
of_a_process_that_has_ended_the_own_root_tells(void **state)
{
	struct fixture *f = *state;
	const struct symbol_ask gone = { .path = "/x", .pid = INT_MAX };
	const struct debug_finder finder = { debug_find, in_dir(f, "debug"), "/proc", &gone };
	struct debug_ask ask = { .want = DEBUG_BY_ID };
	struct statfs fs;

	assert_true(sh(f, "cc -O0 prog.c lib.c -o unnamed && rm -rf debug"));
	ask.build_id_len = (uint8_t)id_of(f, "unnamed", ask.build_id);
	assert_int_equal(debug_find(&finder, &ask), -1);
	if (statfs(f->dir, &fs) == 0 && fs.f_type != TMPFS_MAGIC)
		assert_true(debug_find_is_none(&finder, &ask));
	with_id(f, "unnamed", "d=debug/.build-id/$1; mkdir -p $d; cp /bin/true $d/$2.debug");
	assert_false(debug_find_is_none(&finder, &ask));
}

static bool
finds(const struct debug_finder *finder, const char *name)
{
	struct debug_ask ask = { .want = DEBUG_BY_LINK };
	int fd;

	snprintf(ask.name, sizeof(ask.name), "%s", name);
	fd = debug_find(finder, &ask);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* The maps of what has another root in the same mount namespace tell paths of ptop's own. */
static void
a_link_in_another_root_does_not_lead_out_of_it(void **state)
{
	struct fixture *f = *state;
	char path[PATH_MAX];
	struct symbol_ask file = { .path = path };
	const struct debug_finder finder = { debug_find, "/nowhere", "/proc", &file };
	bool inside, outside;

	assert_true(sh(f, "mkdir -p bin; cp /bin/true bin/in.debug; ln -s /bin/true bin/out.debug"));
	snprintf(path, sizeof(path), "%s", in_dir(f, "bin/prog"));
	file.pid = start_with_root(f);
	if (file.pid < 0)
		skip_for("no right to change a process's root");
	inside = finds(&finder, "in.debug");
	outside = finds(&finder, "out.debug");
	kill(file.pid, SIGKILL);
	waitpid(file.pid, NULL, 0);
	assert_true(inside);
	assert_false(outside);
	/* It has ended, so that nobody knows its root: the link's owner tells. */
	file.pid = INT_MAX;
	assert_true(finds(&finder, "in.debug"));
	assert_true(finds(&finder, "out.debug"));
	assert_int_equal(lchown(in_dir(f, "bin/out.debug"), 65534, 65534), 0);
	assert_false(finds(&finder, "out.debug"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_is_read_of_any_class_and_byte_order),
		cmocka_unit_test(a_broken_file_has_any_build_id_or_none),
		cmocka_unit_test_setup(a_file_that_is_gone_is_found_in_perfs_cache, empty_home),
		cmocka_unit_test_setup(another_build_at_its_path_does_not_hide_the_kept_one,
				       empty_home),
		cmocka_unit_test_setup(a_cache_that_others_can_write_to_is_not_read, empty_home),
		cmocka_unit_test_setup(a_kept_file_with_another_build_id_is_not_taken, empty_home),
		cmocka_unit_test_setup(a_file_that_is_gone_is_found_in_the_folder_of_debug_files,
				       empty_home),
		cmocka_unit_test_setup(what_was_downloaded_is_found, empty_home),
		cmocka_unit_test_setup(debug_files_are_found_in_the_caches, empty_home),
		cmocka_unit_test_setup(what_is_known_to_be_missing_is_seen_when_it_comes, empty_home),
		cmocka_unit_test(another_root_is_never_known),
		cmocka_unit_test_setup(of_a_process_that_has_ended_the_own_root_tells, empty_home),
		cmocka_unit_test_setup(a_link_in_another_root_does_not_lead_out_of_it, empty_home),
	};

	return cmocka_run_group_tests_name("build_store", tests, setup, fixture_teardown);
}
