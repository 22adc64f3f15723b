/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where files are: deleted, replaced, in other roots, on file systems that hang, or no files.  It
 * takes more than half a minute: what hangs is given up after seconds, in five tests, and for each
 * of the others a program is built and sampled.
 */
#include "base/clock.h"
#include "symbol/parser/host.h"
#include "tests/asserts.h"
#include "tests/hanging_fs.h"
#include "tests/root.h"
#include "tests/spinner.h"

#include <elf.h>
#include <linux/fs.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

/* Mounts are this program's alone, and go with it. */
static int
setup(void **state)
{
	if (geteuid() == 0 && (unshare(CLONE_NEWNS) != 0 ||
			       mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0))
		return -1;
	if (fixture_setup(state) != 0)
		return -1;
	chmod(((struct fixture *)*state)->dir, 0755);
	return 0;
}

static struct spinner
spin(const struct fixture *f, const char *program, const char *arg)
{
	struct spinner_how how = { .program = in_dir(f, program), .arg = arg };

	return spinner_start(f, &how);
}

/* As if map_files could not be had: what is left is the path in the process's root. */
static struct symbol_ask
ask_by_root(struct child *c, const struct spinner *s, const char *part)
{
	struct symbol_ask ask;

	*c = spinner_map(s, part);
	ask = ask_of_child(c);
	ask.start = ask.end = 0;
	return ask;
}

static bool
has_name(const struct image *image, const char *name)
{
	for (uint32_t i = 0; image != NULL && i < image_count(image); i++)
		if (strcmp(image_raw_name(image, i), name) == 0)
			return true;
	return false;
}

static void
assert_names(const struct fixture *f, const struct symbol_ask *ask, const char *function)
{
	struct symbol_image_msg *m = ask_image(f, ask);

	if (!has_name(m->image, function))
		fail_msg("no '%s': %s", function, m->reason);
	msg_free(&m->msg);
}

static void
a_deleted_program_has_names(void **state)
{
	struct fixture *f = *state;
	struct spinner s;

	need_root();
	spinner_build(f, "gone", "deleted_loop", "");
	s = spin(f, "gone", NULL);
	assert_int_equal(unlink(in_dir(f, "gone")), 0);
	assert_spins(&s, "deleted_loop");
	spinner_end(&s);
}

static void
a_replaced_program_has_its_own_names(void **state)
{
	struct fixture *f = *state;
	struct spinner s;

	need_root();
	spinner_build(f, "changed", "old_loop", "");
	spinner_build(f, "newer", "wrong_loop", "");
	s = spin(f, "changed", NULL);
	assert_int_equal(rename(in_dir(f, "newer"), in_dir(f, "changed")), 0);
	assert_spins(&s, "old_loop");
	spinner_end(&s);
}

/* What happens when a program is built anew between two runs. */
static void
a_program_with_the_inode_of_another_has_its_own_names(void **state)
{
	struct fixture *f = *state;
	char script[512];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "--budget", "off", "--by",
			 "comm,symbol", "--format", "csv", "-o",
			 (char *)(uintptr_t)in_dir(f, "report.csv"), "--", "/bin/sh", "-c", script,
			 NULL };
	const char *const first[][2] = { { "symbol", "first_loop" } };
	const char *const second[][2] = { { "symbol", "second_loop" } };
	struct buf report = { 0 };
	struct run_result r;
	FILE *inodes;
	long a, b;

	need_root();
	spinner_build(f, "first", "first_loop", "");
	spinner_build(f, "second", "second_loop", "");
	snprintf(script, sizeof(script),
		 "cd '%s' && cp first run && stat -c %%i run >inodes && ./run x 100 >/dev/null;"
		 "rm run; cp second run && stat -c %%i run >>inodes && ./run x 100 >/dev/null",
		 f->dir);
	run_program(&r, 60, argv);
	if (r.status != 0)
		fail_msg("%s", r.err);
	run_release(&r);
	inodes = fopen(in_dir(f, "inodes"), "r");
	assert_int_equal(fscanf(inodes, "%ld %ld", &a, &b), 2);
	fclose(inodes);
	if (a != b)
		print_message("# the file system gave another inode: easier than it should be\n");
	assert_int_equal(file_read(in_dir(f, "report.csv"), &report, 1 << 20), 0);
	assert_that(run_csv_sum(buf_str(&report), "samples", 1, first), >, 20);
	assert_that(run_csv_sum(buf_str(&report), "samples", 1, second), >, 20);
	buf_release(&report);
}

