/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The batch loop with an engine that only plays back what a test wrote down. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/run.h"
#include "engine/engine.h"
#include "base/file.h"
#include "tests/asserts.h"

struct engine {
	struct queue *out;
	struct query query;
};

static void
free_snapshot(struct msg *m)
{
	snapshot_put(((struct engine_snapshot_msg *)m)->snapshot);
	free(m);
}

static void
send_snapshot(struct engine *e, uint64_t seq, const char *comm, uint64_t samples)
{
	struct engine_snapshot_msg *m = mem_calloc(1, sizeof(*m));
	struct snapshot *s = snapshot_new();

	s->query = e->query;
	s->seq = seq;
	s->elapsed_s = (double)seq;
	s->rows = arena_alloc(&s->arena, sizeof(*s->rows));
	s->rows[0] = (struct row){ .comm = comm, .samples = samples, .period = samples,
				   .share = 1 };
	s->row_count = 1;
	s->events = arena_alloc(&s->arena, sizeof(*s->events));
	s->events[0] = (struct snapshot_event){ .name = "cycles" };
	s->event_count = 1;
	s->head.losses[LOSS_SAMPLES] = 7;
	s->head.losses[LOSS_UNEXPLAINED] = 3;
	m->msg = (struct msg){ .type = ENGINE_MSG_SNAPSHOT, .free = free_snapshot };
	m->snapshot = s;
	queue_send(e->out, &m->msg);
}

static void
send_ended(struct engine *e, int status, bool is_command, const struct err *err)
{
	struct engine_ended_msg *m = mem_calloc(1, sizeof(*m));

	m->msg.type = ENGINE_MSG_ENDED;
	m->command_ended = is_command;
	m->command_status = status;
	if (err != NULL)
		m->err = *err;
	queue_send(e->out, &m->msg);
}

void
engine_name_again(struct engine *e, int pid)
{
	(void)e;
	(void)pid;
}

static void
send_error(struct engine *e, const char *text)
{
	struct engine_text_msg *m = mem_calloc(1, sizeof(*m) + strlen(text) + 1);

	m->msg.type = ENGINE_MSG_STATUS;
	m->is_error = true;
	memcpy(m->text, text, strlen(text) + 1);
	queue_send(e->out, &m->msg);
}

struct engine *
engine_start(const struct engine_config *config, const struct query *q, struct queue *answers,
	     struct err *err)
{
	struct engine *e = mem_calloc(1, sizeof(*e));
	/* What this engine does when it is started; NULL: it cannot. */
	void (*play)(struct engine *) = mock_ptr_type(void (*)(struct engine *));

	(void)config;
	if (play == NULL) {
		free(e);
		err_set(err, ERR_GONE, 0, "no process 4242");
		return NULL;
	}
	e->out = answers;
	e->query = *q;
	play(e);
	return e;
}

int
engine_stop(struct engine *e, struct err *err)
{
	(void)err;
	free(e);
	return 0;
}

void
engine_finish(struct engine *e)
{
	send_snapshot(e, 1, "asked again", 9);
	send_snapshot(e, 2, "last", 3);
	send_snapshot(e, 3, "too late", 9);
}

/* One run: what went to the file and to standard error, and how it ended. */
struct run {
	struct buf out, errors;
	int res, status;
	bool has_file;
	struct err err;
};

static const char *
path_of(const char *name)
{
	static char path[128]; /* one at a time */

	snprintf(path, sizeof(path), "/tmp/ptop-test-batch-%d-%s", (int)getpid(), name);
	return path;
}

