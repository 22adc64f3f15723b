/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/loss.h"

const struct loss_def loss_defs[LOSS_KINDS] = {
	[LOSS_SAMPLES] = {
		"samples lost in full rings", "larger rings (-m) or fewer samples (-F, key -)",
		.name = "lost", .header = "lost", .rank = 60, .is_always = true,
		.is_at_end = true },
	[LOSS_SIDEBAND] = {
		"side-band records lost",
		"maps and names of all processes are read again at their next sample",
		.name = "sideband_lost", .is_part = true, .is_at_end = true },
	[LOSS_THROTTLED] = {
		"times that the kernel throttled sampling", "fewer samples (-F, key -)",
		.name = "throttled", .header = "throttled", .rank = 40, .is_always = true,
		.is_at_end = true },
	[LOSS_LATE] = {
		"records that came out of order", "they count all the same",
		.name = "late", .header = "late records", .rank = 36, .is_at_end = true },
	[LOSS_UNKNOWN] = {
		"records of a kind or event that ptop does not know", "",
		.name = "unknown", .header = "unknown records", .rank = 37, .is_at_end = true },
	[LOSS_FOREIGN] = {
		"samples that carry the event id of another profiler",
		"they count if ptop samples only one such event",
		.name = "foreign", .is_part = true, .is_at_end = true },
	[LOSS_BROKEN] = {
		"records whose bytes made no sense", "they were skipped",
		.name = "broken", .header = "broken records", .rank = 38, .is_at_end = true },
	[LOSS_NOT_TARGETS] = {
		"samples of processes that are not targets", "they are not shown",
		.name = "dropped", .header = "not targets", .rank = 39 },
	[LOSS_UNMAPPED] = {
		"processes whose maps could not be read",
		"most ended too soon; their samples have no names", .name = "unmapped" },
	[LOSS_CALLERS] = {
		"samples whose callers in user space never came",
		"they have the kernel's part alone", .name = "callers_missing" },
	[LOSS_UNEXPLAINED] = {
		"events that the kernel counted, but neither sampled nor lost", "",
		.name = "unexplained", .is_at_end = true },
	[LOSS_STACKS] = {
		"lightest stacks merged into their callers", "a larger --memory keeps them apart",
		.name = "folded", .header = "merged (--memory)", .rank = 35, .is_at_end = true },
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
		"rare stacks, addresses and functions of ended tasks that no window shows, merged "
		"into their callers and files", "-w all keeps them while there is room" },
	[LOSS_PAST] = {
		"oldest intervals forgotten", "a long window holds less than it says (--memory)" },
	[LOSS_SYMBOLS] = {
		"files whose symbols were given back",
		"they are read again when needed (--memory)" },
	[LOSS_SHARED] = {
		"samples shared with another profiler", "they count all the same" },
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
loss_put(struct buf *b, enum loss_kind kind, uint64_t count)
{
	const struct loss_def *def = &loss_defs[kind];

	buf_addf(b, "%s: %llu%s%s", def->what, (unsigned long long)count,
		 *def->remedy != '\0' ? "; " : "", def->remedy);
}
