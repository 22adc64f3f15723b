/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/hosts/hosts_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "symbol/ask/ask.h"
#include "view/snapshot.h"

enum {
	READ_BYTES = 64 << 10, /* of a host, in one step: */
	SECONDS_A_STEP = 4,    /* what has more is not read on, and waits there */
	NOTICES_MAX = 5,       /* hosts that the header names */
	END_MS = 1000,         /* for a program whose feed has ended to end, too */
};

static void
identify(const struct file_policy *p, struct symbol_ask *ask)
{
	(void)p;
	ask->path = "";
}

static uint64_t
no_text(const struct file_policy *p)
{
	(void)p;
	return 0;
}

static size_t
no_build_id(const struct file_policy *p, uint8_t id[BUILD_ID_MAX])
{
	(void)p;
	(void)id;
	return 0;
}

const struct file_policy hosts_policy = {
	.no_events = "which events other hosts have is not known here",
	.no_targets = "the processes of other hosts cannot be changed",
	.no_counters = "other hosts send samples, no counters",
	.no_recording = "other hosts send counts, not samples that could be written",
	.identify = identify,
	.kernel_text = no_text,
	.kernel_build_id = no_build_id,
};

struct hosts *
hosts_new(const struct engine_config *config)
{
	struct hosts *hs = mem_calloc(1, sizeof(*hs));

	hs->config = config;
	hs->count = config->host_count;
	hs->items = mem_calloc(hs->count, sizeof(*hs->items));
	for (size_t i = 0; i < hs->count; i++)
		hs->items[i].name = config->hosts[i];
	if (config->events_given)
		hs->asked = mem_strdup(config->events);
	hs->command = hosts_make_command(config, config->events);
	hs->copying = hosts_make_copying(config, config->events);
	return hs;
}

void
hosts_begin(struct hosts *hs, const struct engine_env *env)
{
	uint64_t now_ns = clock_mono_ns();

	hs->env = env;
	for (size_t i = 0; i < hs->count; i++) {
		hs->items[i].str = strs_add_str(&env->model->strs, hs->items[i].name);
		fed_host_start(hs, &hs->items[i], now_ns);
	}
	hs->by_str = mem_calloc(env->model->strs.len + 1, sizeof(*hs->by_str));
	for (size_t i = 0; i < hs->count; i++)
		hs->by_str[hs->items[i].str] = (uint32_t)i;
	hs->names_before = env->model->strs.arena.bytes;
}

/* Nothing more comes of it; @why "": it has ended in order. */
static void
lose(struct hosts *hs, struct fed_host *h, const char *why, uint64_t now_ns)
{
	struct buf b = { 0 };

	h->has_answered |= fed_host_is_own_reason(why);
	buf_add_str(&b, *why != '\0' ? why : "it has ended");
	if (hs->config->copy == NULL && h->feed != NULL)
		fed_host_put_doubt(&b, h, why);
	fed_host_set_state(h, HOST_GONE, buf_str(&b), now_ns);
	buf_release(&b);
	fed_host_stop(hs, h);
	h->gets_copy = false; /* by the next time there may be one */
}

/* It is asked for again while nothing has come of the last one: what that one said is the reason. */
static void
give_ptop(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	char why[sizeof(h->why)];

	if (fed_host_copy(hs, h, now_ns))
		return;
	snprintf(why, sizeof(why), "%s",
		 *h->why != '\0' ? h->why : "it has no ptop that is of use, and a copy brought no feed");
	lose(hs, h, why, now_ns);
}

static void
take_hello(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	const struct hostfeed_hello *hello = hostfeed_hello(h->feed);
	char text[sizeof(h->why)];

	h->has_answered = true;
	if (hello->version != HOSTFEED_VERSION) {
		if (fed_host_copy(hs, h, now_ns))
			return;
		snprintf(text, sizeof(text), "its ptop speaks version %u of the feed, this one %u: use the "
			 "same ptop on both", hello->version, HOSTFEED_VERSION);
		fed_host_stop(hs, h);
		fed_host_set_state(h, HOST_OTHER, text, now_ns);
		return;
	}
	snprintf(h->ptop, sizeof(h->ptop), "%s", hello->ptop);
	h->cpus = MAX(hello->cpus, 1);
}

