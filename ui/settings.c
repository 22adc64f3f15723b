/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/settings.h"

#include "app/rcfile.h"
#include "base/num.h"
#include "ui/header_parts.h"
#include "ui/keys.h"
#include "ui/other_keys.h"
#include "ui/pages.h"
#include "ui/picker_list.h"
#include "ui/place.h"
#include "ui/refusal.h"
#include "view/filter.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct setting {
	const char *name;
	const char *help; /* NULL: it is an option, with the option's help; app/ reads it */
	/* As it is now; nothing: it has no value to be written.  NULL: it is never written. */
	void (*put)(struct ui *ui, struct buf *b);
	bool (*take)(struct ui *ui, const char *value); /* of no option; false: @value is none */
	size_t flag;     /* in place of the two a bool in struct ui, which is yes or no; 0: none */
	bool is_flipped; /* it is true for no */
	const char *(*of_now)(const struct ui *ui); /* why W leaves it out; NULL: it does not */
	void (*put_last)(struct ui *ui, struct buf *b); /* what is remembered of last time; NULL: nothing is */
	const char *usual; /* the value of the first start, if it is remembered */
	/* On the screen. */
	const char *action; /* whose key changes it */
	void (*change)(struct ui *ui); /* in place of one; both NULL: nothing there changes it */
	void (*tell)(struct ui *ui, struct buf *b); /* what the palette says of it; NULL: as put */
};

static bool *
flag_of(struct ui *ui, const struct setting *s)
{
	return (bool *)((char *)ui + s->flag);
}

static void
put_bool(struct buf *b, bool is_yes)
{
	buf_add_str(b, is_yes ? "yes" : "no");
}

static bool
is_recording(const struct ui *ui)
{
	return ui->config->engine.input != NULL;
}

static void
put_delay(struct ui *ui, struct buf *b)
{
	buf_addf(b, "%.15g", ui->delay_s);
}

static void
tell_window(struct ui *ui, struct buf *b)
{
	if (ui->query.window_ns == UINT64_MAX)
		buf_add_str(b, "all");
	else
		buf_addf(b, "%.15g", (double)ui->query.window_ns / (double)NSEC_PER_SEC);
}

/* Of a recording all is shown unless asked otherwise: that is no choice for what is live. */
static void
put_window(struct ui *ui, struct buf *b)
{
	if (ui->query.window_ns != UINT64_MAX || !is_recording(ui))
		tell_window(ui, b);
}

/* The outermost one, if a function, a probe, another event or other hosts are not needed for it. */
static void
put_view(struct ui *ui, struct buf *b)
{
	const enum view_id view = ui->nav.levels[0].view;
	const struct view_def *def = &view_defs[view];

	if (!def->is_code && !def->is_counted && !def->is_locks && view != VIEW_HOSTS)
		buf_add_str(b, def->name);
}

/* Stacks are asked for anew, from the rows that they were opened from. */
static void
put_last_view(struct ui *ui, struct buf *b)
{
	const struct nav_level *l = &ui->nav.levels[0];
	const bool is_opened = view_defs[l->view].is_tree && l->back_count > 0;
	const struct view_def *def = &view_defs[is_opened ? l->back[l->back_count - 1] : l->view];

	if (def->is_overview)
		buf_add_str(b, def->name);
}

static void
put_sort(struct ui *ui, struct buf *b)
{
	const struct column *col = &columns[ui->sort];

	if (ui->query.compare != COMPARE_NOTHING)
		return;
	buf_add_str(b, col->name);
	if (ui->ascending == column_falls(ui->sort))
		buf_add_str(b, ui->ascending ? ":asc" : ":desc");
}

static void
put_filter(struct ui *ui, struct buf *b)
{
	buf_add_str(b, ui->query.filter);
}

static const char *
filter_of_now(const struct ui *ui)
{
	const key_set ids = KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID);
	struct filter *f = filter_parse(ui->query.filter, NULL);
	const bool has_ids = (filter_keys(f) & ids) != 0;

	filter_free(f);
	return has_ids ? "the filter is left out, as pids mean nothing at the next start" : NULL;
}

static void
tell_view(struct ui *ui, struct buf *b)
{
	buf_add_str(b, view_defs[nav_level(&ui->nav)->view].name);
}

/* The one in force, of an event that has one. */
static void
tell_freq(struct ui *ui, struct buf *b)
{
	if (ui->snap != NULL && ui->snap->head.is_freq)
		buf_addf(b, "%llu", (unsigned long long)ui->snap->head.rate);
}

static void
tell_call_graph(struct ui *ui, struct buf *b)
{
	buf_add_str(b, sampling_chains_name(ui));
}

