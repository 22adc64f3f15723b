/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_ACTIVATION_H
#define PTOP_SERVE_ACTIVATION_H
/* The socket that systemd listens at for a service that it starts, as sd_listen_fds(3) has it. */
#include "base/err.h"
#include "serve/address.h"

/*
 * 1: @fd listens at @a, and is the caller's; 0: none was given; -1: what was given is not one socket
 * to listen at, see @err.  Programs that are started later do not hear of it.
 */
int activation_take(int *fd, struct address *a, struct err *err);

#endif
