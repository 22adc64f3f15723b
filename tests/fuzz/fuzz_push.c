/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as what a store answers: over a connection, to the process that posts; as what that process
 * tells; and as the body of an OTLP receiver's answer.  What is said of it commands no terminal and has
 * no token in it.
 */
#include "fuzz.h"

#include "push/otlp_answer.h"
#include "push/push_impl.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_S = 2, PORT_TEXT = 48 };

static const char token[] = "sesame";

/* A store that answers whatever it is asked with the input. */
static struct {
	int listening;
	char url[PORT_TEXT];
	pthread_mutex_t lock; /* of the answer: one that was given up may still be on its way */
	struct buf answer;
	struct wire wire; /* to the thread that posts; fd -1: there is none */
	int body;         /* of one byte */
} store = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* All of a request: its body is one byte.  What is not read would end the connection too soon. */
static void
read_request(int fd)
{
	char text[4096];
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < sizeof(text) - 1) {
		n = recv(fd, text + len, sizeof(text) - 1 - len, 0);
		len += n > 0 ? (size_t)n : 0;
		text[len] = '\0';
		if (strstr(text, "\r\n\r\n") != NULL && strlen(strstr(text, "\r\n\r\n")) > 4)
			return;
	}
}

static void *
answer_all(void *unused)
{
	for (;;) {
		int fd = accept(store.listening, NULL, NULL);
		struct buf answer = { 0 };
		size_t done = 0;
		ssize_t n = 1;

		if (fd < 0)
			return unused;
		read_request(fd);
		pthread_mutex_lock(&store.lock);
		buf_add(&answer, store.answer.data, store.answer.len);
		pthread_mutex_unlock(&store.lock);
		while (done < answer.len && n > 0) {
			n = send(fd, answer.data + done, answer.len - done, MSG_NOSIGNAL);
			done += n > 0 ? (size_t)n : 0;
		}
		buf_release(&answer);
		close(fd);
	}
}

static void *
post_all(void *end)
{
	int fd = *(int *)end;

	post_run(fd);
	close(fd);
	return NULL;
}

static void
start_store(void)
{
	static int ends[2];
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	pthread_t thread;

	setenv("no_proxy", "*", 1);
	store.listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	store.body = memfd_create("body", MFD_CLOEXEC);
	if (store.listening < 0 || bind(store.listening, (struct sockaddr *)&at, len) != 0 ||
	    listen(store.listening, 8) != 0 || getsockname(store.listening, (struct sockaddr *)&at, &len) != 0 ||
	    store.body < 0 || write(store.body, "x", 1) != 1 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		abort();
	snprintf(store.url, sizeof(store.url), "http://127.0.0.1:%u/", ntohs(at.sin_port));
	store.wire.fd = ends[0];
	if (pthread_create(&thread, NULL, answer_all, NULL) != 0 ||
	    pthread_create(&thread, NULL, post_all, &ends[1]) != 0)
		abort();
}

/* What is said of the answer is for a terminal. */
static void
hear(struct push *p, bool is_of_store)
{
	struct msg *m;

	while ((m = queue_take(p->answers)) != NULL) {
		const char *text = ((struct push_said_msg *)m)->text;

		for (const char *c = text; is_of_store && *c != '\0'; c++)
			if ((unsigned char)*c < ' ' || *c == 0x7f)
				abort();
		if (is_of_store && strstr(text, token) != NULL)
			abort();
		msg_free(m);
	}
}

static void
judge(const struct post_end *end, bool is_otlp)
{
	char base[] = "http://store", secret[sizeof(token)];
	struct push p = {
		.answers = queue_new(), .fresh.fd = -1, .sends_fresh = true, .token = secret,
		.target = { .base = base, .is_otlp = is_otlp }, .times = { .first_ms = 1, .most_ms = 2 },
	};

	memcpy(secret, token, sizeof(secret));
	push_judge(&p, end);
	push_judge(&p, end);
	hear(&p, end->status != 0);
	queue_free(p.answers);
}

static void
take_message(struct wire_msg *m)
{
	struct post_end end;

	if (!post_get_end(m, &end))
		return;
	if (end.answer.len > POST_ANSWER_MAX)
		abort();
	for (int is_otlp = 0; is_otlp < 2; is_otlp++)
		judge(&end, is_otlp);
}

/* Whatever a store says, there is an end of it. */
static void
take_answer(const uint8_t *data, size_t size)
{
	const struct post_ask ask = {
		.len = 1, .connect_s = ANSWER_S, .silent_s = ANSWER_S, .whole_s = ANSWER_S,
		.url = store.url, .content = "application/octet-stream", .token = token,
	};
	struct buf body = { 0 };
	struct wire_msg m = { .fd = -1 };
	struct post_end end;

	pthread_mutex_lock(&store.lock);
	buf_reset(&store.answer);
	buf_add(&store.answer, data, size);
	pthread_mutex_unlock(&store.lock);
	post_put_ask(&body, &ask);
	if (wire_send(&store.wire, (enum wire_type)POST_ASK, &body, store.body) == 0 &&
	    wire_recv(&store.wire, &m) == 0) {
		if (!post_get_end(&m, &end))
			abort();
		take_message(&m);
	}
	buf_release(&body);
	wire_msg_release(&m);
}

int
FUZZ_TARGET(push)(const uint8_t *data, size_t size)
{
	struct wire_msg m = { .type = POST_END, .fd = -1 };
	struct buf text = { 0 };

	if (store.listening == 0)
		start_store();
	otlp_answer_put((struct bytes){ data, size }, &text);
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
			abort();
	buf_release(&text);
	buf_add(&m.body, data, size);
	take_message(&m);
	wire_msg_release(&m);
	take_answer(data, size);
	return 0;
}
