/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/event.h"

#include "base/buf.h"
#include "event/event_table.h"
#include "event/modifier.h"
#include "event/pmu.h"
#include "event/spec.h"
#include "event/term.h"
#include "event/tracepoint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Asked in order: sources with a prefix, events of every kernel, events of this machine. */
static const struct event_source {
	const char *name;
	const char *example;
	int (*parse)(const struct spec *s, const char **rest);
	size_t (*head_len)(const char *text); /* NULL: 0 */
} event_sources[] = {
	{ "breakpoint", "mem:0x1000/8:rw:u, mem:counter:w", breakpoint_parse, breakpoint_head_len },
	{ "probe", "uprobe:/usr/lib/libc.so.6:malloc+4:u, uprobe:file.c:42", probe_parse, probe_head_len },
	{ "libpfm4", "pfm:LLC_MISSES", pfm_parse },
	{ "numeric", "1:2", numeric_parse },
	{ "builtin", "cycles:u, cycles/freq=99,call-graph=fp/u", builtin_parse },
	{ "pair", "syscall-time", pair_parse },
	{ "raw", "r01c2", raw_parse },
	{ "pmu", "cpu/event=0x3c,umask=1/u", pmu_parse },
	{ "pmu's event", "mem-loads", pmu_alias_parse },
	{ "tracepoint", "syscalls:sys_enter_read:u", tracepoint_parse },
	{ "libpfm4's name", "LLC_MISSES", pfm_parse_plain },
};

static const char list_example[] = "cycles:u,{page-faults,context-switches}:S";

struct parser {
	const struct event_env *env;
	const char *text; /* the whole list */
	struct event_list *list;
	struct err *err;
	unsigned group; /* the number that was used last */
};

/* The group of an event. */
struct membership {
	struct modifiers modifiers; /* behind the group */
	const char *letters;        /* the same as text, "" if there are none */
	unsigned group;             /* 0: none */
	bool is_leader;
};

/* Suggestions for an unknown name: built-in events and PMUs. */
static void
add_nearest(const struct event_env *env, const char *text, size_t len, struct buf *out)
{
	struct names names = { 0 };
	char *word = mem_strndup(text, len);
	const char *found;
	size_t count;
	const struct event_row *rows = event_table(&count);

	for (size_t i = 0; i < count; i++) {
		names_add(&names, rows[i].name);
		if (rows[i].alias != NULL)
			names_add(&names, rows[i].alias);
	}
	if (text[len] == '/')
		pmu_names(env, &names);
	found = names_nearest(&names, word);
	if (found != NULL)
		buf_addf(out, "%s%s", found, text + len);
	names_release(&names);
	free(word);
}

/* perf's "prog.bpf.o": a BPF program for an event. */
static bool
is_bpf_file(const char *text)
{
	size_t len = strlen(text);

	return len > 2 && (strcmp(text + len - 2, ".o") == 0 || strcmp(text + len - 2, ".c") == 0);
}

static int
refuse_bpf(const struct spec *s)
{
	err_set(s->err, ERR_UNSUPPORTED, 0, "event '%.100s' is a file of a BPF program: ptop attaches "
		"none, it only watches", s->text);
	return err_hint(s->err, "load it with bpftool(8); --filter-event filters a tracepoint");
}

/* Nothing is near, but tracepoints, of which it may be one, cannot be read.  0: they can. */
static int
refuse_unseen(const struct spec *s)
{
	struct err why = { 0 };
	struct buf dir = { 0 };
	int res = tracepoint_dir(s->env, &dir, &why);

	buf_release(&dir);
	if (res == 0)
		return 0;
	err_set(s->err, ERR_USAGE, 0, "unknown event '%.100s', but tracepoints are missing: %s",
		s->text, why.text);
	return err_hint(s->err, "%s", why.hint);
}

static int
refuse_unknown(const struct spec *s)
{
	size_t len = strcspn(s->text, ":/");
	const char *behind = s->text + len;
	struct buf near = { 0 };

	if (is_bpf_file(s->text))
		return refuse_bpf(s);
	tracepoint_nearest(s->env, s->text, &near);
	if (near.len == 0 && (*behind != ':' || modifiers_are_valid(behind + 1)))
		add_nearest(s->env, s->text, len, &near);
	if (near.len == 0 && *behind != '/' && refuse_unseen(s) < 0)
		return -1;
	if (near.len > 0)
		err_set(s->err, ERR_USAGE, 0, "unknown event '%.100s': did you mean '%.120s'?",
			s->text, buf_str(&near));
	else
		err_set(s->err, ERR_USAGE, 0, "unknown event '%.100s'", s->text);
	err_hint(s->err, "ptop --list shows the events of this machine");
	buf_release(&near);
	return -1;
}

