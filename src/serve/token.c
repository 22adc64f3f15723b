/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/token.h"

#include "base/secret_file.h"

#include <string.h>
#include <strings.h>

int
token_read(const char *path, struct serve_setup *setup, struct err *err)
{
	static const struct secret_rule rule = {
		"--serve-token", SERVE_TOKEN_LEAST, SERVE_TOKEN_MAX, "head -c 24 /dev/urandom | base64",
	};
	struct buf b = { 0 };
	int res = secret_file_read(&rule, path, &b, err);

	if (res == 0) {
		setup->token_len = (uint32_t)b.len;
		memcpy(setup->token, b.data, b.len);
	}
	secret_release(&b);
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
