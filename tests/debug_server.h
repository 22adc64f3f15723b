/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_DEBUG_SERVER_H
#define PTOP_TESTS_DEBUG_SERVER_H
/*
 * A debuginfod server for tests: a process that listens on the loopback interface, serves one file
 * at a time in a way that the test chooses, and counts what it is asked.
 */
#include <stdatomic.h>
#include <stddef.h>

enum debug_server_mode {
	DEBUG_SERVER_SERVES, /* the file, whatever build-id is asked for */
	DEBUG_SERVER_NONE,   /* 404 */
	DEBUG_SERVER_ERROR,  /* 500 */
	DEBUG_SERVER_HANGS,  /* says nothing */
	DEBUG_SERVER_STALLS, /* begins to send, and then nothing more */
	DEBUG_SERVER_ENDLESS, /* never stops to send, and tells no size */
	DEBUG_SERVER_HUGE,   /* tells a size of many gigabytes */
};

struct debug_server {
	int pid;
	char url[64];
	struct debug_server_shared {
		atomic_int mode;
		atomic_int asked;
		char path[256];     /* what is served */
		char program[256];  /* to whom asks for an executable; "": 404 */
		char last_ask[256]; /* the path of the last question */
	} *shared;
};

/* The environment names no other from then on. */
void debug_server_start(struct debug_server *s);
void debug_server_serve(struct debug_server *s, enum debug_server_mode mode, const char *path);
void debug_server_end(struct debug_server *s);

#endif
