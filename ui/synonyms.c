/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/synonyms.h"

#include "base/util.h"

#include <string.h>

/* What names and helps say already is not said again. */
const struct synonym synonyms[] = {
	{ "annotate", "assembly assembler asm disassemble disassembly" },
	{ "attach", "trace" },
	{ "call-graph", "callgraph callchain stacks unwinding dwarf" },
	{ "callers", "callgraph backtrace bottom-up inverted reverse" },
	{ "changes", "regression alerts anomaly" },
	{ "compare", "diff difference baseline" },
	{ "count-calls", "uprobe probe trace latency histogram duration" },
	{ "delay", "interval refresh update" },
	{ "downloads", "debuginfod debuginfo" },
	{ "earlier", "rewind history past ago" },
	{ "errors", "confidence margin" },
	{ "event", "counter hardware software tracepoint pmu cache" },
	{ "explain", "symbols unresolved debuginfo hex" },
	{ "export", "save pprof json csv svg folded speedscope flamegraph" },
	{ "filter", "grep only" },
	{ "find", "search" },
	{ "flame", "flamegraph icicle" },
	{ "freeze", "pause hold" },
	{ "freq-fewer", "hz frequency rate" },
	{ "freq-more", "hz frequency rate" },
	{ "groups", "namespace docker kubernetes k8s systemd service slice" },
	{ "help", "keys keyboard bindings shortcuts" },
	{ "hide-kernel", "userspace only" },
	{ "hits", "log trace samples" },
	{ "locks", "mutex futex blocked contention" },
	{ "mark", "bookmark annotation" },
	{ "messages", "log errors warnings" },
	{ "peak", "spike burst" },
	{ "process-menu", "terminate renice affinity taskset" },
	{ "process-tree", "pstree hierarchy parent children" },
	{ "quit", "exit close" },
	{ "record", "save" },
	{ "setup", "settings preferences options fields" },
	{ "theme-next", "colors dark" },
	{ "time-line", "history graph timeline" },
	{ "tree", "calltree callgraph hierarchy children total" },
	{ "unnamed", "symbols unresolved debuginfo hex" },
	{ "write-config", "save settings preferences" },
	{ "zero", "reset clear" },
};

const size_t synonym_count = ARRAY_SIZE(synonyms);

const char *
synonyms_of(const char *name)
{
	for (size_t i = 0; i < synonym_count; i++)
		if (strcmp(synonyms[i].name, name) == 0)
			return synonyms[i].words;
	return "";
}
