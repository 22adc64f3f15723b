/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of the kernel's, as /proc tells them, and where their functions are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/wait/kernel_stack.h"
#include "tests/asserts.h"
#include "tests/person.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_S = 60 };

static size_t
parse(struct kernel_stacks *ks, const char *text, struct kernel_frame frames[KERNEL_STACK_MAX])
{
	return kernel_stacks_parse(ks, text, strlen(text), frames);
}

static void
lines_that_name_no_function_are_left_out(void **state)
{
	static const char *const refused[] = {
		"", "\n", "[<0>] futex_wait+0x6b/0x100", "futex_wait+0x6b/0x100\n",
		"[<0>] 0xffffffffc0001000\n", "[<0>] +0x1/0x2\n", "[<0>] a+0x3/0x2\n",
		"[<0>] a+1/\n", "[<0>] a b+0x1/0x2\n", "[<>] a+0x1/0x2\n", "\xff\xfe\n",
	};
	struct kernel_frame frames[KERNEL_STACK_MAX];
	struct kernel_stacks *ks = kernel_stacks_new();
	char text[1024] = "[<0>] ";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (parse(ks, refused[i], frames) != 0)
			fail_msg("taken: '%s'", refused[i]);
	memset(text + 6, 'x', 600);
	strcat(text, "+0x1/0x2\n");
	assert_int_equal(parse(ks, text, frames), 0);
	assert_int_equal(parse(ks, "[<0>] a+0x3/0x10\nno\n[<0>] b.part.0+0x4/0x20 [ext4]\n[<0>] c",
			       frames), 2);
	assert_int_equal(frames[1].offset, 4);
	assert_int_equal(parse(ks, "[<ffffffff81000000>] a+0x5/0x10\n", frames), 1);
	kernel_stacks_free(ks);
}

static void
a_stack_that_is_deeper_is_cut_at_its_outer_end(void **state)
{
	struct kernel_frame frames[KERNEL_STACK_MAX];
	struct kernel_stacks *ks = kernel_stacks_new();
	char text[4096] = "";

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		snprintf(text + strlen(text), 64, "[<0>] f%u+0x%x/0x100\n", i, i);
	assert_int_equal(parse(ks, text, frames), KERNEL_STACK_MAX);
	for (unsigned i = 0; i < KERNEL_STACK_MAX; i++)
		assert_int_equal(frames[i].offset, i);
	kernel_stacks_free(ks);
}

/* Two functions of one name are told apart by their sizes; aliases have one address. */
static void
names_get_their_addresses_from_kallsyms(void **state)
{
	static const char symbols[] = "ffff1000 T first\nffff1100 t same\nffff1110 T alias\n"
				      "ffff1110 T other\nffff1200 t same\nffff1280 T last\n"
				      "nonsense\n\nffff0000 t of_module\t[m]\nffff1000 d\n";
	static const uint64_t wanted[] = { 0xffff1004, 0xffff1104, 0xffff1114, 0xffff1204,
					   0xffff0004 };
	struct kernel_stacks *ks = kernel_stacks_new();
	struct kernel_frame frames[KERNEL_STACK_MAX];
	char dir[] = "/tmp/ptop-kallsyms-XXXXXX", path[64];
	uint64_t addrs[KERNEL_STACK_MAX];
	int dir_fd, fd;
	size_t n;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/kallsyms", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, symbols, strlen(symbols)), strlen(symbols));
	close(fd);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	n = parse(ks, "[<0>] first+0x4/0x100\n[<0>] same+0x4/0x10\n[<0>] other+0x4/0xf0\n"
		      "[<0>] same+0x4/0x80\n[<0>] missing+0x4/0x80\n[<0>] of_module+0x4/0x8 [m]\n",
		  frames);
	assert_int_equal(n, 6);
	assert_int_equal(kernel_stacks_addresses(ks, frames, n, addrs), 0);
	kernel_stacks_step(ks, dir_fd, 1);
	assert_int_equal(kernel_stacks_addresses(ks, frames, n, addrs), 5);
	for (size_t i = 0; i < 5; i++)
		assert_true(addrs[i] == wanted[i]);
	/* Names that come later are known from the same reading. */
	n = parse(ks, "[<0>] last+0x4/0x100\n[<0>] alias+0x8/0xf0\n", frames);
	kernel_stacks_step(ks, dir_fd, 2);
	assert_int_equal(kernel_stacks_addresses(ks, frames, n, addrs), 2);
	assert_true(addrs[0] == 0xffff1284 && addrs[1] == 0xffff1118);
	/* Those of a module that was loaded since then wait for their turn. */
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "ffff2000 t newer\t[n]\n", 21), 21);
	close(fd);
	n = parse(ks, "[<0>] newer+0x4/0x100\n", frames);
	kernel_stacks_step(ks, dir_fd, 3);
	assert_int_equal(kernel_stacks_addresses(ks, frames, n, addrs), 0);
	kernel_stacks_step(ks, dir_fd, 10 * NSEC_PER_SEC);
	assert_int_equal(kernel_stacks_addresses(ks, frames, n, addrs), 1);
	close(dir_fd);
	unlink(path);
	rmdir(dir);
	kernel_stacks_free(ks);
}

