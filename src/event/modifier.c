/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/modifier.h"

#include <string.h>

enum { PRECISE_MAX = 3 };

struct modifiers {
	bool user, kernel, hv, guest, host, idle, precise_max, pinned, exclusive;
};

static const struct modifier {
	char letter;
	size_t member;
} modifiers[] = {
	{ 'u', offsetof(struct modifiers, user) },
	{ 'k', offsetof(struct modifiers, kernel) },
	{ 'h', offsetof(struct modifiers, hv) },
	{ 'G', offsetof(struct modifiers, guest) },
	{ 'H', offsetof(struct modifiers, host) },
	{ 'I', offsetof(struct modifiers, idle) },
	{ 'P', offsetof(struct modifiers, precise_max) },
	{ 'D', offsetof(struct modifiers, pinned) },
	{ 'e', offsetof(struct modifiers, exclusive) },
};

static int
find(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++) {
		if (modifiers[i].letter == letter)
			return (int)i;
	}
	return -1;
}

bool
modifier_is_valid(const char *mods)
{
	for (; *mods != '\0'; mods++) {
		if (*mods != 'p' && find(*mods) < 0)
			return false;
	}
	return true;
}

/* Naming one side leaves out the others (perf: get_event_modifier). */
static void
exclude_others(const struct modifiers *m, struct event *ev)
{
	if (m->user || m->kernel || m->hv) {
		ev->exclude_user = !m->user;
		ev->exclude_kernel = !m->kernel;
		ev->exclude_hv = !m->hv;
	}
	if (m->guest || m->host) {
		ev->exclude_host = !m->host;
		ev->exclude_guest = !m->guest;
	}
	ev->exclude_idle |= m->idle;
	ev->precise_max |= m->precise_max;
	ev->pinned |= m->pinned;
	ev->exclusive |= m->exclusive;
}

int
modifier_apply(const char *mods, const char *text, struct event *ev, struct err *err)
{
	struct modifiers m = { 0 };

	if (*mods == '\0')
		return err_set(err, ERR_USAGE, 0, "no modifier after the colon in event '%.100s'",
			       text);
	for (const char *p = mods; *p != '\0'; p++) {
		int i = find(*p);

		if (*p == 'p' && ev->precise < PRECISE_MAX) {
			ev->precise++;
			continue;
		}
		if (*p == 'p')
			return err_set(err, ERR_USAGE, 0,
				       "too many 'p' in event '%.100s': at most 'ppp'", text);
		if (i < 0) {
			err_set(err, ERR_USAGE, 0, "unknown modifier '%.8s' in event '%.100s'", p,
				text);
			return err_hint(err, "modifiers are u k h (user, kernel, hypervisor), G H "
					     "(guest, host), I p P D e");
		}
		*((bool *)&m + modifiers[i].member) = true;
	}
	if (ev->precise > 0 && m.precise_max)
		return err_set(err, ERR_USAGE, 0, "both 'p' and 'P' in event '%.100s'", text);
	exclude_others(&m, ev);
	return 0;
}
