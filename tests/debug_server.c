/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/debug_server.h"

#include "tests/run.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

static void
say(int fd, const char *text)
{
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
		_exit(0);
}

static void
serve_file(int fd, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char head[128];
	struct stat st;
	off_t at = 0;

	if (file < 0 || fstat(file, &st) != 0)
		_exit(1);
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %lld\r\n\r\n",
		 (long long)st.st_size);
	say(fd, head);
	while (at < st.st_size && sendfile(fd, file, &at, (size_t)(st.st_size - at)) > 0)
		;
}

static void
send_without_end(int fd)
{
	static const char zeros[64 << 10];

	say(fd, "HTTP/1.1 200 OK\r\n\r\n");
	while (send(fd, zeros, sizeof(zeros), MSG_NOSIGNAL) > 0)
		;
}

static bool
ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), tail = strlen(end);

	return len >= tail && strcmp(text + len - tail, end) == 0;
}

static void
answer(struct debug_server_shared *s, int fd)
{
	char in[1024];
	ssize_t n = recv(fd, in, sizeof(in) - 1, 0);

	in[n > 0 ? n : 0] = '\0';
	if (sscanf(in, "GET %255s", s->last_ask) != 1)
		return;
	atomic_fetch_add(&s->asked, 1);
	if (ends_with(s->last_ask, "/executable")) {
		if (s->program[0] != '\0')
			serve_file(fd, s->program);
		else
			say(fd, NOT_FOUND);
		return;
	}
	switch ((enum debug_server_mode)atomic_load(&s->mode)) {
	case DEBUG_SERVER_SERVES:
		serve_file(fd, s->path);
		break;
	case DEBUG_SERVER_NONE:
		say(fd, NOT_FOUND);
		break;
	case DEBUG_SERVER_ERROR:
		say(fd, "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n");
		break;
	case DEBUG_SERVER_HANGS:
		pause();
		break;
	case DEBUG_SERVER_STALLS:
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n\177ELF");
		pause();
		break;
	case DEBUG_SERVER_ENDLESS:
		send_without_end(fd);
		break;
	case DEBUG_SERVER_HUGE:
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 99000000000\r\n\r\n");
		break;
	}
}

/* A process for each question: one that hangs holds up no other. */
static void
serve(struct debug_server_shared *s, int fd)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int client = accept(fd, NULL, NULL);

		if (client >= 0 && run_fork() == 0) {
			close(fd);
			answer(s, client);
			_exit(0);
		}
		close(client);
	}
}

void
debug_server_start(struct debug_server *s)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || s->shared == MAP_FAILED || bind(fd, (struct sockaddr *)&at, len) != 0 ||
	    listen(fd, 8) != 0 || getsockname(fd, (struct sockaddr *)&at, &len) != 0)
		abort();
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	setenv("no_proxy", "*", 1);
	snprintf(s->url, sizeof(s->url), "http://localhost:%u", ntohs(at.sin_port));
	s->pid = run_fork();
	if (s->pid == 0) {
		serve(s->shared, fd);
	}
	close(fd);
}

void
debug_server_serve(struct debug_server *s, enum debug_server_mode mode, const char *path)
{
	snprintf(s->shared->path, sizeof(s->shared->path), "%s", path);
	s->shared->program[0] = '\0';
	atomic_store(&s->shared->mode, mode);
}

void
debug_server_end(struct debug_server *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	munmap(s->shared, sizeof(*s->shared));
}
