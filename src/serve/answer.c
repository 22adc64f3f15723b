/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "serve/answer.h"

#include "base/num.h"
#include "export/formats.h"
#include "serve/process.h"
#include "symbol/file/sealed.h"
#include "view/column.h"
#include "view/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 20, LIST_MAX = 300, STARS_MAX = 2 };

static const enum key default_keys[] = { KEY_COMM, KEY_DSO, KEY_SYMBOL };

static enum export_format
format_of(const struct serve_ask *ask)
{
	static const enum export_format formats[SERVE_FORMAT_COUNT] = {
		[SERVE_JSON] = FORMAT_JSON, [SERVE_CSV] = FORMAT_CSV,
		[SERVE_NDJSON] = FORMAT_NDJSON, [SERVE_FOLDED] = FORMAT_FOLDED,
	};

	if (ask->what == SERVE_PROFILE)
		return FORMAT_PPROF;
	return ask->what == SERVE_FLAME ? FORMAT_SVG : formats[ask->format];
}

/* A term of the filter.  Blanks divide terms: in a name any byte stands for one. */
static void
add_term(struct buf *b, const char *key, const char *value)
{
	if (*value == '\0')
		return;
	buf_addf(b, "%s%s=", b->len > 0 ? " " : "", key);
	for (; *value != '\0'; value++)
		buf_add_char(b, strchr(" \t\n\r\v\f", *value) != NULL ? '?' : *value);
}

/* Samples are told apart by it from the first question on, which is a cost that anybody could make. */
static int
refuse_labels(key_set keys, const char *what, struct err *err)
{
	for (enum key k = 0; k < KEY_COUNT; k++) {
		if ((keys & KEY_BIT(k)) == 0 || columns[k].labels == 0)
			continue;
		err_set(err, ERR_USAGE, 0, "%s: ptop does not tell samples apart by '%s' here", what,
			key_name(k));
		return err_hint(err, "Choose others, such as comm, pid, container, dso or symbol.");
	}
	return 0;
}

/* Matching takes a multiple of time with each, and it is the engine's. */
static int
check_pattern(const char *value, struct err *err)
{
	unsigned stars = 0;

	for (; *value != '\0'; value++)
		stars += *value == '*';
	if (stars <= STARS_MAX)
		return 0;
	err_set(err, ERR_USAGE, 0, "a name has %u asterisks", stars);
	return err_hint(err, "%d are allowed.", STARS_MAX);
}

static int
set_filter(const struct serve_ask *ask, struct query *q, struct err *err)
{
	struct buf b = { 0 };
	struct filter *f;
	uint64_t pid;
	int res = -1;

	if (check_pattern(ask->process, err) < 0 || check_pattern(ask->cgroup, err) < 0 ||
	    check_pattern(ask->event, err) < 0)
		return -1;
	buf_add_str(&b, q->filter);
	add_term(&b, num_u64(ask->process, &pid) ? "pid" : "program", ask->process);
	add_term(&b, "cgroup", ask->cgroup);
	add_term(&b, "event", ask->event);
	f = filter_parse(buf_str(&b), err);
	if (f != NULL && b.len >= sizeof(q->filter)) {
		err_set(err, ERR_LIMIT, 0, "process, cgroup and event are too long together");
		err_hint(err, "An asterisk stands for any part of a name.");
	} else {
		res = f != NULL ? refuse_labels(filter_keys(f), "filter", err) : err_wrap(err, "filter");
	}
	if (res == 0)
		memcpy(q->filter, buf_str(&b), b.len + 1);
	filter_free(f);
	buf_release(&b);
	return res;
}

static int
set_keys(const struct serve_ask *ask, struct query *q, struct err *err)
{
	key_set keys = 0;

	if (*ask->by != '\0' && key_parse_list(ask->by, q->keys, &q->key_count, err) < 0)
		return err_wrap(err, "by");
	if (*ask->by == '\0') {
		memcpy(q->keys, default_keys, sizeof(default_keys));
		q->key_count = ARRAY_SIZE(default_keys);
	}
	for (size_t i = 0; i < q->key_count; i++)
		keys |= KEY_BIT(q->keys[i]);
	return refuse_labels(keys, "by", err);
}

int
answer_query(const struct serve_ask *ask, const struct query *base, struct query *q, struct err *err)
{
	enum export_format format = format_of(ask);

	*q = *base;
	if (format_defs[format].lacks != NULL) {
		err_set(err, ERR_UNSUPPORTED, 0, "this ptop is built without %s: it has no %s",
			format_defs[format].lacks, format_defs[format].name);
		return err_hint(err, "Ask for another format, or build it with that.");
	}
	format_set_query(format, q);
	q->window_ns = ask->seconds * NSEC_PER_SEC;
	if (ask->what == SERVE_REPORT)
		q->window_ns = ask->window_s != 0 ? ask->window_s * NSEC_PER_SEC : UINT64_MAX;
	if (set_filter(ask, q, err) < 0)
		return -1;
	return ask->what == SERVE_REPORT ? set_keys(ask, q, err) : 0;
}