/*
 * Parses what follows the events from number @from on: "/terms/", ":modifiers", "/terms/modifiers".
 * *@own becomes the begin of the modifiers.
 */
static int
take_tail(const struct spec *s, size_t from, const char *rest, const struct membership *in,
	  const char **own)
{
	struct modifiers mods = { 0 };
	const char *end = rest;
	bool names_space;

	for (size_t i = from; i < s->list->len && *rest == '/'; i++) {
		if (terms_parse(s, rest, NULL, &s->list->items[i], &end) < 0)
			return -1;
		if (s->list->items[i].terms.exact)
			switches_choose(s->env, &s->list->items[i]);
	}
	if (*end == ':' && *++end == '\0')
		return spec_refuse(s, end, "no modifier after the colon");
	if (modifiers_read(s, end, &mods) < 0)
		return -1;
	/* What a group leaves out it leaves out of all: such a member counts nothing, as in perf. */
	names_space = mods.user || mods.kernel || mods.hv;
	if (modifiers_join(s, end, &mods, &in->modifiers, in->is_leader) < 0)
		return -1;
	for (size_t i = from; i < s->list->len; i++) {
		struct event *ev = &s->list->items[i];

		modifiers_apply(&mods, ev);
		if (ev->is_in_kernel && ev->exclude_kernel && names_space) {
			spec_refuse(s, end, "it happens in the kernel alone, which is left out");
			return err_hint(s->err, "leave out 'u', or add 'k'");
		}
	}
	*own = end;
	return 0;
}

/*
 * The name of an event has its terms and modifiers, and those of its group: names tell events
 * apart. @front is the event without these, @rest what follows, and @own the modifiers in that.
 */
static char *
name_of(const char *front, size_t front_len, const char *rest, const char *own,
	const char *letters)
{
	struct buf name = { 0 };
	bool is_first = *own == '\0' && (own == rest || own[-1] != '/');

	buf_add(&name, front, front_len);
	buf_add_str(&name, rest);
	for (; *letters != '\0'; letters++) {
		if (*letters != 'p' && strchr(own, *letters) != NULL)
			continue;
		if (is_first)
			buf_add_char(&name, ':');
		is_first = false;
		buf_add_char(&name, *letters);
	}
	return name.data;
}

static void
finish(const struct spec *s, size_t from, const char *rest, const char *own,
       const struct membership *in)
{
	for (size_t i = from; i < s->list->len; i++) {
		struct event *ev = &s->list->items[i];
		char *front = ev->name;

		pmu_add_core_types(s->env, ev);
		ev->group = in->group;
		if (ev->terms.given & 1u << TERM_NAME)
			continue;
		if (front != NULL)
			ev->name = name_of(front, strlen(front), rest, own, in->letters);
		else
			ev->name = name_of(s->text, (size_t)(rest - s->text), rest, own, in->letters);
		free(front);
	}
	s->list->last = from;
}

/* If nothing better is known: the syntax. */
static void
add_example(struct err *err, const char *example)
{
	if (err != NULL && err->code == ERR_USAGE && *err->hint == '\0')
		err_hint(err, "for example: %s", example);
}

/* Parses one event, or a pattern: several. */
static int
parse_item(const struct parser *p, const char *text, size_t len, const struct membership *in)
{
	char *item = mem_strndup(text, len);
	struct spec s = { .env = p->env, .text = item, .list = p->list, .err = p->err };
	const char *rest = item, *own = item;
	size_t from = p->list->len;
	int res = 0;

	size_t i;

	for (i = 0; i < ARRAY_SIZE(event_sources) && res == 0; i++)
		res = event_sources[i].parse(&s, &rest);
	if (res == 0)
		res = refuse_unknown(&s);
	if (res > 0)
		res = take_tail(&s, from, rest, in, &own);
	if (res == 0)
		finish(&s, from, rest, own, in);
	else
		add_example(p->err, event_sources[i - 1].example);
	free(item);
	return res;
}

