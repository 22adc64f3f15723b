/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/proc/proc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"
#include "live/proc/proc_worker.h"
#include "tests/asserts.h"
#include "tests/proc_fixture.h"

static void
make_fake_process(struct fixture *f, int pid, const char *maps, size_t len)
{
	fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "fake", 'S', 0, 0, 9, 0 });
	fake_file(&f->proc, pid, "maps", maps, len);
}

#define ONE_MAP "1000-2000 r-xp 00000000 08:01 77 /bin/fake\n3000-4000 rw-p 0 00:00 0 [heap]\n"

static void
only_executable_ranges_in_rising_order_are_kept(void **state)
{
	static const char text[] = ONE_MAP "nonsense\n8000-9000 r-xp 0 00:00 0\n"
				   "5000-6000 r-xp 0 00:00 0 /behind\n";
	struct fixture *f = *state;
	struct proc_maps_msg *m;

	make_fake_process(f, 7, text, sizeof(text) - 1);
	m = maps_of(f, 7);
	assert_int_equal(m->error, 0);
	assert_int_equal(m->count, 2);
	assert_string_equal(m->names + m->maps[0].name, "/bin/fake");
	assert_int_equal(m->maps[0].maj, 8);
	assert_string_equal(m->names + m->maps[1].name, "");
	assert_string_equal(m->comm, "fake");
	assert_int_equal(m->start_ticks, 9);
	msg_free(&m->msg);
}

static void
more_than_can_be_kept_is_an_error_and_not_a_part(void **state)
{
	struct fixture *f = *state;
	struct buf b = { 0 };

	for (unsigned i = 1; i <= 65537; i++)
		buf_addf(&b, "%x000-%x001 r-xp 0 00:00 0\n", i, i);
	make_fake_process(f, 7, b.data, b.len);
	assert_int_equal(maps_error(f, 7), EFBIG);
	buf_reset(&b);
	buf_add_str(&b, "1000-2000 r-xp 0 00:00 0 /");
	buf_add_fill(&b, 'x', 100000);
	make_fake_process(f, 8, b.data, b.len);
	assert_int_equal(maps_error(f, 8), EFBIG);
	buf_release(&b);
}

/* A process whose maps hang until somebody writes to them. */
static const char *
make_hanging_process(struct fixture *f, int pid, char *path, size_t size)
{
	make_fake_process(f, pid, "", 0);
	fake_path(&f->proc, path, size, "%d/maps", pid);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	return path;
}

static void
a_pid_that_was_reused_while_it_was_read_is_esrch(void **state)
{
	struct fixture *f = *state;
	struct proc_maps_msg *m;
	char path[128];
	int fd;

	make_hanging_process(f, 7, path, sizeof(path));
	proc_reader_ask_maps(f->reader, 7, 1);
	fd = open(path, O_WRONLY); /* waits for the reader to open it */
	fake_process(&f->proc, &(struct fake_stat){ 7, 1, 1, "other", 'S', 0, 0, 10, 0 });
	assert_that(write(fd, ONE_MAP, strlen(ONE_MAP)), >, 0);
	close(fd);
	m = next_maps(f);
	assert_int_equal(m->error, ESRCH);
	assert_int_equal(m->count, 0);
	msg_free(&m->msg);
}

/* Lets the one that hangs go on, and waits for it to be known. */
static void
release(struct fixture *f, const char *path)
{
	int fd = open(path, O_WRONLY), error = ETIMEDOUT;

	assert_that(write(fd, ONE_MAP, strlen(ONE_MAP)), >, 0);
	close(fd);
	unlink(path);
	fake_file(&f->proc, 7, "maps", ONE_MAP, strlen(ONE_MAP));
	for (int i = 0; i < 1000 && error == ETIMEDOUT; i++) {
		error = maps_error(f, 7);
		usleep(10 * 1000);
	}
	assert_int_equal(error, 0);
}

static struct proc_comm_msg *
comm_of(struct fixture *f, int pid, int tid)
{
	struct msg *m;

	proc_reader_ask_comm(f->reader, pid, tid, 7);
	m = queue_wait(f->answers, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->type, PROC_MSG_COMM);
	return (struct proc_comm_msg *)m;
}

