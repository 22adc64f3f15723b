/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_SERVER_CONFINE_H
#define PTOP_SERVE_SERVER_CONFINE_H
/* What is left to the process that speaks HTTP, which has one thread and all sockets that it needs. */
#include <stdbool.h>

/*
 * From here on it takes and answers requests, and can neither open nor connect nor fork.  false: there
 * is no filter of system calls, errno says why, and the rest is given up all the same.
 */
bool server_confine(void);

#endif
