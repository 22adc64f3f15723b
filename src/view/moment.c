/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/moment.h"

#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_MAX = 64, TENTHS = 10 };

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define SHORT_NS (10 * NSEC_PER_SEC)
#define DAY_NS (24 * 60 * MINUTE_NS)

/* One moment, as it was written. */
struct written {
	char text[TEXT_MAX];
	bool is_clock;    /* else it is known where it is: */
	uint64_t ns;      /* in the time of what is measured */
	uint64_t real_ns; /* by the clock: of today, of the day before or of the day that is given */
	bool has_day;
	uint64_t unit_ns; /* a stretch of it is so long */
	bool is_future, is_day_before;
};

static bool
local_time(uint64_t real_ns, struct tm *tm)
{
	time_t t = (time_t)(real_ns / NSEC_PER_SEC);

	memset(tm, 0, sizeof(*tm));
	return localtime_r(&t, tm) != NULL;
}

void
moment_put_real(struct buf *b, uint64_t real_ns, uint64_t now_real_ns, bool with_tenths)
{
	struct tm tm, now;

	if (!local_time(real_ns, &tm) || !local_time(now_real_ns, &now))
		return;
	if (tm.tm_yday != now.tm_yday || tm.tm_year != now.tm_year)
		buf_addf(b, "%04d-%02d-%02d ", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
	buf_addf(b, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (with_tenths)
		buf_addf(b, ".%u", (unsigned)(real_ns % NSEC_PER_SEC / (NSEC_PER_SEC / TENTHS)));
}

const char *
moment_zone(uint64_t real_ns)
{
	struct tm tm;

	return local_time(real_ns, &tm) && tm.tm_zone != NULL ? tm.tm_zone : "";
}

void
moment_put(struct buf *b, const struct moments *m, uint64_t ns)
{
	if (m->wall.len > 0)
		moment_put_real(b, wall_real_ns(&m->wall, ns), wall_real_ns(&m->wall, m->now_ns), false);
	else
		buf_addf(b, "%.1f s", (double)(ns - MIN(ns, m->begin_ns)) / 1e9);
}

void
moment_put_length(struct buf *b, uint64_t ns)
{
	double s = (double)ns / 1e9;

	if (s < 100)
		buf_addf(b, "%.3g s", s);
	else if (s < 100 * 60)
		buf_addf(b, "%.0f min", s / 60);
	else
		buf_addf(b, "%.3g h", s / 3600);
}

/* Two digits at most, below @bound. */
static bool
take_number(const char **p, int bound, int *out)
{
	int digits = 0;

	for (*out = 0; **p >= '0' && **p <= '9' && digits < 2; (*p)++, digits++)
		*out = *out * 10 + (**p - '0');
	return digits > 0 && *out < bound;
}

/* Whether a day is before a time, as in "2026-11-25 10:41" or "2026-11-25T10:41": so many bytes of it. */
static size_t
day_len(const char *text)
{
	static const char shape[] = "dddd-dd-dd";
	size_t len = sizeof(shape) - 1;

	for (size_t i = 0; i < len; i++)
		if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i])
			return 0;
	return text[len] == ' ' || text[len] == 'T' ? len + 1 : 0;
}

/* Takes it; false: there is no such day. */
static bool
take_day(const char *text, struct tm *tm)
{
	int year, month, day;

	if (sscanf(text, "%4d-%2d-%2d", &year, &month, &day) != 3 || year < 1970 || month < 1 ||
	    month > 12 || day < 1 || day > 31)
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	return true;
}

