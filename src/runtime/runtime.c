/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/runtime.h"

#include <string.h>

#define NO_SWITCH "has no switch that is reached from outside"

const struct runtime runtimes[] = {
	{ "JVM", "libjvm.so", "java", "Interpreter", "Java methods that are not compiled",
	  RUNTIME_BY_ATTACH, "Compiler.perfmap", "JDK 17", "",
	  "java -XX:+DumpPerfMapAtExit (17), which writes them as it ends" },
	{ "OpenJ9", "libj9vm", "", "", "", RUNTIME_BY_FLAG, "", "", NO_SWITCH,
	  "java -Xjit:perfTool" },
	{ ".NET", "libcoreclr.so libclrjit.so", "dotnet", "", "", RUNTIME_BY_SOCKET,
	  "EnablePerfMap", ".NET 8", "",
	  "DOTNET_PerfMapEnabled=1 in its environment" },
	{ "Python 3.14", "libpython3.14 libpython3.14t python3.14 python3.14t",
	  "python3.14 python3.14t", "", "", RUNTIME_BY_MEMORY, "sys.activate_stack_trampoline",
	  "Python 3.14", "", "python -X perf" },
	{ "Python", "libpython3 python3", "python", "_PyEval_EvalFrameDefault", "Python functions",
	  RUNTIME_BY_FLAG, "", "", "has a switch that is reached from outside in 3.14 alone",
	  "python -X perf (3.12 or later; 3.14 can be asked as it runs, too)" },
	{ "node", "node nodejs", "node nodejs MainThread", "Builtins_InterpreterEntryTrampoline",
	  "JavaScript functions that are not compiled", RUNTIME_BY_FLAG, "", "",
	  "could be told by its inspector alone, which lets anybody on this machine run code in it: "
	  "ptop never opens that", "node --perf-basic-prof" },
	{ "deno", "deno", "deno", "", "", RUNTIME_BY_FLAG, "", "", NO_SWITCH,
	  "deno run --v8-flags=--perf-basic-prof" },
	{ "Chromium", "chrome chromium", "chrome chromium", "", "", RUNTIME_BY_FLAG, "", "",
	  NO_SWITCH, "--no-sandbox --js-flags=--perf-basic-prof" },
	{ "Erlang", "beam.", "beam", "process_main", "Erlang functions", RUNTIME_BY_FLAG, "", "",
	  NO_SWITCH, "erl +JPperf true" },
	{ "LuaJIT", "luajit libluajit", "luajit", "", "", RUNTIME_BY_FLAG, "", "", NO_SWITCH,
	  "LuaJIT built with -DLUAJIT_USE_PERFTOOLS" },
	{ "Lua", "lua5 liblua5", "lua", "luaV_execute", "Lua functions", RUNTIME_BY_FLAG, "", "",
	  "tells nobody the names of what it interprets", "" },
	{ "PHP", "php php-fpm php-cgi libphp", "php php-fpm php-cgi", "execute_ex php_execute_ex",
	  "PHP functions", RUNTIME_BY_FLAG, "", "", NO_SWITCH,
	  "php -d opcache.jit_debug=0x10 (PHP 8, for what its JIT compiles)" },
	{ "Ruby", "ruby libruby", "ruby", "rb_vm_exec vm_exec vm_exec_core", "Ruby methods",
	  RUNTIME_BY_FLAG, "", "", NO_SWITCH,
	  "ruby --yjit-perf (3.3 or later, for what YJIT compiles)" },
	{ "Julia", "libjulia", "julia", "", "", RUNTIME_BY_FLAG, "", "", NO_SWITCH,
	  "ENABLE_JITPROFILING=1 in its environment" },
	{ "wasmtime", "wasmtime", "wasmtime", "", "", RUNTIME_BY_FLAG, "", "", NO_SWITCH,
	  "wasmtime --profile=perfmap" },
	{ "QEMU", "qemu-", "qemu-", "", "", RUNTIME_BY_FLAG, "", "", NO_SWITCH, "-perfmap" },
	{ "Mono", "libmono libmonosgen mono mono-sgen", "mono", "mono_interp_exec_method",
	  "methods", RUNTIME_BY_FLAG, "", "", NO_SWITCH, "mono --jitmap" },
};

const size_t runtime_count = ARRAY_SIZE(runtimes);

/* The length of the next of the words; 0: there is none. */
static size_t
next_word(const char **words, const char **word)
{
	size_t len;

	*words += strspn(*words, " ");
	*word = *words;
	len = strcspn(*words, " ");
	*words += len;
	return len;
}

/* So node is node20, and one whose file is deleted, but not node_exporter. */
static bool
ends_there(const char *word, size_t len, const char *rest)
{
	if (word[len - 1] == '-' || word[len - 1] == '.')
		return true;
	rest += *rest == '-';
	return *rest == '\0' || *rest == '.' || *rest == ' ' || (*rest >= '0' && *rest <= '9');
}

static bool
begins_with_one(const char *text, const char *words)
{
	const char *word;
	size_t len;

	while ((len = next_word(&words, &word)) > 0)
		if (strncmp(text, word, len) == 0 && ends_there(word, len, text + len))
			return true;
	return false;
}

static bool
is_one(const char *text, const char *words)
{
	const char *word;
	size_t len;

	while ((len = next_word(&words, &word)) > 0)
		if (strlen(text) == len && memcmp(text, word, len) == 0)
			return true;
	return false;
}

const struct runtime *
runtime_of_file(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name != NULL ? name + 1 : path;
	for (size_t i = 0; i < runtime_count; i++)
		if (begins_with_one(name, runtimes[i].files))
			return &runtimes[i];
	return NULL;
}

const struct runtime *
runtime_of_comm(const char *comm)
{
	for (size_t i = 0; i < runtime_count; i++)
		if (begins_with_one(comm, runtimes[i].comms))
			return &runtimes[i];
	return NULL;
}

const struct runtime *
runtime_of_function(const char *name)
{
	for (size_t i = 0; i < runtime_count; i++)
		if (is_one(name, runtimes[i].functions))
			return &runtimes[i];
	return NULL;
}

void
runtime_put_remedy(struct buf *b, const struct runtime *r, int pid, bool lives)
{
	if (r == NULL) {
		buf_addf(b, "have its runtime write /tmp/perf-%d.map", pid);
		return;
	}
	if (lives && r->means != RUNTIME_BY_FLAG)
		buf_addf(b, "the key J, or --name-jit: %s, from %s on; or ", r->now, r->since);
	if (*r->flag != '\0')
		buf_addf(b, "start it with: %s", r->flag);
}

void
runtime_put_interpreter(struct buf *b, const struct runtime *r)
{
	buf_addf(b, "%s run in here", r->code);
	if (r->means != RUNTIME_BY_FLAG)
		buf_addf(b, "; those that are get names by the key J, or --name-jit: %s, from %s on",
			 r->now, r->since);
	else if (*r->flag != '\0')
		buf_addf(b, "; they have names if it is started with: %s", r->flag);
	else
		buf_addf(b, "; %s %s", r->name, r->why);
}

void
runtime_put_why_not(struct buf *b, const struct runtime *r, int pid)
{
	if (r == NULL) {
		buf_addf(b, "process %d maps no runtime that is known here", pid);
		return;
	}
	buf_addf(b, "%s %s", r->name, r->why);
	if (*r->flag != '\0')
		buf_addf(b, "; start it with: %s", r->flag);
}
