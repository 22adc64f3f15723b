/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains of this process, from its own registers and a copy of its own stack, are what libgcc's
 * backtrace(3) says; and stacks that are cut, broken or random.
 */
#include "config.h"

#include "unwind_fixture.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/skip.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__x86_64__) && defined(HAVE_LIBDW)

#if defined(__SANITIZE_ADDRESS__)
#define UNCHECKED __attribute__((no_sanitize_address))
#else
#define UNCHECKED
#endif
#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noipa)) /* nor cloned for one argument */
#endif

enum {
	MAPS_MAX = 64,
	STACK_BYTES = 64 << 10,
	CHAIN_MAX = 256,
	DEPTH = 23,
	TRIALS = 20000,
	ALT_BYTES = 256 << 10,
	REGS = 24,
};

/* What is mapped with the right to run. */
static struct map {
	uint64_t start, end, offset;
	char path[512];
	struct unwind_rules *rules;
	bool asked;
} maps[MAPS_MAX];
static unsigned maps_len;
static uint64_t stack_top; /* of the main thread */
static struct unwind_cache *cache;

static struct capture {
	uint64_t regs[REGS];
	uint8_t stack[STACK_BYTES];
	size_t stack_len;
	void *want[CHAIN_MAX]; /* backtrace() at nearly the same place */
	int want_len;
	uint64_t ips[CHAIN_MAX];
	size_t len;
	struct unwind_result result;
} now;

/* Where the stack that is captured ends. */
static uint64_t top;

static void
add_map(const char *line)
{
	struct map *m = &maps[maps_len];
	unsigned long start, end, offset;
	char rights[8], path[512] = "";

	if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511[^\n]", &start, &end, rights, &offset,
		   path) < 4)
		return;
	if (strcmp(path, "[stack]") == 0)
		stack_top = end;
	if (rights[2] != 'x' || maps_len == MAPS_MAX)
		return;
	*m = (struct map){ .start = start, .end = end, .offset = offset };
	snprintf(m->path, sizeof(m->path), "%s", path);
	maps_len++;
}

static int
setup(void **state)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1024];

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL)
		add_map(line);
	fclose(f);
	cache = unwind_cache_new();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	unwind_cache_free(cache);
	for (unsigned i = 0; i < maps_len; i++)
		unwind_rules_free(maps[i].rules);
	return 0;
}

static const struct unwind_rules *
map_rules(struct map *m)
{
	struct err err = { 0 };

	if (!m->asked && m->path[0] == '/')
		m->rules = rules_of(m->path, &err);
	m->asked = true;
	return m->rules;
}

/* With those that fill up parts. */
static size_t
rows_of(const struct unwind_rules *r)
{
	return r != NULL ? (size_t)r->head.part_count * UNWIND_PART : 0;
}

static int
find_own(void *arg, uint64_t address, struct unwind_place *place)
{
	(void)arg;
	for (unsigned i = 0; i < maps_len; i++) {
		if (address < maps[i].start || address >= maps[i].end)
			continue;
		place->rules = map_rules(&maps[i]);
		place->bias = maps[i].start - maps[i].offset;
		return 0;
	}
	return -1;
}

/* All general registers, as perf numbers them: the first nine and r8 to r15. */
#define REGS_MASK UINT64_C(0xff01ff)

static struct unwind_ask
ask_of(const struct capture *c, size_t stack_len)
{
	return (struct unwind_ask){
		.arch = UNWIND_X86_64,
		.regs_mask = REGS_MASK,
		.regs = c->regs,
		.stack = c->stack,
		.stack_len = stack_len,
		.find = find_own,
		.cache = cache,
	};
}

/* The copy goes through what the sanitizer has put between variables. */
static UNCHECKED void
copy_stack(uint64_t from)
{
	const volatile uint64_t *word = (const volatile uint64_t *)(uintptr_t)from;
	uint64_t len = MIN(top - from, (uint64_t)STACK_BYTES);

	for (size_t i = 0; i < len / 8; i++) {
		uint64_t w = word[i];

		__builtin_memcpy(now.stack + i * 8, &w, 8);
	}
	now.stack_len = (size_t)(len & ~UINT64_C(7));
}

