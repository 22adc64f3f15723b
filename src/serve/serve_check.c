/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/serve.h"

#include "serve/address.h"
#include "serve/server.h"

int
serve_check_address(const struct address *a, bool has_token, struct err *err)
{
	if (a->is_loopback || has_token)
		return 0;
	err_set(err, ERR_USAGE, 0, "--serve: other machines may reach this address, and who asks learns "
		"what runs here");
	return err_hint(err, "--serve-token FILE, which clients must know; or 127.0.0.1 or unix:/PATH");
}

int
serve_check(const char *address, bool has_token, struct err *err)
{
	struct address a;

	if (!server_is_there())
		return err_set(err, ERR_UNSUPPORTED, 0, "--serve: this ptop is built without libmicrohttpd");
	if (address_parse(address, &a, err) < 0)
		return -1;
	return serve_check_address(&a, has_token, err);
}
