/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <config.h>

#include "app/rcfile.h"
#include "model/dso.h"
#include "record/wait_kind.h"
#include "ui/action_table.h"
#include "ui/choice.h"
#include "ui/commands.h"
#include "ui/header_parts.h"
#include "ui/input.h"
#include "ui/keymap.h"
#include "ui/keys.h"
#include "ui/layout.h"
#include "ui/nodetext.h"
#include "ui/other_keys.h"
#include "ui/output.h"
#include "ui/pages.h"
#include "ui/picker_list.h"
#include "ui/segs.h"
#include "ui/signals.h"
#include "ui/presets.h"
#include "ui/refusal.h"
#include "ui/screen_words.h"
#include "ui/settings.h"
#include "ui/state.h"
#include "ui/synonyms.h"
#include "ui/table.h"
#include "ui/textview.h"
#include "tests/asserts.h"
#include "tests/run.h"

enum { ACTIONS_MAX = 128 };

static const struct keymap as_in_rows;

/* All of them; their number. */
static size_t
all_actions(const struct action *all[ACTIONS_MAX])
{
	const struct action *a;
	size_t n = 0;

	for (size_t i = 0; (a = action_table(i)) != NULL; i++) {
		for (; a->name != NULL; a++) {
			assert_that(n, <, ACTIONS_MAX);
			all[n++] = a;
		}
	}
	assert_that(n, >, 0);
	return n;
}

static void
every_action_has_a_unique_name_help_a_key_and_a_function(void **state)
{
	const struct action *all[ACTIONS_MAX];
	size_t n = all_actions(all);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(action_find(all[i]->name), all[i]);
		assert_true(all[i]->help[0] != '\0');
		assert_true(all[i]->keys[0] != '\0');
		assert_true(all[i]->where != 0);
		assert_true((all[i]->run != NULL) != (all[i]->step != NULL));
		assert_int_equal(all[i]->step != NULL, all[i]->by != 0);
	}
	assert_null(action_find("no-such-action"));
}

static void
every_key_is_known_and_has_one_action_on_a_page(void **state)
{
	const struct action *all[ACTIONS_MAX];
	size_t n = all_actions(all);
	char name[32];

	(void)state;
	for (size_t i = 0; i < n; i++) {
		for (const char *keys = all[i]->keys; key_next_name(&keys, name, sizeof(name));) {
			int key = key_parse(name);

			if (key == 0)
				fail_msg("key '%s' of '%s' is not known", name, all[i]->name);
			for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++) {
				const struct action *a = action_of_key(&as_in_rows, key, page_where(id));

				if ((all[i]->where & page_where(id)) != 0 && a != all[i])
					fail_msg("'%s' on page '%s' is '%s' and '%s'", name,
						 pages[id]->name, a->name, all[i]->name);
			}
		}
	}
	assert_null(action_of_key(&as_in_rows, 'y', page_where(PAGE_TABLE)));
}

/* What a page leaves out has a default (ui/page.h), but not these. */
static void
every_page_has_a_name_and_what_its_kinds_need(void **state)
{
	(void)state;
	for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++) {
		const struct page_ops *p = pages[id];

		for (enum page_id other = PAGE_NONE + 1; other < id; other++)
			assert_string_not_equal(p->name, pages[other]->name);
		assert_non_null(p->draw);
		assert_that(p->state_size, >, 0);
		assert_true(p->footer != NULL || p->take_key != NULL);
		assert_true((p->kinds & IN_LISTS) == 0 || (p->in != NULL && p->move != NULL));
		assert_true(p->click == NULL || p->in != NULL);
		if ((p->kinds & IN_SAMPLES) != 0)
			assert_true(p->finds != NULL && p->selected != NULL && p->select != NULL);
		assert_int_equal(p->count != NULL, p->holds != NULL);
		assert_int_equal(p->keep != NULL, p->go_back != NULL);
		assert_string_equal(action_of_key(&as_in_rows, key_parse("Esc"), page_where(id))->name, "out");
	}
}

static void
check_footer(enum page_id id, const struct footer_key *k)
{
	for (; k != NULL && k->action != NULL; k++) {
		const struct action *a = action_find(k->action);

		if (a == NULL || (a->where & page_where(id)) == 0)
			fail_msg("'%s' of page '%s'", k->action, pages[id]->name);
		assert_true(k->label[0] != '\0');
	}
}

/* Also where a page has several, by what it shows. */
static void
a_footer_names_actions_of_its_page(void **state)
{
	struct ui ui = { 0 };

	(void)state;
	page_init(&ui);
	for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++) {
		check_footer(id, pages[id]->footer);
		if (pages[id]->footer_of == NULL)
			continue;
		for (enum view_id v = 0; v < VIEW_COUNT; v++) {
			ui.query = (struct query){ .by_view = true, .view = v };
			check_footer(id, pages[id]->footer_of(&ui));
			ui.query.unnamed = true;
			check_footer(id, pages[id]->footer_of(&ui));
		}
	}
	page_release(&ui);
}

/* What it does here is something else: else there is nothing to tell. */
static void
each_key_of_another_program_names_what_does_it_here(void **state)
{
	const unsigned where = page_where(PAGE_TABLE);
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < other_key_count; i++) {
		const struct other_key *k = &other_keys[i];
		const struct action *a = action_find(k->action);
		const int key = key_parse(k->key);

		if (key == 0 || a == NULL || (a->where & where) == 0 || action_of_key(&as_in_rows, key, where) == a)
			fail_msg("%s's %s", k->program, k->does);
		for (size_t before = 0; before < i && k->is_told; before++)
			assert_true(key_parse(other_keys[before].key) != key);
		buf_reset(&b);
		other_key_put_here(&b, &as_in_rows, k);
		assert_that(b.len, >, 0);
	}
	buf_release(&b);
}

static bool
is_title_of_view(const char *text, size_t len)
{
	for (size_t v = 0; v < VIEW_COUNT; v++)
		if (strlen(view_defs[v].title) == len && memcmp(view_defs[v].title, text, len) == 0)
			return true;
	return false;
}

static void
what_is_to_be_chosen_for_a_key_of_another_program_is_in_the_menu(void **state)
{
	const struct action *menu = action_find("groups");

	(void)state;
	for (size_t i = 0; i < other_key_count; i++) {
		const struct other_key *k = &other_keys[i];

		if (action_find(k->action) == menu && !is_title_of_view(k->how, strcspn(k->how, ",")))
			fail_msg("%s's %s: no '%s'", k->program, k->does, k->how);
	}
}

/* Keys that are typed ahead come before it is drawn: lines of the text before it are none of its. */
static void
a_text_is_searched_before_it_is_drawn(void **state)
{
	static const char long_text[] = "first\nsecond\nthird of them\n", text[] = "one\ntwo\n";
	struct textview v = { 0 };
	struct canvas c = { 0 };

	(void)state;
	canvas_resize(&c, 40, 10);
	textview_set(&v, &c, "title", long_text, sizeof(long_text) - 1);
	textview_draw(&v, &c, 0, 10);
	textview_set(&v, &c, "title", text, sizeof(text) - 1);
	assert_int_equal(v.line_count, 2);
	assert_true(textview_holds(&v, 1, "two"));
	assert_false(textview_holds(&v, 1, "second"));
	textview_release(&v);
	canvas_release(&c);
}

static void
each_synonym_is_of_an_action_or_a_view(void **state)
{
	enum view_id view;

	(void)state;
	for (size_t i = 0; i < synonym_count; i++) {
		assert_true(action_find(synonyms[i].name) != NULL ||
			    view_parse(synonyms[i].name, &view, NULL) == 0);
		assert_ptr_equal(synonyms_of(synonyms[i].name), synonyms[i].words);
	}
	assert_string_equal(synonyms_of("no-such-action"), "");
}

#ifdef HAVE_INIH
/* What no line of a file gives back is left out. */
static void
events_that_were_used_are_read_as_they_were_written(void **state)
{
	static const char *const used[] = { "cycles:P", "a ;b", "line\nfeed", "uprobe:/bin/x:main", " blank", "" };
	struct rc_change changes[PICKER_RECENT_MAX];
	struct rcfile rc = { .name = "last" };
	struct picker_list l = { 0 }, again = { 0 };
	struct buf text = { 0 };
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(used); i++)
		picker_list_note_used(&l, used[i]);
	n = picker_list_remember(&l, changes);
	assert_int_equal(n, 2);
	rc_edit(&text, changes, n);
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)changes[i].value);
	rcfile_parse(&rc, text.data, text.len);
	assert_int_equal(rc.faults.len, 0);
	picker_list_recall(&again, &rc);
	assert_string_equal(again.recent[0], "uprobe:/bin/x:main");
	assert_string_equal(again.recent[1], "cycles:P");
	assert_null(again.recent[2]);
	buf_release(&text);
	rcfile_release(&rc);
	picker_list_release(&l);
	picker_list_release(&again);
}
#endif