/* A root that nobody else has: what is in it cannot be found by its path from here. */
static void
make_jail(const struct fixture *f)
{
	char to[512];

	if (mount("jail", in_dir(f, "jail"), "tmpfs", 0, NULL) != 0 ||
	    !sh(f, "mkdir -p \"jail$PWD\" && cp --remove-destination caged \"jail$PWD/decoy\""))
		_exit(122);
	snprintf(to, sizeof(to), "%s/jail/proc", f->dir);
	if (mkdir(to, 0755) != 0 || mount("proc", to, "proc", 0, NULL) != 0)
		_exit(121);
}

static struct spinner
spin_in_jail(const struct fixture *f)
{
	struct spinner_how how = { .program = in_dir(f, "decoy"), .new_pids = true,
				   .new_mounts = true, .prepare = make_jail,
				   .root = in_dir(f, "jail") };

	spinner_build(f, "caged", "caged_loop", "-static");
	spinner_build(f, "decoy", "wrong_loop", "-static");
	mkdir(in_dir(f, "jail"), 0755);
	return spinner_start(f, &how);
}

static void
a_program_in_a_root_and_namespaces_of_its_own_has_names(void **state)
{
	struct fixture *f = *state;
	struct spinner s;
	struct child c;
	struct symbol_ask ask;

	need_root();
	s = spin_in_jail(f);
	assert_spins(&s, "caged_loop");
	ask = ask_by_root(&c, &s, "decoy");
	ask.path = in_dir(f, "decoy");
	assert_names(f, &ask, "caged_loop");
	/* When it has gone, what has its path here is not taken for it. */
	spinner_end(&s);
	assert_reason(ask_image(f, &ask), "replaced");
	/* Of what runs now it may be another one as it had another root. */
	ask.is_live = true;
	assert_reason(ask_image(f, &ask), "the process ended before");
}

static void
mount_overlay(const struct fixture *f)
{
	char options[1024];

	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s", in_dir(f, "lower"),
		 in_dir(f, "layers/upper"), in_dir(f, "layers/work"));
	if (mount("layers", in_dir(f, "layers"), "tmpfs", 0, NULL) != 0 ||
	    !sh(f, "mkdir layers/upper layers/work && chmod 755 layers/upper") ||
	    mount("overlay", in_dir(f, "merged"), "overlay", 0, options) != 0 ||
	    !sh(f, "cp merged/low merged/high"))
		_exit(122);
}

static void
a_program_on_an_overlay_has_names(void **state)
{
	struct fixture *f = *state;
	const char *const programs[] = { "merged/low", "merged/high" };

	need_root();
	assert_true(sh(f, "mkdir lower layers merged"));
	spinner_build(f, "lower/low", "layered_loop", "");
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		struct spinner_how how = { .program = in_dir(f, programs[i]), .new_mounts = true,
					   .prepare = mount_overlay };
		struct spinner s = spinner_start(f, &how);
		struct child c;
		struct symbol_ask ask = ask_by_root(&c, &s, programs[i]);

		assert_spins(&s, "layered_loop");
		assert_names(f, &ask, "layered_loop");
		spinner_end(&s);
	}
}

static void
a_program_in_memory_has_names(void **state)
{
	struct fixture *f = *state;
	struct spinner_how how = { .program = "memory", .fd = memfd_create("floating", 0) };
	struct buf bytes = { 0 };
	struct spinner s;

	need_root();
	spinner_build(f, "memory", "floating_loop", "");
	assert_int_equal(file_read(in_dir(f, "memory"), &bytes, 1 << 24), 0);
	assert_int_equal(file_write_all(how.fd, bytes.data, bytes.len), 0);
	buf_release(&bytes);
	s = spinner_start(f, &how);
	close(how.fd);
	assert_spins(&s, "floating_loop");
	spinner_end(&s);
}

