/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sudo_caller.h"

#include "base/num.h"
#include "base/users.h"

#include <stdlib.h>
#include <unistd.h>

bool
sudo_caller(uid_t *uid, gid_t *gid)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t u, g;

	if (geteuid() != 0 || uid_text == NULL || gid_text == NULL || !num_u64(uid_text, &u) ||
	    !num_u64(gid_text, &g) || u >= UINT32_MAX || g >= UINT32_MAX)
		return false;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return true;
}

char *
sudo_caller_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *pw;
	uid_t uid;
	gid_t gid;

	if (sudo_caller(&uid, &gid)) {
		pw = user_by_id(uid);
		home = pw != NULL ? pw->pw_dir : NULL;
	}
	return home != NULL ? mem_strdup(home) : NULL;
}