static struct run
run_batch(void (*play)(struct engine *e), struct config *config)
{
	struct run r = { .status = -1 };
	int saved = dup(STDERR_FILENO), file;
	char out[128];

	file = open(path_of("errors"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_that(saved, >=, 0);
	assert_that(file, >=, 0);
	snprintf(out, sizeof(out), "%s", path_of("out.csv"));
	if (config->output == NULL)
		config->output = out;
	config->key_count = 1;
	config->keys[0] = KEY_COMM;
	config->sort = -1;
	config->batch = true;
	config->engine.format = FORMAT_CSV;
	will_return(engine_start, play);
	fflush(stderr);
	dup2(file, STDERR_FILENO);
	r.res = batch_run(config, &r.status, &r.err);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(file);
	file_read(config->output, &r.out, 1 << 16);
	file_read(path_of("errors"), &r.errors, 1 << 16);
	unlink(path_of("errors"));
	if (config->output == out) {
		r.has_file = access(out, F_OK) == 0;
		unlink(out);
		config->output = NULL;
	}
	return r;
}

static void
run_release(struct run *r)
{
	buf_release(&r->out);
	buf_release(&r->errors);
}

static void
play_three(struct engine *e)
{
	send_snapshot(e, 0, "too early", 9);
	send_snapshot(e, 1, "one", 1);
	send_snapshot(e, 1, "asked again", 9);
	send_snapshot(e, 2, "two", 2);
	send_snapshot(e, 3, "three", 3);
}

static void
each_refresh_is_one_report_until_there_are_enough(void **state)
{
	struct config config = { .engine.iterations = 2 };
	struct run r = run_batch(play_three, &config);

	(void)state;
	assert_int_equal(r.res, 0);
	assert_int_equal(r.status, 0);
	assert_string_equal(buf_str(&r.out), "time,comm,samples,period,percent\n"
					     "1.000,one,1,1,100.0000\n2.000,two,2,2,100.0000\n");
	run_release(&r);
}

static void
losses_are_told_at_the_end(void **state)
{
	struct config config = { .engine.iterations = 1 };
	struct run r = run_batch(play_three, &config);

	(void)state;
	assert_string_equal(buf_str(&r.out), "comm,samples,period,percent\none,1,1,100.0000\n");
	assert_non_null(strstr(buf_str(&r.errors), "ptop: samples lost in full rings: 7; "));
	assert_non_null(strstr(buf_str(&r.errors),
			       "ptop: events that the kernel counted but neither sampled nor reported lost: 3\n"));
	run_release(&r);
}

static void
play_interrupt(struct engine *e)
{
	send_snapshot(e, 1, "one", 1);
	kill(getpid(), SIGINT);
}

static void
a_signal_ends_with_what_is_there(void **state)
{
	struct config config = { .engine.iterations = 5 };
	struct run r = run_batch(play_interrupt, &config);

	(void)state;
	assert_int_equal(r.res, 0);
	assert_int_equal(r.status, 0);
	assert_string_equal(buf_str(&r.out), "time,comm,samples,period,percent\n"
					     "1.000,one,1,1,100.0000\n2.000,last,3,3,100.0000\n");
	run_release(&r);
}

static void
play_command(struct engine *e)
{
	send_snapshot(e, 1, "half", 1);
	send_snapshot(e, 2, "whole", 2);
	send_ended(e, 3 << 8, true, NULL);
}

static void
a_command_gives_one_report_and_its_status(void **state)
{
	char *command[] = { (char *)"x", NULL };
	struct config config = { .engine.command = command };
	struct run r = run_batch(play_command, &config);

	(void)state;
	assert_int_equal(r.res, 0);
	assert_int_equal(r.status, 3);
	assert_string_equal(buf_str(&r.out), "comm,samples,period,percent\nwhole,2,2,100.0000\n");
	run_release(&r);
}

static void
play_killed(struct engine *e)
{
	send_snapshot(e, 1, "some", 1);
	send_ended(e, SIGKILL, true, NULL);
}

static void
a_killed_command_gives_128_and_the_signal(void **state)
{
	char *command[] = { (char *)"x", NULL };
	struct config config = { .engine.command = command };
	struct run r = run_batch(play_killed, &config);

	(void)state;
	assert_int_equal(r.status, 137);
	run_release(&r);
}

static void
play_no_command(struct engine *e)
{
	struct err err = { 0 };

	err_set(&err, ERR_GONE, 0, "cannot execute 'x'");
	send_ended(e, 127 << 8, true, &err);
}

static void
a_command_that_is_not_there_is_an_error_with_its_status(void **state)
{
	char *command[] = { (char *)"x", NULL };
	struct config config = { .engine.command = command };
	struct run r = run_batch(play_no_command, &config);

	(void)state;
	assert_int_equal(r.res, -1);
	assert_int_equal(r.status, 127);
	assert_string_equal(r.err.text, "cannot execute 'x'");
	run_release(&r);
}

static void
play_refused(struct engine *e)
{
	struct err err = { 0 };

	err_set(&err, ERR_DENIED, 0, "cannot open event");
	send_error(e, "other\033 trouble");
	send_error(e, "cannot open event; be root");
	send_ended(e, 0, false, &err);
}

static void
what_the_engine_cannot_do_is_told_once_and_leaves_no_file(void **state)
{
	struct config config = { .engine.iterations = 1 };
	struct run r = run_batch(play_refused, &config);

	(void)state;
	assert_int_equal(r.res, -1);
	assert_int_equal(r.status, 1);
	assert_string_equal(buf_str(&r.errors), "ptop: other\\x1b trouble\n");
	assert_string_equal(r.err.text, "cannot open event");
	assert_false(r.has_file);
	run_release(&r);
	r = run_batch(NULL, &config);
	assert_int_equal(r.res, -1);
	assert_string_equal(r.err.text, "no process 4242");
	assert_false(r.has_file);
	run_release(&r);
}

static void
an_existing_file_is_not_overwritten_without_force(void **state)
{
	struct config config = { .engine.iterations = 1 };
	char path[128];
	struct run r;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s", path_of("kept.csv"));
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "mine", 4), 4);
	close(fd);
	config.output = path;
	/* The engine is not even started: nothing may run for nothing. */
	{
		struct err err = { 0 };
		int status = 0;

		assert_int_equal(batch_run(&config, &status, &err), -1);
		assert_int_equal(status, 1);
		assert_non_null(strstr(err.text, "exists"));
		assert_non_null(strstr(err.hint, "--force"));
	}
	config.engine.force = true;
	r = run_batch(play_three, &config);
	assert_int_equal(r.res, 0);
	assert_non_null(strstr(buf_str(&r.out), "one,1"));
	run_release(&r);
	unlink(path);
}