static void
a_library_that_comes_and_goes_has_names(void **state)
{
	struct fixture *f = *state;
	struct spinner s;

	need_root();
	spinner_build(f, "plugin.so", "plugin_loop", "-DLIBRARY -shared -fPIC");
	spinner_build(f, "host", "own_loop", "-DLOADS='\"plugin_loop\"' -DROUNDS=40 -ldl");
	s = spin(f, "host", in_dir(f, "plugin.so"));
	assert_spins(&s, "plugin_loop");
	spinner_end(&s);
}

static void
a_program_run_by_another_link_has_names(void **state)
{
	struct fixture *f = *state;
	struct spinner s;

	need_root();
	spinner_build(f, "name-a", "linked_loop", "");
	assert_int_equal(link(in_dir(f, "name-a"), in_dir(f, "name-b")), 0);
	s = spin(f, "name-b", NULL);
	assert_int_equal(unlink(in_dir(f, "name-a")), 0);
	assert_spins(&s, "linked_loop");
	/* The last name, too. */
	assert_int_equal(rename(in_dir(f, "name-b"), in_dir(f, "name-c")), 0);
	assert_spins(&s, "linked_loop");
	spinner_end(&s);
}

/* Its code moves behind 4 GiB of nothing. */
static bool
move_code(const char *path)
{
	const off_t far = (off_t)5 << 30;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	Elf64_Ehdr head;
	bool moved = pread(fd, &head, sizeof(head), 0) == sizeof(head);

	for (unsigned i = 0; moved && i < head.e_phnum; i++) {
		off_t at = (off_t)(head.e_phoff + i * sizeof(Elf64_Phdr));
		Elf64_Phdr p;
		char *bytes;

		moved = pread(fd, &p, sizeof(p), at) == sizeof(p);
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		bytes = malloc(p.p_filesz);
		moved = pread(fd, bytes, p.p_filesz, (off_t)p.p_offset) == (ssize_t)p.p_filesz;
		p.p_offset += (Elf64_Off)far;
		moved = moved &&
			pwrite(fd, bytes, p.p_filesz, (off_t)p.p_offset) == (ssize_t)p.p_filesz &&
			pwrite(fd, &p, sizeof(p), at) == sizeof(p);
		free(bytes);
	}
	close(fd);
	return moved;
}

static void
code_behind_4_gigabytes_has_names(void **state)
{
	struct fixture *f = *state;
	struct spinner s;

	need_root();
	if (sizeof(void *) == 4)
		skip_for("addresses of 32 bits");
	spinner_build(f, "far", "far_loop", "-static");
	if (!move_code(in_dir(f, "far")))
		skip_for("no file of 5 GiB can be made in %s", f->dir);
	s = spin(f, "far", NULL);
	assert_spins(&s, "far_loop");
	spinner_end(&s);
	assert_int_equal(unlink(in_dir(f, "far")), 0);
}

/* Counts opens of a file; O_PATH is none. */
static int
watch(const char *path)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_that(fd, >=, 0);
	assert_that(inotify_add_watch(fd, path, IN_OPEN), >=, 0);
	return fd;
}

static void
assert_not_opened(int fd)
{
	char events[512];

	assert_that(read(fd, events, sizeof(events)), <, 0);
	close(fd);
}

/*
 * A library that was mapped, then another thing with its path.  The map itself still tells whose
 * names those are.
 */
