/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the code of a function that is looked at is asked for; who is asked is made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/code/code.h"
#include "model/model.h"
#include "symbol/ask/ask.h"
#include "view/listing.h"
#include "view/snapshot.h"

static struct {
	unsigned listings;
	uint32_t id;
	uint64_t as_of_ns;
} asked;

void
names_ask_listing(struct names *nm, uint32_t id, uint32_t location, uint64_t as_of_ns)
{
	(void)nm;
	(void)location;
	asked.as_of_ns = as_of_ns;
	asked.listings++;
	asked.id = id;
}

void
names_ask_source(struct names *nm, uint32_t id, uint32_t dso, uint32_t file,
		 const struct listing_file *about, uint32_t first, uint32_t last)
{
	(void)nm;
	(void)id;
	(void)dso;
	(void)file;
	(void)about;
	(void)first;
	(void)last;
}

/* A function of a file, and one that a process made as it ran. */
struct room {
	struct engine_env env;
	struct agenda agenda;
	struct file_policy policy;
	struct code *code;
	struct stream_clock clock;
	struct snapshot_code shown;
	struct snapshot snapshot;
};

static void
room_open(struct room *r, enum dso_kind kind)
{
	*r = (struct room){ .policy = { .has_processes = true } };
	asked.listings = 0;
	r->env = (struct engine_env){ .agenda = &r->agenda, .policy = &r->policy, .clock = &r->clock,
				      .model = model_new() };
	r->shown = (struct snapshot_code){ .location = 7, .start = 0x100, .end = 0x200 };
	r->shown.dso_id = kind == DSO_ANON
		? dsos_code(&r->env.model->dsos, 20)
		: dsos_file(&r->env.model->dsos, "/bin/a", 8, 1, 42, 0);
	r->snapshot = (struct snapshot){ .code = &r->shown, .seq = 1 };
	r->code = code_part.make(&r->env);
	code_begin(r->code, NULL);
}

static void
room_close(struct room *r)
{
	code_part.release(r->code);
	model_free(r->env.model);
}

static void
give(struct room *r, int type)
{
	struct symbol_listing_msg m = { .msg.type = type, .id = asked.id };

	m.listing = type == SYMBOL_MSG_LISTING ? listing_new() : NULL;
	m.lines = type == SYMBOL_MSG_LISTING_LINES ? listing_lines_new() : NULL;
	for (size_t i = 0; i < code_part.message_count; i++)
		if (code_part.messages[i].type == type)
			code_part.messages[i].handle(r->code, &m.msg);
	listing_put(m.listing);
	listing_lines_put(m.lines);
}

static void
answer(struct room *r)
{
	give(r, SYMBOL_MSG_LISTING);
	give(r, SYMBOL_MSG_LISTING_LINES);
}

static void
code_of_files_is_asked_for_once(void **state)
{
	struct room r;

	(void)state;
	room_open(&r, DSO_FILE);
	for (r.snapshot.seq = 1; r.snapshot.seq < 4; r.snapshot.seq++) {
		code_ask(r.code, &r.snapshot);
		if (code_awaits(r.code))
			answer(&r);
	}
	assert_int_equal(asked.listings, 1);
	assert_false(code_awaits(r.code));
	room_close(&r);
}

/* Pictures in between, of which an answer may be the cause, ask for nothing. */
static void
code_made_at_run_time_is_asked_for_with_each_refresh_alone(void **state)
{
	struct room r;

	(void)state;
	room_open(&r, DSO_ANON);
	for (int picture = 0; picture < 5; picture++) {
		code_ask(r.code, &r.snapshot);
		assert_int_equal(code_awaits(r.code), picture < 2);
		if (picture == 1)
			answer(&r);
	}
	assert_int_equal(asked.listings, 1);
	r.snapshot.seq++;
	code_ask(r.code, &r.snapshot);
	code_ask(r.code, &r.snapshot);
	assert_int_equal(asked.listings, 2);
	/* Those are still on their way. */
	r.snapshot.seq++;
	code_ask(r.code, &r.snapshot);
	assert_int_equal(asked.listings, 2);
	room_close(&r);
}

/* What it was then is no change of what it is. */
static void
code_of_a_past_window_is_asked_for_as_of_its_end(void **state)
{
	struct room r;

	(void)state;
	room_open(&r, DSO_ANON);
	r.clock.begin_ns = 1000;
	code_ask(r.code, &r.snapshot);
	assert_int_equal(asked.as_of_ns, 0);
	answer(&r);
	r.snapshot.query.end_ns = 50;
	code_ask(r.code, &r.snapshot);
	assert_int_equal(asked.listings, 2);
	assert_int_equal(asked.as_of_ns, 1050);
	answer(&r);
	code_ask(r.code, &r.snapshot);
	assert_int_equal(asked.listings, 2);
	r.snapshot.query.end_ns = 0;
	code_ask(r.code, &r.snapshot);
	assert_int_equal(asked.listings, 3);
	assert_int_equal(asked.as_of_ns, 0);
	room_close(&r);
	/* A file is as it is. */
	room_open(&r, DSO_FILE);
	r.snapshot.query.end_ns = 50;
	code_ask(r.code, &r.snapshot);
	assert_int_equal(asked.as_of_ns, 0);
	room_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_files_is_asked_for_once),
		cmocka_unit_test(code_of_a_past_window_is_asked_for_as_of_its_end),
		cmocka_unit_test(code_made_at_run_time_is_asked_for_with_each_refresh_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
