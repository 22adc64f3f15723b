/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/token.h"

#include "base/file.h"
#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 4096, FIRST_PRINTABLE = 0x21, LAST_PRINTABLE = 0x7e };

/* That it is a file which others can neither read nor write. */
static int
check_file(int fd, const char *path, struct err *err)
{
	struct stat st;
	mode_t others;

	if (fstat(fd, &st) < 0)
		return err_set(err, ERR_IO, errno, "--serve-token: cannot read '%.120s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, 0, "--serve-token: '%.120s' is no file", path);
	if (st.st_uid != geteuid() && st.st_uid != getuid() && st.st_uid != 0) {
		err_set(err, ERR_DENIED, 0, "--serve-token: '%.120s' is another user's", path);
		return err_hint(err, "make one of your own");
	}
	/* Of root's group there is root alone; bits of a group are also those of an access list. */
	others = st.st_uid == 0 && st.st_gid == 0 ? 037 : 077;
	if ((st.st_mode & others) != 0) {
		err_set(err, ERR_DENIED, 0, "--serve-token: others may read or write '%.120s'", path);
		return err_hint(err, "chmod 600, and write another token: this one may be known");
	}
	return 0;
}

static int
check_text(const char *text, size_t len, const char *path, struct err *err)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] < FIRST_PRINTABLE || text[i] > LAST_PRINTABLE)
			return err_set(err, ERR_USAGE, 0, "--serve-token: the first line of '%.120s' has a "
				       "byte that is no printable ASCII", path);
	if (len >= SERVE_TOKEN_LEAST && len <= SERVE_TOKEN_MAX)
		return 0;
	err_set(err, ERR_USAGE, 0, "--serve-token: the first line of '%.120s' has %zu bytes: a token has "
		"%d to %d", path, len, SERVE_TOKEN_LEAST, SERVE_TOKEN_MAX);
	return err_hint(err, "head -c 24 /dev/urandom | base64");
}

int
token_read(const char *path, struct serve_setup *setup, struct err *err)
{
	struct own_rights kept;
	struct buf b = { 0 };
	int fd, res, why;

	own_rights_begin(&kept);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	own_rights_end(&kept);
	if (fd < 0)
		return err_set(err, ERR_IO, errno, "--serve-token: cannot read '%.120s'", path);
	if (check_file(fd, path, err) < 0) {
		close(fd);
		return -1;
	}
	res = file_read_close(fd, &b, FILE_MAX);
	why = errno;
	if (res < 0 && why != EFBIG) {
		err_set(err, ERR_IO, why, "--serve-token: cannot read '%.120s'", path);
	} else {
		setup->token_len = (uint32_t)strcspn(buf_str(&b), "\r\n");
		res = check_text(buf_str(&b), setup->token_len, path, err);
	}
	if (res == 0)
		memcpy(setup->token, b.data, setup->token_len);
	if (b.data != NULL)
		explicit_bzero(b.data, b.len);
	buf_release(&b);
	return res;
}

bool
token_fits(const struct serve_setup *setup, const char *header)
{
	static const char scheme[] = "Bearer ";
	unsigned char differs = 0;
	size_t len;

	if (header == NULL || strncasecmp(header, scheme, strlen(scheme)) != 0)
		return false;
	header += strlen(scheme);
	len = strlen(header);
	differs = len != setup->token_len;
	/* Each byte of what was sent is looked at, whatever the others are. */
	for (size_t i = 0; i < len; i++)
		differs |= (unsigned char)(header[i] ^ setup->token[i % sizeof(setup->token)]);
	return differs == 0;
}