static void
what_is_in_place_of_a_library_is_not_opened(void **state)
{
	static const struct {
		const char *make, *watched, *reason;
	} things[] = {
		{ "ln -s \"$PWD/secret\" trap.so", "secret", "replaced" },
		{ "ln -s secret trap.so", "secret", "replaced" },
		{ "mkfifo trap.so", "trap.so", "not a regular file" },
		{ "mknod trap.so c 1 5", "trap.so", "not a regular file" },
		{ "mkdir trap.so", "trap.so", "not a regular file" },
		{ "ln -s /proc/self/fd/0 trap.so", "secret", "cannot open" },
		{ "ln -s trap.so trap.so", "secret", "cannot open" },
	};
	struct fixture *f = *state;
	struct symbol_ask ask;
	struct spinner s;
	struct child c;

	need_root();
	spinner_build(f, "secret", "wrong_loop", "");
	spinner_build(f, "trap.so", "trap_loop", "-DLIBRARY -shared -fPIC");
	spinner_build(f, "trapped", "own_loop", "-DLOADS='\"trap_loop\"' -DROUNDS=1000000000 -ldl");
	s = spin(f, "trapped", in_dir(f, "trap.so"));
	ask = ask_by_root(&c, &s, "trap.so");
	for (size_t i = 0; i < ARRAY_SIZE(things); i++) {
		int watched;

		assert_true(sh(f, "rm -rf trap.so"));
		assert_true(sh(f, things[i].make));
		watched = watch(in_dir(f, things[i].watched));
		assert_reason(ask_image(f, &ask), things[i].reason);
		assert_not_opened(watched);
	}
	assert_spins(&s, "trap_loop");
	spinner_end(&s);
}

/* In a root of its own an absolute link leads back into that, not to the file of this machine. */
static void
make_linked_jail(const struct fixture *f)
{
	make_jail(f);
	if (!sh(f, "cp linked \"jail$PWD/real\" && ln -sf \"$PWD/real\" \"jail$PWD/link\""))
		_exit(120);
}

static void
an_absolute_link_stays_in_the_root_of_its_process(void **state)
{
	struct fixture *f = *state;
	struct spinner_how how = { .program = in_dir(f, "decoy"), .new_mounts = true,
				   .prepare = make_linked_jail, .root = in_dir(f, "jail") };
	struct symbol_ask ask = { .dso = 1, .kind = SYMBOL_ELF, .path = in_dir(f, "link") };
	char real[512];
	struct spinner s;
	struct stat st;
	int watched;

	need_root();
	spinner_build(f, "caged", "caged_loop", "-static");
	spinner_build(f, "linked", "linked_loop", "-static");
	spinner_build(f, "real", "wrong_loop", "-static");
	assert_true(sh(f, "ln -s \"$PWD/real\" link"));
	mkdir(in_dir(f, "jail"), 0755);
	s = spinner_start(f, &how);
	snprintf(real, sizeof(real), "/proc/%d/root%s", (int)s.pid, in_dir(f, "real"));
	assert_int_equal(stat(real, &st), 0);
	ask.pid = s.pid;
	ask.ino = st.st_ino;
	ask.maj = major(st.st_dev);
	ask.min = minor(st.st_dev);
	watched = watch(in_dir(f, "real"));
	assert_names(f, &ask, "linked_loop");
	assert_not_opened(watched);
	spinner_end(&s);
}

static void
a_map_that_was_cut_is_found_again(void **state)
{
	struct fixture *f = *state;
	struct symbol_ask ask;
	struct spinner s;
	struct child c;

	need_root();
	spinner_build(f, "cut", "cut_loop", "");
	s = spin(f, "cut", NULL);
	c = spinner_map(&s, "cut");
	assert_int_equal(unlink(in_dir(f, "cut")), 0);
	strcat(c.path, " (deleted)");
	ask = ask_of_child(&c);
	ask.end += 4096;
	assert_names(f, &ask, "cut_loop");
	/* Nothing else of the process is taken for it. */
	ask.ino++;
	assert_reason(ask_image(f, &ask), "deleted");
	spinner_end(&s);
}

