/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A long time under load, with keys and sizes of the terminal by chance: ptop must answer all the
 * time, hold no more at the end than after a while, and end when it is told to.
 *
 * SOAK_SECONDS (half an hour if unset), SOAK_SEED (printed: the same keys again), SOAK_ANSWER_MS
 * and SOAK_MEMORY_MIB (what memory may grow by; 0: as much as it likes, for sanitizers).
 */
#include "load.h"
#include "meter.h"
#include "view.h"

#include "base/clock.h"
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	DEFAULT_S = 1800, ANSWER_MS = 20000, MEMORY_MIB = 8, END_MS = 30000,
	CHECK_S = 10,         /* between two looks whether it answers */
	SETTLING_PART = 4,    /* of the time is not compared */
	PART_LEAST = 5,       /* looks: what is open for a moment is in none of some */
	DESCRIPTORS_MORE = 8, /* what is being opened and closed just then */
	THREADS_MORE = 4,
	METERS_MAX = 4096, ESCAPES = 4, ESCAPE_MS = 150,
};

/* Neither what ends, stops or downloads nor what writes files or is of other programs. */
static const char *const chances[] = {
	"?", "h", "v", "\t", "\033[Z", "\r", "\r", "\r", "\033", "\033", "\033[A", "\033[B",
	"\033[C", "\033[D", "\033[5~", "\033[6~", "\033[H", "\033[F", "c", "t", "f", "+", "-", "/",
	"n", "N", "\\", "<", ">", "I", "j", "j", "j", "k", "[", "]", "e", "K", "U", "H", "O", "Z",
	"z", ",", ".", "~", "!", "i", "\014", "1", "2", "3", "0", "m", "comm ~ a\r", "storm\r",
	"cpu-clock\r", "page-faults\r", "d1\r", "d0.1\r", "\033[17~", "\033OS", "\177", "y", "%",
	"\033[<0;20;10M", "\033[<64;20;10M", "\033[<65;20;10M", "\xc3\xa4", "\001",
};

static const struct {
	const char *script, *program, *args[2];
} loads[] = {
	{ "bench/mixed.sh", NULL, { NULL, NULL } },
	{ NULL, "loads/storm", { "execs", "20" } },
	{ NULL, "loads/storm", { "names", "20" } },
	{ NULL, "loads/sprawl", { NULL, NULL } },
};

struct soak {
	struct view view;
	struct meter meters[METERS_MAX];
	size_t meter_count;
	unsigned long keys, resizes;
	double slowest_ms;
	int answer_ms, failures;
	uint64_t random;
};

static unsigned
chance(struct soak *s, unsigned below)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (unsigned)(s->random >> 32) % below;
}

static void
fail(struct soak *s, const char *what)
{
	printf("FAILED: %s; the screen:\n%s", what, pty_screen(s->view.pty));
	s->failures++;
}

static void
press_by_chance(struct soak *s)
{
	struct pty *p = s->view.pty;

	if (chance(s, 20) == 0) {
		pty_resize(p, 1 + (int)chance(s, 220), 1 + (int)chance(s, 70));
		s->resizes++;
	} else {
		pty_keys(p, chances[chance(s, ARRAY_SIZE(chances))]);
		s->keys++;
	}
	pty_run(p, (int)chance(s, 200));
}

/* Wherever it is, it finds back to a screen whose key is answered.  false: it does not. */
static bool
leave_all(struct soak *s)
{
	pty_resize(s->view.pty, VIEW_WIDTH, VIEW_HEIGHT);
	for (int i = 0; i < ESCAPES; i++) {
		pty_keys(s->view.pty, "\033");
		pty_run(s->view.pty, ESCAPE_MS);
	}
	if (pty_wait_exit(s->view.pty, 0) == -1)
		return true;
	fail(s, "it has ended");
	return false;
}

static bool
answers(struct soak *s)
{
	uint64_t begin;

	if (!leave_all(s))
		return false;
	begin = clock_mono_ns();
	pty_keys(s->view.pty, "?");
	if (!pty_wait_text(s->view.pty, "Help (Esc leaves)", s->answer_ms)) {
		fail(s, "no answer to a key");
		return false;
	}
	s->slowest_ms = MAX(s->slowest_ms, (double)(clock_mono_ns() - begin) / 1e6);
	pty_keys(s->view.pty, "\033");
	if (!pty_wait_gone(s->view.pty, "Help (Esc leaves)", s->answer_ms)) {
		fail(s, "a page that is not left");
		return false;
	}
	if (s->meter_count < METERS_MAX)
		meter_read(&s->meters[s->meter_count++], pty_pid(s->view.pty));
	return true;
}