struct file {
	int fd;
	uint64_t left;
};

static int
write_to_file(void *self, const void *data, size_t len)
{
	struct file *f = self;

	if (len > f->left) {
		errno = EFBIG;
		return -1;
	}
	f->left -= len;
	return sealed_write(f->fd, data, len);
}

static int
fail(int why, struct err *err)
{
	if (why != EFBIG)
		return err_set(err, ERR_LIMIT, why, "the answer cannot be kept in memory");
	err_set(err, ERR_LIMIT, 0, "the answer is larger than %d MiB", ANSWER_MAX >> 20);
	return err_hint(err, "Narrow it: by process, cgroup, window or fewer keys.");
}

/* That the event is one of those that are sampled. */
static int
check_event(const struct serve_ask *ask, const struct snapshot *s, struct err *err)
{
	struct buf names = { 0 };

	if (*ask->event == '\0')
		return 0;
	for (size_t i = 0; i < s->event_count; i++) {
		if (fnmatch(ask->event, s->events[i].name, 0) == 0) {
			buf_release(&names);
			return 0;
		}
		if (names.len < LIST_MAX)
			buf_addf(&names, "%s%s", i > 0 ? ", " : "", s->events[i].name);
	}
	err_set(err, ERR_GONE, 0, "the event '%.60s' is not sampled", ask->event);
	err_hint(err, "Those that are: %.200s. Others are given to ptop --serve by -e.", buf_str(&names));
	buf_release(&names);
	return -1;
}

static bool
is_empty(const struct snapshot *s)
{
	return s->stacks != NULL ? s->stacks->top_count == 0
				 : s->row_count == 0 && s->frame_count == 0;
}

/* A process that sleeps has an empty answer; one that is not there has none. */
static int
check_process(const struct serve_ask *ask, const struct snapshot *s, struct err *err)
{
	if (*ask->process == '\0' || !is_empty(s) || process_is_here(ask->process))
		return 0;
	err_set(err, ERR_GONE, 0, "no process '%.60s' is here, and none ran in that time", ask->process);
	return err_hint(err, "It is its number or name, as ps -o pid,comm has them; an asterisk stands for any "
			"part of a name, and by=program lists names.");
}

/* So has a control group in which all sleep. */
static int
check_cgroup(const struct serve_ask *ask, const struct snapshot *s, struct err *err)
{
	if (*ask->cgroup == '\0' || !is_empty(s) || cgroup_is_here(ask->cgroup))
		return 0;
	err_set(err, ERR_GONE, 0, "there is no control group '%.60s', and nothing ran in it in that time",
		ask->cgroup);
	return err_hint(err, "It is its whole path, as by=cgroup lists them; an asterisk stands for any part "
			"of it.");
}

typedef void put_report_fn(struct sink *out, const struct snapshot *s, const struct report_run *run);

static int
make(put_report_fn *put, const struct snapshot *s, struct err *err)
{
	struct report_run run = { .is_first = true, .has_events = s->event_count > 1 };
	struct file f = { sealed_new("ptop-answer", err), ANSWER_MAX };
	struct sink out = { .write = write_to_file, .self = &f };
	int res = 0;

	if (f.fd < 0)
		return -1;
	put(&out, s, &run);
	if (sink_flush(&out) < 0)
		res = fail(out.error, err);
	else if (sealed_seal(f.fd) < 0)
		res = fail(errno, err);
	sink_release(&out);
	if (res == 0)
		return f.fd;
	close(f.fd);
	return -1;
}

int
answer_make(const struct serve_ask *ask, const struct snapshot *s, struct err *err)
{
	if (check_event(ask, s, err) < 0 || check_process(ask, s, err) < 0 ||
	    check_cgroup(ask, s, err) < 0)
		return -1;
	return make(format_defs[format_of(ask)].put, s, err);
}

int
answer_make_profile(const struct snapshot *s, struct err *err)
{
	return make(format_defs[FORMAT_PPROF].put, s, err);
}

int
answer_make_otlp(const struct snapshot *s, struct err *err)
{
#ifdef HAVE_ZLIB
	return make(otlp_put_report, s, err);
#else
	(void)s;
	return err_set(err, ERR_UNSUPPORTED, 0, "this ptop is built without zlib");
#endif
}

int
answer_of_bytes(const void *data, size_t len, struct err *err)
{
	struct file f = { sealed_new("ptop-answer", err), ANSWER_MAX };

	if (f.fd < 0)
		return -1;
	if (write_to_file(&f, data, len) == 0 && sealed_seal(f.fd) == 0)
		return f.fd;
	fail(errno, err);
	close(f.fd);
	return -1;
}