static void
tell_idle(struct ui *ui, struct buf *b)
{
	put_bool(b, ui->query.idle);
}

/* In a recording it counts unless asked otherwise. */
static void
put_idle(struct ui *ui, struct buf *b)
{
	if (!is_recording(ui))
		tell_idle(ui, b);
}

static void
tell_event(struct ui *ui, struct buf *b)
{
	if (ui->snap != NULL && ui->snap->head.event != NULL)
		buf_add_str(b, ui->snap->head.event);
}

/* The user's last choice: what ptop takes by itself is of the rights and the machine of the day. */
static void
put_event(struct ui *ui, struct buf *b)
{
	const struct engine_config *c = &ui->config->engine;
	const char *asked = ui->snap != NULL ? ui->snap->head.event_asked : NULL;

	if (asked == NULL && c->events_given)
		asked = c->events;
	if (asked != NULL && !is_recording(ui))
		buf_add_str(b, asked);
}

static void
put_theme(struct ui *ui, struct buf *b)
{
	buf_add_str(b, theme_defs[ui->theme].name);
}

static void
put_commands(struct ui *ui, struct buf *b)
{
	buf_add_str(b, ui->short_commands ? "name" : "whole");
}

static bool
take_commands(struct ui *ui, const char *value)
{
	ui->short_commands = strcmp(value, "name") == 0;
	return ui->short_commands || strcmp(value, "whole") == 0;
}

static void
put_header(struct ui *ui, struct buf *b)
{
	header_parts_put(b, ui->header);
}

static bool
take_header(struct ui *ui, const char *value)
{
	return header_parts_read(value, &ui->header);
}

static const char *const share_names[SHARES_COUNT] = {
	[SHARES_OF_SHOWN] = "shown", [SHARES_OF_ALL] = "all", [SHARES_PER_SECOND] = "second",
};

static void
put_shares(struct ui *ui, struct buf *b)
{
	buf_add_str(b, share_names[ui->query.shares]);
}

static bool
take_shares(struct ui *ui, const char *value)
{
	for (enum shares s = 0; s < SHARES_COUNT; s++) {
		if (strcmp(value, share_names[s]) == 0) {
			ui->query.shares = s;
			return true;
		}
	}
	return false;
}

#define FLAG(member) .flag = offsetof(struct ui, member)

enum { LAST_MAX = 1 + PICKER_RECENT_MAX }; /* of gather_last() */

static const struct setting settings[SETTINGS] = {
	{ "event", NULL, put_event, .action = "event", .tell = tell_event },
	{ "freq", NULL, .action = "freq-more", .tell = tell_freq },
	{ "call-graph", NULL, .action = "call-graph", .tell = tell_call_graph },
	{ "delay", NULL, put_delay, .action = "delay" },
	{ "window", NULL, put_window, .change = time_ask_window, .tell = tell_window },
	{ "view", NULL, put_view, .put_last = put_last_view,
	  .usual = "processes", .action = "view-menu", .tell = tell_view },
	{ "sort", NULL, put_sort, .put_last = put_sort, .usual = "evt",
	  .action = "sort-menu" },
	{ "filter", NULL, put_filter, .of_now = filter_of_now, .action = "filter" },
	{ "hide-kernel", NULL, FLAG(query.hide_kernel), .action = "hide-kernel" },
	{ "hide-user", NULL, FLAG(query.hide_user), .action = "hide-user" },
	{ "idle", NULL, put_idle, .action = "idle", .tell = tell_idle },
	{ "theme", NULL, put_theme, .change = program_choose_theme },
	{ "threads", "yes: a process with several opens its threads; no: its functions",
	  FLAG(query.hide_threads), .is_flipped = true, .action = "threads" },
	{ "self", "yes: ptop itself is shown", FLAG(query.hide_self), .is_flipped = true,
	  .action = "hide-self" },
	{ "shares", "shown, all: percent of what is shown, or of all; second: what is counted in each",
	  put_shares, take_shares, .action = "shares" },
	{ "errors", "yes: a column says how sure shares are", FLAG(query.sums), .action = "errors" },
	{ "process-tree", "yes: processes are a tree, each with what is below it",
	  FLAG(query.process_tree), .action = "process-tree" },
	{ "header", "what the lines above the table show: uptime load tasks times memory pressure event "
	  "samples lost self cpus bars line", put_header, take_header, .change = setup_page_show_header },
	{ "commands", "whole: programs with path and arguments; name: without", put_commands, take_commands,
	  .action = "short-commands" },
	/* Whether the other file is read, which is done by app/. */
	{ "remember", "yes: the screen begins with view, order and columns of last time" },
};

