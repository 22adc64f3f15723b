/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/loss.h"

const struct loss_def loss_defs[LOSS_KINDS] = {
	[LOSS_SAMPLES] = {
		"samples lost in full rings", "larger rings (-m) or fewer samples (-F, key -)",
		.again = "record again with larger rings (-m) or fewer samples (-F)",
		.name = "lost", .header = "lost", .rank = 60, .is_always = true,
		.is_at_end = true },
	[LOSS_SIDEBAND] = {
		"records of maps, forks and names lost",
		"maps of a process are read again from /proc at its next sample",
		.name = "sideband_lost", .is_part = true, .is_at_end = true },
	[LOSS_THROTTLED] = {
		"times that the kernel stopped sampling for a moment (throttled)", "fewer samples (-F, key -)",
		.again = "record again with fewer samples (-F)",
		.name = "throttled", .header = "throttled", .rank = 40, .is_always = true,
		.is_at_end = true },
	[LOSS_LATE] = {
		"records that came out of order", "they still count",
		.name = "late", .header = "late records", .rank = 36, .is_at_end = true },
	[LOSS_UNKNOWN] = {
		"records of a type or event that ptop does not know", "they were skipped",
		.name = "unknown", .header = "unknown records", .rank = 37, .is_at_end = true },
	[LOSS_FOREIGN] = {
		"samples left out since they carry the event id of another profiler",
		"end the other profiler, or sample one such event alone",
		.name = "foreign", .is_part = true, .is_at_end = true },
	[LOSS_BROKEN] = {
		"broken records", "they were skipped",
		.name = "broken", .header = "broken records", .rank = 38, .is_at_end = true },
	[LOSS_NOT_TARGETS] = {
		"samples of processes that you did not ask for",
		"left out: -p, -t, -u or a command names what is shown",
		.name = "dropped", .header = "other processes", .rank = 39, .is_harmless = true },
	[LOSS_UNMAPPED] = {
		"processes whose memory maps could not be read",
		"their samples have no function names; most ended too soon",
		.name = "unmapped" },
	[LOSS_DENIED] = {
		"processes whose memory maps may not be read",
		"older than ptop and another user's, they have no function names: run as root, or with CAP_SYS_PTRACE",
		.name = "denied" },
	[LOSS_WAITS] = {
		"waits of which a switch was lost, or for which there was no room",
		"they are left out; larger rings (-m), fewer threads, or looks: -e off-cpu",
		.again = "they are left out; record again with larger rings (-m), of fewer threads, or "
			 "with looks: ptop -e off-cpu",
		.name = "waits_unknown", .is_at_end = true },
	[LOSS_TIMES] = {
		"times between tracepoints of which one was lost, or for which there was no room",
		"they are left out; larger rings (-m), or fewer threads",
		.again = "they are left out; record again with larger rings (-m), or of fewer threads",
		.name = "times_unknown", .is_at_end = true },
	[LOSS_CALLERS] = {
		"samples without callers in user space, which the kernel did not deliver",
		"their callers in the kernel are shown", .name = "callers_missing" },
	[LOSS_UNEXPLAINED] = {
		"events that the kernel counted but neither sampled nor reported lost", "",
		.name = "unexplained", .is_at_end = true },
	[LOSS_STACKS] = {
		"lightest stacks merged into their callers", "a larger --memory keeps them apart",
		.name = "folded", .header = "merged (--memory)", .rank = 35, .is_harmless = true,
		.is_at_end = true },
	[LOSS_THREADS] = {
		"threads whose stacks are told as their process's",
		"a larger --memory keeps them apart, or --budget off where looks at all take seconds",
		.is_part = true, .is_at_end = true },
	[LOSS_ADDRESSES] = {
		"rare addresses merged into one", "a larger --memory keeps them apart",
		.is_part = true, .is_at_end = true },
	[LOSS_TASKS] = {
		"ended tasks merged by name", "their sums stay exact",
		.is_part = true, .is_at_end = true },
	[LOSS_NAMES] = {
		"rare names of ended tasks merged into one", "their sums stay exact",
		.is_part = true, .is_at_end = true },
	[LOSS_RARE] = {
		"rare stacks, addresses and functions of ended tasks merged, which no window shows",
		"-w all keeps them apart while there is room" },
	[LOSS_PAST] = {
		"oldest intervals of the history forgotten",
		"a long window may hold less than it asks for; a larger --memory keeps more" },
	[LOSS_SYMBOLS] = {
		"files whose symbols were unloaded",
		"they are read again when needed; a larger --memory keeps them" },
	[LOSS_SHARED] = {
		"samples that another profiler takes too", "they still count" },
};

uint64_t
loss_sum(const uint64_t losses[LOSS_KINDS], enum loss_kind kind)
{
	uint64_t sum = losses[kind];

	for (enum loss_kind k = kind + 1; k < LOSS_KINDS && loss_defs[k].is_part; k++)
		sum += losses[k];
	return sum;
}

void
loss_put(struct buf *b, enum loss_kind kind, uint64_t count, bool is_recorded)
{
	const struct loss_def *def = &loss_defs[kind];
	const char *remedy = is_recorded && def->again != NULL ? def->again : def->remedy;

	buf_addf(b, "%s: %llu%s%s", def->what, (unsigned long long)count,
		 *remedy != '\0' ? "; " : "", remedy);
}
