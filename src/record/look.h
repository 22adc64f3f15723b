/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_LOOK_H
#define PTOP_RECORD_LOOK_H
/*
 * A look at a thread that does not run, as a record: a sample in the kernel's layout that no kernel
 * has made, of where in user space the thread waits.  Its registers are those that the call into
 * the kernel has in use, with the copy of the stack they are what a chain can be made of; the
 * period is for how long it has waited so, in nanoseconds.  The same is made of a sample of the
 * kernel, of a switch to another task, when it is known how long the wait was.
 */
#include "base/buf.h"
#include "record/abi.h"
#include "record/record.h"
#include "record/wait_kind.h"

enum {
	RECORD_LOOK_STACK_MAX = 60 << 10, /* the size of a record has 16 bits */
	RECORD_LOOK_ARGS = 6, RECORD_LOOK_NO_CALL = -1,
	RECORD_LOOK_FILE_MAX = 256,
};
#define RECORD_LOOK_NO_CPU UINT32_MAX /* what waits is on none */
/*
 * In record_look.file: before what a socket leads to, or its number in brackets; before the pid of
 * its peer; before the address of a lock, and before the tid of who holds it.
 */
#define RECORD_LOOK_SOCKET "socket:"
#define RECORD_LOOK_PEER RECORD_LOOK_SOCKET "pid "
#define RECORD_LOOK_MUTEX "mutex 0x"
#define RECORD_LOOK_RWLOCK "rwlock 0x"
#define RECORD_LOOK_CONDITION "condition 0x" /* somewhere in a condition variable: not its begin */
#define RECORD_LOOK_HELD_BY " held by "

struct record_look {
	uint32_t pid, tid;
	uint64_t id, time_ns, period_ns;
	bool has_place;     /* else it is not known where it waits: nothing of what follows */
	int call;           /* number of the system call, RECORD_LOOK_NO_CALL: it waits in none */
	uint64_t args[RECORD_LOOK_ARGS];
	uint64_t sp, pc;
	char state;         /* as in proc(5), WAIT_STATE_STOLEN, 0: not known */
	char owner_state;   /* of who holds the lock that it waits for: R runs, S waits, 0: not known */
	bool is_holding;    /* it holds a lock that others wait for meanwhile */
	bool is_over;       /* it does not wait there any more */
	bool has_run;       /* since the look before it: it may have been many waits */
	struct bytes file;  /* what the link of the file says that it waits for, cut; of a socket
			       "socket:10.0.0.5:5432", of a lock "mutex 0x7f12 held by 123"; not
			       known: "" */
	const uint64_t *kernel; /* where functions of the kernel return to, innermost first */
	size_t kernel_len;
	struct bytes stack; /* from sp on, at most RECORD_LOOK_STACK_MAX */
};

/* What is known of a wait beside the sample that the kernel took when it began. */
struct record_wait {
	uint64_t over_ns;   /* when it was over, or was told, as records have it */
	uint64_t period_ns; /* what is told of it */
	uint64_t whole_ns;  /* how long it was, 0: it goes on */
	enum wait_kind kind;
	char state;         /* as above */
	uint32_t waker;     /* the thread that ended it, 0: not known */
};
#define RECORD_WAKER_INTERRUPT UINT32_MAX /* none did, but an interrupt: a timer, a device */

/* The attributes of an event that has looks for samples: a dummy's, which the kernel takes no samples of. */
void record_look_attr(struct event_attr *attr);
bool record_look_is_attr(const struct event_attr *attr);

void record_encode_look(struct buf *b, const struct record_look *look);

/* Adds the look that the sample @bytes becomes, from which @rec was decoded, of the same layout. */
void record_encode_wait(struct buf *b, const struct record_layout *layout, const struct record *rec,
			struct bytes bytes, const struct record_wait *wait);

/* The attributes of an event of such samples, in a file: the kernel's own would be of a switch. */
void record_wait_attr(struct event_attr *attr);

/* The arguments of the system call that a sample's thread is in; false: it does not tell. */
bool record_call_args(const struct record_sample *s, uint64_t args[RECORD_LOOK_ARGS]);

/* Gives @len bytes of looks, one behind the other, that time. */
void record_look_stamp(uint8_t *looks, size_t len, uint64_t time_ns);
void record_look_set_period(uint8_t *look, uint64_t period_ns); /* the same of one look's period */

bool record_is_look(const struct record_sample *s);

/* Of such; also of one that was unwound, as recordings have them (record_encode_unwound()): */
enum wait_kind record_look_kind(const struct record_sample *s);
int record_look_call(const struct record_sample *s, uint64_t args[RECORD_LOOK_ARGS]);
struct bytes record_look_file(const struct record_sample *s);
uint32_t record_look_waker(const struct record_sample *s); /* as of record_wait */
/* How long the wait was, of whose end it tells: n: from 2^(n-2) us on, 1: less.  0: not known. */
unsigned record_look_length(const struct record_sample *s);
enum { RECORD_LOOK_GOES_ON = 255 }; /* it tells of no end */

char record_look_owner_state(const struct record_sample *s);
bool record_look_is_holding(const struct record_sample *s);
bool record_look_is_over(const struct record_sample *s);
bool record_look_has_run(const struct record_sample *s);

/* Of a lock with an owner word, or a condition: @file as above, its address.  false: it is none. */
bool record_look_variable(struct bytes file, uint64_t *address);

/* The copy of the stack in one as it was encoded; empty: it carries none. */
struct bytes record_look_stack(struct bytes look);

/* Of one that carries a copy of its stack: where that begins.  false: it carries none. */
bool record_look_sp(const struct record_sample *s, uint64_t *sp);

#endif
