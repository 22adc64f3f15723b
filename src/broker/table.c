/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that the broker does: what is not a row here it refuses. */
#include "broker/broker_impl.h"

#include "base/file.h"
#include "base/num.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIGNAL_MAX = 64, NICE_MIN = -20, NICE_MAX = 19, LIST_BYTES = 16 << 10 };

struct row {
	int capability;   /* needed where the user's own rights are not enough, and kept; -1: none */
	int least, most;  /* of the argument; both 0: it has none */
	bool is_harmless; /* it may be asked for of process 1 and of ptop, too */
	/* What else is to hold; NULL: nothing. */
	enum broker_result (*check)(const struct server *s, const struct broker_request *r);
	/* 0, or errno; NULL: it is done otherwise, see work(). */
	int (*work)(const struct held *h, const struct broker_request *r,
		    struct broker_reply *reply);
};

static int
nice_of(int tid, int *value)
{
	errno = 0;
	*value = getpriority(PRIO_PROCESS, (id_t)tid);
	return errno;
}

static int
first_thread(const struct held *h)
{
	return h->tid != 0 ? h->tid : h->pid;
}

static int
look(const struct held *h, const struct broker_request *r, struct broker_reply *reply)
{
	int tid = first_thread(h);

	(void)r;
	if (sched_getaffinity(tid, sizeof(reply->cpus), (cpu_set_t *)reply->cpus) < 0)
		return errno;
	return nice_of(tid, &reply->value);
}

static int
send_signal(const struct held *h, const struct broker_request *r, struct broker_reply *reply)
{
	(void)reply;
	return held_signal(h, (int)r->argument);
}

static int
set_nice(int tid, const void *arg)
{
	return setpriority(PRIO_PROCESS, (id_t)tid, *(const int *)arg) < 0 ? errno : 0;
}

static int
add_nice(int tid, const void *arg)
{
	int value, error = nice_of(tid, &value);

	value = MAX(NICE_MIN, MIN(value + *(const int *)arg, NICE_MAX));
	return error != 0 ? error : set_nice(tid, &value);
}

static int
make_nice(const struct held *h, const struct broker_request *r, struct broker_reply *reply)
{
	const int value = (int)r->argument;
	int error = held_each_thread(h, true, set_nice, &value);

	return error != 0 ? error : nice_of(first_thread(h), &reply->value);
}

/* Each thread from where it is: once, and whoever begins meanwhile has it from who made it. */
static int
make_nicer(const struct held *h, const struct broker_request *r, struct broker_reply *reply)
{
	const int by = (int)r->argument;
	int error = held_each_thread(h, false, add_nice, &by);

	return error != 0 ? error : nice_of(first_thread(h), &reply->value);
}

static int
set_cpus(int tid, const void *arg)
{
	const struct broker_request *r = arg;

	return sched_setaffinity(tid, sizeof(r->cpus), (const cpu_set_t *)r->cpus) < 0 ? errno : 0;
}

static int
bind(const struct held *h, const struct broker_request *r, struct broker_reply *reply)
{
	int error = held_each_thread(h, true, set_cpus, r);

	return error != 0 ? error : nice_of(first_thread(h), &reply->value);
}

static void
clear_cpu(uint64_t *cpus, unsigned cpu)
{
	cpus[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
}

/* There is at least one, and none that the machine can never have. */
static enum broker_result
check_cpus(const struct server *s, const struct broker_request *r)
{
	uint64_t left[BROKER_CPU_WORDS], any = 0, unknown = 0;
	struct buf text = { 0 };
	unsigned *cpus = NULL;
	size_t count = 0;

	(void)s;
	if (file_read("/sys/devices/system/cpu/possible", &text, LIST_BYTES) == 0)
		num_list(buf_str(&text), BROKER_CPUS - 1, &cpus, &count);
	memcpy(left, r->cpus, sizeof(left));
	for (size_t i = 0; i < count; i++)
		clear_cpu(left, cpus[i]);
	for (size_t i = 0; i < BROKER_CPU_WORDS; i++) {
		any |= r->cpus[i];
		unknown |= left[i];
	}
	free(cpus);
	buf_release(&text);
	return any != 0 && unknown == 0 ? BROKER_DONE : BROKER_NO_CPU;
}

static enum broker_result
check_command(const struct server *s, const struct broker_request *r)
{
	return (size_t)r->argument < s->config->command_count ? BROKER_DONE : BROKER_NO_REQUEST;
}

static const struct row rows[BROKER_ACTIONS] = {
	/* /proc of others, where it is mounted with hidepid: who is meant is read there, for all. */
	[BROKER_LOOK] = { CAP_SYS_PTRACE, 0, 0, true, NULL, look },
	/* Processes of others. */
	[BROKER_SIGNAL] = { CAP_KILL, 1, SIGNAL_MAX, false, NULL, send_signal },
	/* The same, and values below those that they have. */
	[BROKER_NICE] = { CAP_SYS_NICE, NICE_MIN, NICE_MAX, false, NULL, make_nice },
	[BROKER_NICE_BY] = { CAP_SYS_NICE, NICE_MIN - NICE_MAX, NICE_MAX - NICE_MIN, false, NULL,
			     make_nicer },
	[BROKER_CPUS_SET] = { CAP_SYS_NICE, 0, 0, false, check_cpus, bind },
	/* It has what its user had: where there are commands, nothing is given up. */
	[BROKER_RUN] = { -1, 0, BROKER_COMMANDS_MAX - 1, true, check_command, NULL },
	/* Maps, and the root folder, of others. */
	[BROKER_RUNTIME] = { CAP_SYS_PTRACE, 0, 0, true, NULL, switch_look },
	/* The namer does it, which has rights of its own. */
	[BROKER_NAME_CODE] = { -1, 0, 0, true, NULL, NULL },
};

uint64_t
broker_capabilities(void)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].capability >= 0)
			bits |= UINT64_C(1) << rows[i].capability;
	return bits;
}

/* Before anything of the process is looked at. */
static enum broker_result
check(const struct server *s, const struct broker_request *r)
{
	const struct row *row;

	if (r->action >= BROKER_ACTIONS || r->pid < 1 || r->tid < 0 || r->start == 0)
		return BROKER_NO_REQUEST;
	row = &rows[r->action];
	if (r->argument < row->least || r->argument > row->most)
		return BROKER_NO_REQUEST;
	if (!row->is_harmless && r->pid == 1)
		return BROKER_INIT;
	if (!row->is_harmless && (r->pid == s->parent || r->pid == s->self))
		return BROKER_SELF;
	return row->check != NULL ? row->check(s, r) : BROKER_DONE;
}

static enum broker_result
work(const struct server *s, const struct broker_request *r, struct broker_reply *reply)
{
	enum broker_result result = check(s, r);
	struct held held;

	if (result != BROKER_DONE)
		return result;
	if (r->action == BROKER_NAME_CODE)
		return namer_ask(s, r, reply);
	result = held_take(&held, r);
	if (result != BROKER_DONE)
		return result;
	if (rows[r->action].work == NULL) {
		result = broker_run(s, r, reply);
	} else {
		reply->error = rows[r->action].work(&held, r, reply);
		result = reply->error == 0 ? BROKER_DONE
					   : reply->error == ESRCH ? BROKER_GONE : BROKER_FAILED;
	}
	held_let_go(&held);
	return result;
}

void
broker_do(const struct server *s, const struct broker_request *r, struct broker_reply *reply)
{
	reply->result = work(s, r, reply);
}