static void
take_regs(const ucontext_t *uc)
{
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				     REG_RBP, REG_RSP, REG_RIP, REG_R8,	 REG_R9,  REG_R10,
				     REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		now.regs[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
}

/* The sanitizer's own backtrace() is itself among the frames: the second is to be @caller. */
static void
trim_backtrace(const void *caller)
{
	int k = 1;

	while (k < now.want_len && now.want[k] != caller)
		k++;
	assert_in_range(k, 1, 3);
	memmove(&now.want[1], &now.want[k], (size_t)(now.want_len - k) * sizeof(now.want[0]));
	now.want_len -= k - 1;
}

static NOINLINE void
capture(void)
{
	ucontext_t uc;

	getcontext(&uc);
	take_regs(&uc);
	copy_stack((uint64_t)uc.uc_mcontext.gregs[REG_RSP]);
	now.want_len = backtrace(now.want, CHAIN_MAX);
	trim_backtrace(__builtin_return_address(0));
}

static void
unwind_it(void)
{
	struct unwind_ask ask = ask_of(&now, now.stack_len);

	now.len = unwind(&ask, now.ips, CHAIN_MAX, &now.result);
}

/* All but the leaf, which is another place of the same function; @interrupted by signals. */
static void
assert_as_backtrace(unsigned interrupted)
{
	unsigned past = 0;

	unwind_it();
	assert_int_equal(now.result.end, UNWIND_WHOLE);
	assert_int_equal(now.result.by_fp, 0);
	assert_int_equal(now.len, now.want_len);
	for (size_t i = 1; i < now.len; i++) {
		uint64_t want = (uint64_t)(uintptr_t)now.want[i];

		past += now.ips[i] == want + 1;
		if (now.ips[i] != want && now.ips[i] != want + 1)
			fail_msg("frame %zu is %#lx, not %#lx", i, (unsigned long)now.ips[i],
				 (unsigned long)want);
	}
	assert_int_equal(past, interrupted);
}

static NOINLINE int
level(int n, void (*last)(void))
{
	volatile int sum = n;

	if (n == 0)
		last();
	else
		sum += level(n - 1, last);
	return sum;
}

static void
calls_of_known_depth(void **state)
{
	size_t same = 0;

	(void)state;
	top = stack_top;
	level(DEPTH, capture);
	assert_as_backtrace(0);
	/* All levels but the outermost were called from one place. */
	for (size_t i = 1; i + 1 < now.len; i++)
		same += now.ips[i] == now.ips[i + 1];
	assert_int_equal(same, DEPTH - 1);
	assert_that(now.result.stack_used, >, 0);
	assert_that(now.result.stack_used, <=, now.stack_len);
}

/* As a system call is found that a thread waits in: only where it is, and its stack, are known. */
static void
unwind_without_fp(void)
{
	const uint64_t regs[] = { now.regs[7], now.regs[8] };
	struct unwind_ask ask = ask_of(&now, now.stack_len);

	ask.regs_mask = UINT64_C(1) << 7 | UINT64_C(1) << 8;
	ask.regs = regs;
	now.len = unwind(&ask, now.ips, CHAIN_MAX, &now.result);
}

/* Its frame is found by the frame pointer alone. */
static NOINLINE int
frame_of(size_t room, void (*last)(void))
{
	volatile char *bytes = __builtin_alloca(room);

	bytes[0] = 1;
	last();
	return bytes[0];
}

static NOINLINE void
varied_frames(void)
{
	for (size_t room = 16; room < 3000; room += 300)
		frame_of(room, capture);
}

static void
a_frame_pointer_that_is_not_known_is_found_on_the_stack(void **state)
{
	struct unwind_ask ask;

	(void)state;
	if (IS_SANITIZED)
		skip_for("a sanitizer's frames hold what looks like more of them");
	top = stack_top;
	/* What earlier calls have left between the frames looks like callers. */
	level(DEPTH, varied_frames);
	level(DEPTH, capture);
	varied_frames();
	unwind_without_fp();
	assert_int_equal(now.result.end, UNWIND_WHOLE);
	assert_int_equal(now.len, now.want_len);
	for (size_t i = 1; i < now.len; i++)
		assert_true(now.ips[i] == (uint64_t)(uintptr_t)now.want[i]);
	/* With it nothing is guessed. */
	ask = ask_of(&now, now.stack_len);
	assert_int_equal(unwind(&ask, now.ips, CHAIN_MAX, &now.result), now.want_len);
	assert_false(now.result.is_guessed);
}

/* A stack of nothing but places in code. */
static void
guesses_end(void **state)
{
	uint64_t here = now.regs[8];

	(void)state;
	for (unsigned trial = 0; trial < 50; trial++) {
		for (size_t i = 0; i + 8 <= sizeof(now.stack); i += 8) {
			uint64_t word = here + (uint64_t)rand() % 4096;

			memcpy(now.stack + i, &word, sizeof(word));
		}
		now.stack_len = sizeof(now.stack);
		unwind_without_fp();
		assert_that(now.len, <=, CHAIN_MAX);
	}
}

static NOINLINE int
compare(const void *a, const void *b)
{
	int one = *(const int *)a, other = *(const int *)b;

	level(2, capture);
	return one - other;
}

static void
callbacks_of_a_library_without_frame_pointers(void **state)
{
	int v[] = { 2, 1, 3 };

	(void)state;
	top = stack_top;
	qsort(v, ARRAY_SIZE(v), sizeof(v[0]), compare);
	assert_as_backtrace(0);
}

static void
on_signal(int number)
{
	(void)number;
	level(3, capture);
}

static void
raise_it(void)
{
	raise(SIGUSR1);
}

static void
with_handler(int flags)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags }, old;

	assert_int_equal(sigaction(SIGUSR1, &sa, &old), 0);
	level(4, raise_it);
	assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
}

