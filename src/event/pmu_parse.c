/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/spec.h"

#include "event/pmu.h"
#include "event/term.h"

#include <ctype.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static const char uncore[] = "uncore_";

/* "_0" or "12": the number of a PMU among those of its kind. */
static bool
is_number(const char *s)
{
	s += *s == '_';
	if (*s == '\0')
		return false;
	while (isdigit((unsigned char)*s))
		s++;
	return *s == '\0';
}

/* As in perf: "uncore_imc" and "imc" are uncore_imc_0, uncore_imc_1, and so on. */
static bool
is_meant(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (strpbrk(pattern, "*?[") != NULL)
		return fnmatch(pattern, name, 0) == 0;
	if (strncmp(name, uncore, strlen(uncore)) == 0 &&
	    strncmp(pattern, uncore, strlen(uncore)) != 0)
		name += strlen(uncore);
	return strncmp(pattern, name, len) == 0 && (name[len] == '\0' || is_number(name + len));
}

static int
add(const struct spec *s, const struct pmu *pmu, const char *at, const char **rest)
{
	struct event *ev = spec_add(s);
	struct buf name = { 0 };

	pmu_set_event(pmu, ev);
	if (terms_parse(s, at, pmu, ev, rest) < 0)
		return -1;
	if (ev->name == NULL) {
		buf_addf(&name, "%s%.*s", pmu->name, (int)(*rest - at), at);
		ev->name = name.data;
	}
	return 0;
}

/* Adds one event for each PMU that is meant.  How many; -1: the terms are wrong. */
static int
add_all(const struct spec *s, const char *pattern, const char *at, const char **rest)
{
	struct names names = { 0 };
	int n = 0;

	pmu_names(s->env, &names);
	for (size_t i = 0; i < names.len && n >= 0; i++) {
		struct pmu pmu;

		if (!is_meant(pattern, names.items[i]) ||
		    !pmu_open(s->env, names.items[i], strlen(names.items[i]), &pmu))
			continue;
		n = add(s, &pmu, at, rest) < 0 ? -1 : n + 1;
		pmu_release(&pmu);
	}
	names_release(&names);
	return n;
}

int
pmu_parse(const struct spec *s, const char **rest)
{
	size_t len = strcspn(s->text, "/:");
	struct pmu pmu;
	char *pattern;
	int res;

	if (len == 0 || s->text[len] != '/')
		return 0;
	if (pmu_open(s->env, s->text, len, &pmu)) {
		res = add(s, &pmu, s->text + len, rest) < 0 ? -1 : 1;
		pmu_release(&pmu);
	} else {
		pattern = mem_strndup(s->text, len);
		res = add_all(s, pattern, s->text + len, rest);
		free(pattern);
	}
	if (res > 0 && **rest == '/')
		return spec_refuse(s, *rest, "a '/' too many");
	if (res == 0 && len == 3 && memcmp(s->text, "cpu", 3) == 0) {
		spec_lacks(s, ERR_UNSUPPORTED, "this machine has no hardware counters "
			   "that the kernel could use");
		return err_hint(s->err, "virtual machines often have none; cpu-clock works "
				"everywhere");
	}
	return MIN(res, 1);
}

/* The event of the first PMU keeps the plain name, those of further PMUs are "pmu/event/". */
static void
name_by_pmu(const struct spec *s, struct event *ev, const char *pmu, size_t len)
{
	struct buf name = { 0 };

	if (ev->name != NULL)
		return;
	buf_addf(&name, "%s/%.*s/", pmu, (int)len, s->text);
	ev->name = name.data;
}

int
pmu_alias_parse(const struct spec *s, const char **rest)
{
	size_t len = strcspn(s->text, "/:"), from = s->list->len;
	struct names names = { 0 };
	struct buf text = { 0 };
	int res = 0;

	pmu_names(s->env, &names);
	for (size_t i = 0; i < names.len && res >= 0; i++) {
		struct pmu pmu;
		struct event *ev;

		if (!pmu_open(s->env, names.items[i], strlen(names.items[i]), &pmu))
			continue;
		buf_reset(&text);
		if (pmu_alias(&pmu, s->text, len, &text)) {
			ev = spec_add(s);
			pmu_set_event(&pmu, ev);
			res = terms_parse_alias(s, s->text, buf_str(&text), &pmu, ev) < 0 ? -1 : 1;
			if (s->list->len > from + 1)
				name_by_pmu(s, ev, pmu.name, len);
		}
		pmu_release(&pmu);
	}
	names_release(&names);
	buf_release(&text);
	*rest = s->text + len;
	return res;
}
