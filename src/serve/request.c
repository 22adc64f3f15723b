/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/request.h"

#include "base/num.h"
#include "base/text.h"
#include "export/format.h"

#include <stddef.h>
#include <string.h>

enum { SECONDS_DEFAULT = 30, WINDOW_DEFAULT_S = 10, SHOWN_MAX = 80 };

enum param {
	PARAM_SECONDS,
	PARAM_PAST,
	PARAM_PROCESS,
	PARAM_CGROUP,
	PARAM_EVENT,
	PARAM_BY,
	PARAM_WINDOW,
	PARAM_FORMAT,
	PARAM_COUNT,
};

#define P(name) (1u << PARAM_##name)

enum {
	NARROWS = P(PROCESS) | P(CGROUP) | P(EVENT),
	STRETCH = P(SECONDS) | P(PAST),
};

static const char text_type[] = "text/plain; charset=utf-8";
static const char index_help[] = "this page";

static const struct request_path paths[] = {
	{ "/", true, .content = text_type, .help = index_help },
	{ "/debug/pprof/", true, .content = text_type },
	{ "/debug/pprof", true, .content = text_type },
	{ "/healthz", true, .content = text_type, .help = "ok, if ptop answers" },
	{ "/debug/pprof/profile", .what = SERVE_PROFILE, .content = "application/octet-stream",
	  .file = "profile.pb.gz", .help = "stacks of all processes, for go tool pprof",
	  .params = STRETCH | NARROWS },
	{ "/metrics", .what = SERVE_METRICS, .content = "text/plain; version=0.0.4; charset=utf-8",
	  .help = "counters, for Prometheus" },
	{ "/flame.svg", .what = SERVE_FLAME, .content = "image/svg+xml", .help = "a flame graph",
	  .params = STRETCH | NARROWS },
	{ "/report", .what = SERVE_REPORT, .content = text_type, .help = "a table",
	  .params = P(BY) | P(WINDOW) | P(FORMAT) | NARROWS },
	{ "/record", .what = SERVE_RECORD, .content = "application/octet-stream", .file = "perf.data",
	  .help = "the flight recorder, a perf.data file; at unix:PATH, or with a token",
	  .is_confidential = true },
};

static const struct {
	const char *name, *content;
} formats[SERVE_FORMAT_COUNT] = {
	[SERVE_JSON] = { "json", "application/json" },
	[SERVE_CSV] = { "csv", "text/csv; charset=utf-8" },
	[SERVE_NDJSON] = { "ndjson", "application/x-ndjson" },
	[SERVE_FOLDED] = { "folded", text_type },
};

static bool set_seconds(struct serve_ask *ask, const char *value);
static bool set_past(struct serve_ask *ask, const char *value);
static bool set_window(struct serve_ask *ask, const char *value);
static bool set_format(struct serve_ask *ask, const char *value);

/* Those without a function are copied. */
static const struct {
	const char *name;
	bool (*set)(struct serve_ask *ask, const char *value);
	size_t offset, size;
	const char *takes;
} params[PARAM_COUNT] = {
	[PARAM_SECONDS] = { "seconds", set_seconds, .takes = "1 to 300, default 30" },
	[PARAM_PAST] = { "past", set_past, .takes = "1: the last seconds, at once; 0: the next ones" },
	[PARAM_PROCESS] = { "process", NULL, offsetof(struct serve_ask, process), SERVE_NAME_MAX,
			    "a number or a name, such as nginx or java*" },
	[PARAM_CGROUP] = { "cgroup", NULL, offsetof(struct serve_ask, cgroup), SERVE_NAME_MAX,
			   "a control group, such as /system.slice/nginx.service" },
	[PARAM_EVENT] = { "event", NULL, offsetof(struct serve_ask, event), SERVE_NAME_MAX,
			  "one of those that ptop samples" },
	[PARAM_BY] = { "by", NULL, offsetof(struct serve_ask, by), SERVE_BY_MAX,
		       "keys, as ptop --by has them, such as comm,symbol" },
	[PARAM_WINDOW] = { "window", set_window, .takes = "1 to 86400 seconds, default 10, or all" },
	[PARAM_FORMAT] = { "format", set_format, .takes = "json (default), csv, ndjson or folded" },
};