static void
signal_handlers(void **state)
{
	(void)state;
	top = stack_top;
	with_handler(0);
	assert_as_backtrace(1);
}

static void
signal_handlers_on_another_stack_lead_to_what_was_interrupted(void **state)
{
	stack_t alt = { .ss_sp = mmap(NULL, ALT_BYTES, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
			.ss_size = ALT_BYTES }, old;
	size_t i;

	(void)state;
	assert_true(alt.ss_sp != MAP_FAILED);
	assert_int_equal(sigaltstack(&alt, &old), 0);
	top = (uint64_t)(uintptr_t)alt.ss_sp + ALT_BYTES;
	with_handler(SA_ONSTACK);
	assert_int_equal(sigaltstack(&old, NULL), 0);
	munmap(alt.ss_sp, ALT_BYTES);

	/* The copy has none of the other stack: its first frame is told by the signal's. */
	unwind_it();
	assert_int_equal(now.result.end, UNWIND_ELSEWHERE);
	assert_in_range(now.len, 4, now.want_len - 1);
	for (i = 1; i + 1 < now.len; i++)
		assert_int_equal(now.ips[i], (uint64_t)(uintptr_t)now.want[i]);
	assert_int_equal(now.ips[i], (uint64_t)(uintptr_t)now.want[i] + 1);
}

static void *
thread_main(void *arg)
{
	(void)arg;
	with_handler(SA_ONSTACK);
	return NULL;
}

/* Both stacks lie in one piece of memory, the signal's below. */
static void *
thread_with_both_stacks(void *arg)
{
	stack_t alt = { .ss_sp = arg, .ss_size = ALT_BYTES };

	assert_int_equal(sigaltstack(&alt, NULL), 0);
	thread_main(NULL);
	alt.ss_flags = SS_DISABLE;
	sigaltstack(&alt, NULL);
	return NULL;
}

static void
signal_handlers_below_the_stack_of_a_thread(void **state)
{
	char *both = mmap(NULL, 2 * ALT_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	(void)state;
	assert_true((void *)both != MAP_FAILED);
	/* The signal's frames are as near to the thread's as the copy is long. */
	top = (uint64_t)(uintptr_t)both + 2 * ALT_BYTES;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, both + ALT_BYTES, ALT_BYTES);
	assert_int_equal(pthread_create(&thread, &attr, thread_with_both_stacks,
					both), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	munmap(both, 2 * ALT_BYTES);

	/* Whole if the copy went so far. */
	unwind_it();
	assert_true(now.result.end == UNWIND_WHOLE || now.result.end == UNWIND_STACK_CUT);
	assert_that(now.len, >=, 4);
	for (size_t i = 1; i < now.len; i++)
		assert_in_range(now.ips[i], (uint64_t)(uintptr_t)now.want[i],
				(uint64_t)(uintptr_t)now.want[i] + 1);
}

/* A cut copy gives the first frames of the whole chain, and says so. */
static void
cut_stacks_give_no_frame_that_is_not_there(void **state)
{
	static struct capture whole;
	unsigned cut = 0;

	(void)state;
	top = stack_top;
	level(DEPTH, capture);
	unwind_it();
	whole = now;
	for (size_t len = 0; len < whole.result.stack_used; len += 8) {
		struct unwind_ask ask = ask_of(&whole, len);

		now.len = unwind(&ask, now.ips, CHAIN_MAX, &now.result);
		assert_int_equal(now.result.end, UNWIND_STACK_CUT);
		assert_true(now.len < whole.len || len + 8 >= whole.result.stack_used);
		assert_memory_equal(now.ips, whole.ips, now.len * sizeof(now.ips[0]));
		assert_that(now.result.stack_used, <=, len);
		cut++;
	}
	assert_that(cut, >, 20);
}

static uint64_t
next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 17 ^ *seed << 40;
}

static uint64_t
random_code(uint64_t *seed)
{
	const struct map *m = &maps[next_random(seed) % maps_len];

	return m->start + next_random(seed) % (m->end - m->start);
}

/* What might be taken for addresses of code or stack, or nothing of the kind. */
static uint64_t
random_word(uint64_t *seed, uint64_t sp)
{
	switch (next_random(seed) % 4) {
	case 0:
		return random_code(seed);
	case 1:
		return sp + next_random(seed) % 4096 / 8 * 8;
	case 2:
		return next_random(seed) % 64;
	default:
		return next_random(seed);
	}
}

static void
random_stacks_end(void **state)
{
	static struct capture c;
	uint64_t seed = 20;
	size_t frames = 0;

	(void)state;
	for (unsigned i = 0; i < TRIALS; i++) {
		struct unwind_ask ask = ask_of(&c, 4096);
		const uint64_t sp = UINT64_C(0x7ff000001000);

		for (size_t k = 0; k < REGS; k++)
			c.regs[k] = random_word(&seed, sp);
		c.regs[7] = sp;
		c.regs[8] = random_code(&seed);
		for (size_t k = 0; k < 512; k++) {
			uint64_t word = random_word(&seed, sp);

			memcpy(c.stack + k * 8, &word, 8);
		}
		c.len = unwind(&ask, c.ips, CHAIN_MAX, &c.result);
		assert_in_range(c.len, 1, CHAIN_MAX);
		for (size_t k = 1; k < c.len; k++) {
			struct unwind_place place;

			assert_int_equal(find_own(NULL, c.ips[k] - 1, &place), 0);
		}
		frames += c.len;
	}
	assert_that(frames, >, TRIALS);
}

/* Code without rules. */
static int
find_bare(void *arg, uint64_t address, struct unwind_place *place)
{
	(void)arg;
	place->rules = NULL;
	return address >= 0x1000 && address < 0x100000 ? 0 : -1;
}

/* The stack pointer is 0x7000, the copy is of @words from there. */
static void
unwind_words(const uint64_t *words, size_t n, uint64_t fp, size_t max)
{
	struct unwind_ask ask = {
		.arch = UNWIND_X86_64,
		.regs_mask = 1 << 6 | 1 << 7 | 1 << 8, /* bp, sp, ip */
		.regs = (const uint64_t[]){ fp, 0x7000, 0x2000 },
		.stack = (const uint8_t *)words,
		.stack_len = n * sizeof(*words),
		.find = find_bare,
	};

	now.len = unwind(&ask, now.ips, max, &now.result);
}

static void
code_without_rules_is_followed_by_frame_pointers_and_marked(void **state)
{
	const uint64_t chain[] = { 1, 2, 0x7030, 0x3000, 5, 6, 0, 0x4000 };
	const uint64_t circle[] = { 0x7010, 0x3000, 0x7000, 0x4000 };
	const uint64_t no_code[] = { 0x7010, 0x500000, 0, 0 };

	(void)state;
	unwind_words(chain, ARRAY_SIZE(chain), 0x7010, CHAIN_MAX);
	assert_int_equal(now.len, 3);
	assert_int_equal(now.ips[1], 0x3000);
	assert_int_equal(now.ips[2], 0x4000);
	assert_int_equal(now.result.by_fp, 2);
	assert_int_equal(now.result.end, UNWIND_NO_RULES);

	unwind_words(chain, ARRAY_SIZE(chain) - 1, 0x7010, CHAIN_MAX);
	assert_int_equal(now.len, 2);
	assert_int_equal(now.result.end, UNWIND_STACK_CUT);

	/* A circle, no frame pointer, and what is no return address. */
	unwind_words(circle, ARRAY_SIZE(circle), 0x7000, CHAIN_MAX);
	assert_int_equal(now.len, 3);
	assert_int_equal(now.result.end, UNWIND_NO_RULES);
	unwind_words(chain, ARRAY_SIZE(chain), 0x10, CHAIN_MAX);
	assert_int_equal(now.len, 1);
	assert_int_equal(now.result.end, UNWIND_NO_RULES);
	unwind_words(no_code, ARRAY_SIZE(no_code), 0x7000, CHAIN_MAX);
	assert_int_equal(now.len, 1);
	assert_int_equal(now.result.end, UNWIND_NO_RULES);
}

static void
deep_chains_are_cut_and_say_so(void **state)
{
	static uint64_t words[4096], ips[UNWIND_FRAMES_MAX + 8];
	struct unwind_ask ask = {
		.arch = UNWIND_X86_64,
		.regs_mask = 1 << 6 | 1 << 7 | 1 << 8,
		.regs = (const uint64_t[]){ 0x7000, 0x7000, 0x2000 },
		.stack = (const uint8_t *)words,
		.stack_len = sizeof(words),
		.find = find_bare,
	};
	struct unwind_result result;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i += 2) {
		words[i] = 0x7000 + (i + 2) * 8;
		words[i + 1] = 0x3000;
	}
	assert_int_equal(unwind(&ask, ips, ARRAY_SIZE(ips), &result), UNWIND_FRAMES_MAX);
	assert_int_equal(result.end, UNWIND_TOO_DEEP);
	assert_int_equal(unwind(&ask, ips, 7, &result), 7);
	assert_int_equal(result.end, UNWIND_TOO_DEEP);
	assert_int_equal(unwind(&ask, ips, 0, &result), 0);
	/* Without a stack pointer there is nothing to begin with. */
	ask.regs_mask = 1 << 6 | 1 << 8;
	assert_int_equal(unwind(&ask, ips, 7, &result), 0);
}

