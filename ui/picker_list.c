/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/picker_list.h"

#include "app/rcfile.h"
#include "ui/choice.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT_BYTES_MAX = 160 }; /* of a name that is kept: a line of a file has 199 */

static const struct catalogue_event *
item_at(const struct picker_list *l, size_t i)
{
	return i < preset_count ? &l->presets[i] : &l->catalogue->items[i - preset_count];
}

/* As lists of names have it: "cycles:P" is "cycles". */
static bool
is_same_event(const char *name, const char *used)
{
	size_t len = strlen(name);

	return strncmp(name, used, len) == 0 && (used[len] == '\0' || strcmp(used + len, ":P") == 0);
}

/* Its place among those used last, PICKER_RECENT_MAX: it was not. */
static size_t
recent_place(const struct picker_list *l, const char *name)
{
	for (size_t i = 0; i < PICKER_RECENT_MAX && l->recent[i] != NULL; i++)
		if (is_same_event(name, l->recent[i]))
			return i;
	return PICKER_RECENT_MAX;
}

bool
picker_list_was_used(const struct picker_list *l, const char *name)
{
	return recent_place(l, name) < PICKER_RECENT_MAX;
}

void
picker_list_note_used(struct picker_list *l, const char *name)
{
	size_t at = MIN(recent_place(l, name), (size_t)PICKER_RECENT_MAX - 1);

	free(l->recent[at]);
	memmove(&l->recent[1], &l->recent[0], at * sizeof(l->recent[0]));
	l->recent[0] = mem_strdup(name);
}

/* What needs counters that are not there is no question to be asked. */
static bool
is_offered(const struct picker_list *l, size_t preset)
{
	return !presets[preset].of_counters || l->presets[preset].state != EVENT_CANNOT;
}

void
picker_list_order(struct picker_list *l)
{
	const struct catalogue *c = l->catalogue;
	size_t recent[PICKER_RECENT_MAX + 1]; /* the last is of those that were not used */

	l->order_len = 0;
	if (c == NULL)
		return;
	vec_reserve(&l->order, &l->order_cap, preset_count + c->len, sizeof(*l->order));
	for (size_t i = 0; i < preset_count; i++)
		if (is_offered(l, i))
			l->order[l->order_len++] = i;
	for (size_t i = 0; i <= PICKER_RECENT_MAX; i++)
		recent[i] = SIZE_MAX;
	for (size_t i = 0; i < c->len; i++)
		recent[recent_place(l, c->items[i].name)] = i;
	recent[PICKER_RECENT_MAX] = SIZE_MAX;
	for (size_t i = 0; i < PICKER_RECENT_MAX; i++)
		if (recent[i] != SIZE_MAX)
			l->order[l->order_len++] = preset_count + recent[i];
	for (size_t i = 0; i < c->len; i++)
		if (recent[recent_place(l, c->items[i].name)] != i)
			l->order[l->order_len++] = preset_count + i;
}

static const struct catalogue_event *
find_event(const struct catalogue *c, const char *name, size_t len)
{
	for (size_t i = 0; i < c->len; i++)
		if (strncmp(c->items[i].name, name, len) == 0 && c->items[i].name[len] == '\0')
			return &c->items[i];
	return NULL;
}

/* A preset can be opened if all its events can. */
static void
join_preset(const struct catalogue *c, const struct preset *preset, struct catalogue_event *out)
{
	*out = (struct catalogue_event){ .name = preset->name, .help = preset->help,
					 .class = EVENT_PRESET, .reason = "", .remedy = "",
					 .state = EVENT_CAN };
	for (const char *at = preset->spec; *at != '\0'; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");
		const struct catalogue_event *ev = find_event(c, at, len);

		at += len;
		if (ev != NULL && ev->state == EVENT_CANNOT) {
			out->reason = ev->reason;
			out->remedy = ev->remedy;
		}
		if (ev == NULL)
			out->state = preset->of_counters ? EVENT_CANNOT : EVENT_UNKNOWN;
		else if (ev->state != EVENT_CAN)
			out->state = ev->state;
		if (out->state == EVENT_CANNOT)
			return;
	}
}

void
picker_list_take(struct picker_list *l, struct catalogue *c)
{
	struct catalogue *old = l->catalogue;

	l->catalogue = catalogue_get(c);
	catalogue_put(old);
	if (l->presets == NULL)
		l->presets = mem_calloc(preset_count, sizeof(*l->presets));
	for (size_t i = 0; i < preset_count; i++)
		join_preset(l->catalogue, &presets[i], &l->presets[i]);
	picker_list_order(l);
}

/* All words of @text are somewhere in the event's name, class or help. */
static bool
holds_words(const struct catalogue_event *ev, const char *text)
{
	const char *const texts[] = { ev->name, ev->help, event_class_names[ev->class] };

	return words_are_in(text, texts, ARRAY_SIZE(texts));
}

size_t
picker_list_match(struct picker_list *l, const char *text)
{
	size_t len = strlen(text), count = 0;

	vec_reserve(&l->matches, &l->match_cap, l->order_len, sizeof(*l->matches));
	for (int pass = len > 0 ? 0 : 1; pass < 2; pass++) {
		for (size_t i = 0; i < l->order_len; i++) {
			const struct catalogue_event *ev = item_at(l, l->order[i]);
			bool first = len > 0 && strncasecmp(ev->name, text, len) == 0;

			if (first == (pass == 0) && holds_words(ev, text))
				l->matches[count++] = l->order[i];
		}
	}
	return count;
}

const struct catalogue_event *
picker_list_at(const struct picker_list *l, size_t match)
{
	return item_at(l, l->matches[match]);
}

const struct preset *
picker_list_preset(const struct picker_list *l, const struct catalogue_event *ev)
{
	return &presets[ev - l->presets];
}

/* The lines of what was used last time, by place. */
static const char *const recent_names[PICKER_RECENT_MAX] = { "1", "2", "3", "4", "5", "6", "7", "8" };
static const char recent_section[] = "events";

void
picker_list_recall(struct picker_list *l, const struct rcfile *last)
{
	for (size_t i = PICKER_RECENT_MAX; i-- > 0;) {
		const struct rc_line *line = rcfile_get(last, recent_section, recent_names[i]);

		if (line != NULL && *line->value != '\0')
			picker_list_note_used(l, line->value);
	}
}

/* Whether a line of such a file gives it back as it is. */
static bool
can_be_kept(const char *name)
{
	const size_t len = strlen(name);

	if (len == 0 || len > RECENT_BYTES_MAX || strchr(" ;", name[0]) != NULL || name[len - 1] == ' ')
		return false;
	for (const char *at = name; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || (at[0] == ' ' && at[1] == ';'))
			return false;
	return true;
}

size_t
picker_list_remember(const struct picker_list *l, struct rc_change *changes)
{
	size_t n = 0;

	for (size_t i = 0; i < PICKER_RECENT_MAX && l->recent[i] != NULL; i++) {
		if (!can_be_kept(l->recent[i]))
			continue;
		changes[n] = (struct rc_change){ recent_section, recent_names[n], mem_strdup(l->recent[i]), NULL };
		n++;
	}
	return n;
}

void
picker_list_release(struct picker_list *l)
{
	catalogue_put(l->catalogue);
	free(l->presets);
	free(l->order);
	free(l->matches);
	for (size_t i = 0; i < PICKER_RECENT_MAX; i++)
		free(l->recent[i]);
}