enum { AGAIN = 4, AGAIN_MS = 500, AGAIN_MAX = 120 }; /* the cookie of what may be asked again */

struct got {
	int errors[5]; /* by cookie */
	size_t processes;
};

static void
note_error(struct got *got, uint32_t cookie, int error)
{
	assert_that(cookie, <, 5);
	assert_true(got->errors[cookie] == -1 || (cookie == AGAIN && got->errors[cookie] == error));
	got->errors[cookie] = error;
}

static void
note_answer(struct got *got, struct msg *m)
{
	const struct proc_maps_msg *maps = (const struct proc_maps_msg *)m;
	const struct proc_comm_msg *comm = (const struct proc_comm_msg *)m;

	if (m->type == PROC_MSG_TICK)
		got->processes = ((struct proc_tick_msg *)m)->process_count;
	else if (m->type == PROC_MSG_COMM)
		note_error(got, comm->cookie, comm->error);
	else
		note_error(got, maps->cookie, maps->error);
	msg_free(m);
}

/* For the maps of 8, or the name of its thread. */
static void
ask_again(const struct fixture *f, int tid)
{
	if (tid == 0)
		proc_reader_ask_maps(f->reader, 8, AGAIN);
	else
		proc_reader_ask_comm(f->reader, 8, tid, AGAIN);
}

/*
 * So many, after one more question, at which it is seen that the worker hangs: where it came late to
 * what it hangs on, that is at one of the next.
 */
static void
note_answers(const struct fixture *f, struct got *got, int left, int tid)
{
	int asked = 0;

	ask_again(f, tid);
	while (left > 0) {
		struct msg *m = queue_wait(f->answers, AGAIN_MS);

		if (m != NULL) {
			note_answer(got, m);
			left--;
			continue;
		}
		assert_that(asked++, <, AGAIN_MAX);
		ask_again(f, tid);
		left++;
	}
}

static void
a_reader_that_hangs_is_replaced(void **state)
{
	struct fixture *f = *state;
	struct got got = { .errors = { -1, -1, -1, -1, -1 } };
	char path[128];

	make_fake_process(f, 8, ONE_MAP, strlen(ONE_MAP));
	make_hanging_process(f, 7, path, sizeof(path));
	proc_reader_ask_maps(f->reader, 7, 1);
	proc_reader_ask_maps(f->reader, 8, 2);
	proc_reader_ask_maps(f->reader, 7, 3);
	proc_reader_ask_tick(f->reader, NULL, 0, 0, PLENTY_US);
	assert_null(queue_wait(f->answers, 3200));
	note_answers(f, &got, 5, 0);
	assert_int_equal(got.errors[1], ETIMEDOUT);
	assert_int_equal(got.errors[2], 0);
	assert_int_equal(got.errors[3], ETIMEDOUT);
	assert_int_equal(got.errors[4], 0);
	assert_int_equal(got.processes, 2);
	assert_int_equal(maps_error(f, 7), ETIMEDOUT); /* at once: it still hangs */
	assert_int_equal(proc_reader_hung(f->reader)->count, 1);
	assert_int_equal(proc_reader_hung(f->reader)->items[0].pid, 7);
	release(f, path);
	assert_int_equal(proc_reader_hung(f->reader)->count, 0);
	assert_null(queue_wait(f->answers, 100)); /* what came too late is not told */
}

/* Reading many maps is work alone: it takes long without waiting for anything. */
static void
a_reader_that_waits_for_a_cpu_does_not_hang(void **state)
{
	struct fixture *f = *state;
	struct proc_worker *w = proc_worker_new(f->proc.root, f->answers);
	struct buf b = { 0 };
	unsigned looks = 0, stuck = 0;

	for (unsigned i = 1; i <= 60000; i++)
		buf_addf(&b, "%x000-%x001 r-xp 00000000 08:01 77 /some/folder/%u\n", i, i, i);
	make_fake_process(f, 7, b.data, b.len);
	for (int n = 0; n < 10; n++) {
		struct proc_maps_request *req = mem_calloc(1, sizeof(*req));
		struct msg *m;

		*req = (struct proc_maps_request){ .msg.type = PROC_REQUEST_MAPS, .pid = 7 };
		proc_worker_send(w, &req->msg);
		for (; (m = queue_take(f->answers)) == NULL; looks++)
			stuck += proc_worker_is_stuck(w, 1);
		assert_int_equal(((struct proc_maps_msg *)m)->error, 0);
		msg_free(m);
	}
	print_message("# %u of %u looks\n", stuck, looks);
	/* Once in a while it waits for the pages of the file. */
	assert_that(stuck, <, looks / 4);
	proc_worker_free(w, WAIT_MS);
	buf_release(&b);
}