static void
take_second(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	char why[FED_WHY_MAX];

	if (!fed_host_count(hs, h, now_ns)) {
		snprintf(why, sizeof(why), "it says that it counted more than its %u CPU%s can", h->cpus,
			 text_plural(h->cpus));
		lose(hs, h, why, now_ns);
		return;
	}
	fed_host_set_state(h, HOST_FED, "", now_ns);
	carrier_pass_said(h->carrier);
	h->tries = 0;
	h->copied_ns = 0;
	h->seconds++;
	h->last_ns = now_ns;
	h->last_real_ns = clock_real_ns();
	fed_host_take_lacks(h, hostfeed_second(h->feed));
	h->left_out = hostfeed_second(h->feed)->left_out;
	fed_host_note_clock(h, hostfeed_second(h->feed)->wall_ns);
	agenda_want(hs->env->agenda, AGENDA_SHOW);
}

/* What is there of the feed, as far as a step goes.  false: there may be more. */
static bool
take_frames(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	struct err err = { 0 };
	int kind;

	for (int i = 0; i < SECONDS_A_STEP && h->feed != NULL; i++) {
		kind = hostfeed_next(h->feed, &err);
		if (kind == 0)
			return true;
		if (kind < 0)
			lose(hs, h, err.text, now_ns);
		else if (kind == HOSTFEED_HELLO)
			take_hello(hs, h, now_ns);
		else if (kind == HOSTFEED_WANTS_PTOP)
			give_ptop(hs, h, now_ns);
		else
			take_second(hs, h, now_ns);
	}
	return false;
}

/* Of what it says only that is a reason which it ends with. */
static void
take_end(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	const char *why = carrier_why_ended(h->carrier);

	if (h->closed_ns == 0)
		h->closed_ns = now_ns;
	if (why != NULL)
		lose(hs, h, why, now_ns);
	else if (now_ns >= h->closed_ns + END_MS * NSEC_PER_MSEC)
		lose(hs, h, "it sends nothing more", now_ns);
}

static void
step_host(struct hosts *hs, struct fed_host *h, uint64_t now_ns)
{
	char part[READ_BYTES];
	ssize_t n;

	if (h->carrier == NULL) {
		if (h->state != HOST_OTHER && now_ns >= h->next_try_ns)
			fed_host_start(hs, h, now_ns);
		return;
	}
	if (!take_frames(hs, h, now_ns))
		return;
	n = carrier_read(h->carrier, part, sizeof(part));
	if (n < 0) {
		take_end(hs, h, now_ns);
	} else if (n > 0) {
		h->bytes += (uint64_t)n;
		hostfeed_put(h->feed, part, (size_t)n);
		take_frames(hs, h, now_ns);
	}
}

void
hosts_step(struct hosts *hs, uint64_t now_ns)
{
	for (size_t i = 0; i < hs->count; i++)
		step_host(hs, &hs->items[i], now_ns);
}

void
hosts_sample(struct hosts *hs, const char *events, uint64_t now_ns)
{
	free(hs->asked);
	free(hs->command);
	free(hs->copying);
	hs->asked = mem_strdup(events);
	hs->command = hosts_make_command(hs->config, events);
	hs->copying = hosts_make_copying(hs->config, events);
	hs->shows_next = true;
	for (size_t i = 0; i < hs->count; i++) {
		struct fed_host *h = &hs->items[i];

		if (h->state != HOST_OTHER)
			fed_host_set_state(h, HOST_STARTING, "", now_ns);
		h->tries = 0;
		if (h->state != HOST_OTHER)
			fed_host_start(hs, h, now_ns);
	}
	notes_say(hs->env->notes, "%zu host%s asked for %s", hs->count, hs->count == 1 ? " is" : "s are", events);
}

bool
hosts_have_begun(const struct hosts *hs)
{
	for (size_t i = 0; i < hs->count; i++)
		if (hs->items[i].state == HOST_STARTING)
			return false;
	return true;
}

static void
beat(void *hosts, uint64_t now_ns)
{
	struct hosts *hs = hosts;

	hosts_end_quiet(hs, now_ns);
	hosts_reap(hs);
	/* What it says is taken, or it would wait. */
	for (size_t i = 0; i < hs->count; i++)
		if (hs->items[i].carrier != NULL)
			carrier_said(hs->items[i].carrier);
}

/* A header has room for some, those that are not there first; what has no screen tells each once. */
static void
put_notices(const void *hosts, struct part_notices *n)
{
	const struct hosts *hs = hosts;
	const uint64_t now_ns = clock_mono_ns();
	const size_t most = hs->config->is_watched ? NOTICES_MAX : hs->count;
	size_t marked = 0;

	for (size_t i = 0; i < hs->count; i++) {
		struct buf b = { 0 };

		if (fed_host_put_mark(&b, &hs->items[i], now_ns) && marked++ < most)
			part_notice(n, arena_strdup(n->arena, b.data));
		buf_release(&b);
	}
	if (marked > most)
		part_notice(n, arena_printf(n->arena, "%zu more hosts are gone, slow or off (!)",
					    marked - most));
	if (hosts_name_bytes(hs) >= hosts_name_bytes_max(hs))
		part_notice(n, "names of the hosts fill their room: what is new is [other] (--memory)");
	hosts_put_lacks(hs, n);
}

