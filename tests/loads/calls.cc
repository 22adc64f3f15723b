/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls functions in all ways in which calls begin and end, as often as it is told, and says in the
 * end how often, and how long by its own clock:
 *
 *   calls MODE N MIN_US MAX_US
 *
 * MODE: plain, recursion (N chains of 5), tail, throw, jump (longjmp), threads (4, N each),
 * forever (until it is ended).  It writes "function calls p50 p99 p50 p99", in ns: the times within the
 * function, and those from before the call until after it, with what a probe takes.
 */
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#define KEEP extern "C" __attribute__((noinline, noclone, used, externally_visible))

namespace {

std::vector<long> within, around;
std::mutex guard;
jmp_buf back;
volatile unsigned sink;

long
now_ns()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

void
note(std::vector<long> &times, long ns)
{
	const std::lock_guard<std::mutex> lock(guard);

	times.push_back(ns);
}

void
spin(long ns)
{
	long begin = now_ns();

	while (now_ns() - begin < ns)
		sink = sink + 1;
}

} // namespace

/* The clock is read first and last: what the probes take is outside. */
KEEP void
work_for(long ns)
{
	long begin = now_ns();

	spin(ns);
	note(within, now_ns() - begin);
}

KEEP int
work_deep(int depth, long ns)
{
	int sum = 0;

	spin(ns);
	if (depth > 1)
		sum = work_deep(depth - 1, ns);
	sink = sink + 1;
	return sum + depth;
}

/* Its end is a jump to work_for(), after which it is not. */
KEEP void
work_tail(long ns)
{
	spin(ns / 2);
	work_for(ns / 2);
}

KEEP void
work_throws(int i, long ns)
{
	spin(ns);
	if (i % 2 != 0)
		throw std::runtime_error("odd");
	sink = sink + 1;
}

KEEP void
work_jumps(int i, long ns)
{
	spin(ns);
	if (i % 2 != 0)
		longjmp(back, 1);
	sink = sink + 1;
}

namespace {

long
length(int i, int n, long least, long most)
{
	return (least + (most - least) * i / (n > 1 ? n - 1 : 1)) * 1000;
}

void
work_watched(long ns)
{
	long begin = now_ns();

	work_for(ns);
	note(around, now_ns() - begin);
}

/* Of sorted times. */
long
percentile(const std::vector<long> &times, size_t percent)
{
	return times.empty() ? 0 : times[(times.size() * percent + 99) / 100 - 1];
}

void
say(const char *name, long calls)
{
	std::sort(within.begin(), within.end());
	std::sort(around.begin(), around.end());
	printf("%s %ld %ld %ld %ld %ld\n", name, calls, percentile(within, 50), percentile(within, 99),
	       percentile(around, 50), percentile(around, 99));
}

void
run_jumps(int n, long least, long most)
{
	for (volatile int i = 0; i < n; i = i + 1)
		if (setjmp(back) == 0)
			work_jumps(i, length(i, n, least, most));
}

void
run_threads(int n, long least, long most)
{
	std::vector<std::thread> threads;

	for (int t = 0; t < 4; t++)
		threads.emplace_back([=] {
			for (int i = 0; i < n; i++)
				work_watched(length(i, n, least, most));
		});
	for (auto &t : threads)
		t.join();
}

} // namespace

int
main(int argc, char **argv)
{
	const char *mode = argc > 4 ? argv[1] : "";
	int n = argc > 4 ? atoi(argv[2]) : 0;
	long least = argc > 4 ? atol(argv[3]) : 0, most = argc > 4 ? atol(argv[4]) : 0;

	if (strcmp(mode, "threads") == 0) {
		run_threads(n, least, most);
		say("work_for", 4L * n);
		return 0;
	}
	if (strcmp(mode, "jump") == 0) {
		run_jumps(n, least, most);
		say("work_jumps", n);
		return 0;
	}
	for (int i = 0; i < n || strcmp(mode, "forever") == 0; i++) {
		long ns = length(i % (n > 0 ? n : 1), n, least, most);

		if (strcmp(mode, "recursion") == 0)
			work_deep(5, ns);
		else if (strcmp(mode, "tail") == 0)
			work_tail(ns);
		else if (strcmp(mode, "throw") == 0)
			try {
				work_throws(i, ns);
			} catch (const std::exception &) {
				sink = sink + 1;
			}
		else
			work_watched(ns);
		if (strcmp(mode, "forever") == 0) {
			within.clear();
			around.clear();
		}
	}
	if (strcmp(mode, "recursion") == 0)
		say("work_deep", 5L * n);
	else if (strcmp(mode, "throw") == 0)
		say("work_throws", n);
	else if (strcmp(mode, "tail") == 0)
		say("work_tail", n);
	else
		say("work_for", n);
	return 0;
}