/* "10:41", "10:41:30": of today, until it is found. */
static int
parse_clock(struct written *w, const struct moments *m, struct err *err)
{
	size_t day = day_len(w->text);
	const char *p = w->text + day;
	struct tm tm;
	time_t t;

	if (m->wall.len == 0)
		return err_set(err, ERR_USAGE, 0, "this recording does not tell the time of day: "
						  "seconds since its beginning are wanted, as 12-18");
	if (!local_time(wall_real_ns(&m->wall, m->now_ns), &tm))
		return err_set(err, ERR_USAGE, 0, "the time of day is not known");
	w->has_day = day > 0;
	w->unit_ns = MINUTE_NS;
	tm.tm_sec = 0;
	tm.tm_isdst = -1;
	if ((w->has_day && !take_day(w->text, &tm)) || !take_number(&p, 24, &tm.tm_hour) || *p++ != ':' ||
	    !take_number(&p, 60, &tm.tm_min))
		return err_set(err, ERR_USAGE, 0, "there is no time '%s'", w->text);
	if (*p == ':') {
		p++;
		w->unit_ns = SHORT_NS;
		if (!take_number(&p, 60, &tm.tm_sec))
			return err_set(err, ERR_USAGE, 0, "there is no time '%s'", w->text);
	}
	t = mktime(&tm);
	if (*p != '\0' || t < 0)
		return err_set(err, ERR_USAGE, 0, "there is no time '%s'", w->text);
	w->is_clock = true;
	w->real_ns = (uint64_t)t * NSEC_PER_SEC;
	return 0;
}

/* "-5m", "-90s", "-1.5h": without a unit seconds. */
static int
parse_back(struct written *w, const struct moments *m, struct err *err)
{
	static const struct {
		char unit;
		double s;
		uint64_t stretch_ns;
	} units[] = { { 's', 1, SHORT_NS }, { 'm', 60, MINUTE_NS }, { 'h', 3600, MINUTE_NS } };
	size_t len = strlen(w->text), row = 0;
	char number[TEXT_MAX];
	double s;

	memcpy(number, w->text + 1, len);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (w->text[len - 1] == units[i].unit) {
			number[len - 2] = '\0';
			row = i;
		}
	if (!num_double(number, &s) || s < 0 || s > 1e7)
		return err_set(err, ERR_USAGE, 0, "there is no time '%s'", w->text);
	w->ns = m->now_ns - MIN(m->now_ns, (uint64_t)(s * units[row].s * 1e9));
	w->unit_ns = units[row].stretch_ns;
	return 0;
}

/* Seconds since the beginning. */
static int
parse_seconds(struct written *w, const struct moments *m, struct err *err)
{
	double s;

	if (!num_double(w->text, &s))
		return err_set(err, ERR_USAGE, 0, "no time is '%s': wanted is 10:41, 10:41:30-10:42, "
						  "-5m, -5m..-4m, or seconds as 12-18", w->text);
	if (s < 0 || s > 1e9)
		return err_set(err, ERR_USAGE, 0, "there is no time '%s'", w->text);
	w->ns = m->begin_ns + (uint64_t)(s * 1e9);
	w->unit_ns = SHORT_NS;
	return 0;
}

static int
parse_written(struct written *w, const struct moments *m, struct err *err)
{
	if (strchr(w->text, ':') != NULL)
		return parse_clock(w, m, err);
	return *w->text == '-' ? parse_back(w, m, err) : parse_seconds(w, m, err);
}

static uint64_t
real_now_ns(const struct moments *m)
{
	return wall_real_ns(&m->wall, m->now_ns);
}

/* What is not sampled; 0: what is measured has no such time, as its clock began later. */
static void
find_unkept(struct written *w, const struct moments *m)
{
	if (!wall_moment(&m->wall, w->real_ns, UINT64_MAX, &w->ns))
		w->ns = 0;
}

/* Of a time of day the last that was sampled: today's or yesterday's. */
static void
find_moment(struct written *w, const struct moments *m)
{
	if (!w->is_clock) {
		w->is_future = w->ns >= m->now_ns && w->ns > m->begin_ns;
		return;
	}
	if (wall_moment(&m->wall, w->real_ns, m->now_ns, &w->ns) && w->ns >= m->begin_ns)
		return;
	if (!w->has_day && wall_moment(&m->wall, w->real_ns - DAY_NS, m->now_ns, &w->ns) &&
	    w->ns >= m->begin_ns) {
		w->real_ns -= DAY_NS;
		return;
	}
	w->is_future = w->real_ns >= real_now_ns(m);
	if (w->is_future)
		w->ns = m->now_ns;
	else
		find_unkept(w, m);
}

/* A stretch begins in the past: what has not been today was on the day before. */
static void
find_begin(struct written *w, const struct moments *m)
{
	find_moment(w, m);
	if (!w->is_future || !w->is_clock || w->has_day)
		return;
	w->real_ns -= DAY_NS;
	w->is_day_before = true;
	w->is_future = false;
	find_unkept(w, m);
}

