/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push/push_impl.h"

#include "base/curl_lib.h"
#include "base/secret_file.h"
#include "base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CONNECT_S = 10, SILENT_S = 20, WHOLE_S = 60,
	FIRST_MS = 1000, MOST_MS = 60000,
	TOKEN_LEAST = 1, TOKEN_MAX = 2048,
	CPU_S = 600,   /* of a process that posts; then there is another one */
	MEMORY_MB = 256,
};

int
push_check(const char *url, struct err *err)
{
	struct push_target t;

	if (!curl_lib_is_built())
		return err_set(err, ERR_UNSUPPORTED, 0, "--push: this ptop is built without libcurl");
	if (push_target_parse(url, &t, err) < 0)
		return -1;
	push_target_release(&t);
	return 0;
}

static void
set_times(struct push *p, const struct push_times *t)
{
	p->times = (struct push_times){
		.connect_s = t->connect_s != 0 ? t->connect_s : CONNECT_S,
		.silent_s = t->silent_s != 0 ? t->silent_s : SILENT_S,
		.whole_s = t->whole_s != 0 ? t->whole_s : WHOLE_S,
		.first_ms = t->first_ms != 0 ? t->first_ms : FIRST_MS,
		.most_ms = t->most_ms != 0 ? t->most_ms : MOST_MS,
	};
}

static int
open_spool(struct push *p, const struct push_config *config, struct err *err)
{
	unsigned dropped = 0;

	if (config->spool_bytes == 0)
		return 0;
	if (config->spool != NULL) {
		buf_add_str(&p->spool_path, config->spool);
	} else if (!spool_path(config->url, &p->spool_path)) {
		err_set(err, ERR_USAGE, 0, "--push: there is no place for what has to wait");
		return err_hint(err, "XDG_STATE_HOME names one; --spool 0: nothing waits");
	}
	p->spool = spool_open(buf_str(&p->spool_path), config->spool_bytes, &dropped, err);
	atomic_store(&p->dropped, dropped);
	return p->spool != NULL ? 0 : -1;
}

/* Other processes, which read what anybody may have made, are forked after this. */
static int
read_token(struct push *p, const char *path, struct err *err)
{
	static const struct secret_rule rule = { "--push-token", TOKEN_LEAST, TOKEN_MAX, NULL };
	struct buf text = { 0 };

	if (path == NULL)
		return 0;
	if (secret_file_read(&rule, path, &text, err) < 0)
		return -1;
	p->token = secret_hide(&text);
	p->token_file = mem_strdup(path);
	return 0;
}

static int
set_up(struct push *p, const struct push_config *config, struct err *err)
{
	const struct host_config host = {
		.work = CONFINE_PUSH, .fetch = post_run,
		.limits = { .cpu_s = CPU_S, .memory = (uint64_t)MEMORY_MB << 20, .file = 1 },
	};

	if (push_target_parse(config->url, &p->target, err) < 0)
		return -1;
	if (read_token(p, config->token_file, err) < 0 || open_spool(p, config, err) < 0)
		return -1;
	if (gethostname(p->host_name, sizeof(p->host_name) - 1) < 0)
		snprintf(p->host_name, sizeof(p->host_name), "unknown");
	p->host = host_new(&host);
	return 0;
}

struct push *
push_open(const struct push_config *config, struct err *err)
{
	struct push *p = mem_calloc(1, sizeof(*p));

	p->wire.fd = p->fresh.fd = -1;
	p->asks = queue_new();
	set_times(p, &config->times);
	if (set_up(p, config, err) == 0)
		return p;
	push_close(p, NULL);
	return NULL;
}

void
push_start(struct push *p, struct queue *answers)
{
	p->answers = answers;
	thread_start_or_die(&p->thread, "ptop-pusher", push_run, p);
	p->is_started = true;
}

bool
push_is_otlp(const struct push *p)
{
	return p->target.is_otlp;
}

void
push_add(struct push *p, int fd, const struct push_about *about, const char *why)
{
	struct push_ask *ask = msg_new(sizeof(*ask), PUSH_ASK_PROFILE, NULL);

	ask->fd = fd;
	ask->about = *about;
	snprintf(ask->why, sizeof(ask->why), "%s", why != NULL ? why : "");
	queue_send(p->asks, &ask->msg);
}

struct push_counts
push_counts(const struct push *p)
{
	return (struct push_counts){ atomic_load(&p->sent), atomic_load(&p->waiting),
				     atomic_load(&p->dropped), atomic_load(&p->refused) };
}

uint64_t
push_cpu_ns(const struct push *p)
{
	return host_cpu_ns(p->host);
}

static void
put_sums(const struct push *p, struct buf *b)
{
	const struct push_counts n = push_counts(p);

	buf_addf(b, "%llu profiles were pushed", (unsigned long long)n.sent);
	if (n.waiting > 0)
		buf_addf(b, ", %llu wait in '%s' for the next time", (unsigned long long)n.waiting,
			 buf_str(&p->spool_path));
	if (n.dropped > 0)
		buf_addf(b, ", %llu were dropped", (unsigned long long)n.dropped);
	if (n.refused > 0)
		buf_addf(b, ", %llu were refused", (unsigned long long)n.refused);
}

void
push_close(struct push *p, struct buf *said)
{
	if (p == NULL)
		return;
	if (p->is_started) {
		queue_send(p->asks, msg_new(sizeof(struct msg), PUSH_ASK_END, NULL));
		pthread_join(p->thread, NULL);
		if (said != NULL)
			put_sums(p, said);
	}
	host_free(p->host);
	spool_close(p->spool);
	queue_free(p->asks);
	push_target_release(&p->target);
	secret_forget(p->token);
	free(p->token_file);
	buf_release(&p->spool_path);
	free(p);
}
