/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/modifier.h"

enum { PRECISE_MAX = 3 };

/* All but 'p', the only one that may be repeated. */
static const struct modifier {
	char letter;
	const char *help;
	size_t member;
} modifiers[] = {
	{ 'u', "in user code", offsetof(struct modifiers, user) },
	{ 'k', "in the kernel", offsetof(struct modifiers, kernel) },
	{ 'h', "in the hypervisor", offsetof(struct modifiers, hv) },
	{ 'G', "in guests", offsetof(struct modifiers, guest) },
	{ 'H', "in the host", offsetof(struct modifiers, host) },
	{ 'I', "not while the CPU idles", offsetof(struct modifiers, idle) },
	{ 'P', "as precise as the machine can", offsetof(struct modifiers, precise_max) },
	{ 'S', "the leader of the group samples, the others are read with it",
	  offsetof(struct modifiers, sample_read) },
	{ 'D', "pinned: always on the PMU, or in error", offsetof(struct modifiers, pinned) },
	{ 'W', "opened without its group if that cannot be", offsetof(struct modifiers, weak) },
	{ 'e', "nothing else on the PMU meanwhile", offsetof(struct modifiers, exclusive) },
	{ 'b', "perf stat counts by BPF programs: no effect here, which is said",
	  offsetof(struct modifiers, bpf) },
	{ 'R', "the latency of retirement is read too",
	  offsetof(struct modifiers, retire_latency) },
};

static const char precise_help[] = "more precise, up to three times";

static const struct modifier *
find(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++) {
		if (modifiers[i].letter == letter)
			return &modifiers[i];
	}
	return NULL;
}

static bool *
member(struct modifiers *m, const struct modifier *mod)
{
	return (bool *)((char *)m + mod->member);
}

static bool
has(const struct modifiers *m, const struct modifier *mod)
{
	return *(const bool *)((const char *)m + mod->member);
}

const char *
modifier_help(size_t i, char *letter)
{
	if (i > ARRAY_SIZE(modifiers))
		return NULL;
	*letter = i < ARRAY_SIZE(modifiers) ? modifiers[i].letter : 'p';
	return i < ARRAY_SIZE(modifiers) ? modifiers[i].help : precise_help;
}

bool
modifiers_are_valid(const char *mods)
{
	for (; *mods != '\0'; mods++) {
		if (*mods != 'p' && find(*mods) == NULL)
			return false;
	}
	return true;
}

static int
refuse_unknown(const struct spec *s, const char *at)
{
	spec_refuse(s, at, "unknown modifier '%.1s'", at);
	return err_hint(s->err, "modifiers are u k h (user, kernel, hypervisor), G H (guest, host), "
			"I, p pp ppp P (precise), S D W e b R");
}

static int
check_precise(const struct spec *s, const char *at, const struct modifiers *m)
{
	if (m->precise > PRECISE_MAX)
		return spec_refuse(s, at, "too many 'p': at most 'ppp'");
	if (m->precise > 0 && m->precise_max)
		return spec_refuse(s, at, "both 'p' and 'P'");
	return 0;
}

int
modifiers_read(const struct spec *s, const char *at, struct modifiers *m)
{
	for (; *at != '\0'; at++) {
		const struct modifier *mod = find(*at);

		if (*at == 'p')
			m->precise++;
		else if (mod == NULL)
			return refuse_unknown(s, at);
		else if (has(m, mod))
			return spec_refuse(s, at, "modifier '%c' is there twice", *at);
		else
			*member(m, mod) = true;
		if (check_precise(s, at, m) < 0)
			return -1;
	}
	return 0;
}

int
modifiers_join(const struct spec *s, const char *at, struct modifiers *m,
	       const struct modifiers *group, bool is_leader)
{
	struct modifiers own = *m;

	/* perf_event_open(2) refuses both for group members. */
	if (!is_leader && (m->pinned || m->exclusive))
		return spec_refuse(s, at, "only the first of a group can be '%c'",
				   m->pinned ? 'D' : 'e');
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++)
		*member(m, &modifiers[i]) |= has(group, &modifiers[i]);
	m->precise += group->precise;
	if (!is_leader) {
		m->pinned = own.pinned;
		m->exclusive = own.exclusive;
	}
	return check_precise(s, at, m);
}

/* As in perf: naming some of user, kernel, hypervisor leaves out the others. */
void
modifiers_apply(const struct modifiers *m, struct event *ev)
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
	ev->precise = MAX(ev->precise, m->precise);
	ev->precise_max |= m->precise_max;
	ev->exclude_idle |= m->idle;
	ev->sample_read |= m->sample_read;
	ev->pinned |= m->pinned;
	ev->is_weak |= m->weak;
	ev->exclusive |= m->exclusive;
	ev->is_bpf |= m->bpf;
	ev->retire_latency |= m->retire_latency;
}