/* They are answered together, and asked for one after the other. */
static void
of_many_names_only_the_one_that_hangs_is_given_up(void **state)
{
	struct fixture *f = *state;
	struct got got = { .errors = { -1, -1, -1, -1, -1 } };
	char gate[128], path[128];
	struct msg *m;
	int fd;

	make_fake_process(f, 7, ONE_MAP, strlen(ONE_MAP));
	make_fake_process(f, 8, ONE_MAP, strlen(ONE_MAP));
	fake_thread(&f->proc, 7, &(struct fake_stat){ 9, 1, 2, "x", 'S', 0, 0, 9, 0 }, 0);
	fake_thread(&f->proc, 8, &(struct fake_stat){ 10, 1, 2, "x", 'S', 0, 0, 9, 0 }, 0);
	fake_file(&f->proc, 8, "task/10/comm", "x\n", 2);
	fake_path(&f->proc, path, sizeof(path), "7/task/9/comm");
	assert_int_equal(mkfifo(path, 0600), 0);
	make_hanging_process(f, 6, gate, sizeof(gate));
	/* All names are asked for while maps are read. */
	proc_reader_ask_maps(f->reader, 6, 0);
	fd = open(gate, O_WRONLY);
	proc_reader_ask_comm(f->reader, 8, 10, 1);
	proc_reader_ask_comm(f->reader, 7, 9, 2);
	proc_reader_ask_comm(f->reader, 8, 10, 3);
	assert_that(write(fd, ONE_MAP, strlen(ONE_MAP)), >, 0);
	close(fd);
	m = queue_wait(f->answers, WAIT_MS);
	assert_non_null(m);
	note_answer(&got, m);
	assert_int_equal(got.errors[0], 0);
	assert_null(queue_wait(f->answers, 3200));
	note_answers(f, &got, 4, 10);
	assert_int_equal(got.errors[1], 0);
	assert_int_equal(got.errors[2], ETIMEDOUT);
	assert_int_equal(got.errors[3], 0);
	assert_int_equal(got.errors[4], 0);
	close(open(path, O_WRONLY)); /* it goes on */
}

static void
freeing_a_reader_that_hangs_does_not_wait_for_it(void **state)
{
	struct fixture *f = *state;
	uint64_t from = clock_mono_ns();
	char path[128];
	int fd;

	make_hanging_process(f, 7, path, sizeof(path));
	proc_reader_ask_maps(f->reader, 7, 1);
	proc_reader_ask_maps(f->reader, 7, 2);
	fd = open(path, O_WRONLY);
	proc_reader_ask_tick(f->reader, NULL, 0, 0, PLENTY_US);
	proc_reader_free(f->reader);
	assert_that(clock_mono_ns() - from, <, 10 * NSEC_PER_SEC); /* it would hang for ever */
	assert_null(queue_take(f->answers));
	close(fd);
	usleep(100 * 1000); /* it comes back, and frees what is its own */
	f->reader = proc_reader_new(f->proc.root, f->answers);
}

