/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a recording when names take longer than reports of what runs wait for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config.h"
#include "base/thread.h"
#include "engine/engine.h"
#include "symbol/service/service.h"
#include "tests/root.h"
#include "tests/run.h"

enum { LATE_MS = 3000, PATIENCE_S = 60 };

/* The question for the name of a function that has samples, on its way to the service. */
static struct {
	struct symbol_service *service;
	uint32_t dso, count, fns[1024];
	char *raw[1024];
	pthread_t thread;
	unsigned asked;
} late;

/* The linker has calls of symbol_service_ask_names() go to the second (--wrap). */
void __real_symbol_service_ask_names(struct symbol_service *s, uint32_t dso, const char *const *raw,
				     const uint32_t *fns, uint32_t count);
void __wrap_symbol_service_ask_names(struct symbol_service *s, uint32_t dso, const char *const *raw,
				     const uint32_t *fns, uint32_t count);

static void *
ask_late(void *arg)
{
	usleep(LATE_MS * 1000);
	__real_symbol_service_ask_names(late.service, late.dso, (const char *const *)late.raw, late.fns,
					late.count);
	return arg;
}

static bool
has_sampled(const char *const *raw, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (strstr(raw[i], "introsort_loop") != NULL)
			return true;
	return false;
}

void
__wrap_symbol_service_ask_names(struct symbol_service *s, uint32_t dso, const char *const *raw,
				const uint32_t *fns, uint32_t count)
{
	if (!has_sampled(raw, count) || late.asked++ > 0 || count > ARRAY_SIZE(late.raw)) {
		__real_symbol_service_ask_names(s, dso, raw, fns, count);
		return;
	}
	late.service = s;
	late.dso = dso;
	late.count = count;
	memcpy(late.fns, fns, count * sizeof(*fns));
	for (uint32_t i = 0; i < count; i++)
		late.raw[i] = mem_strdup(raw[i]);
	thread_start_or_die(&late.thread, "late", ask_late, NULL);
}

static void
record(char *file)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "1", "-e", "cpu-clock",
			 "--force", "-r", file, "--", run_load_path("deep"), NULL };
	struct run_result r;

	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("status %#x: %s", (unsigned)r.status, r.err);
	run_release(&r);
}

/* What is shown before is no report. */
static struct snapshot *
last_report(struct queue *answers)
{
	struct snapshot *s = NULL;

	for (int type = 0; type != ENGINE_MSG_ENDED;) {
		struct msg *m = queue_wait(answers, PATIENCE_S * 1000);

		assert_non_null(m);
		type = m->type;
		if (type == ENGINE_MSG_SNAPSHOT) {
			snapshot_put(s);
			s = ((struct engine_snapshot_msg *)m)->snapshot;
			((struct engine_snapshot_msg *)m)->snapshot = NULL;
		}
		msg_free(m);
	}
	assert_non_null(s);
	return s;
}

static void
a_report_of_a_recording_waits_for_the_names_it_asked_for(void **state)
{
	char file[] = "/tmp/ptop-late-XXXXXX";
	char *argv[] = { "ptop", "-b", "-i", file, "--by", "symbol", NULL };
	struct queue *answers = queue_new();
	struct config config;
	struct engine *engine;
	struct snapshot *s;
	struct query query;
	struct err err = { 0 };
	bool is_named = false;

	(void)state;
	need_root();
	close(mkstemp(file));
	record(file);
	memset(&config, 0, sizeof(config));
	assert_int_equal(config_parse(&config, 6, argv, &err), 0);
	config_query(&config, &query);
	engine = engine_start(&config.engine, &query, answers, &err);
	assert_non_null(engine);
	s = last_report(answers);
	assert_int_not_equal(late.count, 0);
	for (size_t i = 0; i < s->row_count; i++) {
		is_named |= strncmp(s->rows[i].symbol, "std::__introsort_loop<", 22) == 0;
		if (strncmp(s->rows[i].symbol, "_Z", 2) == 0)
			fail_msg("%s is not demangled", s->rows[i].symbol);
	}
	assert_true(is_named);
	snapshot_put(s);
	pthread_join(late.thread, NULL);
	engine_stop(engine, NULL);
	for (struct msg *m; (m = queue_take(answers)) != NULL;)
		msg_free(m);
	queue_free(answers);
	config_release(&config);
	for (uint32_t i = 0; i < late.count; i++)
		free(late.raw[i]);
	unlink(file);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_of_a_recording_waits_for_the_names_it_asked_for),
	};

	return cmocka_run_group_tests_name("late names", tests, NULL, NULL);
}