static void
soak(struct soak *s, int secs)
{
	uint64_t now = clock_mono_ns(), end = now + (uint64_t)secs * NSEC_PER_SEC;
	uint64_t next = now + CHECK_S * NSEC_PER_SEC;

	for (; now < end; now = clock_mono_ns()) {
		press_by_chance(s);
		if (now < next)
			continue;
		if (!answers(s))
			return;
		next = clock_mono_ns() + CHECK_S * NSEC_PER_SEC;
	}
	answers(s);
}

/* Of the meters from one part of the time to another the least: what is held for long. */
static struct meter
least(const struct soak *s, size_t from, size_t to)
{
	struct meter m = s->meters[from];

	for (size_t i = from; i < to; i++) {
		m.anon_mib = MIN(m.anon_mib, s->meters[i].anon_mib);
		m.descriptors = MIN(m.descriptors, s->meters[i].descriptors);
		m.threads = MIN(m.threads, s->meters[i].threads);
	}
	return m;
}

static void
compare(struct soak *s, int memory_mib)
{
	size_t n = s->meter_count, part = n / SETTLING_PART;
	struct meter then, end;

	if (part < PART_LEAST) {
		printf("note: too short to tell whether anything grows\n");
		return;
	}
	then = least(s, part, 2 * part);
	end = least(s, n - part, n);
	printf("memory %.1f MiB, then %.1f (peak %.1f); descriptors %d, then %d; "
	       "threads %d, then %d\n",
	       then.anon_mib, end.anon_mib, s->meters[n - 1].peak_mib, then.descriptors,
	       end.descriptors, then.threads, end.threads);
	if (memory_mib > 0 && end.anon_mib > then.anon_mib + memory_mib)
		fail(s, "memory grows");
	if (end.descriptors > then.descriptors + DESCRIPTORS_MORE) {
		fail(s, "descriptors grow");
		meter_print_descriptors(pty_pid(s->view.pty));
	}
	if (end.threads > then.threads + THREADS_MORE)
		fail(s, "threads grow");
}

static void
end(struct soak *s)
{
	const char *unlike;
	int status;

	if (pty_wait_exit(s->view.pty, 0) == -1)
		pty_keys(s->view.pty, "q");
	status = pty_wait_exit(s->view.pty, END_MS);
	if (status != 0) {
		printf("status %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
		fail(s, status == -1 ? "q does not quit" : "its status is not 0");
	}
	unlike = pty_not_restored(s->view.pty);
	if (status == 0 && unlike != NULL)
		fail(s, unlike);
	pty_free(s->view.pty);
}

int
main(int argc, char **argv)
{
	static struct soak s;
	/* Bounds that are reached in the first minutes: from there on nothing grows. */
	const char *const args[] = { load_ptop(), "-F", "2000", "--memory", "6M", "--history", "2M",
				     NULL };
	int secs = meter_setting("SOAK_SECONDS", DEFAULT_S), seed;
	const char *memory = getenv("SOAK_MEMORY_MIB");
	pid_t pids[ARRAY_SIZE(loads)];
	char path[LOAD_PATH_MAX];

	view_init(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	seed = meter_setting("SOAK_SEED", (int)(time(NULL) & 0xffffff) + 1);
	s.random = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);
	s.answer_ms = meter_setting("SOAK_ANSWER_MS", ANSWER_MS);
	printf("soak: %d s, SOAK_SEED=%d\n", secs, seed);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		pids[i] = load_start_with(loads[i].script != NULL ?
					  load_source(path, loads[i].script) :
					  load_built(path, loads[i].program),
					  loads[i].args[0], loads[i].args[1]);
	view_open(&s.view, args, (const char *const[]){ NULL });
	soak(&s, secs);
	if (s.failures == 0)
		compare(&s, memory != NULL ? atoi(memory) : MEMORY_MIB);
	end(&s);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		load_end(pids[i]);
	printf("%lu keys, %lu sizes, slowest answer %.0f ms: %s\n", s.keys, s.resizes, s.slowest_ms,
	       s.failures == 0 ? "ok" : "FAILED");
	return s.failures != 0;
}
