/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "base/users.h"

#include <string.h>

#ifdef PTOP_STATIC

/* Of /etc/passwd alone: what the name service asks otherwise would have to be loaded. */
FILE *
users_begin(void)
{
	return fopen("/etc/passwd", "re");
}

const struct passwd *
users_next(FILE *users)
{
	return users != NULL ? fgetpwent(users) : NULL;
}

void
users_end(FILE *users)
{
	if (users != NULL)
		fclose(users);
}

const struct passwd *
user_by_name(const char *name)
{
	FILE *users = users_begin();
	const struct passwd *pw;

	do
		pw = users_next(users);
	while (pw != NULL && strcmp(pw->pw_name, name) != 0);
	users_end(users);
	return pw;
}

const struct passwd *
user_by_id(uid_t uid)
{
	FILE *users = users_begin();
	const struct passwd *pw;

	do
		pw = users_next(users);
	while (pw != NULL && pw->pw_uid != uid);
	users_end(users);
	return pw;
}

#else

FILE *
users_begin(void)
{
	setpwent();
	return NULL;
}

const struct passwd *
users_next(FILE *users)
{
	(void)users;
	return getpwent();
}

void
users_end(FILE *users)
{
	(void)users;
	endpwent();
}

const struct passwd *
user_by_name(const char *name)
{
	return getpwnam(name);
}

const struct passwd *
user_by_id(uid_t uid)
{
	return getpwuid(uid);
}

#endif
