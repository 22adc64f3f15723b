/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "live/proc/proc_maps.h"
#include "tests/asserts.h"
#include "tests/proc_fixture.h"
#include "tests/run.h"
#include "tests/skip.h"

static const struct proc_map *
map_named(const struct proc_maps_msg *m, const char *end)
{
	for (size_t i = 0; i < m->count; i++) {
		const char *name = m->names + m->maps[i].name;

		if (strlen(name) >= strlen(end) &&
		    strcmp(name + strlen(name) - strlen(end), end) == 0)
			return &m->maps[i];
	}
	return NULL;
}

/* Maps an executable page of a new file with this name, at the file's second page. */
static void *
map_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	void *p;

	assert_that(fd, >=, 0);
	assert_int_equal(ftruncate(fd, 3 * (off_t)page_size()), 0);
	p = mmap(NULL, page_size(), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)page_size());
	assert_true(p != MAP_FAILED);
	close(fd);
	return p;
}

static void
own_maps_are_there_with_names_as_they_are(void **state)
{
	struct fixture *f = *state;
	uint64_t before = clock_mono_ns();
	void *odd = map_file("/tmp/ptop-odd\nname \\134");
	void *gone = map_file("/tmp/ptop-gone");
	void *anon = mmap(NULL, page_size(), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct proc_maps_msg *m;
	const struct proc_map *map;
	bool have_anon = false;

	unlink("/tmp/ptop-gone");
	m = maps_of(f, getpid());
	unlink("/tmp/ptop-odd\nname \\134");
	assert_int_equal(m->error, 0);
	assert_that(m->clock_ns, >, before);
	assert_that(m->clock_ns, <=, clock_mono_ns());
	assert_int_equal(m->ppid, getppid());
	assert_that(m->start_ticks, >, 0);
	assert_non_null(map_named(m, "[vdso]"));
	map = map_named(m, "/tmp/ptop-odd\nname \\134");
	assert_non_null(map);
	assert_true(map->start == (uintptr_t)odd && map->end == map->start + page_size());
	assert_true(map->pgoff == page_size() && map->ino != 0);
	assert_int_equal(map->prot, PROT_READ | PROT_EXEC);
	map = map_named(m, "/tmp/ptop-gone (deleted)");
	assert_true(map != NULL && map->start == (uintptr_t)gone);
	for (size_t i = 0; i < m->count; i++) {
		assert_true(i == 0 || m->maps[i].start >= m->maps[i - 1].end);
		assert_true(m->maps[i].prot & PROT_EXEC);
		if (m->maps[i].start == (uintptr_t)anon)
			have_anon = m->names[m->maps[i].name] == '\0';
	}
	assert_true(have_anon);
	msg_free(&m->msg);
	munmap(odd, page_size());
	munmap(gone, page_size());
	munmap(anon, page_size());
}

static void
asking_the_kernel_gives_what_the_text_says(void **state)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct proc_maps query = { 0 }, text = { 0 };

	(void)state;
	if (proc_maps_query(fd, &query) == ENOTTY) {
		close(fd);
		skip_for("this kernel has no PROCMAP_QUERY");
	}
	assert_int_equal(proc_maps_text(fd, &text), 0);
	close(fd);
	assert_that(query.len, >, 3);
	for (size_t i = 0; i < text.len; i++) {
		const char *name = text.names.data + text.items[i].name;

		if (i == query.len) {
			assert_string_equal(name, "[vsyscall]");
			break;
		}
		assert_string_equal(query.names.data + query.items[i].name, name);
		query.items[i].name = text.items[i].name;
		assert_memory_equal(&query.items[i], &text.items[i], sizeof(text.items[i]));
	}
	proc_maps_release(&query);
	proc_maps_release(&text);
}

