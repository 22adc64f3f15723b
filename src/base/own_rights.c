/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/own_rights.h"
#include "base/util.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

int
own_rights_check(struct err *err)
{
	if (getuid() == geteuid() && getgid() == getegid())
		return 0;
	err_set(err, ERR_DENIED, 0, "ptop does not run setuid or setgid: it would read and write "
		"any file for its user");
	return err_hint(err, "sudo chmod u-s,g-s \"$(command -v ptop)\"; setcap(8) gives it what "
			"it needs, see PRIVILEGES in ptop(1)");
}

/* The kernel sets it for files with capabilities as for those that are setuid. */
bool
own_rights_are_lent(void)
{
	return getauxval(AT_SECURE) != 0 && geteuid() != 0;
}

static void
set(struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	/* Less is never refused, nor is what is permitted. */
	if (syscall(SYS_capset, &head, sets) < 0)
		die("cannot set capabilities");
}

static void
get(struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	if (syscall(SYS_capget, &head, sets) < 0)
		die("cannot read capabilities");
}

void
own_rights_begin(struct own_rights *kept)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	*kept = (struct own_rights){ .is_lent = own_rights_are_lent() };
	if (!kept->is_lent)
		return;
	get(sets);
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		kept->effective[i] = sets[i].effective;
		sets[i].effective = 0;
	}
	set(sets);
}

void
own_rights_end(const struct own_rights *kept)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	int saved = errno;

	if (!kept->is_lent)
		return;
	get(sets);
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].effective = kept->effective[i];
	set(sets);
	errno = saved;
}

void
own_rights_only(void)
{
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (own_rights_are_lent())
		set(none);
}
