/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/open_lack.h"

static bool
in_user_ns(const struct rights *r)
{
	return r->in_user_ns;
}

static bool
always(const struct rights *r)
{
	(void)r;
	return true;
}

/* In order. */
static const struct lack {
	bool (*applies)(const struct rights *r);
	const char *why; /* NULL: the level alone */
	const char *remedy;
	const char *grants; /* CAP_PERFMON itself */
} lacks[] = {
	{ in_user_ns, "capabilities of a user namespace do not count",
	  OPEN_REMEDY_USER_NS ", or there: " OPEN_PARANOID("-1"), OPEN_REMEDY_USER_NS },
	{ rights_is_poor_root, "this root has no CAP_PERFMON", OPEN_REMEDY_POOR_ROOT,
	  OPEN_ADD_PERFMON },
	{ always, NULL, OPEN_REMEDY, OPEN_SETCAP("cap_perfmon") },
};

static const struct lack *
find(const struct rights *r)
{
	const struct lack *l = lacks;

	while (!l->applies(r))
		l++;
	return l;
}

void
open_lack_put(const struct rights *r, struct buf *b)
{
	const struct lack *l = find(r);

	if (l->why != NULL)
		buf_addf(b, "%s, and ", l->why);
	buf_addf(b, "perf_event_paranoid is %d", r->paranoid);
}

const char *
open_remedy(const struct rights *r)
{
	return find(r)->remedy;
}

const char *
open_remedy_perfmon(const struct rights *r)
{
	return find(r)->grants;
}
