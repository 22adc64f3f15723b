/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which program brings the feed of a host, and its life. */
#include "engine/hosts/hosts_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/carrier/copy_file.h"

enum {
	RETRY_LEAST_S = 2, RETRY_MOST_S = 30,
	COPY_RETRY_S = 300, /* a copy that brought no feed is megabytes for nothing */
	LAST_MS = 300, KILLED_MS = 2000,
};

/* Those that have ended. */
static void
reap_gone(struct hosts *hs)
{
	size_t left = 0;

	for (size_t i = 0; i < hs->leaving_len; i++)
		if (!carrier_is_gone(hs->leaving[i]))
			hs->leaving[left++] = hs->leaving[i];
	hs->leaving_len = left;
}

/* What does not end when it is asked is killed a beat later. */
void
hosts_reap(struct hosts *hs)
{
	reap_gone(hs);
	for (size_t i = 0; i < hs->leaving_len; i++)
		carrier_leave(hs->leaving[i]);
}

void
hosts_end_all(struct hosts *hs)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (size_t i = 0; i < hs->count; i++)
		fed_host_stop(hs, &hs->items[i]);
	for (int ms = 0; ms < LAST_MS && hs->leaving_len > 0; ms++) {
		nanosleep(&moment, NULL);
		reap_gone(hs);
	}
	/* What this user may not kill, sudo, or what hangs in the kernel, does not hold ptop up. */
	for (int ms = 0; ms < KILLED_MS && hs->leaving_len > 0; ms++) {
		hosts_reap(hs);
		nanosleep(&moment, NULL);
	}
	free(hs->leaving);
}

/* Nobody is there to answer a question: ssh says what it lacks, and ends. */
static struct carrier *
start(const struct hosts *hs, const struct fed_host *h, struct err *err)
{
	const char *const command = h->gets_copy ? hs->copying : hs->command;
	const char *const ssh[] = {
		"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
		"-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--", h->name,
		command, NULL,
	};
	const char *const own[] = { "sh", "-c", hs->config->hosts_command, "ptop", h->name, command,
				    NULL };
	const char *const *argv = hs->config->hosts_command != NULL ? own : ssh;
	struct carrier *c;
	int in = -1;

	if (h->gets_copy && (in = copy_file_again(hs->config->copy)) < 0) {
		err_set(err, ERR_GONE, errno, "cannot read the ptop to copy");
		return NULL;
	}
	c = carrier_new((char *const *)(uintptr_t)argv, in, err);
	if (in >= 0)
		close(in);
	return c;
}

/* It is not waited for: the others would be. */
void
fed_host_stop(struct hosts *hs, struct fed_host *h)
{
	if (h->carrier != NULL) {
		carrier_leave(h->carrier);
		VEC_ADD(hs->leaving, hs->leaving_len, hs->leaving_cap) = h->carrier;
	}
	h->carrier = NULL;
	hostfeed_decoder_free(h->feed);
	h->feed = NULL;
	fed_host_forget_lacks(h);
	fed_host_forget_numbers(h);
}

void
fed_host_start(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	uint64_t pause_s = MIN((uint64_t)RETRY_LEAST_S << MIN(h->tries, 4u), RETRY_MOST_S);
	struct err err = { 0 };

	fed_host_stop(hs, h);
	h->tries++;
	h->next_try_ns = now_ns + pause_s * NSEC_PER_SEC;
	h->begun_ns = now_ns;
	h->closed_ns = 0;
	h->told_samples = 0;
	memset(h->told, 0, sizeof(h->told));
	h->carrier = start(hs, h, &err);
	if (h->carrier == NULL) {
		fed_host_set_state(h, HOST_GONE, err.text, now_ns);
		return;
	}
	h->feed = hostfeed_decoder_new();
	/* It stays marked as gone until it sends something. */
	if (h->state != HOST_GONE)
		fed_host_set_state(h, HOST_STARTING, "", now_ns);
}

bool
fed_host_copy(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	if (hs->config->copy == NULL || h->gets_copy ||
	    (h->copied_ns != 0 && now_ns < h->copied_ns + COPY_RETRY_S * NSEC_PER_SEC))
		return false;
	h->gets_copy = true;
	h->copied_ns = now_ns;
	fed_host_start(hs, h, now_ns);
	return true;
}
