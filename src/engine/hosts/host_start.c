/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which program brings the feed of a host, and its life. */
#include "engine/hosts/hosts_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RETRY_LEAST_S = 2, RETRY_MOST_S = 30, LAST_MS = 300, KILLED_MS = 2000 };

/* For a shell. */
static void
put_quoted(struct buf *b, const char *text)
{
	buf_add_char(b, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			buf_add_str(b, "'\\''");
		else
			buf_add_char(b, *text);
	}
	buf_add_char(b, '\'');
}

char *
hosts_make_command(const struct engine_config *config, const char *events)
{
	struct buf b = { 0 };

	buf_add_str(&b, "ptop --no-config --feed");
	if (events != NULL) {
		buf_add_str(&b, " -e ");
		put_quoted(&b, events);
	}
	if (config->rate_given && config->count > 0)
		buf_addf(&b, " -c %" PRIu64, config->count);
	else if (config->rate_given && config->freq == UINT64_MAX)
		buf_add_str(&b, " -F max");
	else if (config->rate_given)
		buf_addf(&b, " -F %" PRIu64, config->freq);
	return b.data;
}

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
	const char *const ssh[] = {
		"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10",
		"-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--", h->name,
		hs->command, NULL,
	};
	const char *const own[] = { "sh", "-c", hs->config->hosts_command, "ptop", h->name, hs->command,
				    NULL };

	return carrier_new((char *const *)(uintptr_t)(hs->config->hosts_command != NULL ? own : ssh), err);
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