/* A signal's frame that says that it was itself interrupted. */
static void
circles_of_signals_end(void **state)
{
	static struct capture c;
	struct unwind_ask ask = ask_of(&c, 1024);
	uint64_t sp = UINT64_C(0x7ff000001000), ip = 0;

	(void)state;
	for (unsigned i = 0; i < maps_len && ip == 0; i++) {
		const struct unwind_rules *r = map_rules(&maps[i]);
		uint64_t bias = maps[i].start - maps[i].offset;

		for (size_t k = 0; k < rows_of(r) && ip == 0; k++)
			if (r->rules[unwind_rules_number(r, k)].flags & UNWIND_SIGNAL)
				ip = bias + r->head.base + unwind_rules_start(r, k) + 1;
	}
	if (ip == 0)
		skip_for("the C library's rules have no signal frame");
	c.regs[7] = sp;
	c.regs[8] = ip;
	memcpy(c.stack + 160, &sp, 8);
	memcpy(c.stack + 168, &ip, 8);
	c.len = unwind(&ask, c.ips, CHAIN_MAX, &c.result);
	assert_int_equal(c.len, 1);
	assert_int_equal(c.result.end, UNWIND_BROKEN);
}

static int
find_later(void *arg, uint64_t address, struct unwind_place *place)
{
	unsigned *left = arg;

	return (*left)-- == 0 ? 1 : find_own(NULL, address, place);
}

