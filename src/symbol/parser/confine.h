/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_CONFINE_H
#define PTOP_SYMBOL_PARSER_CONFINE_H
/*
 * Gives up what a process can do, for good: symbol files are made by anybody, and so are those that
 * servers send.  In two steps, since the host, which never sees such a file, still has to fork.
 * Each process has one thread.
 */
#include <stdbool.h>
#include <stdint.h>

/* What could not be given up. */
enum confine_lack {
	CONFINE_SAME_USER = 1 << 0, /* root in a user namespace without the user "nobody" */
	CONFINE_NO_FILTER = 1 << 1, /* of system calls: this kernel or machine has none */
	CONFINE_KEPT_ROOT = 1 << 2, /* root without CAP_SETUID and CAP_SETGID */
};

/* What is done there. */
enum confine_work {
	CONFINE_PARSE, /* files of symbols, which takes next to no system calls */
	CONFINE_FETCH, /* downloads: has network and libraries, writes to the one file given */
	CONFINE_PUSH,  /* sends files that are given: the same, and writes to none */
	CONFINE_SERVE, /* speaks HTTP: has a socket to listen at, and libraries that are loaded */
};

struct confine_limits {
	unsigned cpu_s;  /* for one file */
	uint64_t memory; /* bytes that it may write to */
	uint64_t file;   /* bytes of a file that it writes */
};

/* Whether confine_host() tries to become another user. */
bool confine_changes_user(void);

/*
 * Gives up all but to wait for a child, and to end: descriptors, signals of a terminal, and
 * capabilities, but for CAP_KILL if it @may_kill.
 */
void confine_keeper(bool may_kill);

/*
 * Keeps only the descriptor @keep, which becomes 0; changes to another user, drops all
 * capabilities, leaves the terminal, and ends with the thread of @parent that forked it.  Returns
 * bits of enum confine_lack; or -1: capabilities are left, and nothing may be parsed.
 */
int confine_host(int keep, int parent, const struct confine_limits *limits,
		 enum confine_work work);

/* The rest, in a child of the host that lacks @lacks.  false: nothing may be parsed. */
bool confine_parser(int keep, int parent, const struct confine_limits *limits, int lacks);

/* The same of one that downloads or pushes; its CPU time is that of a whole life. */
void confine_fetcher(int keep, int parent, const struct confine_limits *limits);

/* From now on, cpu_s of CPU time more; beyond, SIGXCPU ends the process. */
void confine_start_time(const struct confine_limits *limits);

/*
 * The system calls that are left to the process that parses symbol files, to who forks it, and to
 * that one's keeper.
 */
enum seccomp_who {
	SECCOMP_PARSER = 1 << 0,
	SECCOMP_HOST = 1 << 1, /* may do all that a parser may, which it becomes, and load a library */
	SECCOMP_KEEPER = 1 << 2, /* waits for its host, and ends */
};

/*
 * From here on every other call of this process fails with EPERM; it must have one thread.  false:
 * there is no filter, on a kernel or machine that has none.
 */
bool seccomp_enter(enum seccomp_who who);

/*
 * A process between ptop and a child that becomes another user.  Any process of that user may stop
 * the child for ever, and ptop, which gives up CAP_KILL, could neither end it nor leave it to be
 * ended with itself: PR_SET_PDEATHSIG takes the same right.  The keeper is ptop's user, so that
 * ptop may end it, and does nothing; when it ends, however that comes, the kernel kills the child
 * with all that it has forked, since the keeper is process 1 of their pid namespace.  Where there
 * can be none, it keeps CAP_KILL and they end by PR_SET_PDEATHSIG.  As fork(), of any
 * thread: returns in ptop, with the keeper's pid, -1: errno; and with 0 in the child, whose
 * parent is @keeper by its own numbers.  Of the two ends of a socket ends[0] stays ptop's, and the
 * keeper has neither.  It ends with the thread that calls this.
 */
int keeper_fork(const int ends[2], int *keeper);

#endif