static void
names_of_what_has_ended_come_from_the_same_file_alone(void **state)
{
	struct fixture *f = *state;
	struct symbol_image_msg *m;
	struct symbol_ask ask;
	struct spinner s;
	struct child c;
	long generation = 0;
	int fd;

	need_root();
	spinner_build(f, "ended", "ended_loop", "");
	s = spin(f, "ended", NULL);
	c = spinner_map(&s, "ended");
	spinner_end(&s);
	ask = ask_of_child(&c);
	assert_names(f, &ask, "ended_loop");
	ask.min++;
	m = ask_image(f, &ask);
	assert_int_equal(strncmp(m->remedy, "record again", 12), 0);
	assert_reason(m, "replaced");
	ask.is_live = true;
	assert_reason(ask_image(f, &ask), "the process ended before");
	ask.pid = 0;
	assert_reason(ask_image(f, &ask), "the process ended before");
	ask.pid = c.pid;
	ask.is_live = false;
	ask.min--;
	fd = open(c.path, O_RDONLY | O_CLOEXEC);
	if (ioctl(fd, FS_IOC_GETVERSION, &generation) == 0) {
		ask.ino_generation = (uint32_t)generation;
		assert_names(f, &ask, "ended_loop");
		ask.ino_generation++;
		assert_reason(ask_image(f, &ask), "replaced");
	}
	close(fd);
	/* A process that maps something, and nothing tells which file it was. */
	ask = ask_of_child(&c);
	ask.ino = 0;
	assert_reason(ask_image(f, &ask), "nothing tells");
}

static uint64_t
changed_ns(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_ctim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_ctim.tv_nsec;
}

static void
a_file_that_changed_since_it_was_recorded_names_nothing(void **state)
{
	const uint64_t coarse_ns = 10 * NSEC_PER_MSEC;
	struct fixture *f = *state;
	struct symbol_ask ask;
	struct spinner s;
	struct child c;
	uint64_t ns;

	need_root();
	spinner_build(f, "aged", "aged_loop", "");
	s = spin(f, "aged", NULL);
	c = spinner_map(&s, "aged");
	ns = changed_ns(c.path);
	ask = ask_of_child(&c);
	ask.unchanged_since_ns = ns - coarse_ns;
	assert_names(f, &ask, "aged_loop");
	ask.unchanged_since_ns = ns - coarse_ns - 1;
	assert_reason(ask_image(f, &ask), "changed since it was recorded");
	/* To remove it is no change. */
	ask.unchanged_since_ns = ns;
	usleep(50000);
	assert_int_equal(unlink(in_dir(f, "aged")), 0);
	strcat(c.path, " (deleted)");
	ask.path = c.path;
	assert_names(f, &ask, "aged_loop");
	spinner_end(&s);
}

/* Most samples of the recording have @value in that @column. */
static void
assert_recorded(const struct fixture *f, const char *column, const char *value)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "--no-config", "--by", "dso,symbol,reason",
			 "--format", "csv", "-K", "-i",
			 (char *)(uintptr_t)in_dir(f, "recording"), NULL };
	const char *const pairs[][2] = { { column, value } };
	struct run_result r;
	double all, part;

	run_program(&r, 60, argv);
	if (r.status != 0)
		fail_msg("%s", r.err);
	all = run_csv_sum(r.out, "samples", 0, NULL);
	part = run_csv_sum(r.out, "samples", 1, pairs);
	if (all < 5 || part < 0.8 * all)
		fail_msg("no %s '%s':\n%s", column, value, r.out);
	run_release(&r);
}

/* Another program with its path and inode: without a build-id nothing in there tells. */
static void
a_recorded_program_that_is_overwritten_has_no_names_of_the_new_one(void **state)
{
	struct fixture *f = *state;
	char pid[16];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "--no-config", "-b", "-n", "1", "-d", "2",
			 "--budget", "off", "-r", (char *)(uintptr_t)in_dir(f, "recording"), "-p", pid,
			 NULL };
	struct run_result r;
	struct spinner s;

	need_root();
	spinner_build(f, "taken", "right_loop", "-Wl,--build-id=none");
	spinner_build(f, "later", "wrong_loop", "-Wl,--build-id=none");
	s = spin(f, "taken", NULL);
	snprintf(pid, sizeof(pid), "%d", (int)s.pid);
	run_program(&r, 60, argv);
	if (r.status != 0)
		fail_msg("%s", r.err);
	run_release(&r);
	spinner_end(&s);
	assert_recorded(f, "symbol", "right_loop");
	assert_true(sh(f, "cat later >taken"));
	assert_recorded(f, "reason", "changed since it was recorded");
}