static void
rules_that_are_not_there_yet_are_waited_for(void **state)
{
	struct unwind_ask ask;
	unsigned left = 3;

	(void)state;
	top = stack_top;
	level(DEPTH, capture);
	ask = ask_of(&now, now.stack_len);
	ask.find = find_later;
	ask.arg = &left;
	assert_int_equal(unwind(&ask, now.ips, CHAIN_MAX, &now.result), 3);
	assert_int_equal(now.result.end, UNWIND_WAITS);
	left = 0;
	assert_int_equal(unwind(&ask, now.ips, CHAIN_MAX, &now.result), 1);
	assert_int_equal(now.result.end, UNWIND_WAITS);
}

/* Linkage stubs have one rule whose expression looks at the address. */
static void
expressions_are_evaluated(void **state)
{
	static struct capture c;
	const uint64_t sp = UINT64_C(0x7ff000001000);
	unsigned tried = 0;

	(void)state;
	for (unsigned i = 0; i < maps_len; i++) {
		const struct unwind_rules *r = map_rules(&maps[i]);

		for (size_t k = 0; k + 1 < rows_of(r); k++) {
			const struct unwind_rule *rule = &r->rules[unwind_rules_number(r, k)];
			uint64_t at = maps[i].start - maps[i].offset + r->head.base +
				      unwind_rules_start(r, k);

			if (rule->cfa_reg != UNWIND_CFA_EXPR || rule->flags != 0 || at % 16 != 0)
				continue;
			for (unsigned byte = 0; byte < 16; byte++) {
				struct unwind_ask ask = ask_of(&c, 64);
				uint64_t ra = maps[0].start + 1, slot = 9;
				bool pushed = byte >= 11;

				c.regs[7] = sp;
				c.regs[8] = at + byte;
				memcpy(c.stack, pushed ? &slot : &ra, 8);
				memcpy(c.stack + 8, &ra, 8);
				c.len = unwind(&ask, c.ips, 2, &c.result);
				assert_int_equal(c.len, 2);
				assert_int_equal(c.ips[1], ra);
				assert_that(c.result.stack_used, >=, (pushed ? 16 : 8));
				tried++;
			}
			break;
		}
	}
	if (tried == 0)
		skip_for("no file here has lazy linkage stubs");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_known_depth),
		cmocka_unit_test(a_frame_pointer_that_is_not_known_is_found_on_the_stack),
		cmocka_unit_test(guesses_end),
		cmocka_unit_test(callbacks_of_a_library_without_frame_pointers),
		cmocka_unit_test(signal_handlers),
		cmocka_unit_test(signal_handlers_on_another_stack_lead_to_what_was_interrupted),
		cmocka_unit_test(signal_handlers_below_the_stack_of_a_thread),
		cmocka_unit_test(cut_stacks_give_no_frame_that_is_not_there),
		cmocka_unit_test(random_stacks_end),
		cmocka_unit_test(code_without_rules_is_followed_by_frame_pointers_and_marked),
		cmocka_unit_test(deep_chains_are_cut_and_say_so),
		cmocka_unit_test(circles_of_signals_end),
		cmocka_unit_test(rules_that_are_not_there_yet_are_waited_for),
		cmocka_unit_test(expressions_are_evaluated),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

#else

static void
chains_of_this_process(void **state)
{
	(void)state;
	skip_for("it knows the registers of x86-64 alone, and needs libdw");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(chains_of_this_process) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