static void
who_is_not_there_is_esrch(void **state)
{
	struct fixture *f = *state;
	pid_t pid = run_fork();

	if (pid == 0)
		_exit(0);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(maps_error(f, pid), ESRCH); /* a zombie */
	waitpid(pid, NULL, 0);
	assert_int_equal(maps_error(f, pid), ESRCH);
	assert_int_equal(maps_error(f, 0), ESRCH);
	assert_int_equal(maps_error(f, -1), ESRCH);
	assert_int_equal(maps_error(f, INT32_MAX), ESRCH);
}

static void *
sleep_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

/* Ends the main thread only. */
static int
leave_main(void)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, sleep_for_ever, NULL) != 0)
		return 1;
	return (int)syscall(SYS_exit, 0);
}

/* Its main thread is a zombie, as others of it run. */
static bool
main_has_ended(pid_t pid)
{
	struct buf b = { 0 };
	const char *end;
	char path[64];
	bool ended;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file_read(path, &b, 4096);
	end = strrchr(buf_str(&b), ')');
	ended = end != NULL && strncmp(end, ") Z", 3) == 0;
	buf_release(&b);
	return ended;
}

static void
maps_are_found_when_the_main_thread_has_ended(void **state)
{
	struct fixture *f = *state;
	struct proc_maps_msg *m;
	pid_t pid = run_fork();

	if (pid == 0) {
		execl("/proc/self/exe", "test_proc_reader", "leave-main", NULL);
		_exit(127);
	}
	for (int ms = 0; ms < 20000 && !main_has_ended(pid); ms += 10)
		usleep(10 * 1000);
	m = maps_of(f, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(m->error, 0);
	assert_non_null(map_named(m, "[vdso]"));
	msg_free(&m->msg);
}

static void
a_kernel_thread_has_no_maps_and_no_error(void **state)
{
	struct fixture *f = *state;
	struct proc_maps_msg *m = maps_of(f, 2);

	if (m->error != 0 || strcmp(m->comm, "kthreadd") != 0) {
		msg_free(&m->msg);
		skip_for("no kernel threads are to be seen here");
	}
	assert_int_equal(m->count, 0);
	msg_free(&m->msg);
}

/* Exits with the error of asking for @pid as somebody without rights. */
static void
ask_as_nobody(int pid)
{
	struct queue *answers = queue_new();
	struct proc_reader *r;
	struct proc_maps_msg *m;

	if (setgid(65534) != 0 || setuid(65534) != 0)
		_exit(255);
	r = proc_reader_new("/proc", answers);
	proc_reader_ask_maps(r, pid, 1);
	m = (struct proc_maps_msg *)queue_wait(answers, WAIT_MS);
	_exit(m != NULL ? m->error : 255);
}

static void
a_missing_right_keeps_its_errno(void **state)
{
	pid_t pid = run_fork();
	int status;

	(void)state;
	if (getuid() != 0 && pid > 0) {
		waitpid(pid, NULL, 0);
		skip_for("only root can become somebody else");
	}
	if (pid == 0)
		ask_as_nobody(getppid());
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_true(WEXITSTATUS(status) == EACCES || WEXITSTATUS(status) == EPERM);
}

static void
the_owner_is_known_although_the_files_belong_to_root(void **state)
{
	struct fixture *f = *state;
	struct proc_owner_msg *answer;
	struct proc_tick_msg *m;
	uint32_t uid = 0;
	int ready[2];
	pid_t pid;
	char byte;

	if (getuid() != 0)
		skip_for("not root");
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = run_fork();
	if (pid == 0) {
		if (setuid(65534) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0 && write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	m = tick(f, 0);
	proc_reader_ask_owner(f->reader, pid);
	answer = (struct proc_owner_msg *)queue_wait(f->answers, WAIT_MS);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_non_null(answer);
	assert_int_equal(answer->msg.type, PROC_MSG_OWNER);
	assert_int_equal(answer->error, 0);
	assert_int_equal(answer->uid, 65534);
	assert_that(answer->clock_ns, >, 0);
	msg_free(&answer->msg);
	proc_reader_ask_owner(f->reader, pid);
	answer = (struct proc_owner_msg *)queue_wait(f->answers, WAIT_MS);
	assert_non_null(answer);
	assert_int_equal(answer->pid, pid);
	assert_int_equal(answer->error, ESRCH);
	msg_free(&answer->msg);
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pid == pid)
			uid = m->processes[i].uid;
	assert_int_equal(uid, 65534);
	msg_free(&m->msg);
}

/* Uses a CPU for a while under a name of its own, then stays until it is told to go. */
static void *
spin(void *arg)
{
	int *stop = arg;
	uint64_t end = clock_mono_ns() + 300 * NSEC_PER_MSEC;

	prctl(PR_SET_NAME, "spinner");
	while (clock_mono_ns() < end)
		;
	while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE))
		usleep(1000);
	return NULL;
}