const char *
setting_help(size_t i, const char **name)
{
	if (i >= SETTINGS)
		return NULL;
	*name = settings[i].name;
	return settings[i].help != NULL ? settings[i].help : "";
}

static const char *
section_of(const struct setting *s)
{
	return s->help == NULL ? "options" : "screen";
}

static char *
value_of(struct ui *ui, const struct setting *s)
{
	struct buf b = { 0 };

	if (s->flag != 0)
		put_bool(&b, *flag_of(ui, s) != s->is_flipped);
	else if (s->put != NULL)
		s->put(ui, &b);
	return b.data;
}

const struct action *
setting_action(size_t i)
{
	return settings[i].action != NULL ? action_find(settings[i].action) : NULL;
}

char *
setting_now(struct ui *ui, size_t i, unsigned where)
{
	const struct setting *s = &settings[i];
	const struct action *action = setting_action(i);
	struct buf b = { 0 };

	if (action != NULL && ((action->where & where) == 0 ||
			       refusal_of_action(ui, action, NULL)))
		return NULL;
	if (action == NULL && (s->change == NULL || (where & IN_SAMPLES) == 0))
		return NULL;
	if (s->tell != NULL) {
		s->tell(ui, &b);
		return b.data;
	}
	b.data = value_of(ui, s);
	return b.data != NULL ? b.data : mem_strdup("");
}

void
setting_change(struct ui *ui, size_t i)
{
	if (settings[i].action != NULL)
		action_run(ui, setting_action(i));
	else
		settings[i].change(ui);
}

static bool
take_value(struct ui *ui, const struct setting *s, const char *value)
{
	bool is_yes;

	if (s->flag == 0)
		return s->take == NULL || s->take(ui, value);
	if (!num_bool(value, &is_yes))
		return false;
	*flag_of(ui, s) = is_yes != s->is_flipped;
	return true;
}

static void
take_line(struct ui *ui, struct rcfile *rc, const struct rc_line *line)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];

		if (s->help == NULL || strcmp(s->name, line->name) != 0)
			continue;
		if (!take_value(ui, s, line->value))
			rcfile_fault(rc, line->number, "%s: '%.60s' is none of its values", s->name,
				     line->value);
		return;
	}
	rcfile_fault(rc, line->number, "the screen has no '%.60s'", line->name);
}

void
settings_read(struct ui *ui, struct rcfile *rc)
{
	for (size_t i = 0; i < rc->len; i++)
		if (strcmp(rc->lines[i].section, "screen") == 0)
			take_line(ui, rc, &rc->lines[i]);
	for (size_t i = 0; i < SETTINGS; i++)
		ui->first_values[i] = value_of(ui, &settings[i]);
	memcpy(ui->first_columns, ui->columns, sizeof(ui->first_columns));
}

/* " (key v)" */
static void
put_key(const struct ui *ui, struct buf *b, const char *action)
{
	const char *keys = action_keys(&ui->keymap, action_find(action));
	char key[16];

	if (key_next_name(&keys, key, sizeof(key)))
		buf_addf(b, " (key %s)", key);
}

/* Whoever comes back after days does not know how the screen was left. */
static void
put_last_time(const struct ui *ui, struct buf *b)
{
	const size_t begin = b->len;

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		const char *value = ui->first_values[i];
		const struct rc_line *line;

		if (s->usual == NULL || value == NULL || strcmp(value, s->usual) == 0)
			continue;
		line = config_recalls(ui->config, s->name);
		if (line == NULL || strcmp(line->value, value) != 0)
			continue;
		buf_addf(b, "%s %s %s", b->len > begin ? "," : "as last time:", s->name, value);
		put_key(ui, b, s->action);
	}
}

/* As reports do: rows that nobody sees are missing. */
static void
put_configured_filter(const struct ui *ui, struct buf *b)
{
	if (*ui->query.filter == '\0' || config_names(ui->config, "filter"))
		return;
	buf_addf(b, "%sthe configuration filters by '%s'", b->len > 0 ? "; " : "", ui->query.filter);
	put_key(ui, b, "filter");
}

static void
tell_of_start(struct ui *ui)
{
	struct buf b = { 0 };

	put_last_time(ui, &b);
	put_configured_filter(ui, &b);
	if (b.len == 0 && ui->config->remembers && ui->config->last.is_missing)
		buf_add_str(&b, "new here? h tells all keys, also htop's and perf top's; : finds all by typing");
	if (b.len > 0)
		ui_say(ui, false, "%s", b.data);
	buf_release(&b);
}

void
settings_recall(struct ui *ui)
{
	const struct rcfile *last = &ui->config->last;

	other_keys_recall(ui, last);
	picker_recall(ui, last);
	tell_of_start(ui);
}

