/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runtime that makes code without names, and writes them to /tmp/perf-PID.map when it is asked
 * to, as a JVM is (a file, SIGQUIT, a socket) or as .NET is (a socket).  It burns CPU in its code.
 *
 * usage: runtime KIND [SECONDS]
 *   jvm       writes its map anew each time, where the first name tells how often it was asked
 *   deaf      a JVM without a handler for the signal
 *   refusing  a JVM whose command line says that nobody may ask it (a third argument)
 *   silent    listens, and never answers
 *   strange   answers, but none of the protocol
 *   old       does not know the command
 *   link, fifo, stranger   in place of its socket: a link to one; a pipe; another process listens
 *   dotnet, dotnet-old
 *   node      has no switch that is reached from outside
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, TURN = 300000 };

#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#else
#error "no code for this machine"
#endif

static const char *kind;
static uint8_t *memory;
static volatile sig_atomic_t asked;

static void
take_quit(int sig)
{
	(void)sig;
	asked = 1;
}

static bool
is_kind(const char *name)
{
	return strcmp(kind, name) == 0;
}

/* What it is known by. */
static void
map_library(const char *name)
{
	char folder[] = "/tmp/runtime-XXXXXX", path[64];
	int fd;

	if (mkdtemp(folder) == NULL)
		exit(1);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0755);
	if (fd < 0 || ftruncate(fd, PAGE) != 0 ||
	    mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(1);
	close(fd);
	unlink(path);
	rmdir(folder);
}

static void *
burn(void *unused)
{
	void (*loop)(uint64_t n) = NULL;

	memcpy(&loop, &memory, sizeof(loop));
	for (;;)
		loop(TURN);
	return unused;
}

static void
make_code(void)
{
	pthread_t thread;

	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		exit(1);
	memcpy(memory, code, sizeof(code));
	pthread_create(&thread, NULL, burn, NULL);
}

static void
write_map(void)
{
	static int times;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (f == NULL)
		exit(1);
	fprintf(f, "0x%016llx 0x%zx asked_%d_times\n", (unsigned long long)(uintptr_t)memory,
		sizeof(code), ++times);
	fclose(f);
}

static int
listen_at(const char *path)
{
	struct sockaddr_un where = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(where.sun_path, sizeof(where.sun_path), "%s", path);
	unlink(path);
	if (bind(fd, (const struct sockaddr *)&where, sizeof(where)) != 0 || listen(fd, 4) != 0)
		exit(1);
	return fd;
}

/* What is at the place of the socket: -1: none that is listened at. */
static int
make_socket(const char *path)
{
	const pid_t own = getpid();
	char other[108];
	int fd;

	if (is_kind("fifo")) {
		mkfifo(path, 0600);
		return -1;
	}
	if (is_kind("link")) {
		snprintf(other, sizeof(other), "%s-real", path);
		fd = listen_at(other);
		if (symlink(other, path) != 0)
			exit(1);
		return fd;
	}
	if (!is_kind("stranger"))
		return listen_at(path);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		fd = listen_at(path);
		while (getppid() == own && accept(fd, NULL, NULL) >= 0)
			continue;
		_exit(0);
	}
	while (access(path, F_OK) != 0)
		usleep(1000);
	return -1;
}

static void
answer_attach(int fd)
{
	static const char wanted[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char text[256];
	size_t len = 0;
	ssize_t n = 1;

	while (len < sizeof(wanted) && n > 0) {
		n = read(fd, text + len, sizeof(text) - len);
		len += n > 0 ? (size_t)n : 0;
	}
	if (is_kind("strange"))
		dprintf(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
	else if (is_kind("old") || len != sizeof(wanted) || memcmp(text, wanted, len) != 0)
		dprintf(fd, "1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n");
	else {
		write_map();
		dprintf(fd, "0\n");
	}
}

/* As documented in dotnet/diagnostics: the IPC protocol. */
static void
answer_dotnet(int fd)
{
	static const uint8_t wanted[] = "DOTNET_IPC_V1\0\x18\0\x04\x05\0\0\x03\0\0\0";
	static const uint8_t good[] = "DOTNET_IPC_V1\0\x18\0\xff\0\0\0\0\0\0\0";
	static const uint8_t unknown[] = "DOTNET_IPC_V1\0\x18\0\xff\xff\0\0\x85\x13\x13\x80";
	uint8_t text[sizeof(wanted) - 1];
	bool is_good = read(fd, text, sizeof(text)) == sizeof(text) &&
		       memcmp(text, wanted, sizeof(text)) == 0 && is_kind("dotnet");

	if (is_good)
		write_map();
	if (write(fd, is_good ? good : unknown, sizeof(good) - 1) < 0)
		exit(1);
}

static void
serve(int listener)
{
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0 || errno == EINTR) {
		if (fd < 0 || is_kind("silent"))
			continue; /* it stays open */
		if (strncmp(kind, "dotnet", 6) == 0)
			answer_dotnet(fd);
		else
			answer_attach(fd);
		close(fd);
	}
}

/* A JVM listens only after somebody has asked it to. */
static void
wait_until_asked(void)
{
	char file[64];

	snprintf(file, sizeof(file), "/tmp/.attach_pid%d", (int)getpid());
	while (!asked || access(file, F_OK) != 0)
		usleep(2000);
}

int
main(int argc, char **argv)
{
	const char *tmpdir = getenv("TMPDIR");
	char path[100];
	bool is_dotnet;
	int fd;

	if (argc < 2)
		return 2;
	kind = argv[1];
	is_dotnet = strncmp(kind, "dotnet", 6) == 0;
	if (!is_kind("deaf"))
		signal(SIGQUIT, take_quit);
	alarm(argc > 2 ? (unsigned)atoi(argv[2]) : 600);
	map_library(is_dotnet ? "libcoreclr.so" : is_kind("node") ? "node" : "libjvm.so");
	make_code();
	snprintf(path, sizeof(path), is_dotnet ? "%s/dotnet-diagnostic-%d-4711-socket" : "%s/.java_pid%d",
		 is_dotnet && tmpdir != NULL ? tmpdir : "/tmp", (int)getpid());
	if (is_kind("link") || is_kind("fifo") || is_kind("stranger") || is_dotnet) {
		fd = make_socket(path);
		dprintf(1, "ready\n");
	} else {
		dprintf(1, "ready\n");
		wait_until_asked();
		fd = make_socket(path);
	}
	if (fd >= 0)
		serve(fd);
	for (;;)
		pause();
}
