/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small server that has one of each trouble that an engineer on call asks for: a hot function called
 * along one way, a thread that waits for a lock that another holds, page faults, and code that has no
 * name.  It leaves most of a CPU to others.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/loads/keep.h"

/* A countdown of its argument, made as JIT compilers make code. */
#if defined(__x86_64__)
static const unsigned char count_down[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 }; /* dec %rdi; jne; ret */
#elif defined(__aarch64__)
static const unsigned char count_down[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54,
					    0xc0, 0x03, 0x5f, 0xd6 }; /* subs x0, x0, #1; b.ne; ret */
#else
static const unsigned char count_down[] = { 0 };
#endif

enum { BUFFER = 1 << 15, PAGE = 4096, REST_US = 4000, SCRIPT_ROUNDS = 400000 };

pthread_mutex_t g_cache_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long sink;

void parse_header(void);
void encode_reply(void);
void handle_request(void);
void look_up(void);
void flush_cache(void);

KEEP void
parse_header(void)
{
	for (unsigned i = 0; i < 4000000; i++)
		sink += i;
}

/* Fresh pages each time. */
KEEP void
encode_reply(void)
{
	char *p = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	for (size_t i = 0; i < BUFFER; i += PAGE)
		p[i] = 1;
	munmap(p, BUFFER);
}

KEEP void
handle_request(void)
{
	parse_header();
	encode_reply();
	sink++;
}

KEEP void
look_up(void)
{
	pthread_mutex_lock(&g_cache_lock);
	pthread_mutex_unlock(&g_cache_lock);
}

KEEP void
flush_cache(void)
{
	pthread_mutex_lock(&g_cache_lock);
	usleep(300000);
	pthread_mutex_unlock(&g_cache_lock);
}

static void *
serve(void *arg)
{
	pthread_setname_np(pthread_self(), "worker-0");
	for (;;) {
		handle_request();
		usleep(REST_US);
	}
	return arg;
}

static void *
read_cache(void *arg)
{
	pthread_setname_np(pthread_self(), "reader");
	for (;;)
		look_up();
	return arg;
}

static void *
write_cache(void *arg)
{
	pthread_setname_np(pthread_self(), "flusher");
	for (;;) {
		flush_cache();
		usleep(1000);
	}
	return arg;
}

static void *
run_script(void *arg)
{
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(unsigned long rounds);

	pthread_setname_np(pthread_self(), "script");
	if (code == MAP_FAILED || sizeof(count_down) == 1)
		return arg;
	memcpy(code, count_down, sizeof(count_down));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(count_down));
	memcpy(&run, &code, sizeof(run));
	for (;;) {
		run(SCRIPT_ROUNDS);
		usleep(REST_US);
	}
	return arg;
}

int
main(void)
{
	static void *(*const threads[])(void *) = { serve, read_cache, write_cache, run_script };
	pthread_t thread;

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++)
		pthread_create(&thread, NULL, threads[i], NULL);
	for (;;)
		pause();
}