static void
maps_are_answered_while_a_tick_goes_on(void **state)
{
	struct fixture *f = *state;
	struct proc_maps_msg *m;
	struct msg *t;

	for (int pid = 1; pid <= 3000; pid++)
		fake_process(&f->proc, &(struct fake_stat){ pid, 1, 1, "x", 'S', 0, 0, 9, 0 });
	make_fake_process(f, 5000, ONE_MAP, strlen(ONE_MAP));
	proc_reader_ask_tick(f->reader, NULL, 0, 0, PLENTY_US);
	usleep(3000);
	proc_reader_ask_maps(f->reader, 5000, 1);
	m = next_maps(f); /* and not the tick, which has 3,000 processes to read */
	assert_int_equal(m->error, 0);
	msg_free(&m->msg);
	t = queue_wait(f->answers, WAIT_MS);
	assert_non_null(t);
	assert_int_equal(((struct proc_tick_msg *)t)->process_count, 3001);
	msg_free(t);
}

/* Else who has maps that take long keeps the machine's figures from all. */
static void
a_tick_ends_while_maps_that_take_long_wait(void **state)
{
	enum { ASKED = 200, MAPS = 20000 };
	struct fixture *f = *state;
	struct buf b = { 0 };
	size_t maps = 0, before = ASKED;

	for (unsigned i = 1; i <= MAPS; i++)
		buf_addf(&b, "%x000-%x001 r-xp 0 00:00 0\n", i, i);
	make_fake_process(f, 7, b.data, b.len);
	buf_release(&b);
	for (uint32_t i = 0; i < ASKED; i++)
		proc_reader_ask_maps(f->reader, 7, i);
	proc_reader_ask_tick(f->reader, NULL, 0, 0, PLENTY_US);
	for (size_t i = 0; i <= ASKED; i++) {
		struct msg *m = queue_wait(f->answers, WAIT_MS);

		assert_non_null(m);
		if (m->type == PROC_MSG_TICK)
			before = maps;
		maps += m->type == PROC_MSG_MAPS;
		msg_free(m);
	}
	assert_int_equal(maps, ASKED);
	assert_that(before, <, ASKED / 2);
}

static void
the_name_of_a_thread_is_told(void **state)
{
	struct fixture *f = *state;
	struct proc_comm_msg *m;

	make_fake_process(f, 7, ONE_MAP, strlen(ONE_MAP));
	fake_thread(&f->proc, 7, &(struct fake_stat){ 9, 1, 2, "x", 'S', 0, 0, 9, 0 }, 0);
	fake_file(&f->proc, 7, "task/9/comm", "a) \n(b\n", 7);
	m = comm_of(f, 7, 9);
	assert_int_equal(m->error, 0);
	assert_true(m->pid == 7 && m->tid == 9 && m->cookie == 7);
	assert_string_equal(m->comm, "a) \n(b");
	free(m);
	m = comm_of(f, 7, 10);
	assert_int_equal(m->error, ESRCH);
	assert_string_equal(m->comm, "");
	free(m);
}

static void
without_a_proc_there_are_answers_all_the_same(void **state)
{
	struct queue *answers = queue_new();
	struct proc_reader *r = proc_reader_new("/nowhere/proc", answers);
	struct fixture f = { .answers = answers, .reader = r };
	struct proc_tick_msg *t;

	(void)state;
	assert_int_equal(maps_error(&f, 1), ENOENT);
	t = tick(&f, 1);
	assert_int_equal(t->process_count, 0);
	assert_false(t->have_shares);
	msg_free(&t->msg);
	proc_reader_free(r);
	queue_free(answers);
}

int
main(void)
{
#define FAKE(name) cmocka_unit_test_setup_teardown(name, setup_fake, teardown)
	const struct CMUnitTest tests[] = {
		FAKE(only_executable_ranges_in_rising_order_are_kept),
		FAKE(more_than_can_be_kept_is_an_error_and_not_a_part),
		FAKE(a_pid_that_was_reused_while_it_was_read_is_esrch),
		FAKE(a_reader_that_hangs_is_replaced),
		FAKE(a_reader_that_waits_for_a_cpu_does_not_hang),
		FAKE(of_many_names_only_the_one_that_hangs_is_given_up),
		FAKE(freeing_a_reader_that_hangs_does_not_wait_for_it),
		FAKE(the_name_of_a_thread_is_told),
		FAKE(a_tick_ends_while_maps_that_take_long_wait),
		FAKE(maps_are_answered_while_a_tick_goes_on),
		cmocka_unit_test(without_a_proc_there_are_answers_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
