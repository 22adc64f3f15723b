/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen_words.h"

#include <string.h>

static const char deep[] = "of how many processes larger parts of each stack are copied, 32 or 64 KiB, as chains ended "
			   "with the copies: ! says which, and why not others";

const struct screen_word_def screen_words[SCREEN_WORDS] = {
	[WORD_LIVE] = { "LIVE", "what is shown goes on: the window ends now" },
	[WORD_PAST] = { "PAST", "the window ends in the past, at the time beside it" },
	[WORD_FROZEN] = { "FROZEN", "the screen stands still, as of the time beside it; sampling goes on" },
	[WORD_FILE] = { "FILE", "a recording is looked at, this one" },
	[WORD_READING] = { "READING", "so much of the recording has been read" },
	[WORD_REC] = { "REC", "what comes is recorded; so much is in the file" },
	[WORD_PAUSED] = { "PAUSED", "the event is not sampled until it goes on (key P)" },
	[WORD_OPENING] = { "opening", "the event is being opened; what is shown is of before" },
	[WORD_FILTERED] = { "filtered", "the kernel leaves out samples by the filter beside it (key E)" },
	[WORD_UP] = { "up", "since when the machine runs" },
	[WORD_ON_CPU] = { "on cpu", "threads that run, or could" },
	[WORD_MEM] = { "mem", "memory in use and all; behind stall%: percent of the last 10 s in which "
			      "tasks waited for memory" },
	[WORD_SWAP] = { "swap", "swap in use" },
	[WORD_STALL] = { "stall%", "percent of the last 10 s in which tasks lacked CPU, memory, I/O" },
	[WORD_STALL_CPU] = { "cpu", "behind stall%: percent of the last 10 s in which tasks waited for a CPU" },
	[WORD_STALL_IO] = { "io", "behind stall%: percent of the last 10 s in which tasks waited for I/O" },
	[WORD_WINDOW] = { "window", "rows sum up so long, or less: (2 so far)" },
	[WORD_SO_FAR] = { "so far", "seconds that are in the window: it is not full yet" },
	[WORD_HELD] = { "held", "seconds that are in the window: more than were asked for" },
	[WORD_NEAREST] = { "nearest", "windows hold whole intervals: what is shown is what is kept nearest to the "
				       "stretch that was asked for; each second is kept for two minutes, each ten "
				       "for half an hour, then each minute" },
	[WORD_AS_OF] = { "as of", "nothing newer is known: the event is not sampled, or who is meant has ended" },
	[WORD_THEN] = { "THEN", "what the window is compared with" },
	[WORD_NEEDS] = { "needs", "a difference may be chance as long as the window and THEN are not longer by so much: "
				  "} makes them longer; recordings are compared as a whole" },
	[WORD_FILTER] = { "filter", "rows of what this leaves out are not shown" },
	[WORD_NOT_FILTERED] = { "not filtered", "a filter is set, and is not in force in this view" },
	[WORD_NO_KERNEL] = { "no kernel", "samples in the kernel are hidden" },
	[WORD_NO_USER] = { "no user", "samples in programs are hidden" },
	[WORD_NO_PTOP] = { "no ptop", "samples of ptop itself are hidden" },
	[WORD_THREADS_OFF] = { "threads off", "threads of a process are not told apart" },
	[WORD_WITH_IDLE] = { "with idle", "time in which there was nothing to do is shown, too" },
	[WORD_OF_ALL_THREADS] = { "of all its threads", "calls are counted in the process, not in one thread" },
	[WORD_NAMELESS] = { "without a name", "only code that has no name is shown" },
	[WORD_SAMPLES] = { "samples/s", "samples in the last second" },
	[WORD_RATE] = { "Hz", "samples that each CPU is asked for in a second, and of how many CPUs" },
	[WORD_EACH_ONE] = { "each one", "each time that the event happens is a sample" },
	[WORD_OF_ALL] = { "of all", "percent are of all that the event counted, threads without work, too; in brackets: what part of that is shown" },
	[WORD_AUTO] = { "-g auto", "how call chains are taken: of copies of stacks, and frame pointers beyond their "
				   "end; G changes it" },
	[WORD_DEEP] = { "deep", deep },
	[WORD_DEEP_STACKS] = { "deep stacks", deep },
	[WORD_FUNC] = { "%FUNC", "of the code of a function: part of what the event counted in it" },
	[WORD_WHOLE_FILE] = { "%FILE", "of a whole source file: part of what the event counted in it" },
	[WORD_ALL] = { "%ALL", "of code: part of all that the event counted" },
	[WORD_OFFSET] = { "OFFSET", "of code: bytes from where the function begins" },
	[WORD_CLASS] = { "CLASS", "of events: what kind of counter it is" },
	[WORD_JUMPS] = { "TO", "of code: how many jumps lead to the instruction" },
	[WORD_TOTAL_PERCENT] = { "%TOTAL", "in views of stacks: the part of the function and all that it calls" },
	[WORD_SELF_PERCENT] = { "%SELF", "in views of stacks: the part of the function alone" },
	[WORD_ESTIMATE] = { "~", "before a number or a title: an estimate" },
	[WORD_NO_BOUND] = { "±?", "of a share: how far it may be off is not known" },
	[WORD_LESS_THAN] = { "<", "of a share: it may be none, and is less than this" },
	[WORD_INLINED] = { "⤷", "of code: what is inlined there, and the line that calls it" },
	[WORD_UNKNOWN] = { "[unknown]", "an address of which no map is known: i says why; of callers mostly no code at all: "
					"the call chain went astray there (G changes how it is taken)" },
	[WORD_CUT] = { "[cut]", "stands for callers that a call chain lacks: ! says how many chains, "
				"and why" },
	[WORD_UPROBES] = { "[uprobes]", "the kernel runs an instruction that a probe replaced: the function is counted or "
					"probed; a call chain ends there" },
	[WORD_NO_NAME] = { "[no name]", "code made at run time, which its runtime named by an empty text" },
	[WORD_OTHER] = { "[other]", "all that has no row, frame or series of its own, as it is light" },
	[WORD_OTHER_KERNEL] = { "[other kernel]", "the same of the kernel's functions, merged in older history (--memory)" },
	[WORD_RARELY_SEEN] = { "[rarely seen]", "functions of a file in which tasks spent little that were merged by name" },
	[WORD_TOO_MANY_NAMES] = { "[too many names]", "names came when those of a user filled their part of the room "
						      "(--memory): they are not told apart" },
	[WORD_TOO_MANY_FILES] = { "[too many files]", "the same of files that were mapped, and of JIT code of processes" },
	[WORD_OTHER_ENDED] = { "[other ended tasks]", "tasks that have ended, merged as there are many" },
	[WORD_OTHER_NAMESPACE] = { "[other namespace]", "processes outside of ptop's pid namespace, whose samples come "
							"without an id" },
	[WORD_BEFORE_LOOK] = { "[before it was looked at]", "samples from before the field was chosen" },
	[WORD_INTERRUPT] = { "[interrupt]", "an interrupt ended the wait, no thread" },
	[WORD_LEFT_OUT] = { "[filtered]", "of reports: what filters leave out, so that rows add up to all" },
	[WORD_ELSEWHERE] = { "[elsewhere]", "of a function's code in a report: samples at none of its instructions" },
	[WORD_FOLDED] = { "[folded]", "of files for other programs: frames or stacks that were left out as there are too many" },
	[WORD_NO_WAITS] = { "[no waits]", "of a report of locks: threads that did not wait for one" },
	[WORD_NAMED] = { "[named]", "of a report of code without names: all code that has one" },
	[WORD_KERNEL] = { "[kernel]", "in the place of a file: the kernel; its modules have their own names in brackets" },
	[WORD_KALLSYMS] = { "[kernel.kallsyms]", "of files for pprof: what else is [kernel]; perf calls it so" },
	[WORD_BPF] = { "[bpf]", "in the place of a file: BPF programs, which the kernel compiled" },
	[WORD_VDSO] = { "[vdso]", "code that the kernel maps into each process, for system calls that need not enter it: "
				  "clock_gettime and such" },
	[WORD_VSYSCALL] = { "[vsyscall]", "the same of old programs, at a fixed address" },
	[WORD_ANON] = { "[anon]", "code in memory of no file: made at run time, or a heap or stack that code runs on" },
	[WORD_JIT] = { "[JIT]", "code that a process makes at run time (JIT tid PROCESS): its runtime names the functions, or i "
				"says why not" },
	[WORD_HYPERVISOR] = { "[hypervisor]", "code of the hypervisor, whose symbols are not here" },
	[WORD_GUEST_KERNEL] = { "[guest.kernel]", "kernels of guests, whose symbols are not here" },
	[WORD_GUEST_USER] = { "[guest.user]", "programs in guests, whose symbols are not here" },
	[WORD_WAITING] = { "[waiting]", "in the place of a file: no code, the thread waits; the name beside it says for what" },
};