/* Who may not use map_files still has his own program, also when he has just built it anew. */
static void
a_user_has_the_names_of_his_deleted_program(void **state)
{
	enum { NOBODY = 65534 };
	struct fixture *f = *state;
	struct spinner_how how = { .program = in_dir(f, "users"), .uid = NOBODY };
	struct symbol_service *roots = f->service;
	struct symbol_image_msg *m;
	struct symbol_ask ask;
	struct spinner s;
	struct child c;

	need_root();
	spinner_build(f, "users", "users_loop", "");
	s = spinner_start(f, &how);
	c = spinner_map(&s, "users");
	ask = ask_of_child(&c);
	assert_int_equal(unlink(in_dir(f, "users")), 0);
	strcat(c.path, " (deleted)");
	assert_true(setegid(NOBODY) == 0 && seteuid(NOBODY) == 0);
	f->service = service_with(f, "/proc", NULL, true);
	m = ask_image(f, &ask);
	symbol_service_free(f->service);
	f->service = roots;
	assert_true(seteuid(0) == 0 && setegid(0) == 0);
	if (!has_name(m->image, "users_loop"))
		fail_msg("%s", m->reason);
	msg_free(&m->msg);
	spinner_end(&s);
}

/* The library hangs, the rest of the process has names, and ptop comes to its end. */
static void
assert_goes_on(const struct fixture *f, struct hanging_fs *fs)
{
	char library[384];
	struct symbol_ask ask;
	struct spinner s;
	struct child c;
	uint64_t begin;
	struct symbol_image_msg *image;
	double share;

	snprintf(library, sizeof(library), "%s/hang.so", fs->dir);
	s = spin(f, "waits", library);
	c = spinner_map(&s, "hang.so");
	ask = ask_of_child(&c);
	*fs->mode = HANGING_FS_DEAD;
	begin = clock_mono_ns();
	image = ask_image(f, &ask);
	assert_int_equal(image->unread.code, ERR_NONE); /* it is not tried again */
	assert_reason(image, "file system does not answer");
	c = spinner_map(&s, "waits");
	ask = ask_of_child(&c);
	assert_names(f, &ask, "own_loop");
	assert_that(clock_mono_ns() - begin, <, 15 * NSEC_PER_SEC);
	begin = clock_mono_ns();
	share = spinner_share(&s, "hang_loop", "1");
	if (share < 0)
		share = spinner_share(&s, "hang_loop", "10");
	assert_that(share, >=, 0);
	assert_that(share, <, 0.1);
	assert_that(clock_mono_ns() - begin, <, 40 * NSEC_PER_SEC);
	*fs->mode = HANGING_FS_FINE;
	spinner_end(&s);
}

/* It opens, and hangs then. */
static void
assert_reads_are_given_up(const struct fixture *f, struct hanging_fs *fs)
{
	*fs->mode = HANGING_FS_FINE;
	msg_free(&ask_path(f, "fuse/hang.so")->msg);
	*fs->mode = HANGING_FS_NO_READS;
	assert_reason(ask_path(f, "fuse/hang.so"), "file system does not answer");
	msg_free(&ask_path(f, "waits")->msg);
}

/* Ended also when the test fails: nobody could remove the folder of one that hangs. */
static struct hanging_fs fs;

static int
end_fs(void **state)
{
	(void)state;
	hanging_fs_end(&fs);
	return 0;
}

static void
a_file_system_that_hangs_is_given_up(void **state)
{
	struct fixture *f = *state;

	need_root();
	spinner_build(f, "hang.so", "hang_loop", "-DLIBRARY -shared -fPIC");
	spinner_build(f, "waits", "own_loop", "-DLOADS='\"hang_loop\"' -DROUNDS=1000000000 -ldl");
	mkdir(in_dir(f, "fuse"), 0755);
	if (!hanging_fs_start(&fs, in_dir(f, "fuse"), in_dir(f, "hang.so"), "hang.so"))
		skip_for("no file system of one's own here: %s", strerror(errno));
	assert_goes_on(f, &fs);
	assert_reads_are_given_up(f, &fs);
}