/* A /proc with one thread, whose stack is @text. */
static void
put_stack(int dir_fd, const char *text)
{
	int fd;

	mkdirat(dir_fd, "7", 0700);
	mkdirat(dir_fd, "7/task", 0700);
	mkdirat(dir_fd, "7/task/7", 0700);
	fd = openat(dir_fd, "7/task/7/stack", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void
drop_stack(int dir_fd, const char *dir)
{
	unlinkat(dir_fd, "7/task/7/stack", 0);
	unlinkat(dir_fd, "7/task/7", AT_REMOVEDIR);
	unlinkat(dir_fd, "7/task", AT_REMOVEDIR);
	unlinkat(dir_fd, "7", AT_REMOVEDIR);
	close(dir_fd);
	rmdir(dir);
}

/* One that waits elsewhere is its own; what all do is seen anew before long. */
static void
those_that_wait_alike_share_what_two_of_them_had(void **state)
{
	static const char wait[] = "[<0>] futex_wait+0x1/0x2\n[<0>] do_futex+0x1/0x2\n";
	static const char fault[] = "[<0>] handle_mm_fault+0x1/0x2\n";
	char dir[] = "/tmp/ptop-stack-XXXXXX";
	struct kernel_frame frames[KERNEL_STACK_MAX];
	struct kernel_stacks *ks = kernel_stacks_new();
	struct kernel_reader alike = { .pid = 7, .tid = 7, .common = 5 };
	struct kernel_reader alone = { .pid = 7, .tid = 7 };
	unsigned reads = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	alike.proc_fd = alone.proc_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	put_stack(alone.proc_fd, fault);
	assert_int_equal(kernel_stacks_read(ks, &alike, frames), 1);
	put_stack(alone.proc_fd, wait);
	assert_int_equal(kernel_stacks_read(ks, &alike, frames), 2);
	assert_int_equal(kernel_stacks_read(ks, &alike, frames), 2);
	put_stack(alone.proc_fd, fault);
	assert_int_equal(kernel_stacks_read(ks, &alike, frames), 2);
	assert_int_equal(kernel_stacks_read(ks, &alone, frames), 1);
	while (kernel_stacks_read(ks, &alike, frames) == 2)
		assert_that(++reads, <, 100);
	assert_that(reads, >, 10);
	drop_stack(alone.proc_fd, dir);
	kernel_stacks_free(ks);
}

static void
folded(struct run_result *r, pid_t load)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)load);
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "2",
			"--budget", "off", "-e", "off-cpu", "-p", pid, "--format", "folded", NULL });
	assert_int_equal(r->status, 0);
}

static void
functions_of_the_kernel_are_between_the_program_and_what_it_waits_for(void **state)
{
	struct run_result r;
	unsigned found = 0;
	pid_t load;

	(void)state;
	need_root();
	if (access("/proc/self/stack", R_OK) < 0)
		skip_for("this kernel is built without CONFIG_STACKTRACE");
	load = run_load("waits");
	run_thread(load, "feeder");
	folded(&r, load);
	run_end(load);
	for (const char *line = strstr(r.out, "feeder;"); line != NULL && *line != '\0';) {
		size_t len = strcspn(line, "\n");
		const char *program = memmem(line, len, ";feed_pipe;", 11);
		const char *kernel = memmem(line, len, ";do_syscall", 11);

		/* All kernels of ours call the innermost one so. */
		found += program != NULL && kernel > program &&
			 memmem(kernel, len - (size_t)(kernel - line), ";hrtimer_nanosleep;[sleep] ",
				27) != NULL;
		line += len + (line[len] == '\n');
	}
	assert_true(found > 0);
	assert_null(strstr(r.err, "CAP_SYS_ADMIN"));
	run_release(&r);
}

/* Its own command, of which it may see all else. */
static void
who_may_not_see_them_is_told_why(void **state)
{
	struct run_result r;
	char path[300];

	(void)state;
	need_root();
	snprintf(path, sizeof(path), "%s/ptop", person_dir());
	run_program(&r, PATIENCE_S, (char *const *)person_call("nobody", (char *[]){
		path, "-b", "-e", "off-cpu", "--format", "folded", "--", "sleep", "2", NULL }));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, ";[sleep]"));
	assert_null(strstr(r.out, "hrtimer_nanosleep"));
	assert_int_equal(run_count_text(r.err, "CAP_SYS_ADMIN"), 1);
	run_release(&r);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_name_no_function_are_left_out),
		cmocka_unit_test(a_stack_that_is_deeper_is_cut_at_its_outer_end),
		cmocka_unit_test(names_get_their_addresses_from_kallsyms),
		cmocka_unit_test(those_that_wait_alike_share_what_two_of_them_had),
		cmocka_unit_test(functions_of_the_kernel_are_between_the_program_and_what_it_waits_for),
		cmocka_unit_test(who_may_not_see_them_is_told_why),
	};

	(void)argc;
	person_main(argv);
	return cmocka_run_group_tests(tests, person_begin, person_end);
}
