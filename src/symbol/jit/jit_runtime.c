/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/jit/jit_reader.h"

#include "base/util.h"

#include <stdio.h>

/* By the begin of the process's name; @PID stands for its pid. */
static const struct {
	const char *comm, *remedy;
} runtimes[] = {
	{ "node", "start it with: node --perf-basic-prof" },
	{ "MainThread", "start it with: node --perf-basic-prof" },
	{ "deno", "start it with: deno run --v8-flags=--perf-basic-prof" },
	{ "chrome", "start it with: --no-sandbox --js-flags=--perf-basic-prof" },
	{ "java", "run: jcmd @PID Compiler.perfmap (JDK 17), or start it with perf-map-agent" },
	{ "python", "start it with: python -X perf (3.12)" },
	{ "dotnet", "start it with DOTNET_PerfMapEnabled=1 in its environment" },
	{ "luajit", "build LuaJIT with -DLUAJIT_USE_PERFTOOLS" },
	{ "php", "start it with: php -d opcache.jit_debug=0x10" },
	{ "ruby", "start it with: ruby --yjit-perf" },
	{ "beam", "start it with: erl +JPperf true" },
	{ "julia", "start it with ENABLE_JITPROFILING=1 in its environment" },
	{ "wasmtime", "start it with: wasmtime --profile=perfmap" },
	{ "qemu-", "start it with: -perfmap" },
	{ "mono", "start it with: mono --jitmap" },
};

static const char any[] = "have its runtime write /tmp/perf-@PID.map";

/* @text with the pid in place of its mark. */
static void
put_remedy(const char *text, int pid, char *out, size_t size)
{
	const char *mark = strstr(text, "@PID");

	if (mark == NULL)
		snprintf(out, size, "%s", text);
	else
		snprintf(out, size, "%.*s%d%s", (int)(mark - text), text, pid, mark + 4);
}

void
jit_runtime_remedy(const char *comm, int pid, char *out, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		if (strncmp(comm, runtimes[i].comm, strlen(runtimes[i].comm)) == 0) {
			put_remedy(runtimes[i].remedy, pid, out, size);
			return;
		}
	}
	put_remedy(any, pid, out, size);
}
