/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/secret_file.h"

#include "base/file.h"
#include "base/own_rights.h"
#include "base/sudo_caller.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 4096, FIRST_PRINTABLE = 0x21, LAST_PRINTABLE = 0x7e };

/* Of this user, or root; under sudo of its caller, whose options these are. */
static bool
is_ours(uid_t owner)
{
	uid_t uid;
	gid_t gid;

	return owner == geteuid() || owner == getuid() || owner == 0 ||
	       (sudo_caller(&uid, &gid) && owner == uid);
}

/* That it is a file which others can neither read nor write. */
static int
check_file(const struct secret_rule *rule, int fd, const char *path, struct err *err)
{
	struct stat st;
	mode_t others;

	if (fstat(fd, &st) < 0)
		return err_set(err, ERR_IO, errno, "%s: cannot read '%.120s'", rule->option, path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, 0, "%s: '%.120s' is no file", rule->option, path);
	if (!is_ours(st.st_uid)) {
		err_set(err, ERR_DENIED, 0, "%s: '%.120s' is another user's", rule->option, path);
		return err_hint(err, "make one of your own");
	}
	/* Of root's group there is root alone; bits of a group are also those of an access list. */
	others = st.st_uid == 0 && st.st_gid == 0 ? 037 : 077;
	if ((st.st_mode & others) != 0) {
		err_set(err, ERR_DENIED, 0, "%s: others may read or write '%.120s'", rule->option, path);
		return err_hint(err, "chmod 600, and write another token: this one may be known");
	}
	return 0;
}

static int
check_text(const struct secret_rule *rule, const char *text, size_t len, const char *path,
	   struct err *err)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < FIRST_PRINTABLE || text[i] > LAST_PRINTABLE)
			return err_set(err, ERR_USAGE, 0, "%s: the first line of '%.120s' has a "
				       "byte that is no printable ASCII", rule->option, path);
	if (len >= rule->least && len <= rule->most)
		return 0;
	err_set(err, ERR_USAGE, 0, "%s: the first line of '%.120s' has %zu bytes: a token has %zu to %zu",
		rule->option, path, len, rule->least, rule->most);
	return rule->hint != NULL ? err_hint(err, "%s", rule->hint) : -1;
}

static int
open_file(const struct secret_rule *rule, const char *path, struct err *err)
{
	struct own_rights kept;
	int fd;

	own_rights_begin(&kept);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	own_rights_end(&kept);
	if (fd < 0)
		return err_set(err, ERR_IO, errno, "%s: cannot read '%.120s'", rule->option, path);
	if (check_file(rule, fd, path, err) == 0)
		return fd;
	close(fd);
	return -1;
}

int
secret_file_read(const struct secret_rule *rule, const char *path, struct buf *b, struct err *err)
{
	struct buf file = { 0 };
	int fd = open_file(rule, path, err), res = -1;
	size_t len;

	if (fd < 0)
		return -1;
	if (file_read_close(fd, &file, FILE_MAX) < 0 && errno != EFBIG) {
		err_set(err, ERR_IO, errno, "%s: cannot read '%.120s'", rule->option, path);
	} else {
		len = strcspn(buf_str(&file), "\r\n");
		res = check_text(rule, buf_str(&file), len, path, err);
		if (res == 0)
			buf_add(b, buf_str(&file), len);
	}
	secret_release(&file);
	return res;
}

void
secret_release(struct buf *b)
{
	if (b->data != NULL)
		explicit_bzero(b->data, b->cap);
	buf_release(b);
}

char *
secret_hide(struct buf *b)
{
	const size_t bytes = b->len + 1;
	char *text = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (text == MAP_FAILED || madvise(text, bytes, MADV_DONTFORK) < 0)
		die("no memory for a token: %s", strerror(errno));
	memcpy(text, buf_str(b), bytes);
	secret_release(b);
	return text;
}

void
secret_forget(char *text)
{
	size_t bytes;

	if (text == NULL)
		return;
	bytes = strlen(text) + 1;
	explicit_bzero(text, bytes);
	munmap(text, bytes);
}
