/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/modifier.h"
#include "event/spec.h"

#include <config.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "pfm:";

#ifdef HAVE_LIBPFM4
#include <ctype.h>
#include <perfmon/pfmlib_perf_event.h>
#ifndef PTOP_STATIC
#include <dlfcn.h>
#endif

enum { NAME_MAX_BYTES = 200 };

/*
 * Loaded at the first name that nothing else knows: it is large, and relocating it would cost each
 * start a millisecond.
 */
static struct {
	bool is_tried;
	pfm_err_t (*initialize)(void);
	pfm_err_t (*encode)(const char *name, int plm, pfm_os_t os, void *arg);
	const char *(*strerror)(int code);
} library;

static void
find_functions(void)
{
#ifdef PTOP_STATIC
	library.initialize = pfm_initialize;
	library.encode = pfm_get_os_event_encoding;
	library.strerror = pfm_strerror;
#else
	void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);

	if (handle != NULL) {
		/* POSIX: what dlsym() gives can be a function. */
		*(void **)&library.initialize = dlsym(handle, "pfm_initialize");
		*(void **)&library.encode = dlsym(handle, "pfm_get_os_event_encoding");
		*(void **)&library.strerror = dlsym(handle, "pfm_strerror");
	}
#endif
}

static bool
library_load(void)
{
	if (!library.is_tried) {
		library.is_tried = true;
		find_functions();
	}
	return library.initialize != NULL && library.encode != NULL && library.strerror != NULL;
}

/* The library does not expect hostile names: it gets nothing that cannot be one. */
static bool
can_be_name(const char *s)
{
	if (strlen(s) > NAME_MAX_BYTES || !isalpha((unsigned char)*s))
		return false;
	for (; *s != '\0'; s++) {
		if (!isalnum((unsigned char)*s) && strchr("_-.:=", *s) == NULL)
			return false;
	}
	return true;
}

static int
encode(const char *name, struct perf_event_attr *attr)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };
	int res = PFM_ERR_NOTFOUND;

	memset(attr, 0, sizeof(*attr));
	if (!can_be_name(name) || !library_load())
		return res;
	res = library.initialize();
	return res != PFM_SUCCESS ? res
				  : library.encode(name, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
						   PFM_OS_PERF_EVENT_EXT, &arg);
}

static void
add(const struct spec *s, const struct perf_event_attr *attr)
{
	struct event *ev = spec_add(s);

	ev->type = attr->type;
	ev->config = attr->config;
	ev->config1 = attr->config1;
	ev->config2 = attr->config2;
	ev->exclude_user = attr->exclude_user;
	ev->exclude_kernel = attr->exclude_kernel;
	ev->exclude_hv = attr->exclude_hv;
	ev->exclude_host = attr->exclude_host;
	ev->exclude_guest = attr->exclude_guest;
	ev->precise = attr->precise_ip;
	ev->pinned = attr->pinned;
	ev->exclusive = attr->exclusive;
	ev->is_clock = attr->type == PERF_TYPE_SOFTWARE &&
		       attr->config <= PERF_COUNT_SW_TASK_CLOCK;
	ev->unit = ev->is_clock ? EVENT_COUNTS_TIME : EVENT_COUNTS_THINGS;
}

/*
 * Letters behind the last colon are modifiers, which ptop parses: the library has them as well, but
 * each with a colon of its own.
 */
static int
parse(const struct spec *s, const char *name, const char **rest)
{
	const char *colon = strrchr(name, ':');
	struct perf_event_attr attr;
	char *front;
	int res;

	if (colon != NULL && modifiers_are_valid(colon + 1)) {
		front = mem_strndup(name, (size_t)(colon - name));
		res = encode(front, &attr);
		free(front);
		if (res == PFM_SUCCESS) {
			add(s, &attr);
			*rest = colon;
			return res;
		}
	}
	res = encode(name, &attr);
	if (res == PFM_SUCCESS)
		add(s, &attr);
	*rest = name + strlen(name);
	return res;
}

int
pfm_parse(const struct spec *s, const char **rest)
{
	const char *name = s->text + strlen(prefix);
	int res;

	if (strncmp(s->text, prefix, strlen(prefix)) != 0)
		return 0;
	res = parse(s, name, rest);
	if (res == PFM_SUCCESS)
		return 1;
	if (!library_load()) {
		spec_lacks(s, ERR_UNSUPPORTED, "libpfm4 is not installed");
		return err_hint(s->err, "install libpfm4, or write the event as "
				"cpu/event=...,umask=.../");
	}
	spec_refuse(s, name, "libpfm4 has no such event (%s)", library.strerror(res));
	return err_hint(s->err, "names are as in libpfm4's showevtinfo: EVENT:UMASK:modifiers");
}

/* Only for the real machine: libpfm4 does not look below a test's folder. */
int
pfm_parse_plain(const struct spec *s, const char **rest)
{
	return *s->env->root == '\0' && parse(s, s->text, rest) == PFM_SUCCESS;
}

#else

int
pfm_parse(const struct spec *s, const char **rest)
{
	(void)rest;
	if (strncmp(s->text, prefix, strlen(prefix)) != 0)
		return 0;
	spec_lacks(s, ERR_UNSUPPORTED, "ptop was built without libpfm4");
	return err_hint(s->err, "build it with libpfm4's development files, or write the event as "
			"cpu/event=...,umask=.../");
}

int
pfm_parse_plain(const struct spec *s, const char **rest)
{
	(void)s;
	(void)rest;
	return 0;
}

#endif