static bool
set_seconds(struct serve_ask *ask, const char *value)
{
	uint64_t n;

	if (!num_u64(value, &n) || n < 1 || n > SERVE_SECONDS_MAX)
		return false;
	ask->seconds = (uint32_t)n;
	return true;
}

static bool
set_past(struct serve_ask *ask, const char *value)
{
	bool past;

	if (!num_bool(value, &past))
		return false;
	ask->past = past;
	return true;
}

static bool
set_window(struct serve_ask *ask, const char *value)
{
	uint64_t n = 0;

	if (strcmp(value, "all") != 0 && (!num_u64(value, &n) || n < 1 || n > SERVE_WINDOW_MAX_S))
		return false;
	ask->window_s = (uint32_t)n;
	return true;
}

static bool
set_format(struct serve_ask *ask, const char *value)
{
	for (uint32_t i = 0; i < SERVE_FORMAT_COUNT; i++) {
		if (strcmp(formats[i].name, value) != 0)
			continue;
		ask->format = i;
		return true;
	}
	return false;
}

const struct request_path *
request_find(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (strcmp(paths[i].path, path) == 0)
			return &paths[i];
	return NULL;
}

void
request_begin(const struct request_path *p, struct serve_ask *ask)
{
	memset(ask, 0, sizeof(*ask));
	ask->what = p->what;
	if (p->params & P(SECONDS))
		ask->seconds = SECONDS_DEFAULT;
	/* Who looks at a picture does not want to wait for it. */
	ask->past = p->what == SERVE_FLAME && !p->is_page;
	if (p->params & P(WINDOW))
		ask->window_s = WINDOW_DEFAULT_S;
}

static void
put_cut(struct buf *b, const char *text)
{
	text_add_safe(b, text, strnlen(text, SHOWN_MAX));
}

static void
put_params(const struct request_path *p, struct buf *b)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (p->params & 1u << i)
			buf_addf(b, "  %s=  %s\n", params[i].name, params[i].takes);
}

static bool
refuse_name(const struct request_path *p, const char *name, struct buf *why)
{
	buf_addf(why, "%s takes no parameter '", p->path);
	put_cut(why, name);
	buf_add_str(why, p->params != 0 ? "'. It takes:\n" : "'. It takes none.\n");
	put_params(p, why);
	return false;
}

bool
request_set(const struct request_path *p, struct serve_ask *ask, const char *name, const char *value,
	    struct buf *why)
{
	size_t i = 0, len = value != NULL ? strlen(value) : 0;
	bool is_well;

	while (i < PARAM_COUNT && ((p->params & 1u << i) == 0 || strcmp(params[i].name, name) != 0))
		i++;
	if (i == PARAM_COUNT)
		return refuse_name(p, name, why);
	if (len == 0)
		is_well = false;
	else if (params[i].set != NULL)
		is_well = params[i].set(ask, value);
	else
		is_well = len < params[i].size;
	if (is_well && params[i].set == NULL)
		memcpy((char *)ask + params[i].offset, value, len + 1);
	if (is_well)
		return true;
	buf_addf(why, "%s='", name);
	put_cut(why, value != NULL ? value : "");
	buf_addf(why, "' cannot be: it takes %s.\n", params[i].takes);
	return false;
}

const char *
request_content(const struct request_path *p, const struct serve_ask *ask)
{
	if (ask->what == SERVE_REPORT)
		return formats[ask->format].content;
	if (ask->is_open_metrics)
		return "application/openmetrics-text; version=1.0.0; charset=utf-8";
	return p->content;
}

static bool
has_pprof(void)
{
	return format_defs[FORMAT_PPROF].lacks == NULL;
}

static bool
is_offered(const struct request_path *p)
{
	return p->help != NULL && (p->is_page || p->what != SERVE_PROFILE || has_pprof());
}

static void
put_index(struct buf *b)
{
	buf_add_str(b, "ptop: what runs here, by function\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		if (!is_offered(&paths[i]))
			continue;
		buf_addf(b, "%s  %s\n", paths[i].path, paths[i].help);
		put_params(&paths[i], b);
	}
	if (has_pprof())
		buf_add_str(b, "\ngo tool pprof http://HOST:PORT/debug/pprof/profile?seconds=10\n");
}

void
request_put_page(const struct request_path *p, struct buf *b)
{
	if (strcmp(p->path, "/healthz") == 0)
		buf_add_str(b, "ok\n");
	else
		put_index(b);
}