static void
names_of_keys_are_taken_off_a_list_one_by_one(void **state)
{
	const char *names = " F1  h ?";
	char name[4];

	(void)state;
	assert_true(key_next_name(&names, name, sizeof(name)));
	assert_string_equal(name, "F1");
	assert_true(key_next_name(&names, name, sizeof(name)));
	assert_string_equal(name, "h");
	assert_true(key_next_name(&names, name, sizeof(name)));
	assert_string_equal(name, "?");
	assert_false(key_next_name(&names, name, sizeof(name)));
}

static void
the_name_of_a_key_is_read_back_as_that_key(void **state)
{
	static const char *const names[] = { "q", "F10", "Shift-Tab", "^L", "Space", "\\", "PgDn" };
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		buf_reset(&b);
		key_put_name(&b, key_parse(names[i]));
		assert_string_equal(b.data, names[i]);
	}
	assert_int_equal(key_parse("F99"), 0);
	assert_int_equal(key_parse(""), 0);
	buf_release(&b);
}

static void
help_lists_the_actions_of_a_page_with_their_keys(void **state)
{
	const struct config config = { .sort = 0 };
	struct ui ui = { .config = &config };
	const struct action *all[ACTIONS_MAX];
	size_t n = all_actions(all);

	(void)state;
	for (enum page_id id = PAGE_NONE + 1; id < PAGE_COUNT; id++) {
		struct buf b = { 0 }, line = { 0 };

		action_put_help(&b, &ui, page_where(id));
		for (size_t i = 0; i < n; i++) {
			buf_reset(&line);
			buf_addf(&line, "  %-20s %s\n", all[i]->keys, all[i]->help);
			assert_int_equal(strstr(b.data, line.data) != NULL,
					 (all[i]->where & page_where(id)) != 0);
		}
		buf_release(&line);
		buf_release(&b);
	}
}

/* A line each, the reason above all that share it; what works here comes before them. */
static void
check_refused(const struct config *config, const char *reason, const char *const names[], const char *works)
{
	struct ui ui = { .config = config };
	struct buf b = { 0 }, line = { 0 };
	const char *at;

	action_put_help(&b, &ui, page_where(PAGE_TABLE));
	buf_addf(&line, "Not here: %s\n", reason);
	at = strstr(b.data, line.data);
	assert_non_null(at);
	assert_null(strstr(at + 1, line.data));
	assert_non_null(strstr(b.data, action_find(works)->help));
	assert_true(strstr(b.data, action_find(works)->help) < at);
	for (size_t i = 0; names[i] != NULL; i++) {
		const char *help = action_find(names[i])->help;

		assert_non_null(strstr(at, help));
		assert_ptr_equal(strstr(b.data, help), strstr(at, help)); /* nowhere else */
	}
	buf_release(&line);
	buf_release(&b);
}

static void
help_says_what_cannot_be_done_in_a_recording_or_with_other_hosts(void **state)
{
	const struct config recording = { .engine.input = "perf.data" }, hosts = { .engine.host_count = 2 };

	(void)state;
	check_refused(&recording, "the rate of a recording cannot be changed",
		      (const char *const[]){ "freq-more", "freq-fewer", NULL }, "flame");
	check_refused(&hosts, "hosts send what they count: this works in a ptop there",
		      (const char *const[]){ "process-menu", "freq-more", "attach", "record", NULL }, "event");
	check_refused(&hosts, "hosts send functions and stacks: instructions, locks and counters are in a ptop there",
		      (const char *const[]){ "annotate", "locks", "calls", NULL }, "flame");
}

/* Esc leads out of a group, not of an option; into a process Enter does. */
static void
counts_of_users_and_control_groups_are_refused_with_what_helps(void **state)
{
	static const struct {
		const char *option;
		struct config config;
		enum view_id view;
	} cases[] = {
		{ "--cgroup", { .engine.cgroup_count = 1 }, VIEW_COUNTERS },
		{ "--cgroup", { .engine.cgroup_count = 1 }, VIEW_CALLS },
		{ "--uid", { .engine.uid_count = 1 }, VIEW_COUNTERS },
		{ "--uid", { .engine.uid_count = 1 }, VIEW_CALLS },
		{ "--tid", { .engine.tid_count = 1 }, VIEW_CALLS },
	};
	const struct config on_cpu = { .engine.cpu_count = 1 };
	struct ui on = { .config = &on_cpu };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ui ui = { .config = &cases[i].config };
		struct buf why = { 0 };

		assert_true(refusal_of_view(&ui, cases[i].view, &why));
		assert_string_equal(buf_str(&why), config_why_uncounted(&cases[i].config, cases[i].view, false));
		assert_non_null(strstr(buf_str(&why), cases[i].option));
		assert_non_null(strstr(buf_str(&why), "enter a process"));
		assert_null(strstr(buf_str(&why), "Esc"));
		assert_false(refusal_of_view(&ui, VIEW_FLAME, NULL));
		nav_level(&ui.nav)->process = 1;
		assert_false(refusal_of_view(&ui, cases[i].view, NULL));
		buf_release(&why);
	}
	/* Of one CPU they are counted nowhere. */
	assert_true(refusal_of_view(&on, VIEW_CALLS, NULL));
	assert_false(refusal_of_view(&on, VIEW_COUNTERS, NULL));
	nav_level(&on.nav)->process = 1;
	assert_true(refusal_of_view(&on, VIEW_CALLS, NULL));
}

/* Of the process or thread that one is in, or of all: the title would say more. */
static void
counters_are_refused_in_what_they_cannot_keep_to(void **state)
{
	static const struct nav_level levels[] = {
		{ .dso = 1 }, { .process = 1, .dso = 1 }, { .process = 1, .lock = 1 },
		{ .unnamed = true }, { .within_count = 1, .within = { { .key = KEY_COMM } } },
	};
	const struct config config = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		struct ui ui = { .config = &config };
		struct buf why = { 0 };

		*nav_level(&ui.nav) = levels[i];
		assert_true(refusal_of_view(&ui, VIEW_COUNTERS, &why));
		assert_non_null(strstr(buf_str(&why), "Esc leads out"));
		buf_release(&why);
	}
}

/* Each line: action, then its keys. */
static void
read_keymap(struct keymap *m, struct rcfile *rc, const char *const lines[][2], size_t count)
{
	*m = (struct keymap){ 0 };
	*rc = (struct rcfile){ .name = "ptoprc" };
	for (size_t i = 0; i < count; i++)
		VEC_ADD(rc->lines, rc->len, rc->cap) = (struct rc_line){
			(unsigned)i + 1, mem_strdup("keys"), mem_strdup(lines[i][0]),
			mem_strdup(lines[i][1]) };
	keymap_read(m, rc);
}

static void
keys_of_the_configuration_are_taken_from_other_actions_where_both_work(void **state)
{
	static const char *const lines[][2] = {
		{ "hide-user", "K F12" }, { "no-such-action", "x" }, { "help", "F99" },
		{ "quit", "x" }, { "redraw", "^C" }, { "find", "" },
	};
	const unsigned where = page_where(PAGE_TABLE);
	const struct config config = { .sort = 0 };
	struct ui ui = { .config = &config };
	struct buf help = { 0 };
	struct rcfile rc;
	struct keymap m;

	(void)state;
	read_keymap(&m, &rc, lines, ARRAY_SIZE(lines));
	assert_string_equal(action_of_key(&m, 'K', where)->name, "hide-user");
	assert_null(action_of_key(&m, 'U', where));
	assert_string_equal(action_keys(&m, action_find("hide-kernel")), "");
	assert_string_equal(action_of_key(&m, 'x', where)->name, "quit");
	assert_string_equal(action_keys(&m, action_find("export")), "");
	/* There is always a way out. */
	assert_string_equal(action_of_key(&m, 'C' & 0x1f, where)->name, "quit");
	assert_null(action_of_key(&m, 'q', where));
	assert_string_equal(action_keys(&m, action_find("help")), action_find("help")->keys);
	assert_null(action_of_key(&m, '/', where));
	assert_non_null(strstr(rc.faults.data, "ptoprc:2: there is no action 'no-such-action'"));
	assert_non_null(strstr(rc.faults.data, "ptoprc:3: there is no key 'F99'"));
	assert_non_null(strstr(rc.faults.data, "ptoprc:5: '^C' always leaves"));
	assert_null(strstr(rc.faults.data, "ptoprc:1:"));
	ui.keymap = m;
	action_put_help(&help, &ui, where);
	assert_non_null(strstr(help.data, "  K F12                hide or show user samples"));
	buf_release(&help);
	keymap_release(&m);
	rcfile_release(&rc);
}

