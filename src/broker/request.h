/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BROKER_REQUEST_H
#define PTOP_BROKER_REQUEST_H
/*
 * What ptop asks the broker for, and what that answers: of one size each, so that nothing has to be
 * parsed.  The broker believes nothing of a request.
 */
#include "base/buf.h"
#include "runtime/runtime.h"

enum { BROKER_CPUS = 8192, BROKER_CPU_WORDS = BROKER_CPUS / 64 };

enum broker_action {
	BROKER_LOOK,    /* what its nice value and its CPUs are */
	BROKER_SIGNAL,  /* argument: 1 to 64, to the process, whatever tid is */
	BROKER_NICE,    /* argument: -20 to 19 */
	BROKER_NICE_BY, /* argument: what is added, -39 to 39 */
	BROKER_CPUS_SET, /* on which it may run: cpus */
	BROKER_RUN,     /* argument: the number of a command of the user's; in the foreground */
	BROKER_RUNTIME, /* which runtime it runs, as whom: the reply's runtime and what follows */
	BROKER_NAME_CODE, /* its runtime writes the names of its code, by its own switch */
	BROKER_ACTIONS,
};

struct broker_request {
	uint32_t id;     /* the answer has it */
	uint32_t action; /* enum broker_action */
	int32_t pid;
	int32_t tid;     /* 0: all threads of the process */
	int64_t argument;
	uint64_t start;  /* of the process, field 22 of /proc/PID/stat: with the pid, who it is */
	uint64_t cpus[BROKER_CPU_WORDS];
};

enum broker_result {
	BROKER_DONE,
	BROKER_NO_REQUEST, /* it is none that the broker knows */
	BROKER_GONE,       /* the process, or the thread, has ended */
	BROKER_OTHER,      /* another process has its number now */
	BROKER_INIT,       /* it is process 1 */
	BROKER_SELF,       /* it is ptop */
	BROKER_NO_CPU,     /* the machine does not have one of these */
	BROKER_NO_TERMINAL,
	BROKER_NO_PROC,    /* /proc tells of other processes than those that have these numbers here */
	BROKER_FAILED,     /* the kernel refuses: error */
	/* Of BROKER_NAME_CODE. */
	BROKER_NO_SWITCH,  /* it runs no runtime that can be asked: runtime says more */
	BROKER_NO_NAMER,   /* the process that asks runtimes has ended, or does not answer */
	BROKER_DEAF,       /* the JVM would end by the signal that asks it, or print its stacks */
	BROKER_BAD_TMP,    /* its /tmp */
	BROKER_BAD_FILE,   /* the file that asks the JVM to listen */
	BROKER_NO_SOCKET,  /* of .NET */
	BROKER_BAD_SOCKET,
	BROKER_SILENT,     /* no answer comes */
	BROKER_STRANGE,    /* the answer is none of the protocol */
	BROKER_UNWILLING,  /* the answer is a no: value */
	/* Of a Python. */
	BROKER_NO_TABLE,   /* its table of offsets is not in its memory */
	BROKER_OTHER_TABLE, /* it is another version's */
	BROKER_BAD_TABLE,  /* it leads nowhere */
	BROKER_DISABLED,   /* it was told to let nobody ask */
	BROKER_CLOSED,     /* its memory may not be written */
	BROKER_BUSY,       /* it is about to do what somebody else asks */
	BROKER_OPEN_TMP,   /* who may write there could put another script in the place of ours */
	BROKER_ASLEEP,     /* its main thread does not come to look */
	BROKER_RESULTS,
};

struct broker_reply {
	uint32_t id;
	uint32_t result; /* enum broker_result */
	int32_t error;   /* errno, of BROKER_FAILED */
	int32_t value;   /* the nice value, as it is now; of BROKER_RUN the status, as of waitpid() */
	uint64_t cpus[BROKER_CPU_WORDS]; /* of BROKER_LOOK */
	/* Of BROKER_RUNTIME, and of BROKER_NAME_CODE. */
	uint32_t runtime;    /* its row of runtimes[], plus one; 0: none that is known */
	uint32_t uid;        /* whose process it is */
	int32_t inner_pid;   /* in its own pid namespace */
	uint32_t other_root; /* 1: its /tmp is not this machine's, as in a container */
};

static inline bool
broker_has_cpu(const uint64_t cpus[BROKER_CPU_WORDS], unsigned cpu)
{
	return cpu < BROKER_CPUS && (cpus[cpu / 64] >> cpu % 64 & 1) != 0;
}

/* As the kernel prints lists: "0-3,8". */
void broker_put_cpus(struct buf *b, const uint64_t cpus[BROKER_CPU_WORDS]);

/* The runtime of the reply; NULL: none that is known. */
const struct runtime *broker_runtime(const struct broker_reply *reply);

/* Why it was not done, and what helps; nothing of BROKER_DONE. */
void broker_put_reason(struct buf *b, const struct broker_request *request,
		       const struct broker_reply *reply);

#endif