const struct row_sign row_signs[ROW_SIGNS] = {
	[SIGN_CHANCE] = { 0, '=', STYLE_NORMAL, NULL, "its difference may be chance" },
	[SIGN_DEADLOCK] = { ROW_DEADLOCK, '!', STYLE_NORMAL, NULL,
			    "of the view Locks: who holds the lock is in a deadlock" },
	[SIGN_DEAD] = { ROW_DEAD, 'x', STYLE_NORMAL, "†", "the task has ended; its samples stay" },
	[SIGN_COUNTED] = { ROW_COUNTED, '#', STYLE_NOTICE, NULL, "its calls are counted: b ends that, B lists them" },
	[SIGN_PENDING] = { ROW_PENDING, '.', STYLE_NORMAL, NULL, "its name is on its way" },
	[SIGN_UNNAMED] = { ROW_UNNAMED, '?', STYLE_NORMAL, NULL, "it has no name: i says why" },
	[SIGN_IRQ_ON] = { ROW_IRQ_ON, '!', STYLE_NOTICE, NULL,
			  "kernel code that lets interrupts on: a timer's samples of what ran before with them "
			  "off are here, too: i says more" },
	[SIGN_KERNEL] = { ROW_KERNEL | ROW_KTHREAD, 'k', STYLE_NORMAL, NULL, "kernel code or a kernel thread" },
	[SIGN_SELF] = { ROW_SELF, '*', STYLE_NORMAL, NULL, "ptop itself" },
	[SIGN_TAGGED] = { 0, '+', STYLE_NORMAL, NULL, "behind the sign: the row is tagged" },
};

const struct row_sign *
row_sign_of(const struct row *row)
{
	if (row->difference != NULL && !row->difference->change.is_significant)
		return &row_signs[SIGN_CHANCE];
	for (size_t i = 0; i < ROW_SIGNS; i++)
		if ((row->flags & row_signs[i].flags) != 0)
			return &row_signs[i];
	return NULL;
}

/* No line is wider than a small terminal. */
static void
put_folded(struct buf *b, const char *text)
{
	enum { WIDTH = 60 };

	while (strlen(text) > WIDTH) {
		int len = WIDTH;

		while (text[len] != ' ')
			len--;
		buf_addf(b, "%.*s\n     ", len, text);
		text += len + 1;
	}
	buf_addf(b, "%s\n", text);
}

void
row_signs_put(struct buf *b)
{
	for (size_t i = 0; i < ROW_SIGNS; i++) {
		buf_addf(b, "  %c  %s", row_signs[i].sign, row_signs[i].glyph != NULL ? "or a dagger: " : "");
		put_folded(b, row_signs[i].help);
	}
}