static void
every_signal_has_a_name_and_help_and_is_found_by_both(void **state)
{
	const struct {
		const char *text;
		int number;
	} typed[] = {
		{ "15", SIGTERM }, { "term", SIGTERM }, { "SIGTERM", SIGTERM }, { "RTMIN", SIGRTMIN },
		{ "sigrtmin+2", SIGRTMIN + 2 }, { "RTMAX", SIGRTMAX }, { "64", 64 },
		{ "0", 0 }, { "65", 0 }, { "-1", 0 }, { "", 0 }, { "SIG", 0 }, { "TERMS", 0 }, { "1 5", 0 },
	};
	struct buf b = { 0 };

	(void)state;
	for (const struct signal_def *d = signal_defs; d->name != NULL; d++) {
		assert_true(d->help[0] != '\0');
		assert_int_equal(signal_parse(d->name), d->number);
		buf_reset(&b);
		signal_put_name(&b, d->number);
		assert_string_equal(buf_str(&b), d->name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(typed); i++)
		assert_int_equal(signal_parse(typed[i].text), typed[i].number);
	buf_release(&b);
}

static void
commands_are_words_and_what_is_none_is_a_fault(void **state)
{
	static const char *const lines[][2] = {
		{ "strace", "strace  -p {pid}" }, { "empty", " " }, { "braces", "x {name}" },
		{ "a name", "x" }, { "open", "x {pid" }, { "both", "y {tid}-{pid}" }, { "strace", "later {tid}" },
	};
	struct rcfile rc = { .name = "ptoprc" };
	struct ui ui = { .config = NULL };
	struct acting *a = &ui.acting;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		VEC_ADD(rc.lines, rc.len, rc.cap) = (struct rc_line){
			(unsigned)i + 1, mem_strdup("actions"), mem_strdup(lines[i][0]),
			mem_strdup(lines[i][1]) };
	commands_read(a, &rc);
	assert_int_equal(a->command_count, 2);
	assert_string_equal(a->commands[0].name, "both");
	assert_string_equal(a->commands[0].words[0], "y");
	assert_string_equal(a->commands[0].words[1], "{tid}-{pid}");
	assert_null(a->commands[0].words[2]);
	/* The last line of a name counts. */
	assert_string_equal(a->commands[1].words[0], "later");
	assert_string_equal(a->helps[1], "later {tid}");
	assert_non_null(strstr(rc.faults.data, "ptoprc:2: empty: it names no program"));
	assert_non_null(strstr(rc.faults.data, "ptoprc:3: braces: in braces there can be {pid} and {tid} alone"));
	assert_non_null(strstr(rc.faults.data, "ptoprc:4: 'a name' is no name"));
	assert_non_null(strstr(rc.faults.data, "ptoprc:5: open: in braces"));
	acting_end(&ui);
	rcfile_release(&rc);
}

static void
every_style_has_a_name_and_tells_its_meaning_without_colour(void **state)
{
	static const enum style must_show[] = {
		STYLE_SELECTED, STYLE_TITLE, STYLE_SORTED, STYLE_ALARM, STYLE_ERROR, STYLE_CURSOR,
		STYLE_HOT, STYLE_KEY,
	};

	(void)state;
	for (int s = 0; s < STYLE_COUNT; s++) {
		assert_non_null(style_defs[s].name);
		for (int t = 0; t < THEME_COUNT; t++) {
			assert_int_equal(style_look(&theme_table[t], (enum style)s, 0).fg, -1);
			assert_that(style_look(&theme_table[t], (enum style)s, 8).fg, <, 8);
			assert_that(style_look(&theme_table[t], (enum style)s, 8).bg, <, 8);
			assert_that(style_look(&theme_table[t], (enum style)s, 16).fg, <, 16);
			assert_that(style_look(&theme_table[t], (enum style)s, 256).fg, <, 256);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(must_show); i++)
		assert_true(style_look(&theme_table[THEME_MONO], must_show[i], 256).attr != 0);
	assert_true(style_defs[STYLE_SORTED].mono != style_defs[STYLE_TITLE].mono);
	/* The selected row may be the first below it. */
	assert_true(style_defs[STYLE_SELECTED].mono != style_defs[STYLE_TITLE].mono);
	assert_int_equal(style_defs[STYLE_TITLE].mono & STYLE_REVERSE, 0);
}

static const char *
drawn(struct canvas *c, struct buf *b, int max, const char *text)
{
	canvas_clear(c);
	canvas_put(c, 0, 0, max, STYLE_NORMAL, text);
	buf_reset(b);
	canvas_line(c, 0, b);
	return buf_str(b);
}

static void
text_is_cut_by_cells_and_says_so(void **state)
{
	struct canvas c = { 0 };
	struct buf b = { 0 };

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	canvas_resize(&c, 10, 1);
	assert_string_equal(drawn(&c, &b, 10, "0123456789"), "0123456789");
	assert_string_equal(drawn(&c, &b, 10, "0123456789a"), "012345678…");
	assert_string_equal(drawn(&c, &b, 4, "日本語"), "日 …");
	assert_string_equal(drawn(&c, &b, 6, "日本語"), "日本語");
	assert_string_equal(drawn(&c, &b, 4, "e\xcc\x81xyz"), "e\xcc\x81xyz");
	assert_string_equal(drawn(&c, &b, 0, "abc"), "");
	assert_string_equal(drawn(&c, &b, 1, "abc"), "…");
	c.ascii = true;
	assert_string_equal(drawn(&c, &b, 4, "abcdef"), "abc~");
	assert_string_equal(drawn(&c, &b, 4, "a†"), "a?");
	canvas_release(&c);
	buf_release(&b);
}

static void
a_wide_character_half_overwritten_leaves_a_blank(void **state)
{
	struct canvas c = { 0 };
	struct buf b = { 0 };

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	canvas_resize(&c, 6, 1);
	canvas_put(&c, 0, 0, 6, STYLE_NORMAL, "日本語");
	canvas_put_char(&c, 1, 0, STYLE_NORMAL, 'x');
	canvas_put_char(&c, 4, 0, STYLE_NORMAL, 'y');
	canvas_line(&c, 0, &b);
	assert_string_equal(b.data, " x本y");
	buf_reset(&b);
	canvas_put(&c, -3, 0, 6, STYLE_NORMAL, "日本語");
	canvas_put(&c, 5, 0, 6, STYLE_NORMAL, "日");
	canvas_put(&c, 0, 7, 6, STYLE_NORMAL, "no");
	canvas_line(&c, 0, &b);
	assert_that(b.len, >, 0);
	canvas_release(&c);
	buf_release(&b);
}

static void
bars_have_eight_heights_and_ascii_stands_in(void **state)
{
	struct canvas c = { 0 };
	struct buf b = { 0 };

	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	canvas_resize(&c, 8, 1);
	for (int pass = 0; pass < 2; pass++) {
		canvas_clear(&c);
		c.ascii = pass == 1;
		for (int x = 0; x < 8; x++)
			canvas_put_bar(&c, x, 0, x / 8.0);
		buf_reset(&b);
		canvas_line(&c, 0, &b);
		assert_string_equal(b.data, pass == 0 ? "▁▂▃▄▅▆▇█" : " .:-=+*#");
	}
	canvas_release(&c);
	buf_release(&b);
}

static void
every_preset_has_a_name_an_event_and_says_what_to_do_next(void **state)
{
	(void)state;
	for (size_t i = 0; i < preset_count; i++) {
		const struct preset *p = &presets[i];

		assert_that(strlen(p->name), >, 0);
		assert_that(strlen(p->help), >, 5);
		assert_that(strlen(p->spec), >, 0);
		assert_that(strlen(p->next), >, 5);
		assert_that(p->view, <, VIEW_COUNT);
		assert_true(*p->field == '\0' || p->view == VIEW_FIELDS);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(p->name, presets[k].name);
	}
}

/* Where stacks are not told apart below a row, f is said to be for all rows. */
static void
no_preset_leads_to_a_refusal(void **state)
{
	const struct config config = { 0 };

	(void)state;
	for (size_t i = 0; i < preset_count; i++) {
		const struct view_def *view = &view_defs[presets[i].view];
		const char *f = strstr(presets[i].next, "f: from where");
		struct ui ui = { .config = &config };
		struct nav_level *below = nav_level(&ui.nav);

		below->within_count = view->is_group;
		below->within[0].key = view->keys[0];
		if (f == NULL || !refusal_of_view(&ui, VIEW_FLAME, NULL))
			continue;
		if (strstr(f, " all") == NULL)
			fail_msg("%s: f is refused below a row: %s", presets[i].name, presets[i].next);
	}
}

static void
every_line_of_the_layout_is_on_the_screen_once(void **state)
{
	static const struct layout_wants all = { 0, true, true, 9 };

	(void)state;
	for (int h = 1; h <= 200; h++) {
		for (size_t notices = 0; notices < 4; notices++) {
			struct layout_wants wants = { notices, h % 3 > 0, h % 5 > 0, h % 7 };
			struct layout l = layout_make(80, h, &wants);
			int lines = l.cpu_count + (l.machine >= 0) + (l.event >= 0) + (l.strip >= 0) +
				    (l.crumbs >= 0) + (l.titles >= 0) + (l.footer >= 0) +
				    l.notice_count + l.row_count;

			assert_int_equal(lines, h);
			assert_that(l.row_count, >=, 1);
			assert_that(l.rows + l.row_count, <=, h);
		}
	}
	assert_that(layout_make(80, 9, &all).strip, <, 0);
	assert_that(layout_make(80, 9, &all).event, >=, 0);
	assert_that(layout_make(80, 8, &all).event, <, 0);
	assert_int_equal(layout_make(80, 24, &all).cpu_count, 6);
	assert_int_equal(layout_make(80, 13, &all).cpu_count, 0);
}

static void
the_setting_of_the_header_names_its_parts_and_they_are_read_back(void **state)
{
	const unsigned all = HEADER_BIT(HEADER_PARTS) - 1;
	const char *name = "", *help = "";
	struct buf b = { 0 };
	unsigned parts = 0;

	(void)state;
	for (size_t i = 0; help != NULL && strcmp(name, "header") != 0; i++)
		help = setting_help(i, &name);
	assert_non_null(help);
	header_parts_put(&b, all);
	assert_non_null(strstr(help, buf_str(&b)));
	for (int i = 0; i < HEADER_PARTS; i++)
		assert_that(strlen(header_parts[i].help), >, 5);
	for (unsigned set = 0; set <= all; set++) {
		buf_reset(&b);
		header_parts_put(&b, set);
		assert_true(header_parts_read(buf_str(&b), &parts));
		assert_int_equal(parts, set);
	}
	assert_false(header_parts_read("uptime bar", &parts));
	for (size_t i = 0; i < HEADER_TIME_COUNT; i++)
		assert_that(strlen(header_times[i].help), >, 5);
	assert_int_equal(parts, all);
	buf_release(&b);
}

static void
each_setting_but_what_has_a_way_of_its_own_has_an_action(void **state)
{
	static const char *const others[] = { "window", "theme", "header", "remember" };
	const char *name;

	(void)state;
	for (size_t i = 0; setting_help(i, &name) != NULL; i++) {
		bool is_other = false;

		for (size_t k = 0; k < ARRAY_SIZE(others); k++)
			is_other |= strcmp(name, others[k]) == 0;
		assert_int_equal(setting_action(i) == NULL, is_other);
	}
}

static void
narrow_tables_keep_share_and_name(void **state)
{
	static const struct {
		enum view_id view;
		enum column_id name;
	} names[] = {
		{ VIEW_PROCESSES, COLUMN_COMMAND }, { VIEW_THREADS, COLUMN_COMM },
		{ VIEW_FUNCTIONS, COLUMN_SYMBOL }, { VIEW_DSOS, COLUMN_DSO },
		{ VIEW_CPUS, COLUMN_CPU_NUMBER }, { VIEW_USERS, COLUMN_USER },
		{ VIEW_UNNAMED, COLUMN_DSO }, { VIEW_LOCKS, COLUMN_LOCK },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (int width = 1; width < 300; width++) {
			struct query q = { .view = names[i].view, .by_view = true };
			struct column_list list;
			struct table t;
			bool share = false, name = false;

			column_list_make(&list, &q, false, NULL);
			table_fit(&t, &list, NULL, NULL, width);
			for (size_t j = 0; j < t.len; j++) {
				share = share || t.columns[j].id == COLUMN_SHARE;
				name = name || t.columns[j].id == names[i].name;
				assert_that(t.columns[j].width, >=, 0);
				if (width >= 20)
					assert_that(t.columns[j].x + t.columns[j].width, <=, width);
			}
			if (!share || !name)
				fail_msg("view %zu at width %d", i, width);
		}
	}
}

static bool
has_column(const struct table *t, enum column_id id)
{
	for (size_t i = 0; i < t->len; i++)
		if (t->columns[i].id == id)
			return true;
	return false;
}

/* Names of threads are many times the same: before their numbers go all that is measured but the share. */
static void
narrow_tables_keep_who_a_row_is(void **state)
{
	static const struct snapshot_event waits[] = {
		{ .is_looks = true },
		{ .is_looks = true, .is_all_time = true },
		{ .is_looks = true, .beside = { "a", "b", "c", "d" }, .beside_count = 4, .has_ipc = true },
	};
	static const enum column_id kept[] = { COLUMN_PID, COLUMN_TID, COLUMN_SHARE, COLUMN_COMM };
	static const enum column_id waited[] = { COLUMN_WAITS_IN, COLUMN_ON };
	static const enum column_id measured[] = { COLUMN_CPU, COLUMN_WAIT, COLUMN_HOTTEST,
						   COLUMN_WAITS_IN, COLUMN_ON };
	struct query q = { .view = VIEW_THREADS, .by_view = true };
	struct column_list list;
	struct table t;

	(void)state;
	for (size_t e = 0; e < ARRAY_SIZE(waits); e++) {
		column_list_make(&list, &q, false, &waits[e]);
		for (int width = 20; width < 200; width++) {
			table_fit(&t, &list, NULL, NULL, width);
			for (size_t i = 0; i < ARRAY_SIZE(measured) && !has_column(&t, COLUMN_PID); i++)
				assert_false(has_column(&t, measured[i]));
		}
		table_fit(&t, &list, NULL, NULL, 80);
		for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
			assert_true(has_column(&t, kept[i]));
		for (size_t i = 0; i < ARRAY_SIZE(waited) && waits[e].beside_count == 0; i++)
			assert_true(has_column(&t, waited[i]));
	}
}

static int
width_of_note(const struct snapshot *s)
{
	struct query q = { .view = VIEW_CALLS, .by_view = true };
	struct column_list list;
	struct table t;

	column_list_make(&list, &q, false, NULL);
	column_list_drop_empty(&list, s);
	assert_int_equal(list.first_key, list.count);
	table_fit(&t, &list, NULL, NULL, 160);
	assert_int_equal(t.columns[t.len - 1].id, COLUMN_CALL_NOTE);
	return t.columns[t.len - 1].width;
}

/* Why it is not timed is said in the note. */
static void
the_note_has_the_room_of_times_where_no_call_is_timed(void **state)
{
	static const struct call_row timed = { .is_timed = true };
	static const struct call_row entry_only = { .is_timed = false };
	struct row rows[] = { { .call = &entry_only }, { .call = &timed } };
	struct snapshot untimed = { .rows = rows, .row_count = 1 };
	struct snapshot some = { .rows = rows, .row_count = 2 };

	(void)state;
	assert_that(width_of_note(&some), <, 20);
	assert_that(width_of_note(&untimed), >=, width_of_note(&some) + 24);
}

/* Where things are counted, and there is room. */
static void
columns_of_counts_come_for_events_that_count_things(void **state)
{
	static const struct snapshot_event things = { .counts_things = true, .window_s = 4 };
	static const struct snapshot_event some = { .counts_things = true, .is_picked = true };
	static const enum view_id views[] = { VIEW_PROCESSES, VIEW_THREADS, VIEW_FUNCTIONS,
					      VIEW_DSOS, VIEW_CPUS, VIEW_USERS, VIEW_UNNAMED };
	struct column_list list;
	struct table t;

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(views); i++) {
		struct query q = { .by_view = i < ARRAY_SIZE(views), .keys = { KEY_COMM },
				   .key_count = 1,
				   .view = views[MIN(i, ARRAY_SIZE(views) - 1)] };
		size_t share = 0;

		column_list_make(&list, &q, false, NULL);
		assert_false(column_list_has(&list, COLUMN_EVENTS));
		column_list_make(&list, &q, false, &things);
		while (list.ids[share] != COLUMN_SHARE)
			assert_that(++share, <, list.count);
		assert_int_equal(list.ids[share + 1], COLUMN_EVENTS);
		assert_int_equal(list.ids[share + 2], COLUMN_RATE);
		assert_false(column_list_has(&list, COLUMN_SAMPLES)); /* the same */
		assert_string_equal(column_title(COLUMN_EVENTS, &q, &things), "COUNT");
		assert_string_equal(column_title(COLUMN_EVENTS, &q, &some), "SAMPLES");
		assert_false(column_list_has(&list, COLUMN_CPU_ESTIMATE)); /* nobody can tell */
		table_fit(&t, &list, NULL, NULL, 20);
		assert_that(t.len, <=, 3);
	}
}

/* A name alone says nothing. */
static void
counters_have_a_number_however_narrow_the_screen_is(void **state)
{
	const struct query q = { .view = VIEW_COUNTERS, .by_view = true };
	struct column_list list;
	struct table t;

	(void)state;
	column_list_make(&list, &q, false, NULL);
	table_fit(&t, &list, NULL, NULL, 20);
	assert_int_equal(t.len, 2);
	assert_that(t.columns[0].width, >=, 6);
	assert_that(t.columns[1].width, >=, 9);
	assert_that(t.columns[1].x + t.columns[1].width, <=, 20);
}

static int
width_of(const struct table *t, enum column_id id)
{
	for (size_t i = 0; i < t->len; i++)
		if (t->columns[i].id == id)
			return t->columns[i].width;
	return 0;
}

static void
columns_have_the_width_that_was_chosen_where_there_is_room(void **state)
{
	struct query q = { .view = VIEW_PROCESSES, .by_view = true };
	struct column_choice c = { .count = 0 };
	struct column_list list;
	struct table own, t;

	(void)state;
	column_list_make(&list, &q, false, NULL);
	table_fit(&own, &list, NULL, NULL, 160);
	c.widths[COLUMN_HOTTEST] = 20;
	c.widths[COLUMN_USER] = 4;
	c.widths[COLUMN_PID] = 12;
	table_fit(&t, &list, c.widths, NULL, 160);
	assert_int_equal(width_of(&t, COLUMN_HOTTEST), 20);
	assert_int_equal(width_of(&t, COLUMN_USER), 4);
	assert_int_equal(width_of(&t, COLUMN_PID), 12);
	/* Who takes the rest has what the others left. */
	assert_int_equal(width_of(&t, COLUMN_COMMAND) - width_of(&own, COLUMN_COMMAND),
			 width_of(&own, COLUMN_HOTTEST) + width_of(&own, COLUMN_USER) +
			 width_of(&own, COLUMN_PID) - 20 - 4 - 12);
	c.widths[COLUMN_COMMAND] = COLUMN_WIDTH_MAX;
	for (int width = 300; width >= 20; width--) {
		table_fit(&own, &list, NULL, NULL, width);
		table_fit(&t, &list, c.widths, NULL, width);
		/* What is wide takes no other's place. */
		assert_that(t.len, >=, own.len);
		assert_that(t.columns[t.len - 1].x + t.columns[t.len - 1].width, <=, width);
	}
}

/* Up to half of what is left, so that what names the rows stays readable. */
static void
titles_of_events_have_the_room_that_is_free(void **state)
{
	const struct query q = { .view = VIEW_PROCESSES, .by_view = true };
	const struct snapshot_event short_one = { .beside = { "faults" }, .beside_count = 1 };
	const struct snapshot_event one = { .beside = { "sys_exit_read" }, .beside_count = 1 };
	const struct snapshot_event short_ones = { .beside = { "a", "b" }, .beside_count = 2 };
	const struct snapshot_event long_ones = {
		.beside = { "a_name_that_is_longer_than_any_of_the_kernel_is_and_than_half_a_line", "faults" },
		.beside_count = 2 };
	struct column_choice c = { .count = 0 };
	struct column_list list, short_list;
	struct table t, before;

	(void)state;
	column_list_make(&short_list, &q, false, &short_one);
	column_list_make(&list, &q, false, &one);
	table_fit(&before, &short_list, NULL, &short_one, 160);
	table_fit(&t, &list, NULL, &one, 160);
	assert_int_equal(width_of(&before, COLUMN_BESIDE), columns[COLUMN_BESIDE].width);
	/* And for the arrow. */
	assert_int_equal(width_of(&t, COLUMN_BESIDE), strlen("sys_exit_read") + 1);
	assert_that(width_of(&t, COLUMN_COMMAND), <, width_of(&before, COLUMN_COMMAND));
	c.widths[COLUMN_BESIDE] = 12;
	table_fit(&t, &list, c.widths, &one, 160);
	assert_int_equal(width_of(&t, COLUMN_BESIDE), 12);
	column_list_make(&list, &q, false, &long_ones);
	column_list_make(&short_list, &q, false, &short_ones);
	for (int width = 300; width >= 20; width--) {
		table_fit(&before, &short_list, NULL, &short_ones, width);
		table_fit(&t, &list, NULL, &long_ones, width);
		assert_int_equal(t.len, before.len);
		assert_that(width_of(&t, COLUMN_COMMAND), >=, width_of(&before, COLUMN_COMMAND) / 2);
		assert_that(t.columns[t.len - 1].x + t.columns[t.len - 1].width, <=, width);
	}
}

static void
widths_are_read_and_written_with_their_columns(void **state)
{
	static const char *const bad[] = {
		"pid command:2", "pid command:201", "pid command:", "pid command:x", "pid:3", "command: 40",
	};
	struct column_choice choices[VIEW_COUNT] = { { .count = 0 } };
	const char *text = "[columns]\nprocesses = pid evt command:40\n";
	struct column_choice *c = &choices[VIEW_PROCESSES];
	struct rcfile rc = { .name = "ptoprc" };
	struct buf b = { 0 };

	(void)state;
	rcfile_parse(&rc, text, strlen(text));
	columns_read(choices, &rc);
	assert_int_equal(rc.faults.len, 0);
	rcfile_release(&rc);
	assert_int_equal(c->count, 3);
	assert_int_equal(c->widths[COLUMN_COMMAND], 40);
	columns_put(c, VIEW_PROCESSES, &b);
	assert_string_equal(buf_str(&b), "pid evt command:40");
	/* Of the view's own columns those with a width make the others be told, too. */
	c->count = 0;
	buf_reset(&b);
	columns_put(c, VIEW_PROCESSES, &b);
	assert_non_null(strstr(buf_str(&b), "pid user threads"));
	assert_non_null(strstr(buf_str(&b), " command:40"));
	buf_reset(&b);
	columns_put(&choices[VIEW_THREADS], VIEW_THREADS, &b);
	assert_int_equal(b.len, 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct rcfile wrong = { .name = "ptoprc" };

		buf_reset(&b);
		buf_addf(&b, "[columns]\nprocesses = %s\n", bad[i]);
		rcfile_parse(&wrong, buf_str(&b), b.len);
		columns_read(choices, &wrong);
		assert_int_not_equal(wrong.faults.len, 0);
		assert_int_equal(c->count, 0); /* it stays as it was */
		rcfile_release(&wrong);
	}
	buf_release(&b);
}

static void
a_table_tells_events_per_second(void **state)
{
	struct row row = { .symbol = "f", .event = "", .comm = "", .dso = "", .source = "",
			   .samples = 480, .period = 480, .counted = 480, .share = 1 };
	struct snapshot_event event = { .shown = true, .counts_things = true, .window_s = 4,
					.base = 480 };
	struct snapshot snap = { .rows = &row, .row_count = 1, .events = &event, .event_count = 1,
				 .query = { .view = VIEW_FUNCTIONS, .by_view = true } };
	struct column_list list;
	struct canvas c = { 0 };
	struct buf b = { 0 };
	struct table t;

	(void)state;
	canvas_resize(&c, 100, 2);
	for (int i = 0; i < 2; i++) {
		snap.query.shares = i == 0 ? SHARES_OF_ALL : SHARES_PER_SECOND;
		column_list_make(&list, &snap.query, false, &event);
		table_fit(&t, &list, NULL, NULL, 100);
		canvas_clear(&c);
		table_draw_titles(&t, &c, 0, &snap.query, &event);
		table_draw_rows(&t, &c, &snap, 1, 1, 0, SIZE_MAX);
		buf_reset(&b);
		canvas_line(&c, 0, &b);
		assert_non_null(strstr(buf_str(&b), i == 0 ? "  %EVT     COUNT      /S"
							   : " EVT/S     COUNT      /S"));
		buf_reset(&b);
		canvas_line(&c, 1, &b);
		assert_non_null(strstr(buf_str(&b), i == 0 ? " 100.0       480     120"
							   : "   120       480     120"));
	}
	buf_release(&b);
	canvas_release(&c);
}

static void
keys_stay_when_counts_but_the_share_have_gone(void **state)
{
	struct query q = { .view = VIEW_PROCESSES, .key_count = 3,
			   .keys = { KEY_COMM, KEY_CPU, KEY_USER } };
	struct column_list list;
	bool had_all = false;

	(void)state;
	column_list_make(&list, &q, false, NULL);
	for (int width = 300; width > 0; width--) {
		unsigned shown[COLUMN_COUNT] = { 0 };
		struct table t;
		size_t keys;

		table_fit(&t, &list, NULL, NULL, width);
		for (size_t i = 0; i < t.len; i++)
			shown[t.columns[i].id]++;
		keys = shown[COLUMN_COMM] + shown[COLUMN_CPU_NUMBER] + shown[COLUMN_USER];
		assert_int_equal(shown[COLUMN_SHARE], 1);
		assert_int_equal(shown[COLUMN_COMM], 1);
		if (keys < 3)
			assert_int_equal(shown[COLUMN_SAMPLES] + shown[COLUMN_PERIOD] +
					 shown[COLUMN_TREND], 0);
		if (width >= 28)
			assert_int_equal(keys, 3);
		had_all |= t.len == list.count;
		if (width >= 20)
			assert_that(t.columns[t.len - 1].x + t.columns[t.len - 1].width, <=, width);
	}
	assert_true(had_all);
}

/* Colours that change at each gap between columns are bytes for nothing. */
static void
gaps_of_a_row_have_its_style(void **state)
{
	struct row row = { .symbol = "f", .event = "", .comm = "", .dso = "lib", .source = "",
			   .flags = ROW_DEAD, .samples = 1, .period = 1, .share = 0.0001 };
	struct snapshot snap = { .rows = &row, .row_count = 1,
				 .query = { .view = VIEW_FUNCTIONS, .by_view = true } };
	struct column_list list;
	struct canvas c = { 0 };
	struct table t;

	(void)state;
	canvas_resize(&c, 100, 1);
	column_list_make(&list, &snap.query, false, NULL);
	table_fit(&t, &list, NULL, NULL, 100);
	canvas_clear(&c);
	table_draw_rows(&t, &c, &snap, 0, 1, 0, SIZE_MAX);
	for (int x = 0; x < c.width; x++)
		if (c.cells[x].ch == ' ')
			assert_int_equal(c.cells[x].style, STYLE_DIM);
	canvas_release(&c);
}

/* In the first seconds of the views of CPUs and nodes: a "-" alone tells nobody that. */
static void
samples_from_before_cpus_were_looked_at_say_so(void **state)
{
	static const enum view_id views[] = { VIEW_CPUS, VIEW_NODES };
	static const int widths[] = { 80, 160, 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(views) * ARRAY_SIZE(widths) * 2; i++) {
		const int number = i % 2 == 0 ? -1 : 3, width = widths[i / 2 % ARRAY_SIZE(widths)];
		struct row row = { .symbol = "", .event = "", .comm = "", .dso = "", .cpu_number = number,
				   .node = number, .samples = 1, .period = 1, .share = 1 };
		struct snapshot snap = { .rows = &row, .row_count = 1,
					 .query = { .view = views[i / 2 / ARRAY_SIZE(widths)], .by_view = true } };
		struct column_list list;
		struct canvas c = { 0 };
		struct buf b = { 0 };
		struct table t;

		canvas_resize(&c, width, 1);
		canvas_clear(&c);
		column_list_make(&list, &snap.query, false, NULL);
		table_fit(&t, &list, NULL, NULL, width);
		table_draw_rows(&t, &c, &snap, 0, 1, 0, SIZE_MAX);
		canvas_line(&c, 0, &b);
		if (width > 20 && (strstr(buf_str(&b), "before it was looked at") != NULL) != (number < 0))
			fail_msg("%d, %d wide: '%s'", number, width, buf_str(&b));
		buf_release(&b);
		canvas_release(&c);
	}
}

/* Where the note has a column wide enough the numbers, which are not known, stand before it. */
static void
a_counter_that_is_not_counted_says_why_in_the_place_of_numbers(void **state)
{
	static const struct {
		int width;
		bool is_known, has_numbers;
	} cases[] = { { 80, false, false }, { 60, false, false }, { 160, false, true }, { 80, true, true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct counter_row counter = {
			.name = "cycles", .is_known = cases[i].is_known, .running = -1,
			.note = cases[i].is_known ? "" : "this machine has no counters",
		};
		struct row row = { .symbol = "cycles", .event = "cycles", .comm = "", .dso = "",
				   .counter = &counter };
		struct snapshot snap = { .rows = &row, .row_count = 1,
					 .query = { .view = VIEW_COUNTERS, .by_view = true } };
		struct column_list list;
		struct canvas c = { 0 };
		struct buf b = { 0 };
		struct table t;

		canvas_resize(&c, cases[i].width, 1);
		canvas_clear(&c);
		column_list_make(&list, &snap.query, false, NULL);
		table_fit(&t, &list, NULL, NULL, cases[i].width);
		table_draw_rows(&t, &c, &snap, 0, 1, 0, SIZE_MAX);
		canvas_line(&c, 0, &b);
		if ((strstr(buf_str(&b), "this machine has no counters") == NULL) != cases[i].is_known ||
		    (strchr(buf_str(&b), '?') != NULL) != cases[i].has_numbers)
			fail_msg("%d wide: '%s'", cases[i].width, buf_str(&b));
		buf_release(&b);
		canvas_release(&c);
	}
}

/* As a menu over a table: two rows looked chosen. */
static void
what_is_filled_is_not_selected_any_more(void **state)
{
	struct canvas c = { 0 };

	(void)state;
	canvas_resize(&c, 10, 1);
	canvas_clear(&c);
	canvas_select(&c, 0, 0, 10);
	canvas_fill(&c, 2, 0, 4, STYLE_NORMAL);
	for (int x = 0; x < c.width; x++)
		assert_int_equal(c.cells[x].selected, x < 2 || x >= 6);
	canvas_release(&c);
}

static void
a_sum_of_any_keys_says_what_it_is(void **state)
{
	struct row row = { .symbol = "[filtered]", .flags = ROW_FILTERED, .samples = 7,
			   .data_src = "", .event = "", .user = "", .dso = "" };
	struct snapshot snap = { .rows = &row, .row_count = 1 };
	struct canvas c = { 0 };

	(void)state;
	for (enum key key = 0; key < KEY_COUNT; key++) {
		struct query q = { .view = VIEW_PROCESSES, .key_count = 2,
				   .keys = { key, key == KEY_TIME ? KEY_CPU : KEY_TIME } };
		struct column_list list;
		struct buf b = { 0 };
		struct table t;

		canvas_resize(&c, 120, 1);
		canvas_clear(&c);
		column_list_make(&list, &q, false, NULL);
		table_fit(&t, &list, NULL, NULL, 120);
		table_draw_rows(&t, &c, &snap, 0, 1, 0, SIZE_MAX);
		canvas_line(&c, 0, &b);
		if (strstr(buf_str(&b), "[filter") == NULL)
			fail_msg("by %s: '%s'", key_name(key), buf_str(&b));
		buf_release(&b);
	}
	canvas_release(&c);
}

static void
pieces_give_way_by_rank(void **state)
{
	struct canvas c = { 0 };
	struct segs s = { 0 };
	struct buf b = { 0 };

	(void)state;
	canvas_resize(&c, 20, 1);
	segs_add(&s, 50, STYLE_NORMAL, "first");
	segs_add(&s, 10, STYLE_NORMAL, "unimportant");
	segs_add(&s, RANK_MUST, STYLE_NORMAL, "%s", "must");
	segs_draw(&s, &c, 0, 0, 20, 2);
	canvas_line(&c, 0, &b);
	assert_string_equal(b.data, "first  must");
	canvas_clear(&c);
	segs_draw(&s, &c, 0, 0, 6, 2);
	buf_reset(&b);
	canvas_line(&c, 0, &b);
	assert_string_equal(b.data, "must");
	segs_release(&s);
	canvas_release(&c);
	buf_release(&b);
}

static void
commands_far_down_a_tree_keep_their_names(void **state)
{
	struct row row = { .symbol = "", .event = "", .comm = "worker", .user = "root", .hottest = "",
			   .waits_in = "", .on = "", .command = "/usr/bin/worker --all", .depth = 30 };
	struct snapshot snap = { .rows = &row, .row_count = 1,
				 .query = { .view = VIEW_PROCESSES, .by_view = true } };
	struct column_list list;
	struct canvas c = { 0 };
	struct buf b = { 0 };
	struct table t;

	(void)state;
	column_list_make(&list, &snap.query, false, NULL);
	for (int width = 60; width <= 160; width += 20) {
		canvas_resize(&c, width, 1);
		canvas_clear(&c);
		table_fit(&t, &list, NULL, NULL, width);
		table_draw_rows(&t, &c, &snap, 0, 1, 0, SIZE_MAX);
		buf_reset(&b);
		canvas_line(&c, 0, &b);
		assert_non_null(strstr(buf_str(&b), " work"));
	}
	buf_release(&b);
	canvas_release(&c);
}

static void
what_is_wrapped_goes_on_below_its_own_column(void **state)
{
	static const char text[] = "  F6                menu of columns to sort by\nplain words without columns\n";
	static const char *const wanted[] = {
		"   F6                menu of columns to", "                     sort by",
		" plain words without columns",
	};
	struct textview v = { .hangs = true };
	struct canvas c = { 0 };
	struct buf b = { 0 };

	(void)state;
	canvas_resize(&c, 44, 10);
	textview_set(&v, &c, "title", text, sizeof(text) - 1);
	textview_draw(&v, &c, 0, 10);
	for (int i = 0; i < (int)ARRAY_SIZE(wanted); i++) {
		buf_reset(&b);
		canvas_line(&c, 1 + i, &b);
		assert_string_equal(b.data, wanted[i]);
	}
	textview_release(&v);
	canvas_release(&c);
	buf_release(&b);
}

static void
what_a_narrow_page_has_no_room_for_has_lines_of_its_own(void **state)
{
	static const char text[] = "  F1 h ? Ctrl-A Ctrl-B  this help\n  F6                  sort\n  Tab               a menu of views\n";
	static const char *const wanted[] = {
		"   F1 h ? Ctrl-A", "     Ctrl-B", "     this help", "   F6", "     sort", "   Tab",
		"     a menu of", "     views",
	};
	struct textview v = { .hangs = true };
	struct canvas c = { 0 };
	struct buf b = { 0 };

	(void)state;
	canvas_resize(&c, 20, 10);
	textview_set(&v, &c, "title", text, sizeof(text) - 1);
	textview_draw(&v, &c, 0, 10);
	for (int i = 0; i < (int)ARRAY_SIZE(wanted); i++) {
		buf_reset(&b);
		canvas_line(&c, 1 + i, &b);
		assert_string_equal(b.data, wanted[i]);
	}
	assert_int_equal(v.line_count, ARRAY_SIZE(wanted));
	textview_release(&v);
	canvas_release(&c);
	buf_release(&b);
}

/* As that of a column, which may be in rows that others have replaced. */
static void
a_menu_has_its_title_as_long_as_it_is_open(void **state)
{
	struct ui ui = { .layout = { .height = 4, .footer = -1 } };
	char title[] = "CYCLES";
	struct buf b = { 0 };

	(void)state;
	page_init(&ui);
	canvas_resize(&ui.canvas, 60, 4);
	menu_open(&ui, title, NULL);
	memset(title, 'x', sizeof(title) - 1);
	pages[PAGE_MENU]->draw(&ui);
	canvas_line(&ui.canvas, 0, &b);
	assert_non_null(strstr(buf_str(&b), "CYCLES"));
	buf_release(&b);
	canvas_release(&ui.canvas);
	page_release(&ui);
}

/* Whether Enter shows the last line's text that was cut, rather than wait for the row that it is about. */
static bool
enter_shows_message(bool is_news, uint64_t shown_ns)
{
	struct ui ui = { .layout = { .height = 4, .footer = -1 } };
	struct input in = { .held_count = 0 };
	bool shows;

	page_init(&ui);
	canvas_resize(&ui.canvas, 20, 4);
	ui_say(&ui, false, "a text that is longer than the line is");
	ui.status.is_news = is_news;
	ui.status.is_cut = true;
	ui.status.since_ns -= shown_ns;
	input_event(&in, &ui, &(struct term_event){ .key = KEYCODE_ENTER });
	shows = ui.page == PAGE_TEXT;
	assert_int_equal(in.held_count, !shows);
	ui_unsay(&ui);
	buf_release(&ui.status.text);
	buf_release(&ui.status.hint);
	canvas_release(&ui.canvas);
	page_release(&ui);
	return shows;
}

static void
enter_is_not_for_news_that_nobody_can_have_read(void **state)
{
	(void)state;
	assert_true(enter_shows_message(false, 0));
	assert_true(enter_shows_message(true, 2 * NSEC_PER_SEC));
	assert_true(!enter_shows_message(true, 0));
}

static void
long_lines_of_a_page_wrap_and_end(void **state)
{
	struct canvas c = { 0 };
	struct textview v = { 0 };
	struct buf b = { 0 };
	char text[400];

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "some words to wrap here\nnext\t.\n", 31);
	for (int width = 1; width < 30; width++) {
		canvas_resize(&c, width, 10);
		textview_set(&v, &c, "title", text, sizeof(text));
		textview_draw(&v, &c, 0, 10);
		textview_end(&v);
		textview_draw(&v, &c, 0, 10);
		assert_that(v.line_count, >=, sizeof(text) / (size_t)width / 2);
	}
	canvas_resize(&c, 14, 10);
	v.follow = false;
	v.top = 0;
	textview_draw(&v, &c, 0, 10);
	canvas_line(&c, 1, &b);
	assert_string_equal(b.data, " some words");
	buf_reset(&b);
	canvas_line(&c, 0, &b);
	assert_int_equal(strncmp(b.data, " title", 6), 0);
	assert_null(strstr(b.data + 6, "title")); /* it was set anew many times */
	textview_release(&v);
	canvas_release(&c);
	buf_release(&b);
}

static void
the_ring_of_output_keeps_the_last_whole_lines(void **state)
{
	struct output o = { 0 };
	struct buf b = { 0 };
	char line[64];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (int i = 0; i < 20000; i++) {
		snprintf(line, sizeof(line), "line number %06d of all\n", i);
		assert_that(write(fds[1], line, strlen(line)), >, 0);
		output_read(&o, fds[0]);
	}
	output_take(&o, &b);
	assert_that(b.len, <=, 256 * 1024);
	assert_memory_equal(b.data, "line number ", 12);
	assert_string_equal(b.data + b.len - strlen(line), line);
	output_read(&o, -1);
	assert_true(o.closed);
	output_release(&o);
	buf_release(&b);
	close(fds[0]);
	close(fds[1]);
}

static void
rows_have_brief_names_and_a_search_looks_at_whole_ones(void **state)
{
	const struct query q = { .view = VIEW_FUNCTIONS, .by_view = true };
	struct column_list list;
	struct row row = { .symbol = "ns::Map<std::string, int>::find\033[2J", .event = "",
			   .comm = "", .dso = "", .source = "", .user = "", .cgroup = "",
			   .command = "", .hottest = "", .reason = "" };
	struct snapshot snap = { .rows = &row, .row_count = 1 };
	struct canvas c = { 0 };
	struct buf b = { 0 };
	struct table t;

	(void)state;
	canvas_resize(&c, 160, 1);
	column_list_make(&list, &q, false, NULL);
	table_fit(&t, &list, NULL, NULL, 160);
	table_draw_rows(&t, &c, &snap, 0, 1, 0, SIZE_MAX);
	canvas_line(&c, 0, &b);
	assert_non_null(strstr(buf_str(&b), "ns::Map<...>::find\\x1b[2J"));
	buf_reset(&b);
	table_put_text(&b, &list, &row, false);
	assert_non_null(strstr(buf_str(&b), "ns::Map<std::string, int>::find"));
	buf_release(&b);
	canvas_release(&c);
}

static void
the_chosen_line_of_a_list_is_on_the_screen(void **state)
{
	struct choice c = { 0 };

	(void)state;
	choice_begin(&c, 10);
	choice_place(&c, 2, 3);
	assert_int_equal(c.top, 0);
	choice_move(&c, -1);
	assert_int_equal(c.selected, 0);
	choice_move(&c, 4);
	choice_place(&c, 2, 3);
	assert_int_equal(c.selected, 4);
	assert_int_equal(c.top, 2);
	choice_move(&c, -1);
	choice_place(&c, 2, 3);
	assert_int_equal(c.top, 2); /* it scrolls only where it has to */
	choice_move(&c, -2);
	choice_place(&c, 2, 3);
	assert_int_equal(c.top, 1);
	choice_move(&c, 100);
	choice_place(&c, 2, 3);
	assert_int_equal(c.selected, 9);
	assert_int_equal(c.top, 7);
	assert_false(choice_hit(&c, 1));
	assert_false(choice_hit(&c, 5));
	assert_true(choice_hit(&c, 2));
	assert_int_equal(c.selected, 7);
	choice_begin(&c, 10);
	choice_place(&c, 2, 3);
	assert_false(choice_hit(&c, 5)); /* a line that there is, but not on the screen */
	assert_true(choice_hit(&c, 4));
	assert_int_equal(c.selected, 2);
	choice_place(&c, 2, 1);
	assert_int_equal(c.top, 2);
	choice_begin(&c, 1);
	choice_place(&c, 2, 3);
	assert_int_equal(c.top, 0);
	assert_false(choice_hit(&c, 3)); /* below the last line */
	choice_begin(&c, 0);
	choice_move(&c, 1);
	assert_int_equal(c.selected, 0);
	choice_place(&c, 0, -1); /* no room */
	assert_int_equal(c.rows, 0);
	assert_false(choice_hit(&c, 0));
}

static void
each_word_that_is_typed_is_in_one_of_the_texts(void **state)
{
	static const char *const texts[] = { "page-faults", "memory that was not there yet" };
	char longest[300];

	(void)state;
	assert_true(words_are_in("", texts, 2));
	assert_true(words_are_in("  FAULT  memory ", texts, 2));
	assert_true(words_are_in("not", texts, 2));
	assert_false(words_are_in("not", texts, 1));
	assert_false(words_are_in("fault disk", texts, 2));
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_false(words_are_in(longest, texts, 2));
}

/* As the rows of a list: what time may tell yet is not told now. */
static void
a_node_is_more_or_less_only_where_that_is_no_chance(void **state)
{
	struct difference d = { .change = { .now = 0.36, .then = 0.31, .delta = 0.05, .p = 0.3 } };
	struct snapshot_node node = { .difference = &d };

	(void)state;
	assert_int_equal(nodetext_look(&node).mark, '=');
	d.change.needs_s = 86;
	assert_int_equal(nodetext_look(&node).mark, '=');
	d.change.needs_s = 0;
	d.change.is_significant = true;
	assert_int_equal(nodetext_look(&node).mark, '+');
	d.is_gone = true;
	assert_int_equal(nodetext_look(&node).mark, 'x');
	d.change.is_significant = false;
	assert_int_equal(nodetext_look(&node).mark, '=');
}

static void
what_a_difference_needs_fits_its_column(void **state)
{
	static const struct {
		double needs_s;
		const char *word;
	} rows[] = { { 0.5, "needs 1 s" }, { 98.5, "needs 99 s" }, { 99, "needs 2 min" },
		     { 660, "needs 11 min" }, { 5940, "needs 2 h" }, { 11400, "needs 4 h" } };
	char word[COLUMN_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct difference d = { .change = { .needs_s = rows[i].needs_s } };

		assert_string_equal(difference_word(&d, word), rows[i].word);
		assert_true(strlen(rows[i].word) <= (size_t)columns[COLUMN_SIGNIFICANT].width);
	}
}

/* Of fewer than ten seconds there is no test yet; of the rest of a node there is none, ever. */
static void
a_node_that_needs_more_time_is_no_more_and_no_less(void **state)
{
	struct difference d = { .change = { .then = 0.05, .delta = -0.05, .p = NAN, .needs_s = 8 } };
	struct snapshot_node node = { .difference = &d };

	(void)state;
	assert_int_equal(nodetext_look(&node).mark, '=');
	d.is_gone = true;
	assert_int_equal(nodetext_look(&node).mark, '=');
	d.change.needs_s = 0;
	assert_int_equal(nodetext_look(&node).mark, 'x');
	d.is_gone = false;
	assert_int_equal(nodetext_look(&node).mark, '-');
}

static void
assert_explained(const char *word)
{
	const char *argv[] = { run_ptop(), "--explain", word, NULL };
	struct run_result r;

	run_program(&r, 60, (char *const *)(uintptr_t)argv);
	if (r.status != 0)
		fail_msg("'%s': %s", word, r.err);
	run_release(&r);
}

static void
assert_looks_are_explained(const struct node_look *looks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (looks[i].name != NULL)
			assert_explained((char[]){ looks[i].mark, '\0' });
}

/* What stands where code has no file; and its names that others gave it. */
static void
all_names_in_brackets_are_explained(void **state)
{
	static const char *const others[] = {
		"[JIT]", "[JIT] tid 4711", "[bpf]", "[kernel.kallsyms]", "[named]", "[no waits]", "[other]",
		"[filtered]", "[too many names]",
	};
	struct strs strs = { 0 };
	struct dsos dsos;

	(void)state;
	dsos_init(&dsos, &strs);
	for (uint32_t id = DSO_ID_UNKNOWN; id < DSO_ID_FIRST_FILE; id++)
		assert_explained(strs_get(&strs, dsos_get(&dsos, id)->name));
	dsos_release(&dsos);
	strs_release(&strs);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_explained(others[i]);
}

static void
all_titles_words_and_signs_of_the_screen_are_explained(void **state)
{
	const struct query per_second = { .shares = SHARES_PER_SECOND };
	const struct snapshot_event time = { .counts_time = true };

	(void)state;
	for (int id = 0; id < COLUMN_COUNT; id++) {
		assert_explained(columns[id].title);
		assert_explained(column_title((enum column_id)id, &per_second, NULL));
	}
	assert_explained(column_title(COLUMN_SHARE, &per_second, &time));
	for (size_t i = 0; i < LOSS_KINDS; i++)
		if (loss_defs[i].header != NULL)
			assert_explained(loss_defs[i].header);
	assert_explained("merged");
	assert_explained("samples/s");
	assert_explained("[uprobes]");
	for (int k = 0; k < WAIT_KINDS; k++) {
		assert_explained(wait_kind_defs[k].name);
		assert_explained(wait_kind_defs[k].frame);
		assert_explained(wait_kind_defs[k].state);
	}
	for (size_t i = 0; i < HEADER_PARTS; i++)
		assert_explained(header_parts[i].name);
	for (size_t i = 0; i < HEADER_TIME_COUNT; i++)
		assert_explained(header_times[i].name);
	for (size_t i = 0; i < SCREEN_WORDS; i++)
		assert_explained(screen_words[i].word);
	for (size_t i = 0; i < ROW_SIGNS; i++) {
		assert_explained((char[]){ row_signs[i].sign, '\0' });
		if (row_signs[i].glyph != NULL)
			assert_explained(row_signs[i].glyph);
	}
	assert_looks_are_explained(node_looks, NODE_KIND_COUNT);
	assert_looks_are_explained(difference_looks, DIFFERENCE_LOOKS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_names_in_brackets_are_explained),
		cmocka_unit_test(all_titles_words_and_signs_of_the_screen_are_explained),
		cmocka_unit_test(every_action_has_a_unique_name_help_a_key_and_a_function),
		cmocka_unit_test(every_key_is_known_and_has_one_action_on_a_page),
		cmocka_unit_test(every_page_has_a_name_and_what_its_kinds_need),
		cmocka_unit_test(a_footer_names_actions_of_its_page),
		cmocka_unit_test(the_name_of_a_key_is_read_back_as_that_key),
		cmocka_unit_test(names_of_keys_are_taken_off_a_list_one_by_one),
		cmocka_unit_test(help_lists_the_actions_of_a_page_with_their_keys),
		cmocka_unit_test(help_says_what_cannot_be_done_in_a_recording_or_with_other_hosts),
		cmocka_unit_test(counts_of_users_and_control_groups_are_refused_with_what_helps),
		cmocka_unit_test(counters_are_refused_in_what_they_cannot_keep_to),
		cmocka_unit_test(keys_of_the_configuration_are_taken_from_other_actions_where_both_work),
		cmocka_unit_test(every_signal_has_a_name_and_help_and_is_found_by_both),
		cmocka_unit_test(commands_are_words_and_what_is_none_is_a_fault),
		cmocka_unit_test(every_style_has_a_name_and_tells_its_meaning_without_colour),
		cmocka_unit_test(text_is_cut_by_cells_and_says_so),
		cmocka_unit_test(a_wide_character_half_overwritten_leaves_a_blank),
		cmocka_unit_test(bars_have_eight_heights_and_ascii_stands_in),
		cmocka_unit_test(a_text_is_searched_before_it_is_drawn),
		cmocka_unit_test(each_synonym_is_of_an_action_or_a_view),
		cmocka_unit_test(each_key_of_another_program_names_what_does_it_here),
		cmocka_unit_test(what_is_to_be_chosen_for_a_key_of_another_program_is_in_the_menu),
#ifdef HAVE_INIH
		cmocka_unit_test(events_that_were_used_are_read_as_they_were_written),
#endif
		cmocka_unit_test(every_preset_has_a_name_an_event_and_says_what_to_do_next),
		cmocka_unit_test(no_preset_leads_to_a_refusal),
		cmocka_unit_test(every_line_of_the_layout_is_on_the_screen_once),
		cmocka_unit_test(the_setting_of_the_header_names_its_parts_and_they_are_read_back),
		cmocka_unit_test(each_setting_but_what_has_a_way_of_its_own_has_an_action),
		cmocka_unit_test(narrow_tables_keep_share_and_name),
		cmocka_unit_test(narrow_tables_keep_who_a_row_is),
		cmocka_unit_test(the_note_has_the_room_of_times_where_no_call_is_timed),
		cmocka_unit_test(columns_of_counts_come_for_events_that_count_things),
		cmocka_unit_test(counters_have_a_number_however_narrow_the_screen_is),
		cmocka_unit_test(a_counter_that_is_not_counted_says_why_in_the_place_of_numbers),
		cmocka_unit_test(columns_have_the_width_that_was_chosen_where_there_is_room),
#ifdef HAVE_INIH
		cmocka_unit_test(titles_of_events_have_the_room_that_is_free),
		cmocka_unit_test(widths_are_read_and_written_with_their_columns),
#endif
		cmocka_unit_test(a_table_tells_events_per_second),
		cmocka_unit_test(keys_stay_when_counts_but_the_share_have_gone),
		cmocka_unit_test(gaps_of_a_row_have_its_style),
		cmocka_unit_test(samples_from_before_cpus_were_looked_at_say_so),
		cmocka_unit_test(a_sum_of_any_keys_says_what_it_is),
		cmocka_unit_test(pieces_give_way_by_rank),
		cmocka_unit_test(commands_far_down_a_tree_keep_their_names),
		cmocka_unit_test(what_is_wrapped_goes_on_below_its_own_column),
		cmocka_unit_test(what_a_narrow_page_has_no_room_for_has_lines_of_its_own),
		cmocka_unit_test(a_menu_has_its_title_as_long_as_it_is_open),
		cmocka_unit_test(enter_is_not_for_news_that_nobody_can_have_read),
		cmocka_unit_test(long_lines_of_a_page_wrap_and_end),
		cmocka_unit_test(what_is_filled_is_not_selected_any_more),
		cmocka_unit_test(the_ring_of_output_keeps_the_last_whole_lines),
		cmocka_unit_test(rows_have_brief_names_and_a_search_looks_at_whole_ones),
		cmocka_unit_test(the_chosen_line_of_a_list_is_on_the_screen),
		cmocka_unit_test(each_word_that_is_typed_is_in_one_of_the_texts),
		cmocka_unit_test(a_node_is_more_or_less_only_where_that_is_no_chance),
		cmocka_unit_test(a_node_that_needs_more_time_is_no_more_and_no_less),
		cmocka_unit_test(what_a_difference_needs_fits_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
