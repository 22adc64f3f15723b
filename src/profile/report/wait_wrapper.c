/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/wait_wrapper.h"

#include "base/util.h"

#include <stddef.h>
#include <string.h>

/* A "*" stands where what is shown differs from what the file has, and for what compilers append. */
static const struct {
	const char *name, *whose;
} wrappers[] = {
	{ "WaitEventSetWait*", "PostgreSQL" },
	{ "WaitLatch", "PostgreSQL" },
	{ "WaitLatchOrSocket", "PostgreSQL" },
	{ "ConditionVariable*Sleep", "PostgreSQL" },
	{ "PGSemaphoreLock", "PostgreSQL" },
	{ "ProcSleep", "PostgreSQL" },
	{ "WaitOnLock", "PostgreSQL" },
	{ "LockAcquire", "PostgreSQL" },
	{ "LockAcquireExtended", "PostgreSQL" },
	{ "LWLockAcquire", "PostgreSQL" },
	{ "LWLockAcquireOrWait", "PostgreSQL" },
	{ "LWLockWaitForVar", "PostgreSQL" },
	{ "ProcWaitForSignal", "PostgreSQL" },
	{ "pg_usleep", "PostgreSQL" },
	{ "ngx_epoll_process_events", "nginx" },
	{ "ngx_poll_process_events", "nginx" },
	{ "ngx_select_process_events", "nginx" },
	{ "ngx_process_events_and_timers", "nginx" },
	{ "aeApiPoll*", "redis" },
	{ "aeProcessEvents*", "redis" },
	{ "uv__io_poll", "libuv" },
	{ "uv_run", "libuv" },
	{ "uv_cond_*wait", "libuv" },
	{ "uv_sem_wait", "libuv" },
	{ "take_gil*", "CPython" },
	{ "PyEval_RestoreThread", "CPython" },
	{ "PyEval_AcquireThread", "CPython" },
	{ "PyThread_acquire_lock*", "CPython" },
	{ "acquire_timed*", "CPython" },
	{ "_PyParkingLot_Park*", "CPython" },
	{ "_PyMutex_Lock*", "CPython" },
	{ "_PySemaphore_*", "CPython" },
	{ "*PlatformEvent*park*", "JVM" },
	{ "*PlatformMonitor*wait*", "JVM" },
	{ "*Parker*park*", "JVM, Rust" },
	{ "Monitor::wait*", "JVM" },
	{ "ObjectMonitor::wait*", "JVM" },
	{ "*ObjectSynchronizer*wait*", "JVM" },
	{ "*JavaThread*sleep*", "JVM" },
	{ "JVM_MonitorWait", "JVM" },
	{ "JVM_Sleep", "JVM" },
	{ "Unsafe_Park", "JVM" },
	{ "*misc*Unsafe*park*", "Java" },
	{ "*locks*LockSupport*park*", "Java" },
	{ "*java*lang*Object*wait*", "Java" },
	{ "*java*lang*Thread*sleep*", "Java" },
	{ "runtime.futex*", "Go" },
	{ "runtime.note*sleep*", "Go" },
	{ "runtime.mPark", "Go" },
	{ "runtime.semasleep", "Go" },
	{ "runtime.usleep", "Go" },
	{ "runtime.epollwait*", "Go" },
	{ "runtime.netpoll", "Go" },
	{ "*runtime/*syscall.*", "Go" },
	{ "syscall.*Syscall*", "Go" },
};

/*
 * Without the arguments that a demangled name has.  A report asks it of each function that is waited in:
 * fnmatch(3) would take ten times as long.
 */
static bool
matches(const char *pattern, const char *name)
{
	const char *star = NULL, *again = NULL; /* behind the last "*", and where that begins now */

	while (*name != '\0' && *name != '(') {
		if (*pattern == '*') {
			star = ++pattern;
			again = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star != NULL) {
			pattern = star;
			name = ++again;
		} else {
			return false;
		}
	}
	return *pattern == '\0' || strcmp(pattern, "*") == 0;
}

bool
wait_wrapper_is(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++)
		if (matches(wrappers[i].name, name))
			return true;
	return false;
}
