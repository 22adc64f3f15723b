/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are nowhere on this machine, from debuginfod servers: debug files, and programs of a
 * recording, of dsos with samples that have no name, the hottest first, one at a time.  Until it is
 * known what a server has, places of such a dso wait as those of one whose image is on its way, so
 * that past samples get names too.
 */
#include "engine/engine_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profile/place/dso_source.h"

enum {
	LEAST_SAMPLES = 8,     /* without a name, for a dso to be asked for */
	LEAST_PER_MILLE = 5,   /* of all samples */
	ASKED_MAX = 256,       /* in one run */
	WAIT_S = 120,          /* for a dso to become hot; then what is sampled so far stays unnamed */
	PENDING_ENOUGH = 8192, /* so many places that wait are left to images that do come */
	WAIT_MS = 100,
	LOOK_MS = 900,
};

enum wanted_state {
	WANTED,      /* it was not asked for */
	WANTED_ASKED,
	WANTED_HERE, /* it has come: the image is made anew */
	WANTED_OVER,
};

struct wanted_file {
	uint32_t dso;
	enum build_store_want want; /* a program first, and then its debug file if it is stripped */
	enum wanted_state state;
	uint64_t since_ns;
	uint64_t samples; /* without a name, when that was last counted */
	uint8_t build_id[20];
	uint8_t build_id_len;
};

/* How the screen calls what is downloaded, before the name of the dso. */
static const char *const kinds[] = {
	[BUILD_STORE_FILE] = "file",
	[BUILD_STORE_DEBUG] = "debug file of",
};

void
engine_fetch_begin(struct engine *e, const char *dir)
{
	struct engine_downloads *d = &e->downloads;
	const struct fetch_config config = {
		.urls = e->config->debuginfod_urls, .dir = dir, .host = d->host, .answers = e->in,
	};

	if (d->host == NULL)
		return;
	d->fetch = fetch_new(&config);
	d->host = NULL;
}

void
engine_fetch_release(struct engine *e)
{
	fetch_free(e->downloads.fetch);
	host_free(e->downloads.host);
	free(e->downloads.items);
}

static struct wanted_file *
find_wanted(const struct engine *e, uint32_t dso)
{
	const struct engine_downloads *d = &e->downloads;

	for (size_t i = 0; i < d->len; i++)
		if (d->items[i].dso == dso)
			return &d->items[i];
	return NULL;
}

static void
want(struct engine *e, const struct symbol_image_msg *m)
{
	struct engine_downloads *d = &e->downloads;
	struct wanted_file *w;

	vec_reserve(&d->items, &d->cap, d->len + 1, sizeof(*d->items));
	w = &d->items[d->len++];
	*w = (struct wanted_file){ .dso = m->dso, .since_ns = clock_mono_ns(),
				   .want = m->lacks_file ? BUILD_STORE_FILE : BUILD_STORE_DEBUG,
				   .build_id_len = m->build_id_len };
	memcpy(w->build_id, m->build_id, sizeof(w->build_id));
	if (!d->is_stopped && e->locations.pending < PENDING_ENOUGH)
		locations_symbols(&e->locations, m->dso)->awaits = true;
}

/* What it waited for will not come, or has. */
static void
settle(struct engine *e, uint32_t dso)
{
	struct dso_symbols *s = locations_symbols(&e->locations, dso);

	if (!s->awaits)
		return;
	s->awaits = false;
	if (locations_keep_image(&e->locations, dso) > 0)
		e->profile->fold_due = true;
	e->changed = true;
}

static void
end(struct engine *e, struct wanted_file *w, const char *outcome)
{
	w->state = WANTED_OVER;
	dso_source_learn_asked(&e->locations, w->dso, outcome);
	settle(e, w->dso);
}

/* Lines that nobody knew may be in what has come. */
static void
ask_lines_again(struct engine *e, uint32_t dso)
{
	srclines_ask_again(&e->profile->lines);
	locations_ask_lines_again(&e->locations, dso);
	inlined_ask_again(&e->locations.inlined);
}