/* Its debug file would be in a folder that does not answer: no name of others waits for it. */
static void
a_folder_of_debug_files_that_hangs_is_given_up(void **state)
{
	struct fixture *f = *state;
	struct symbol_config config = { .kallsyms = "/proc/kallsyms", .proc = "/proc",
					.debug_dir = in_dir(f, "debug") };
	struct symbol_service *without = f->service;
	struct symbol_image_msg *m;
	uint64_t begin;

	need_root();
	spinner_build(f, "stripped", "kept_loop", "-g");
	spinner_build(f, "other", "other_loop", "");
	assert_true(sh(f, "objcopy --only-keep-debug stripped its.debug && strip stripped &&"
			  "objcopy --add-gnu-debuglink=its.debug stripped && mkdir .debug"));
	if (!hanging_fs_start(&fs, in_dir(f, ".debug"), in_dir(f, "its.debug"), "its.debug"))
		skip_for("no file system of one's own here: %s", strerror(errno));
	assert_int_equal(unlink(in_dir(f, "its.debug")), 0);
	f->service = symbol_service_new(&config, f->answers);
	m = ask_path(f, "stripped");
	assert_true(has_name(m->image, "kept_loop"));
	msg_free(&m->msg);
	*fs.mode = HANGING_FS_DEAD;
	for (int round = 0; round < 3; round++) {
		begin = clock_mono_ns();
		m = ask_path(f, "stripped");
		assert_non_null(strstr(m->reason, "does not answer"));
		msg_free(&m->msg);
		m = ask_path(f, "other");
		assert_true(has_name(m->image, "other_loop"));
		msg_free(&m->msg);
		assert_that(clock_mono_ns() - begin, <, 15 * NSEC_PER_SEC);
	}
	symbol_service_free(f->service);
	f->service = without;
}

/* The file was opened and begun to be read: the parser hangs, and nobody can end it. */
static void
a_file_that_stops_to_answer_holds_up_no_other(void **state)
{
	const struct host_config limits = { .limits = { .cpu_s = 1 } };
	struct symbol_config config = { .kallsyms = "/proc/kallsyms", .proc = "/proc",
					.host = host_new(&limits) };
	struct fixture *f = *state;
	struct symbol_service *other = f->service;
	struct symbol_image_msg *m;

	need_root();
	spinner_build(f, "large", "large_loop", "-static");
	spinner_build(f, "near", "near_loop", "");
	mkdir(in_dir(f, "far-away"), 0755);
	if (!hanging_fs_start(&fs, in_dir(f, "far-away"), in_dir(f, "large"), "large"))
		skip_for("no file system of one's own here: %s", strerror(errno));
	f->service = symbol_service_new(&config, f->answers);
	*fs.mode = HANGING_FS_BEGINS;
	assert_reason(ask_path(f, "far-away/large"), "made its parser hang");
	m = ask_path(f, "near");
	assert_true(has_name(m->image, "near_loop"));
	msg_free(&m->msg);
	symbol_service_free(f->service);
	f->service = other;
}

static int
parse_for_ever(int fd, const struct debug_finder *finder, struct parser_file *about,
	       struct err *err)
{
	(void)fd;
	(void)finder;
	(void)about;
	(void)err;
	for (;;)
		pause();
	return -1;
}

/* What hangs gets an error: else the test would never end. */
static void
end_server(int sig)
{
	(void)sig;
	kill(fs.server, SIGKILL);
}

