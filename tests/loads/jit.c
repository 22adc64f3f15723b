/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runtime that makes code as it runs, and says so in a perf map or a jitdump.  In the first half
 * of its CPU time alpha burns three parts and beta one.  Then beta moves, and gamma comes to where
 * alpha was and burns as much.
 *
 * usage: jit map|dump|swapped|none SECONDS
 */
#include <byteswap.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 4, TURN = 300000 };

/* void loop(uint64_t n): counts it down to 0. */
#if defined(__x86_64__)
static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
static const uint32_t code[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
enum { MACHINE = EM_AARCH64 };
#else
#error "no code for this machine"
#endif

enum { LOAD, MOVE };

static uint8_t *memory;
static int out = -1;
static bool is_dump, is_swapped;

static uint64_t
time_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t
now_ns(void)
{
	return time_ns(CLOCK_MONOTONIC);
}

static uint64_t
place(int page)
{
	return (uint64_t)(uintptr_t)(memory + page * PAGE);
}

static void
put_bytes(const void *data, size_t len)
{
	if (write(out, data, len) != (ssize_t)len)
		exit(1);
}

static void
put_u32(uint32_t v)
{
	v = is_swapped ? bswap_32(v) : v;
	put_bytes(&v, 4);
}

static void
put_u64(uint64_t v)
{
	v = is_swapped ? bswap_64(v) : v;
	put_bytes(&v, 8);
}

static void
open_map(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void
open_dump(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	out = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	/* This is how a profiler comes to know of the file. */
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, out, 0);
	put_u32(0x4a695444);
	put_u32(1);
	put_u32(40);
	put_u32(MACHINE);
	put_u32(0);
	put_u32((uint32_t)getpid());
	put_u64(now_ns());
	put_u64(0);
}

static void
put_record(uint32_t id, size_t len)
{
	put_u32(id);
	put_u32((uint32_t)(16 + len));
	put_u64(now_ns());
	put_u32((uint32_t)getpid());
	put_u32((uint32_t)getpid());
}

static void
tell_load(int page, const char *name)
{
	if (out >= 0 && !is_dump) {
		dprintf(out, "%llx %zx %s\n", (unsigned long long)place(page), sizeof(code), name);
	} else if (out >= 0) {
		put_record(LOAD, 40 + strlen(name) + 1 + sizeof(code));
		put_u64(place(page));
		put_u64(place(page));
		put_u64(sizeof(code));
		put_u64((uint64_t)page);
		put_bytes(name, strlen(name) + 1);
		put_bytes(code, sizeof(code));
	}
}

static void
tell_move(int from, int to, const char *name)
{
	if (!is_dump) {
		tell_load(to, name);
		return;
	}
	put_record(MOVE, 48);
	put_u64(place(to));
	put_u64(place(from));
	put_u64(place(to));
	put_u64(sizeof(code));
	put_u64((uint64_t)from);
}

static void
make_code(int page)
{
	memcpy(memory + page * PAGE, code, sizeof(code));
	__builtin___clear_cache((char *)memory + page * PAGE,
				(char *)memory + page * PAGE + sizeof(code));
}

static void
call(int page, uint64_t n)
{
	void (*loop)(uint64_t);

	memcpy(&loop, &(void *){ memory + page * PAGE }, sizeof(loop));
	loop(n);
}

/* Seconds of its own, not of the clock: both halves are as long on a busy machine, too. */
static void
run(int three, int one, double seconds)
{
	uint64_t end = time_ns(CLOCK_PROCESS_CPUTIME_ID) + (uint64_t)(seconds * 1e9);

	while (time_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
		call(three, 3 * TURN);
		call(one, TURN);
	}
}

int
main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 4;
	const char *mode = argc > 1 ? argv[1] : "map";

	is_swapped = strcmp(mode, "swapped") == 0;
	is_dump = is_swapped || strcmp(mode, "dump") == 0;
	umask(022);
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	if (is_dump)
		open_dump();
	else if (strcmp(mode, "map") == 0)
		open_map();
	make_code(0);
	make_code(1);
	tell_load(0, "alpha");
	tell_load(1, "int beta<a b>(c, d)");
	run(0, 1, seconds / 2);
	make_code(2);
	tell_move(1, 2, "int beta<a b>(c, d)");
	make_code(0);
	tell_load(0, "gamma");
	run(0, 2, seconds / 2);
	return 0;
}
