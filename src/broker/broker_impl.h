/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BROKER_BROKER_IMPL_H
#define PTOP_BROKER_BROKER_IMPL_H
/* The broker's own side: one process, one thread, no memory that grows. */
#include "broker/broker.h"

struct server {
	int socket;
	int namer; /* a socket to the one that asks runtimes; -1: there is none */
	int parent, self; /* pids: ptop's, and its own */
	const struct broker_config *config;
};

/* A process that is held by more than its number. */
struct held {
	int pid;
	int tid; /* of a thread that is meant alone; 0: all */
	int fd;  /* of the process (pidfd); -1: there are none (before 5.3) */
};

/* Whether the kernel has any, and lets this process have them. */
bool held_has_pidfds(void);

/* Whether the process has not ended and is the one that is meant; then it is to be let go. */
enum broker_result held_take(struct held *h, const struct broker_request *r);
void held_let_go(struct held *h);
bool held_has_ended(const struct held *h); /* false where there are no pidfds */
struct held held_child(int pid); /* a child of this process that was not reaped; to be let go */

/* 0, or errno. */
int held_signal(const struct held *h, int sig);

/*
 * Calls @work for the thread that is meant, or for each: twice if @again, for those that began
 * meanwhile.  Threads that have ended are passed over.  0, or errno of the first that failed.
 */
int held_each_thread(const struct held *h, bool again, int (*work)(int tid, const void *arg),
		     const void *arg);

/* Checks the request and does it. */
void broker_do(const struct server *s, const struct broker_request *r, struct broker_reply *reply);

/* Of all that the table names: bits by numbers (capabilities(7)). */
uint64_t broker_capabilities(void);

/* Runs the command, gives the terminal to it, and waits for its end. */
enum broker_result broker_run(const struct server *s, const struct broker_request *r,
			      struct broker_reply *reply);

enum { SUBJECT_TMPDIR = 256 };

/* What is known of a process before its runtime is asked.  Zeroed, and root -1, to begin. */
struct subject {
	const struct held *held;
	const struct runtime *runtime; /* NULL: none that is known */
	int root;         /* O_PATH */
	uint32_t uid, gid; /* its effective ones */
	uint32_t root_uid; /* who is root in its user namespace */
	int inner_pid;    /* in its own pid namespace */
	bool takes_quit;  /* it has a handler of SIGQUIT */
	bool refuses;     /* its command line says that nobody may ask it */
	bool other_root;  /* than the broker's own */
	char tmpdir[SUBJECT_TMPDIR]; /* of .NET: its TMPDIR, which is its own word; "": it has none */
};

/* 0, or errno; to be released in any case. */
int subject_init(struct subject *s, const struct held *h);
void subject_release(struct subject *s);

/* 0, or errno: EPERM if it has rights that others of its user have not; of root that is not asked. */
int subject_check_rights(const struct subject *s);

/* What it maps, as the kernel lists it, as far as 8 MiB.  0, or errno. */
int subject_read_maps(const struct held *h, struct buf *b);

/* What came of asking a runtime. */
struct outcome {
	int32_t result; /* enum broker_result */
	int32_t error, value;
};

/* Has the runtime of the process write its names, in a child that is its user.  errno. */
int switch_look(const struct held *h, const struct broker_request *r, struct broker_reply *reply);
enum broker_result switch_names(const struct server *s, const struct held *h,
				struct broker_reply *reply);

/*
 * The child's: who speaks with a runtime, by a file or socket in the working folder, its /tmp, until
 * @until_ns (CLOCK_MONOTONIC).
 */
struct outcome attach_jvm(const struct subject *s, uint64_t until_ns);
struct outcome ask_dotnet(const struct subject *s, uint64_t until_ns);
struct outcome ask_python(const struct subject *s, uint64_t until_ns);

/*
 * Connects to the socket of that name in the working folder, if it is the process's own.  1: *@fd
 * is the connection; 0: there is none yet; -1: it is not, or something is wrong: *@o says it.
 */
int peer_connect(const struct subject *s, const char *name, int *fd, struct outcome *o);

/* All of @data, and at most @size bytes of the answer up to its end: -1: *@o says why not. */
int peer_send(int fd, const void *data, size_t len, uint64_t until_ns, struct outcome *o);
int peer_receive(int fd, void *data, size_t size, uint64_t until_ns, struct outcome *o);

/* What has that name in the working folder: 0: nothing; 1: one as it should be; -1: another. */
int peer_look(const struct subject *s, const char *name, unsigned format);

/*
 * The process that asks runtimes: forked before the broker gives up its rights; the socket to it,
 * -1: there is none.  It ends with the broker.
 */
int namer_start(const struct server *broker);
enum broker_result namer_ask(const struct server *s, const struct broker_request *r,
			     struct broker_reply *reply);
unsigned switch_patience_ms(const struct server *s); /* for the answer of a runtime */

/* At its beginning: closes all but @socket, whose new number is returned. */
int broker_settle(int socket, bool runs_commands);

/* Gives up what no request needs, for good; nothing where commands are run, which have it. */
void broker_confine(void);
void namer_confine(void); /* of that one, also where commands are run: other rights are left */

#endif