bool
engine_fetch_takes_image(struct engine *e, struct symbol_image_msg *m)
{
	struct wanted_file *w = find_wanted(e, m->dso);
	char text[sizeof(m->reason) + 40];

	if (e->downloads.fetch == NULL)
		return true;
	if (w == NULL) {
		if (m->lacks_file || m->lacks_debug_file)
			want(e, m);
		return true;
	}
	if (w->state != WANTED_HERE)
		return true;
	if (e->asked_names > 0 || e->locations.name_len > 0) {
		/* Names of the last image are still on their way: once more, later. */
		engine_ask_image_again(e, m->dso);
		return false;
	}
	if (w->want == BUILD_STORE_FILE && m->lacks_debug_file) {
		w->want = BUILD_STORE_DEBUG;
		w->state = WANTED;
		w->since_ns = clock_mono_ns();
		if (e->downloads.is_stopped)
			locations_symbols(&e->locations, m->dso)->awaits = false;
		feed_forget_places(&e->feed);
		ask_lines_again(e, m->dso);
		return true;
	}
	if (m->image == NULL) {
		snprintf(text, sizeof(text), "found, but now: %s", m->reason);
		end(e, w, text);
		return false;
	}
	w->state = WANTED_OVER;
	locations_symbols(&e->locations, m->dso)->awaits = false;
	/* What had no name may have one now, also where it was found before. */
	feed_forget_places(&e->feed);
	ask_lines_again(e, m->dso);
	return true;
}

void
engine_fetch_took_image(struct engine *e, uint32_t dso, bool lacks_debug_file)
{
	const struct wanted_file *w = find_wanted(e, dso);

	if (w != NULL && w->state == WANTED_OVER && lacks_debug_file)
		dso_source_learn_asked(&e->locations, dso, "found, but without symbols");
}

/* How many samples of each have no name.  Returns those of all that was sampled. */
static uint64_t
count_unnamed(struct engine *e)
{
	const struct tables *t = &e->profile->tables;
	const struct cells *cells = &t->cells[TABLE_HOT];
	uint64_t all = 0;

	for (size_t i = 0; i < e->downloads.len; i++)
		e->downloads.items[i].samples = 0;
	for (uint32_t id = 1; id < cells->len; id++) {
		uint32_t at = locations_resolve(&e->locations, t->hot[id].location);
		const struct location *loc = &e->locations.items[at];
		struct wanted_file *w;

		all += cells->items[id].all_samples;
		w = loc->kind != LOCATION_FUNCTION ? find_wanted(e, loc->dso) : NULL;
		if (w != NULL)
			w->samples += cells->items[id].all_samples;
	}
	return all;
}

static struct wanted_file *
hottest(struct engine *e)
{
	struct wanted_file *best = NULL;
	uint64_t all = count_unnamed(e);

	for (size_t i = 0; i < e->downloads.len; i++) {
		struct wanted_file *w = &e->downloads.items[i];

		if (w->state == WANTED && w->samples >= LEAST_SAMPLES &&
		    w->samples * 1000 >= all * LEAST_PER_MILLE &&
		    (best == NULL || w->samples > best->samples))
			best = w;
	}
	return best;
}

static bool
has_wanted(const struct engine *e, enum wanted_state state)
{
	for (size_t i = 0; i < e->downloads.len; i++)
		if (e->downloads.items[i].state == state)
			return true;
	return false;
}

/* Asks for one if none is asked for; whether one is on its way. */
static bool
ask_next(struct engine *e)
{
	struct engine_downloads *d = &e->downloads;
	struct wanted_file *w;

	if (d->fetch == NULL || d->is_stopped)
		return false;
	if (has_wanted(e, WANTED_ASKED) || has_wanted(e, WANTED_HERE))
		return true;
	w = has_wanted(e, WANTED) && d->asked < ASKED_MAX ? hottest(e) : NULL;
	if (w == NULL)
		return false;
	w->state = WANTED_ASKED;
	d->asked++;
	fetch_ask(d->fetch, w->dso, w->want, w->build_id, w->build_id_len);
	dso_source_learn_asked(&e->locations, w->dso, "being downloaded");
	e->changed = true;
	return true;
}