static int
refuse_future(const struct written *w, const struct moments *m, struct err *err)
{
	struct buf b = { 0 };

	moment_put(&b, m, m->now_ns);
	if (m->wall.len > 0)
		err_set(err, ERR_USAGE, 0, "%s is still to come: it is %s", w->text, buf_str(&b));
	else
		err_set(err, ERR_USAGE, 0, "%s is still to come: the recording ends at %s", w->text,
			buf_str(&b));
	buf_release(&b);
	return -1;
}

static int
refuse_unknown(const char *text, const struct written *from, const struct moments *m, struct err *err)
{
	struct buf b = { 0 };

	moment_put(&b, m, MAX(m->kept_ns, m->begin_ns));
	err_set(err, ERR_USAGE, 0, "nothing is known of %s%s: kept from %s on", text,
		from->is_day_before ? " of the day before" : "", buf_str(&b));
	buf_release(&b);
	return -1;
}

/* "FROM-TO" or "FROM..TO" into two; false: it is one. */
static bool
split(const char *text, struct written *from, struct written *to)
{
	const char *at = strstr(text, ".."), *begin = text + day_len(text);
	size_t skip = at != NULL ? 2 : 1;

	/* A sign in front is no end of it. */
	if (at == NULL && *begin != '\0')
		at = strchr(begin + 1, '-');
	snprintf(from->text, sizeof(from->text), "%.*s",
		 (int)(at != NULL ? (size_t)(at - text) : strlen(text)), text);
	if (at != NULL)
		snprintf(to->text, sizeof(to->text), "%s", at + skip);
	return at != NULL;
}

/* The end of a stretch is after its begin: past midnight, if need be. */
static void
find_end(struct written *to, const struct written *from, const struct moments *m)
{
	if (to->is_clock && from->is_clock && !to->has_day) {
		while (to->real_ns > from->real_ns + DAY_NS)
			to->real_ns -= DAY_NS;
		to->ns = from->ns + (to->real_ns - MIN(to->real_ns, from->real_ns));
		if (from->ns == 0)
			find_unkept(to, m);
		return;
	}
	find_moment(to, m);
}

/* One moment is a stretch of its unit. */
static void
find_unit_end(struct written *to, const struct written *from, const struct moments *m)
{
	*to = *from;
	to->has_day = false;
	to->real_ns += from->unit_ns;
	to->ns += from->unit_ns;
	if (to->is_clock)
		find_end(to, from, m);
}

int
moment_parse(const char *text, const struct moments *m, uint64_t *ns, struct err *err)
{
	struct written w = { .text = "" };

	if (*text == '\0' || strlen(text) >= TEXT_MAX)
		return err_set(err, ERR_USAGE, 0, "there is no time '%.70s'", text);
	memcpy(w.text, text, strlen(text) + 1);
	if (parse_written(&w, m, err) < 0)
		return -1;
	find_moment(&w, m);
	*ns = w.ns;
	return 0;
}

int
moment_parse_stretch(const char *text, const struct moments *m, uint64_t *from_ns, uint64_t *to_ns,
		     struct err *err)
{
	struct written from = { .text = "" }, to = { .text = "" };
	bool is_two;

	if (*text == '\0' || strlen(text) >= TEXT_MAX)
		return err_set(err, ERR_USAGE, 0, "there is no time '%.70s'", text);
	is_two = split(text, &from, &to);
	if (parse_written(&from, m, err) < 0 || (is_two && parse_written(&to, m, err) < 0))
		return -1;
	find_begin(&from, m);
	if (from.is_future)
		return refuse_future(&from, m, err);
	if (is_two)
		find_end(&to, &from, m);
	else
		find_unit_end(&to, &from, m);
	if (to.ns <= from.ns && to.ns > 0)
		return err_set(err, ERR_USAGE, 0, "%s ends before it begins", text);
	if (to.ns <= MAX(m->kept_ns, m->begin_ns))
		return refuse_unknown(text, &from, m, err);
	*from_ns = from.ns;
	*to_ns = MIN(to.ns, m->now_ns);
	return 0;
}