/* What the ptop there has to tell, such as that it may not sample the kernel. */
static void
put_said(struct buf *b, const struct fed_host *h)
{
	const char *said = h->carrier != NULL ? carrier_said(h->carrier) : "";

	if (*said == '\0')
		return;
	buf_add_str(b, "    it says: ");
	text_add_safe(b, said, strlen(said));
	buf_add_char(b, '\n');
}

static void
put_page(const void *hosts, struct buf *b)
{
	const struct hosts *hs = hosts;
	const uint64_t now_ns = clock_mono_ns();

	buf_addf(b, "Hosts: %zu\n", hs->count);
	for (size_t i = 0; i < hs->count; i++) {
		fed_host_put_line(b, &hs->items[i], now_ns);
		fed_host_put_lacks(b, &hs->items[i]);
		put_said(b, &hs->items[i]);
	}
}

static void
put_head(const void *hosts, struct snapshot *s)
{
	const struct hosts *hs = hosts;
	size_t fed = 0, heard = 0;

	for (size_t i = 0; i < hs->count; i++) {
		fed += hs->items[i].state == HOST_FED;
		heard += hs->items[i].last_ns != 0;
		s->head.hosts_answer |= hs->items[i].has_answered;
	}
	s->head.lacks_hosts = heard == 0;
	s->head.host = fed == hs->count ? arena_printf(&s->arena, "%zu host%s", fed, text_plural(fed))
					: arena_printf(&s->arena, "%zu of %zu host%s", fed, hs->count,
						       text_plural(hs->count));
}

static size_t
held_names(const void *hosts)
{
	return hosts_name_bytes(hosts);
}

static size_t
most_names(const void *hosts)
{
	return hosts_name_bytes_max(hosts);
}

static size_t
held_feeds(const void *hosts)
{
	const struct hosts *hs = hosts;
	size_t bytes = 0;

	for (size_t i = 0; i < hs->count; i++)
		if (hs->items[i].feed != NULL)
			bytes += hostfeed_decoder_bytes(hs->items[i].feed);
	return bytes;
}

/* Names and tuples that one feed may have told at a time, and a frame of it. */
static size_t
most_feeds(const void *hosts)
{
	const struct hosts *hs = hosts;
	const size_t defs = HOSTFEED_DEFS_MAX * (2 * (HOSTFEED_TEXT_MAX + 8) + sizeof(struct hostfeed_task) +
						 sizeof(struct hostfeed_node));

	return hs->count * (defs + 2 * HOSTFEED_PACKED_MAX + 3 * HOSTFEED_BYTES_MAX);
}

static void
release(void *hosts)
{
	struct hosts *hs = hosts;

	hosts_end_all(hs);
	for (size_t i = 0; i < hs->count; i++) {
		free(hs->items[i].whos.items);
		free(hs->items[i].places.items);
		free(hs->items[i].events.items);
		fed_host_forget_lacks(&hs->items[i]);
	}
	free(hs->items);
	free(hs->by_str);
	free(hs->places);
	index_release(&hs->place_index);
	free(hs->asked);
	free(hs->command);
	free(hs->copying);
	free(hs);
}

static size_t
held_entries(const void *hosts)
{
	const struct hosts *hs = hosts;
	size_t entries = 0;

	for (size_t i = 0; i < hs->count; i++)
		entries += hs->items[i].entries;
	return entries * HOST_ENTRY_BYTES;
}

static size_t
most_entries(const void *hosts)
{
	return 2 * hosts_entries_max(hosts) * HOST_ENTRY_BYTES;
}

static const struct part_memory memory[] = {
	{ "functions by host", held_entries, most_entries,
	  "what is new of a host that has its share is [other] (--memory)" },
	{ "names of hosts", held_names, most_names, "what is new is [other] (--memory)" },
	{ "feeds of hosts", held_feeds, most_feeds, "a feed that tells more is broken" },
};

const struct engine_part hosts_part = {
	.name = "hosts",
	.release = release,
	.beat = beat,
	.put_notices = put_notices,
	.put_page = put_page,
	.put_head = put_head,
	.memory = memory,
	.memory_count = ARRAY_SIZE(memory),
};
