/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/stack_loads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/run.h"

enum { PATIENCE_S = 120, LOOK_US = 20000 };

static const double begins_cpu_s = 0.5;

static const char script[] = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
			     "while True:\n    fib(14)\n"
			     "    sorted(range(3000), key=lambda x: -x)\n";

static const char rust_source[] =
	"#[inline(never)]\n"
	"fn insert(m: &mut std::collections::BTreeMap<String, u64>, n: u64) -> u64 {\n"
	"    let e = m.entry(format!(\"k{}\", n % 700)).or_insert(0);\n    *e += n;\n    *e\n}\n"
	"#[inline(never)]\n"
	"fn descend(m: &mut std::collections::BTreeMap<String, u64>, level: u32, n: u64) -> u64 {\n"
	"    if level == 0 { insert(m, n) } else { descend(m, level - 1, n * 3 + 1) + 1 }\n}\n"
	"fn main() {\n    let mut m = std::collections::BTreeMap::new();\n    let mut sum = 0u64;\n"
	"    for i in 0u64.. {\n        sum = sum.wrapping_add(descend(&mut m, 12, i % 100000));\n"
	"        let mut v: Vec<u64> = (0..200).map(|x| x * 7919 % (sum % 211 + 1)).collect();\n"
	"        v.sort_by(|a, b| b.cmp(a));\n        sum = sum.wrapping_add(v[3]);\n    }\n}\n";

static bool
works(const char *program)
{
	struct run_result r;
	bool res;

	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)program, (char *)"--version",
						NULL });
	res = WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0;
	run_release(&r);
	if (!res)
		print_message("# %s does not run here\n", program);
	return res;
}

static pid_t
spawn(char *const argv[])
{
	pid_t pid = run_fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	assert_that(pid, >, 0);
	/* Behind its start, and behind what only leads to it, however busy the machine is. */
	for (int i = 0; i < PATIENCE_S * 1000000 / LOOK_US && run_cpu_s(pid) < begins_cpu_s; i++)
		usleep(LOOK_US);
	return pid;
}

static pid_t
start_rust(const char *dir)
{
	char source[300], program[300];
	struct run_result r;
	FILE *f;

	if (!works("rustc"))
		return -1;
	snprintf(source, sizeof(source), "%s/load.rs", dir);
	snprintf(program, sizeof(program), "%s/load", dir);
	f = fopen(source, "w");
	assert_non_null(f);
	fputs(rust_source, f);
	fclose(f);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)"rustc", (char *)"-O", (char *)"-o",
						program, source, NULL });
	assert_int_equal(r.status, 0);
	run_release(&r);
	return spawn((char *[]){ program, NULL });
}

pid_t
stack_load(const char *name, const char *dir)
{
	char *python[] = { (char *)"python3", (char *)"-c", (char *)(uintptr_t)script, NULL };
	pid_t pid;

	if (strcmp(name, "python3") == 0)
		return works(name) ? spawn(python) : -1;
	if (strcmp(name, "rust") == 0)
		return start_rust(dir);
	/* Those in C++ are only built where there is a compiler for it. */
	pid = run_load(name);
	if (pid < 0)
		print_message("# tests/loads/%s was not built\n", name);
	return pid;
}