void
engine_fetch_beat(struct engine *e)
{
	uint64_t now_ns = clock_mono_ns();

	if (now_ns < e->downloads.next_look_ns)
		return;
	e->downloads.next_look_ns = now_ns + LOOK_MS * NSEC_PER_MSEC;
	ask_next(e);
	for (size_t i = 0; i < e->downloads.len; i++) {
		const struct wanted_file *w = &e->downloads.items[i];

		if (w->state == WANTED && (now_ns - w->since_ns >= WAIT_S * NSEC_PER_SEC ||
					   e->locations.pending >= PENDING_ENOUGH))
			settle(e, w->dso);
	}
}

void
engine_fetch_all(struct engine *e)
{
	while (!e->is_told_to_stop && ask_next(e)) {
		engine_wait_message(e, WAIT_MS);
		engine_learn_answers(e);
	}
	for (size_t i = 0; i < e->downloads.len; i++)
		settle(e, e->downloads.items[i].dso);
}

/* In a batch nobody looks on. */
static void
tell_progress(struct engine *e, const struct wanted_file *w, const struct fetch_msg *m)
{
	const struct dso *dso = dsos_get(&e->model->dsos, m->dso);
	const char *name = strs_get(&e->model->strs, dso->name);
	double mb = 1 << 20;

	if (e->config->batch)
		return;
	if (m->total > 0)
		engine_send_status(e, false, "%s %s: %.1f of %.1f MiB; S stops it", kinds[w->want],
				   name, (double)m->got / mb, (double)m->total / mb);
	else
		engine_send_status(e, false, "%s %s: %.1f MiB so far; S stops it", kinds[w->want],
				   name, (double)m->got / mb);
}

static void
learn_outcome(struct engine *e, struct wanted_file *w, const struct fetch_msg *m)
{
	const char *name = strs_get(&e->model->strs, dsos_get(&e->model->dsos, m->dso)->name);
	char text[sizeof(m->err.text) + 16];

	switch (m->state) {
	case FETCH_GOING:
		tell_progress(e, w, m);
		return;
	case FETCH_DONE:
		w->state = WANTED_HERE;
		dso_source_learn_asked(&e->locations, w->dso, "found, and being read");
		engine_ask_image_again(e, w->dso);
		break;
	case FETCH_NOT_FOUND:
		end(e, w, "not found");
		break;
	case FETCH_FAILED:
		snprintf(text, sizeof(text), "failed: %s", m->err.text);
		end(e, w, text);
		break;
	case FETCH_STOPPED:
		end(e, w, "stopped");
		w->state = WANTED; /* should the user want to go on */
		break;
	}
	if (!e->config->batch)
		engine_note(e, "%s %s: %s", kinds[w->want], name,
			    m->state == FETCH_FAILED ? m->err.text :
			    m->state == FETCH_DONE ? "downloaded" :
			    m->state == FETCH_STOPPED ? "stopped" : "no server has it");
}

void
engine_fetch_take(struct engine *e, const struct fetch_msg *m)
{
	struct wanted_file *w = find_wanted(e, m->dso);

	if (w == NULL)
		return;
	learn_outcome(e, w, m);
	e->changed = true;
	ask_next(e);
}

/* Places that wait for what is not asked for any more are settled. */
void
engine_fetch_toggle(struct engine *e)
{
	struct engine_downloads *d = &e->downloads;

	if (d->fetch == NULL) {
		engine_send_status(e, true, "nothing is downloaded without --debuginfod");
		return;
	}
	d->is_stopped = !d->is_stopped;
	if (d->is_stopped) {
		fetch_stop(d->fetch);
		for (size_t i = 0; i < d->len; i++)
			if (d->items[i].state == WANTED)
				settle(e, d->items[i].dso);
	}
	ask_next(e);
	engine_send_status(e, false, d->is_stopped ? "nothing more is downloaded; S goes on"
						   : "debug files are downloaded");
}
