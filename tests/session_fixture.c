/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session_fixture.h"

#include "base/clock.h"
#include "record/record.h"
#include "tests/run.h"
#include "tests/skip.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

int
session_setup(void **state)
{
	struct fixture *f = mem_calloc(1, sizeof(*f));

	f->answers = queue_new();
	f->config.env.root = "";
	f->config.freq = 999;
	f->config.inherit = true;
	f->config.call_chains = true;
	f->config.idle = true;
	*state = f;
	return 0;
}

int
session_teardown(void **state)
{
	struct fixture *f = *state;
	struct msg *m;

	session_free(f->session);
	while ((m = queue_take(f->answers)) != NULL)
		msg_free(m);
	queue_free(f->answers);
	record_layouts_release(&f->layouts);
	if (f->child > 0) {
		kill(f->child, SIGKILL);
		waitpid(f->child, NULL, 0);
	}
	free(f);
	return 0;
}

int
spin_on(int cpu)
{
	int pid = run_fork();
	cpu_set_t set;

	if (pid == 0) {
		CPU_ZERO(&set);
		CPU_SET((unsigned)MAX(cpu, 0), &set);
		if (cpu >= 0)
			sched_setaffinity(0, sizeof(set), &set);
		for (;;)
			;
	}
	return pid;
}

int
spin(void)
{
	return spin_on(-1);
}

void
sleep_ms(unsigned ms)
{
	usleep(ms * 1000);
}

void
begin(struct fixture *f)
{
	f->session = session_new(&f->config, f->answers, &f->err);
	if (f->session == NULL)
		fail_msg("%s", f->err.text);
	if (session_scope(f->session) == SESSION_NONE)
		skip_for("%s", session_notice(f->session, 0));
}

struct event
event_of(const char *name)
{
	const struct event_env env = { "" };

	return event_in(&env, name);
}

struct event
event_in(const struct event_env *env, const char *name)
{
	struct event_list list = { 0 };
	struct err err = { 0 };
	struct event ev;

	if (event_parse(env, name, &list, &err) < 0)
		fail_msg("%s", err.text);
	event_copy(&ev, &list.items[0]);
	event_list_release(&list);
	return ev;
}

struct msg *
wait_for(struct fixture *f, int type, int ms)
{
	uint64_t end = clock_mono_ns() + (uint64_t)ms * NSEC_PER_MSEC;

	for (;;) {
		uint64_t now = clock_mono_ns();
		struct msg *m = now < end ? queue_wait(f->answers,
						       (int)((end - now) / NSEC_PER_MSEC) + 1)
					  : NULL;

		if (m == NULL)
			return NULL;
		if (m->type == type)
			return m;
		if (m->type == SESSION_MSG_RINGS)
			session_adopt_rings(f->session, (struct session_rings_msg *)m);
		msg_free(m);
	}
}

struct session_opened_msg *
open_as(struct fixture *f, unsigned n, const char *name)
{
	struct event ev = event_of(name);
	struct session_opened_msg *m = open_event_of(f, n, &ev);

	event_release(&ev);
	return m;
}

/* The session's own layout is the first. */
static void
need_layouts(struct fixture *f)
{
	struct record_layout layout = RECORD_LAYOUT(session_sample_type(f->session), true);

	if (f->layouts.len == 0)
		record_layouts_add(&f->layouts, &layout);
}

struct session_opened_msg *
ask_event_of(struct fixture *f, unsigned n, const struct event *ev)
{
	struct session_opened_msg *m;
	struct record_layout layout;
	uint32_t at;

	session_open(f->session, n, ev, 1);
	m = (struct session_opened_msg *)wait_for(f, SESSION_MSG_OPENED, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->token, n);
	assert_that(m->id_count, <=, IDS_MAX);
	f->id_counts[n] = m->id_count;
	if (m->id_count > 0)
		memcpy(f->ids[n], m->ids, m->id_count * sizeof(*m->ids));
	need_layouts(f);
	layout = record_layout_of(&m->attr, false);
	at = record_layouts_add(&f->layouts, &layout);
	for (size_t i = 0; i < m->id_count; i++)
		record_layouts_add_id(&f->layouts, at, m->ids[i]);
	return m;
}

struct session_opened_msg *
open_event_of(struct fixture *f, unsigned n, const struct event *ev)
{
	struct session_opened_msg *m = ask_event_of(f, n, ev);

	session_begin(f->session, m);
	return m;
}

struct session_event *
open_event_as(struct fixture *f, unsigned n, const char *name)
{
	struct session_opened_msg *m = open_as(f, n, name);
	struct session_event *ev = m->event;

	if (ev == NULL)
		fail_msg("%s", m->err.text);
	msg_free(&m->msg);
	return ev;
}

static void
count_sample(struct fixture *f, const struct record *rec)
{
	struct seen *seen = &f->seen;

	seen->samples++;
	if ((int)rec->id.pid == f->pid) {
		seen->samples_of_pid++;
		seen->period_of_pid += rec->sample.period;
	}
	seen->with_chain += rec->sample.chain_len > 0;
	seen->cpus |= 1u << (rec->id.cpu & 31);
	for (unsigned n = 0; n < 2; n++) {
		for (size_t i = 0; i < f->id_counts[n]; i++) {
			bool is_its = f->ids[n][i] == rec->id.id;

			seen->by_id[n] += is_its;
			seen->with_stack[n] += is_its && rec->sample.stack_user.len > 0;
		}
	}
}

static void
count(struct fixture *f, struct bytes bytes)
{
	struct perf_event_header h;
	struct record rec;

	need_layouts(f);
	memcpy(&h, bytes.data, sizeof(h));
	if (record_decode(record_layouts_of(&f->layouts, bytes), bytes, &rec) < 0)
		f->seen.broken++;
	else if (rec.type == PERF_RECORD_SAMPLE)
		count_sample(f, &rec);
	else if (rec.type == PERF_RECORD_COMM)
		f->seen.execs += rec.comm.is_exec && (int)rec.comm.pid == f->pid;
	else if (rec.type == PERF_RECORD_MMAP2)
		f->seen.mmaps += (int)rec.mmap.pid == f->pid;
	else
		f->seen.others++;
}

void
drain(struct fixture *f)
{
	size_t n;
	struct session_ring *rings = session_rings(f->session, &n);

	for (size_t i = 0; i < n; i++) {
		struct bytes bytes;

		ring_refresh(rings[i].ring);
		while (ring_peek(rings[i].ring, &bytes) > 0) {
			count(f, bytes);
			ring_advance(rings[i].ring);
		}
		ring_commit(rings[i].ring);
		f->seen.broken += ring_take_skipped(rings[i].ring);
	}
}

void
drain_for(struct fixture *f, unsigned ms)
{
	for (unsigned t = 0; t < ms; t += 20) {
		sleep_ms(20);
		drain(f);
	}
}

size_t
count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

