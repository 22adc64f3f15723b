/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/own_rights.h"
#include "base/own_file.h"
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
	return err_hint(err, "setcap(8) gives it what it needs, see PRIVILEGES in ptop(1): sudo chmod u-s,g-s "
			OWN_FILE_WORD);
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

/* Of the calling thread.  false: it has no say in it. */
static bool
get(struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &head, sets) == 0;
}

static void
keep(struct own_rights *kept, const struct __user_cap_data_struct *sets)
{
	kept->is_changed = true;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		kept->effective[i] = sets[i].effective;
}

void
own_rights_begin(struct own_rights *kept)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	*kept = (struct own_rights){ .is_changed = false };
	if (!own_rights_are_lent())
		return;
	if (!get(sets))
		die("cannot read capabilities");
	keep(kept, sets);
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].effective = 0;
	set(sets);
}

void
own_rights_begin_to_write(struct own_rights *kept)
{
	/* Into a folder of who called sudo, in place of a file of that one, and to give it away. */
	const uint32_t wanted = 1U << CAP_DAC_OVERRIDE | 1U << CAP_FOWNER | 1U << CAP_CHOWN;
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	own_rights_begin(kept);
	if (own_rights_are_lent() || !get(sets))
		return;
	keep(kept, sets);
	sets[0].effective |= sets[0].permitted & wanted;
	set(sets);
}

void
own_rights_end(const struct own_rights *kept)
{
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	int saved = errno;

	if (!kept->is_changed)
		return;
	if (!get(sets))
		die("cannot read capabilities");
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