static const struct proc_info *
info_of(const struct proc_info *infos, size_t count, const char *comm)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(infos[i].comm, comm) == 0)
			return &infos[i];
	return NULL;
}

static void
a_busy_thread_shows_in_its_process_and_in_its_own_row(void **state)
{
	struct fixture *f = *state;
	const struct proc_info *self = NULL, *t;
	struct proc_tick_msg *m;
	double begin_s, percent;
	uint64_t begin_ns;
	pthread_t thread;
	int stop = 0;

	assert_int_equal(pthread_create(&thread, NULL, spin, &stop), 0);
	begin_ns = clock_mono_ns();
	begin_s = run_cpu_s(getpid());
	msg_free(&tick(f, getpid())->msg);
	while (run_cpu_s(getpid()) - begin_s < 0.3)
		usleep(10 * 1000);
	m = tick(f, getpid());
	percent = (run_cpu_s(getpid()) - begin_s) * 1e11 / (double)(clock_mono_ns() - begin_ns);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	for (size_t i = 0; i < m->process_count; i++) {
		assert_true(i == 0 || m->processes[i].pid > m->processes[i - 1].pid);
		if (m->processes[i].pid == getpid())
			self = &m->processes[i];
	}
	assert_non_null(self);
	/* The kernel's counts are ten milliseconds each, and who asks is held up, too. */
	assert_within(self->cpu, percent, percent / 2 + 10);
	assert_non_null(strstr(self->command, "test_proc_reader"));
	assert_int_equal(self->uid, geteuid());
	t = info_of(m->threads, m->thread_count, "spinner");
	assert_non_null(t);
	assert_int_equal(t->pid, getpid());
	assert_within(t->cpu, percent, percent / 2 + 10);
	assert_int_not_equal(m->complete_ns, 0);
	assert_that(m->uptime_s, >, 0);
	assert_that(m->tasks, >, 0);
	assert_that(m->cpu_count, >, 0);
	assert_true(m->have_shares);
	float sum = m->all.user + m->all.system + m->all.softirq + m->all.idle + m->all.iowait +
		    m->all.steal;
	assert_that(sum, >, 99.9f);
	assert_that(sum, <, 100.1f);
	msg_free(&m->msg);
}

int
main(int argc, char **argv)
{
#define REAL(name) cmocka_unit_test_setup_teardown(name, setup_real, teardown)
	const struct CMUnitTest tests[] = {
		REAL(own_maps_are_there_with_names_as_they_are),
		cmocka_unit_test(asking_the_kernel_gives_what_the_text_says),
		REAL(who_is_not_there_is_esrch),
		REAL(maps_are_found_when_the_main_thread_has_ended),
		REAL(a_kernel_thread_has_no_maps_and_no_error),
		cmocka_unit_test(a_missing_right_keeps_its_errno),
		REAL(the_owner_is_known_although_the_files_belong_to_root),
		REAL(a_busy_thread_shows_in_its_process_and_in_its_own_row),
	};

	if (argc > 1 && strcmp(argv[1], "leave-main") == 0)
		return leave_main();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