/* To close a file is to ask its file system, too. */
static void
a_file_system_that_dies_while_a_file_is_open_holds_up_nothing(void **state)
{
	const struct host_config host = { .image = parse_for_ever, .limits = { .cpu_s = 1 } };
	struct symbol_config config = { .kallsyms = "/proc/kallsyms", .proc = "/proc",
					.host = host_new(&host) };
	struct symbol_service *service;
	struct fixture *f = *state;
	struct symbol_ask ask = { .dso = 1, .kind = SYMBOL_ELF, .path = in_dir(f, "dies/open") };
	uint64_t begin = clock_mono_ns();

	need_root();
	spinner_build(f, "open", "open_loop", "");
	mkdir(in_dir(f, "dies"), 0755);
	if (!hanging_fs_start(&fs, in_dir(f, "dies"), in_dir(f, "open"), "open"))
		skip_for("no file system of one's own here: %s", strerror(errno));
	signal(SIGALRM, end_server);
	alarm(40);
	service = symbol_service_new(&config, f->answers);
	symbol_service_ask_image(service, &ask);
	sleep(2);
	*fs.mode = HANGING_FS_DEAD;
	assert_reason((struct symbol_image_msg *)answer(f, SYMBOL_MSG_IMAGE), "made its parser hang");
	symbol_service_free(service);
	alarm(0);
	assert_that(clock_mono_ns() - begin, <, 35 * NSEC_PER_SEC);
}

/* The program can be had, and what has its path here hangs. */
static void
a_path_that_hangs_holds_up_no_event(void **state)
{
	struct fixture *f = *state;
	struct symbol_places_ask ask = { .pattern = "placed_loop" };
	struct symbol_places_msg *m;
	struct spinner s;
	struct child c;

	need_root();
	spinner_build(f, "placed", "placed_loop", "");
	mkdir(in_dir(f, "there"), 0755);
	if (!hanging_fs_start(&fs, in_dir(f, "there"), in_dir(f, "placed"), "placed"))
		skip_for("no file system of one's own here: %s", strerror(errno));
	s = spin(f, "placed", NULL);
	c = spinner_map(&s, "placed");
	ask.file = ask_of_child(&c);
	ask.file.path = in_dir(f, "there/placed");
	for (int dead = 0; dead < 2; dead++) {
		*fs.mode = dead ? HANGING_FS_DEAD : HANGING_FS_FINE;
		symbol_service_ask_places(f->service, &ask);
		m = (struct symbol_places_msg *)answer(f, SYMBOL_MSG_PLACES);
		assert_int_equal(m->count, !dead);
		if (dead)
			assert_non_null(strstr(m->err.text, "does not answer"));
		else
			assert_non_null(strstr(m->path, "map_files"));
		msg_free(&m->msg);
	}
	spinner_end(&s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deleted_program_has_names),
		cmocka_unit_test(a_replaced_program_has_its_own_names),
		cmocka_unit_test(a_program_with_the_inode_of_another_has_its_own_names),
		cmocka_unit_test(a_program_in_a_root_and_namespaces_of_its_own_has_names),
		cmocka_unit_test(a_program_on_an_overlay_has_names),
		cmocka_unit_test(a_program_in_memory_has_names),
		cmocka_unit_test(a_library_that_comes_and_goes_has_names),
		cmocka_unit_test(a_program_run_by_another_link_has_names),
		cmocka_unit_test(code_behind_4_gigabytes_has_names),
		cmocka_unit_test(what_is_in_place_of_a_library_is_not_opened),
		cmocka_unit_test(an_absolute_link_stays_in_the_root_of_its_process),
		cmocka_unit_test(a_map_that_was_cut_is_found_again),
		cmocka_unit_test(names_of_what_has_ended_come_from_the_same_file_alone),
		cmocka_unit_test(a_file_that_changed_since_it_was_recorded_names_nothing),
		cmocka_unit_test(a_recorded_program_that_is_overwritten_has_no_names_of_the_new_one),
		cmocka_unit_test(a_user_has_the_names_of_his_deleted_program),
		cmocka_unit_test_teardown(a_file_system_that_hangs_is_given_up, end_fs),
		cmocka_unit_test_teardown(a_folder_of_debug_files_that_hangs_is_given_up, end_fs),
		cmocka_unit_test_teardown(a_file_that_stops_to_answer_holds_up_no_other, end_fs),
		cmocka_unit_test_teardown(a_file_system_that_dies_while_a_file_is_open_holds_up_nothing,
					  end_fs),
		cmocka_unit_test_teardown(a_path_that_hangs_holds_up_no_event, end_fs),
	};

	return cmocka_run_group_tests_name("symbol paths", tests, setup, fixture_teardown);
}