/* Standard output is a pipe that nobody reads. */
static void
a_closed_pipe_ends_it_quietly(void **state)
{
	struct config config = {
		.key_count = 1, .keys = { KEY_COMM }, .sort = -1, .batch = true
	};
	struct err err = { 0 };
	int fds[2], saved = dup(STDOUT_FILENO), status = -1, res;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	fflush(stdout);
	dup2(fds[1], STDOUT_FILENO);
	close(fds[1]);
	will_return(engine_start, play_three);
	res = batch_run(&config, &status, &err);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(res, 0);
	assert_int_equal(status, 0);
}

/* What a run writes to standard output, where @output cannot be written. */
static struct run
run_astray(void (*play)(struct engine *e), const char *output, uint64_t iterations)
{
	struct config config = { .engine.iterations = (unsigned)iterations, .engine.force = true };
	char out[128], path[128];
	int saved = dup(STDOUT_FILENO), file;
	struct run r;

	snprintf(path, sizeof(path), "%s", output);
	config.output = path;
	snprintf(out, sizeof(out), "%s", path_of("stdout"));
	file = open(out, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_that(saved, >=, 0);
	assert_that(file, >=, 0);
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	close(file);
	r = run_batch(play, &config);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	buf_reset(&r.out);
	assert_int_equal(file_read(out, &r.out, 1 << 16), 0);
	unlink(out);
	return r;
}

static void
a_report_that_its_file_has_no_room_for_is_on_standard_output(void **state)
{
	struct run r = run_astray(play_three, "/dev/full", 1);

	(void)state;
	assert_int_equal(r.res, -1);
	assert_int_equal(r.status, 1);
	assert_string_equal(r.err.text, "cannot write to '/dev/full': No space left on device");
	assert_string_equal(r.err.hint, "the report is on standard output");
	assert_string_equal(buf_str(&r.out), "comm,samples,period,percent\none,1,1,100.0000\n");
	run_release(&r);
	/* Of several the one that could not be written: there is no sense in more. */
	r = run_astray(play_three, "/dev/full", 3);
	assert_int_equal(r.res, -1);
	assert_string_equal(r.err.hint, "the report is on standard output");
	assert_string_equal(buf_str(&r.out),
			    "time,comm,samples,period,percent\n1.000,one,1,1,100.0000\n");
	run_release(&r);
}

/* The folder of the file, which goes while ptop runs. */
static char folder[64];

static void
play_without_folder(struct engine *e)
{
	assert_int_equal(rmdir(folder), 0);
	send_snapshot(e, 1, "one", 1);
}

static void
a_report_whose_folder_has_gone_is_on_standard_output(void **state)
{
	char path[128];
	struct run r;

	(void)state;
	strcpy(folder, "/tmp/ptop-batch-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out.csv", folder);
	r = run_astray(play_without_folder, path, 1);
	assert_int_equal(r.res, -1);
	assert_int_equal(r.status, 1);
	assert_non_null(strstr(r.err.text, "/out.csv': No such file or directory"));
	assert_string_equal(r.err.hint, "the report is on standard output");
	assert_string_equal(buf_str(&r.out), "comm,samples,period,percent\none,1,1,100.0000\n");
	run_release(&r);
}

static void
play_with_file(struct engine *e)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/out.csv", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	send_snapshot(e, 1, "one", 1);
}

