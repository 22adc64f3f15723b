/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/pmu.h"
#include "event/spec.h"
#include "event/term.h"

#include "base/buf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct probe {
	const char *prefix, *pmu, *option; /* option: of the kernel that has such events */
	enum event_place place;
	bool is_user, is_return;
} probes[] = {
	{ "uprobe:", "uprobe", "CONFIG_UPROBE_EVENTS", EVENT_PLACE_UPROBE, true, false },
	{ "uretprobe:", "uprobe", "CONFIG_UPROBE_EVENTS", EVENT_PLACE_URETPROBE, true, true },
	{ "kprobe:", "kprobe", "CONFIG_KPROBE_EVENTS", EVENT_PLACE_KPROBE, false, false },
	{ "kretprobe:", "kprobe", "CONFIG_KPROBE_EVENTS", EVENT_PLACE_KRETPROBE, false, true },
};

static const struct probe *
find(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		if (strncmp(text, probes[i].prefix, strlen(probes[i].prefix)) == 0)
			return &probes[i];
	}
	return NULL;
}

/* "libc.so.6:malloc": no function has such a name. */
static bool
is_library(const char *at)
{
	size_t len = strcspn(at, ":/,{}"), ends;
	const char *so = memmem(at, len, ".so", 3);

	if (so == NULL || so == at || at[len] != ':' || at[len + 1] == ':')
		return false;
	ends = strspn(so + 3, ".0123456789");
	return so + 3 + ends == at + len;
}

static bool
is_path(const struct probe *probe, const char *at)
{
	return probe->is_user && (*at == '/' || *at == '.' || is_library(at));
}

size_t
probe_head_len(const char *text)
{
	const struct probe *probe = find(text);
	size_t len = probe != NULL ? strlen(probe->prefix) : 0;

	return len > 0 && is_path(probe, text + len) ? len + strcspn(text + len, ":") : len;
}

static int
take_path(const struct spec *s, const char **at, struct event *ev)
{
	size_t len = strcspn(*at, ":");

	if ((*at)[len] != ':')
		return spec_refuse(s, *at + len, "a function behind the file, ':NAME', is missing");
	ev->path = mem_strndup(*at, len);
	*at += len + 1;
	return 0;
}

/* A line is decimal, and programs do not end so. */
static bool
is_source_line(const char *path, const char *number)
{
	static const char *const ends[] = {
		"c", "C", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "ipp", "tcc",
		"inc", "s", "S", "asm", "m", "mm", "rs", "go", "d", "zig", "swift", "nim", "pas",
		"adb", "f", "F", "f77", "f90", "F90", "f95", "f03", "f08", "hs", "ml", "cr", "v",
	};
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t digits = strspn(number, "0123456789");

	if (dot == NULL || slash == NULL || dot < slash || strchr("/:", number[digits]) == NULL)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (strcmp(dot + 1, ends[i]) == 0)
			return true;
	return false;
}

/* "/src/prog.c:12": any program may be made of it. */
static void
take_source_line(const char **at, struct event *ev)
{
	const char *path = strncmp(ev->path, "./", 2) == 0 ? ev->path + 2 : ev->path;
	size_t digits = strspn(*at, "0123456789");
	struct buf b = { 0 };

	buf_addf(&b, "%s:%.*s", path, (int)digits, *at);
	free(ev->path);
	ev->path = NULL;
	ev->symbol = mem_strdup(b.data);
	buf_release(&b);
	*at += digits;
}

/* "0x1234": where in the file. */
static int
take_offset(const struct spec *s, const char **at, struct event *ev)
{
	const char *from = *at;

	if (ev->path == NULL)
		return spec_refuse(s, from, "a name does not begin with a digit, and an offset "
				   "needs its file");
	if (!spec_number(at, &ev->symbol_offset) || strchr("/:", **at) == NULL)
		return spec_refuse(s, from, "the offset is no number");
	return 0;
}

static int
take_symbol(const struct spec *s, const struct probe *probe, const char **at, struct event *ev)
{
	const char *from = *at;
	size_t len = spec_symbol_len(from, probe->is_user), name_len;
	const char *star = memchr(from, '*', len);

	if (spec_check_symbol(s, from, len) < 0)
		return -1;
	if (star != NULL && !probe->is_user)
		return spec_refuse(s, star, "'*' is for functions of files alone");
	name_len = spec_cut_offset(from, len, &ev->symbol_offset);
	if (probe->is_return && ev->symbol_offset != 0)
		return spec_refuse(s, from + name_len, "a function's return has no offset");
	ev->symbol = mem_strndup(from, name_len);
	*at = from + len;
	return 0;
}

static int
take_place(const struct spec *s, const struct probe *probe, const char **at, struct event *ev)
{
	if (is_path(probe, *at) && take_path(s, at, ev) < 0)
		return -1;
	if (!probe->is_user || !isdigit((unsigned char)**at))
		return take_symbol(s, probe, at, ev);
	if (ev->path == NULL || !is_source_line(ev->path, *at))
		return take_offset(s, at, ev);
	take_source_line(at, ev);
	return 0;
}

static int
take_type(const struct spec *s, const struct probe *probe, struct event *ev, const char **at)
{
	struct pmu pmu;
	uint64_t max;
	int res = 1;

	if (!pmu_open(s->env, probe->pmu, strlen(probe->pmu), &pmu)) {
		spec_lacks(s, ERR_UNSUPPORTED, "this kernel has no %ss", probe->pmu);
		return err_hint(s->err, "a kernel with %s has them", probe->option);
	}
	ev->type = pmu.type;
	if (probe->is_return && pmu_set_field(&pmu, "retprobe", 8, 1, ev, &max) <= 0)
		ev->config |= 1; /* where every kernel has had it */
	if (**at == '/' && terms_parse(s, *at, &pmu, ev, at) < 0)
		res = -1;
	pmu_release(&pmu);
	return res;
}

int
probe_parse(const struct spec *s, const char **rest)
{
	const struct probe *probe = find(s->text);
	struct event *ev;

	if (probe == NULL)
		return 0;
	*rest = s->text + strlen(probe->prefix);
	ev = spec_add(s);
	ev->place = probe->place;
	ev->is_in_kernel = !probe->is_user;
	if (take_place(s, probe, rest, ev) < 0)
		return -1;
	return take_type(s, probe, ev, rest);
}