/* Up to the next comma or brace that is not inside slashes. */
size_t
event_len(const char *text)
{
	bool in_slashes = false, in_quotes = false;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(event_sources); i++) {
		if (event_sources[i].head_len != NULL)
			n = MAX(n, event_sources[i].head_len(text));
	}
	for (; text[n] != '\0'; n++) {
		if (text[n] == '/' && !in_quotes)
			in_slashes = !in_slashes;
		if (text[n] == '\'' && in_slashes)
			in_quotes = !in_quotes;
		if (!in_slashes && strchr(",{}", text[n]) != NULL)
			break;
	}
	return n;
}

static int
refuse(const struct parser *p, const char *at, const char *what)
{
	struct spec s = { .env = p->env, .text = p->text, .err = p->err };

	spec_refuse(&s, at, "%s", what);
	add_example(p->err, list_example);
	return -1;
}

static int
parse_single(const struct parser *p, const char **at)
{
	const struct membership in = { .letters = "", .is_leader = true };
	size_t len = event_len(*at);

	if (len == 0)
		return refuse(p, *at, "an event has no name");
	if (parse_item(p, *at, len, &in) < 0)
		return -1;
	*at += len;
	return 0;
}

/* The closing brace of the group whose first event is at @at.  NULL: see the parser's err. */
static const char *
find_brace(const struct parser *p, const char *at)
{
	for (;;) {
		size_t len = event_len(at);

		at += len;
		if (*at == '{')
			refuse(p, at, "a group in a group");
		else if (len == 0)
			refuse(p, at, "an event has no name");
		else if (*at == '\0')
			refuse(p, at, "'}' is missing");
		else if (*at == '}')
			return at;
		if (len == 0 || *at++ != ',')
			return NULL;
	}
}

/* ":S" behind a group.  *@at becomes its end. */
static int
take_group_modifiers(const struct parser *p, const char **at, struct modifiers *m)
{
	size_t len = strcspn(*at, ",");
	char *text = mem_strndup(p->text, (size_t)(*at + len - p->text));
	const char *own = text + (*at - p->text);
	struct spec s = { .env = p->env, .text = text, .err = p->err };
	int res = 0;

	if (*own == ':' && own[1] == '\0')
		res = spec_refuse(&s, own + 1, "no modifier after the colon");
	else if (*own == ':')
		res = modifiers_read(&s, own + 1, m);
	else if (*own != '\0')
		res = spec_refuse(&s, own, "',' or ':' is missing");
	if (res < 0)
		add_example(p->err, list_example);
	free(text);
	*at += len;
	return res;
}

/* "{a,b}:S", with @at at its first event. */
static int
parse_group(struct parser *p, const char **at)
{
	struct membership in = { .group = ++p->group, .is_leader = true };
	const char *event = *at, *brace = find_brace(p, event);
	char *letters;
	int res = 0;

	if (brace == NULL)
		return -1;
	*at = brace + 1;
	if (take_group_modifiers(p, at, &in.modifiers) < 0)
		return -1;
	in.letters = letters = mem_strndup(brace + 1 + (brace[1] == ':'),
					   (size_t)(*at - brace - 1) - (brace[1] == ':'));
	for (; event < brace && res == 0; event++, in.is_leader = false) {
		size_t len = event_len(event);

		res = parse_item(p, event, len, &in);
		event += len;
	}
	free(letters);
	return res;
}

/* "{", or "name{" as perf allows: how many bytes, 0: no group begins here. */
static size_t
group_head_len(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return at[n] == '{' ? n + 1 : 0;
}

static unsigned
last_group(const struct event_list *list)
{
	unsigned last = 0;

	for (size_t i = 0; i < list->len; i++)
		last = MAX(last, list->items[i].group);
	return last;
}

static int
parse_list(struct parser *p)
{
	const char *at = p->text;

	for (;;) {
		size_t head = group_head_len(at);
		int res;

		at += head;
		res = head > 0 ? parse_group(p, &at) : parse_single(p, &at);
		if (res < 0)
			return -1;
		if (*at == '\0')
			return 0;
		if (*at != ',')
			return refuse(p, at, "a brace that nothing opened");
		at++;
	}
}

int
event_parse(const struct event_env *env, const char *text, struct event_list *list,
	    struct err *err)
{
	struct parser p = {
		.env = env, .text = text, .list = list, .err = err, .group = last_group(list),
	};
	size_t before = list->len, last = list->last;

	if (parse_list(&p) == 0)
		return 0;
	while (list->len > before)
		event_release(&list->items[--list->len]);
	list->last = last;
	return -1;
}
