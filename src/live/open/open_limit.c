/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is used up, held by others, or gone. */
#include "base/file.h"
#include "live/sys/holders.h"
#include "live/open/open_cause.h"

#include <sys/resource.h>

/* The processor's breakpoint registers, where the architecture fixes them; 0: models differ. */
enum {
#if defined(__x86_64__) || defined(__i386__)
	BREAKPOINTS = 4, /* DR0 to DR3 */
#elif defined(__s390x__) || defined(__powerpc64__)
	BREAKPOINTS = 1,
#else
	BREAKPOINTS = 0,
#endif
};

/* false: nobody is seen, which an ordinary user often gets. */
static bool
put_holders(struct open_refusal *r)
{
	struct buf names = { 0 };
	bool found;

	holders_put(r->plan->env, &names);
	found = names.len > 0;
	if (found)
		buf_addf(&r->found, "%sperf events are held by %s", r->found.len > 0 ? "; " : "",
			 names.data);
	buf_release(&names);
	return found;
}

bool
limit_of_breakpoints(struct open_refusal *r)
{
	if (r->plan->attr.type != PERF_TYPE_BREAKPOINT)
		return false;
	if (BREAKPOINTS > 0)
		buf_addf(&r->found, "a CPU has %d", BREAKPOINTS);
	put_holders(r);
	return true;
}

bool
busy_with_holders(struct open_refusal *r)
{
	return put_holders(r);
}

bool
busy_with_watchdog(struct open_refusal *r)
{
	struct buf path = { 0 };
	bool is_on;

	buf_addf(&path, "%s/proc/sys/kernel/nmi_watchdog", r->plan->env->root);
	is_on = file_number(path.data, 0) > 0;
	buf_release(&path);
	return is_on;
}

bool
limit_of_descriptors(struct open_refusal *r)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return false;
	buf_addf(&r->found, "%llu are allowed, %llu at most",
		 (unsigned long long)limit.rlim_cur, (unsigned long long)limit.rlim_max);
	return true;
}

bool
limit_of_files(struct open_refusal *r)
{
	struct buf path = { 0 };
	int64_t max;

	buf_addf(&path, "%s/proc/sys/fs/file-max", r->plan->env->root);
	max = file_number(path.data, -1);
	buf_release(&path);
	if (max >= 0) {
		buf_addf(&r->found, "fs.file-max is %lld", (long long)max);
		buf_addf(&r->remedy, "end what holds them (sudo lsof), or: sudo sysctl fs.file-max=%lld",
			 2 * (long long)MIN(max, INT64_MAX / 2));
	}
	return true;
}

bool
gone_zombie(struct open_refusal *r)
{
	char state = r->pid > 0 ? rights_task_state(r->plan->env, r->pid) : 0;

	return state == 'Z' || state == 'X';
}

bool
gone_task(struct open_refusal *r)
{
	if (r->pid <= 0 || rights_task_state(r->plan->env, r->pid) != 0)
		return false;
	buf_addf(&r->found, "no /proc/%d", r->pid);
	return true;
}
