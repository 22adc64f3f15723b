/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of runtimes: how each is recognised, and what is said of it. */
#include "runtime/runtime.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void
each_row_is_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < runtime_count; i++) {
		const struct runtime *r = &runtimes[i];

		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(r->name, runtimes[k].name);
		assert_true(*r->files != '\0');
		/* What can be done now is said, or why nothing can. */
		assert_true((r->means != RUNTIME_BY_FLAG) == (*r->now != '\0'));
		assert_true((r->means == RUNTIME_BY_FLAG) == (*r->why != '\0'));
		assert_true((*r->functions != '\0') == (*r->code != '\0'));
	}
}

static const char *
name_of(const struct runtime *r)
{
	return r != NULL ? r->name : "none";
}

static void
runtimes_are_known_by_the_files_that_they_map(void **state)
{
	static const char *const rows[][2] = {
		{ "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", "JVM" },
		{ "/usr/lib/jvm/old/lib/server/libjvm.so (deleted)", "JVM" },
		{ "/opt/ibm/lib/compressedrefs/libj9vm29.so", "OpenJ9" },
		{ "/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so", ".NET" },
		{ "/usr/bin/python3.11", "Python" },
		{ "/usr/lib/x86_64-linux-gnu/libpython3.13.so.1.0", "Python" },
		{ "/usr/lib/x86_64-linux-gnu/libpython3.1.so.1.0", "Python" },
		{ "/usr/lib/x86_64-linux-gnu/libpython3.14.so.1.0", "Python 3.14" },
		{ "/opt/python/bin/python3.14", "Python 3.14" },
		{ "/opt/python/bin/python3.14t (deleted)", "Python 3.14" },
		{ "/usr/bin/python3.15", "Python" },
		{ "/usr/bin/node", "node" },
		{ "/usr/lib/erlang/erts-13/bin/beam.smp", "Erlang" },
		{ "/usr/lib/libluajit-5.1.so.2.1.0", "LuaJIT" },
		{ "/usr/lib/liblua5.4.so.0.0.0", "Lua" },
		{ "/usr/sbin/php-fpm8.2", "PHP" },
		{ "/usr/lib/libruby-3.1.so.3.1.2", "Ruby" },
		{ "/usr/bin/qemu-system-x86_64", "QEMU" },
		{ "/usr/bin/node_exporter", "none" },
		{ "/usr/bin/nodes", "none" },
		{ "/usr/bin/phpmd-like", "none" },
		{ "/usr/lib/libc.so.6", "none" },
		{ "", "none" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(name_of(runtime_of_file(rows[i][0])), rows[i][1]);
}

static void
else_by_the_name_of_their_process(void **state)
{
	(void)state;
	assert_string_equal(name_of(runtime_of_comm("java")), "JVM");
	assert_string_equal(name_of(runtime_of_comm("MainThread")), "node");
	assert_string_equal(name_of(runtime_of_comm("python3.12")), "Python");
	assert_string_equal(name_of(runtime_of_comm("python3.14")), "Python 3.14");
	assert_string_equal(name_of(runtime_of_comm("javac")), "none");
	assert_string_equal(name_of(runtime_of_comm("")), "none");
}

static const char *
text(void (*put)(struct buf *b, const struct runtime *r), const struct runtime *r, struct buf *b)
{
	buf_reset(b);
	put(b, r);
	return buf_str(b);
}

static void
interpreters_say_what_runs_in_them_in_one_sentence(void **state)
{
	static const char *const rows[][3] = {
		{ "_PyEval_EvalFrameDefault", "Python functions run in here", "python -X perf" },
		{ "php_execute_ex", "PHP functions run in here", "opcache.jit_debug" },
		{ "luaV_execute", "Lua functions run in here", "tells nobody" },
		{ "rb_vm_exec", "Ruby methods run in here", "--yjit-perf" },
		{ "Interpreter", "Java methods that are not compiled run in here", "key J" },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct runtime *r = runtime_of_function(rows[i][0]);
		const char *said = text(runtime_put_interpreter, r, &b);

		assert_ptr_equal(strstr(said, rows[i][1]), said);
		assert_non_null(strstr(said, rows[i][2]));
		assert_null(strchr(said, '\n'));
	}
	assert_null(runtime_of_function("Interpreters"));
	assert_null(runtime_of_function("main"));
	buf_release(&b);
}

static void
each_says_what_names_its_code(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < runtime_count; i++) {
		buf_reset(&b);
		runtime_put_remedy(&b, &runtimes[i], 5, true);
		assert_true(*runtimes[i].flag == '\0' ||
			    strstr(buf_str(&b), runtimes[i].flag) != NULL);
		assert_true((strstr(buf_str(&b), "key J") != NULL) ==
			    (runtimes[i].means != RUNTIME_BY_FLAG));
		/* Of a recording nobody can be asked any more. */
		buf_reset(&b);
		runtime_put_remedy(&b, &runtimes[i], 5, false);
		assert_null(strstr(buf_str(&b), "key J"));
		buf_reset(&b);
		runtime_put_why_not(&b, &runtimes[i], 5);
		assert_non_null(strstr(buf_str(&b), runtimes[i].why));
	}
	buf_reset(&b);
	runtime_put_remedy(&b, NULL, 4711, true);
	assert_non_null(strstr(buf_str(&b), "/tmp/perf-4711.map"));
	buf_reset(&b);
	runtime_put_why_not(&b, runtime_of_comm("node"), 5);
	assert_non_null(strstr(buf_str(&b), "never opens that"));
	assert_non_null(strstr(buf_str(&b), "--perf-basic-prof"));
	buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_whole),
		cmocka_unit_test(runtimes_are_known_by_the_files_that_they_map),
		cmocka_unit_test(else_by_the_name_of_their_process),
		cmocka_unit_test(interpreters_say_what_runs_in_them_in_one_sentence),
		cmocka_unit_test(each_says_what_names_its_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