void
settings_release(struct ui *ui)
{
	for (size_t i = 0; i < SETTINGS; i++)
		free(ui->first_values[i]);
}

/* Whether @now, which may be NULL, is another than at the start. */
static bool
has_changed(const struct ui *ui, size_t i, const char *now)
{
	const char *then = ui->first_values[i];

	return strcmp(now != NULL ? now : "", then != NULL ? then : "") != 0;
}

/* Whether W is asked to write the setting as it is @now. */
static bool
is_chosen(const struct ui *ui, size_t i, const char *now)
{
	return has_changed(ui, i, now) || config_names(ui->config, settings[i].name);
}

/* Why W leaves out what it is asked for; NULL: it does not. */
static const char *
why_left_out(struct ui *ui)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		const char *why = s->of_now != NULL ? s->of_now(ui) : NULL;
		char *now = value_of(ui, s);
		const bool is = why != NULL && is_chosen(ui, i, now);

		free(now);
		if (is)
			return why;
	}
	return NULL;
}

/* Those of views that have others than at the start; behind @n changes. */
static size_t
gather_columns(struct ui *ui, struct rc_change *changes, char **values, size_t n)
{
	for (size_t v = 0; v < VIEW_COUNT; v++) {
		struct buf b = { 0 };

		if (columns_are_equal(&ui->columns[v], &ui->first_columns[v]))
			continue;
		columns_put(&ui->columns[v], (enum view_id)v, &b);
		values[n] = b.data;
		changes[n++] = (struct rc_change){ "columns", view_defs[v].name, b.data, NULL };
	}
	return n;
}

/* What else is remembered of last time. */
static size_t
gather_last(struct ui *ui, struct rc_change *changes, char **values, size_t n)
{
	const size_t begin = n;

	n += other_keys_remember(ui, changes + n);
	n += picker_remember(ui, changes + n);
	for (size_t i = begin; i < n; i++)
		values[i] = (char *)(uintptr_t)changes[i].value;
	return n;
}

static char *
last_value(struct ui *ui, const struct setting *s)
{
	struct buf b = { 0 };

	if (s->put_last != NULL)
		s->put_last(ui, &b);
	return b.data;
}

/* What is to be written; the values, which are to be freed, are in @values. */
static size_t
gather(struct ui *ui, bool is_last, struct rc_change *changes, char **values)
{
	size_t n = 0;

	for (size_t i = 0; i < SETTINGS; i++) {
		const struct setting *s = &settings[i];
		const bool is_written = (s->flag != 0 || s->put != NULL) &&
					(s->of_now == NULL || s->of_now(ui) == NULL);
		char *now = is_last ? last_value(ui, s) : value_of(ui, s);
		bool is_wanted = is_last ? now != NULL && has_changed(ui, i, now)
					 : is_chosen(ui, i, now);

		if (!is_wanted || !is_written) {
			free(now);
			continue;
		}
		values[n] = now;
		changes[n++] = (struct rc_change){
			section_of(s), s->name, now,
			s->help != NULL ? s->help : config_option_help(s->name) };
	}
	n = gather_columns(ui, changes, values, n);
	return is_last ? gather_last(ui, changes, values, n) : n;
}

static int
write_changes(struct ui *ui, const struct rcfile *rc, bool is_last, size_t *count, struct err *err)
{
	struct rc_change changes[SETTINGS + VIEW_COUNT + LAST_MAX];
	char *values[ARRAY_SIZE(changes)];
	int res = 0;

	*count = gather(ui, is_last, changes, values);
	if (*count > 0)
		res = rcfile_change(rc, changes, *count, err);
	for (size_t i = 0; i < *count; i++)
		free(values[i]);
	return res;
}

void
settings_write(struct ui *ui)
{
	const struct rcfile *rc = &ui->config->rc;
	const char *why = why_left_out(ui);
	struct err err = { 0 };
	size_t count;

	if (write_changes(ui, rc, false, &count, &err) < 0)
		ui_say(ui, true, "%s%s%s", err.text, *err.hint != '\0' ? "; " : "", err.hint);
	else if (count == 0)
		ui_say(ui, false, "nothing is written: %s",
		       why != NULL ? why : "all is as it was at the start");
	else
		ui_say(ui, false, "written to %s/%s%s%s", buf_str(&rc->folder), rc->name,
		       why != NULL ? "; " : "", why != NULL ? why : "");
}

void
settings_remember(struct ui *ui)
{
	size_t count;

	if (ui->config->remembers)
		write_changes(ui, &ui->config->last, true, &count, NULL);
}