static void
a_report_whose_name_is_taken_is_beside_it(void **state)
{
	char path[128], beside[140];
	struct buf b = { 0 };
	struct run r;

	(void)state;
	strcpy(folder, "/tmp/ptop-batch-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out.csv", folder);
	snprintf(beside, sizeof(beside), "%s.1", path);
	r = run_astray(play_with_file, path, 1);
	assert_int_equal(r.res, -1);
	assert_int_equal(r.status, 1);
	assert_non_null(strstr(r.err.hint, beside));
	assert_string_equal(buf_str(&r.out), "");
	assert_int_equal(file_read(beside, &b, 1 << 16), 0);
	assert_string_equal(buf_str(&b), "comm,samples,period,percent\none,1,1,100.0000\n");
	buf_release(&b);
	run_release(&r);
	assert_int_equal(unlink(beside), 0);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* The file of a series is taken away while ptop runs; what comes in its place is named here. */
static const char *in_its_place;

static void
play_and_delete(struct engine *e)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/out.csv", folder);
	assert_int_equal(unlink(path), 0);
	if (in_its_place == NULL)
		assert_int_equal(rmdir(folder), 0);
	else if (*in_its_place != '\0')
		assert_int_equal(mkdir(path, 0700), 0);
	play_three(e);
}

static void
a_series_whose_file_was_deleted_is_written_again(void **state)
{
	static const char three[] = "time,comm,samples,period,percent\n1.000,one,1,1,100.0000\n"
				    "2.000,two,2,2,100.0000\n3.000,three,3,3,100.0000\n";
	static const struct {
		const char *there, *goes_to, *says;
	} cases[] = {
		{ "", "out.csv", "it is there again" },
		{ "another", "out.csv.1", "what was written is in '" },
		{ NULL, NULL, "the reports are on standard output" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char path[128], goes_to[140];
		struct buf b = { 0 };
		struct run r;

		strcpy(folder, "/tmp/ptop-batch-XXXXXX");
		assert_non_null(mkdtemp(folder));
		snprintf(path, sizeof(path), "%s/out.csv", folder);
		snprintf(goes_to, sizeof(goes_to), "%s/%s", folder,
			 cases[i].goes_to != NULL ? cases[i].goes_to : "");
		in_its_place = cases[i].there;
		r = run_astray(play_and_delete, path, 3);
		assert_int_equal(r.res, -1);
		assert_int_equal(r.status, 1);
		assert_non_null(strstr(r.err.hint, cases[i].says));
		if (cases[i].goes_to != NULL) {
			assert_int_equal(file_read(goes_to, &b, 1 << 16), 0);
			assert_string_equal(buf_str(&b), three);
			assert_int_equal(unlink(goes_to), 0);
			rmdir(path);
			assert_int_equal(rmdir(folder), 0);
		}
		assert_string_equal(buf_str(&r.out), cases[i].goes_to != NULL ? "" : three);
		buf_release(&b);
		run_release(&r);
	}
}

/* Standard output has no room either. */
static void
a_report_that_can_be_written_nowhere_is_said_to_be_lost(void **state)
{
	struct config config = { .engine.iterations = 1, .engine.force = true, .output = "/dev/full" };
	int saved = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
	struct run r;

	(void)state;
	fflush(stdout);
	dup2(full, STDOUT_FILENO);
	close(full);
	r = run_batch(play_three, &config);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(r.res, -1);
	assert_string_equal(r.err.text, "cannot write to '/dev/full': No space left on device");
	assert_string_equal(r.err.hint, "the report is lost, for standard output fails too: No space "
			    "left on device");
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_refresh_is_one_report_until_there_are_enough),
		cmocka_unit_test(losses_are_told_at_the_end),
		cmocka_unit_test(a_signal_ends_with_what_is_there),
		cmocka_unit_test(a_command_gives_one_report_and_its_status),
		cmocka_unit_test(a_killed_command_gives_128_and_the_signal),
		cmocka_unit_test(a_command_that_is_not_there_is_an_error_with_its_status),
		cmocka_unit_test(what_the_engine_cannot_do_is_told_once_and_leaves_no_file),
		cmocka_unit_test(an_existing_file_is_not_overwritten_without_force),
		cmocka_unit_test(a_closed_pipe_ends_it_quietly),
		cmocka_unit_test(a_report_that_its_file_has_no_room_for_is_on_standard_output),
		cmocka_unit_test(a_report_whose_folder_has_gone_is_on_standard_output),
		cmocka_unit_test(a_report_whose_name_is_taken_is_beside_it),
		cmocka_unit_test(a_series_whose_file_was_deleted_is_written_again),
		cmocka_unit_test(a_report_that_can_be_written_nowhere_is_said_to_be_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
