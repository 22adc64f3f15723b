/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SESSION_FIXTURE_H
#define PTOP_TESTS_SESSION_FIXTURE_H
/* A live session on the real kernel, and what comes out of its rings. */
#include "live/session/session.h"
#include "record/layouts.h"
#include "root.h"

enum { WAIT_MS = 60000, IDS_MAX = 4096 };

/* What came out of the rings. */
struct seen {
	uint64_t samples, samples_of_pid, others, execs, mmaps, broken;
	uint64_t by_id[2]; /* samples of the first and second event opened */
	uint64_t with_chain;
	uint64_t period_of_pid; /* of its samples, the sum */
	uint64_t with_stack[2]; /* of by_id: those with a dump of the user stack */
	uint32_t cpus;     /* bit for each CPU that had a sample */
};

struct fixture {
	struct session_config config;
	struct queue *answers;
	struct session *session;
	struct err err;
	struct seen seen;
	struct record_layouts layouts; /* of the session, and of each event that was opened */
	int pid; /* samples_of_pid counts these */
	uint64_t ids[2][IDS_MAX];
	size_t id_counts[2];
	int child;
};

int session_setup(void **state);
int session_teardown(void **state);
/* A process that burns a CPU (-1: any) until it is killed, or the test dies. */
int spin_on(int cpu);
int spin(void);
void sleep_ms(unsigned ms);
void begin(struct fixture *f);
struct event event_of(const char *name);
struct event event_in(const struct event_env *env, const char *name);
struct msg *wait_for(struct fixture *f, int type, int ms);
/* Opens an event; its ids are remembered in slot @n.  What is asked for has not begun. */
struct session_opened_msg *ask_event_of(struct fixture *f, unsigned n, const struct event *ev);
struct session_opened_msg *open_as(struct fixture *f, unsigned n, const char *name);
struct session_opened_msg *open_event_of(struct fixture *f, unsigned n, const struct event *ev);
struct session_event *open_event_as(struct fixture *f, unsigned n, const char *name);
void drain(struct fixture *f);
void drain_for(struct fixture *f, unsigned ms);
size_t count_descriptors(void);

#define SESSION_TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)

#endif
