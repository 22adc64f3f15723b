/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are nowhere on this machine, from debuginfod servers: debug files, and programs of a
 * recording, of dsos with samples that have no name, the hottest first, one at a time.  Until it is
 * known what a server has, places of such a dso wait as those of one whose image is on its way, so
 * that past samples get names too.  Where names are kept and the debug file that they are from is gone,
 * lines are missing: there all samples of the dso count, and nothing waits.
 */
#include "engine/names/names_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profile/place/location.h"

enum {
	LEAST_SAMPLES = 8,     /* without a name, for a dso to be asked for */
	LEAST_PER_MILLE = 5,   /* of all samples */
	ASKED_MAX = 256,       /* in one run */
	WAIT_S = 120,          /* for a dso to become hot; then what is sampled so far stays unnamed */
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
	bool is_named;    /* it lacks lines alone */
	uint64_t samples; /* without what it lacks, when that was last counted */
	uint8_t build_id[20];
	uint8_t build_id_len;
};

/* How the screen calls what is downloaded, before the name of the dso. */
static const char *const kinds[] = {
	[BUILD_STORE_FILE] = "file",
	[BUILD_STORE_DEBUG] = "debug file of",
};

void
downloads_begin(struct names *nm, struct host *host)
{
	const struct fetch_config config = {
		.urls = nm->env->config->debuginfod_urls, .host = host, .answers = nm->env->answers,
	};

	if (host != NULL)
		nm->downloads.fetch = fetch_new(&config);
}

void
downloads_free(struct names *nm)
{
	fetch_free(nm->downloads.fetch);
	free(nm->downloads.items);
}

static struct wanted_file *
find_wanted(const struct names *nm, uint32_t dso)
{
	const struct downloads *d = &nm->downloads;

	for (size_t i = 0; i < d->len; i++)
		if (d->items[i].dso == dso)
			return &d->items[i];
	return NULL;
}

static void
want(struct names *nm, const struct symbol_image_msg *m)
{
	struct downloads *d = &nm->downloads;
	struct wanted_file *w;

	w = &VEC_ADD(d->items, d->len, d->cap);
	*w = (struct wanted_file){ .dso = m->dso, .since_ns = clock_mono_ns(),
				   .want = m->lacks_file ? BUILD_STORE_FILE : BUILD_STORE_DEBUG,
				   .is_named = m->lost_debug_file,
				   .build_id_len = m->build_id_len };
	memcpy(w->build_id, m->build_id, sizeof(w->build_id));
	if (!w->is_named && !d->is_stopped && nm->env->locations->pending < NAMES_PENDING_ENOUGH)
		locations_symbols(nm->env->locations, m->dso)->awaits = true;
}

/* What it waited for will not come, or has. */
static void
settle(struct names *nm, uint32_t dso)
{
	struct dso_symbols *s = locations_symbols(nm->env->locations, dso);

	if (!s->awaits)
		return;
	s->awaits = false;
	if (locations_keep_image(nm->env->locations, dso) > 0)
		nm->env->profile->fold_due = true;
	agenda_want(nm->env->agenda, AGENDA_SHOW);
}

static void
end(struct names *nm, struct wanted_file *w, const char *outcome)
{
	w->state = WANTED_OVER;
	dso_source_learn_asked(nm->env->locations, w->dso, outcome);
	settle(nm, w->dso);
}

/* Lines that nobody knew may be in what has come. */
static void
ask_lines_again(struct names *nm, uint32_t dso)
{
	srclines_ask_again(&nm->env->profile->lines);
	locations_ask_lines_again(nm->env->locations, dso);
	inlined_ask_again(&nm->env->locations->inlined);
}

bool
downloads_note_image(struct names *nm, struct symbol_image_msg *m)
{
	struct wanted_file *w = find_wanted(nm, m->dso);
	char text[sizeof(m->reason) + 40];

	if (nm->downloads.fetch == NULL)
		return true;
	if (w == NULL) {
		if (m->lacks_file || m->lacks_debug_file || m->lost_debug_file)
			want(nm, m);
		return true;
	}
	if (w->state != WANTED_HERE)
		return true;
	if (nm->asked_names > 0 || nm->env->locations->name_len > 0) {
		/* Names of the last image are still on their way: once more, later. */
		files_ask_image_again(nm, m->dso);
		return false;
	}
	if (w->want == BUILD_STORE_FILE && (m->lacks_debug_file || m->lost_debug_file)) {
		w->want = BUILD_STORE_DEBUG;
		w->is_named = m->lost_debug_file;
		w->state = WANTED;
		w->since_ns = clock_mono_ns();
		if (nm->downloads.is_stopped)
			locations_symbols(nm->env->locations, m->dso)->awaits = false;
		feed_forget_places(nm->env->feed);
		ask_lines_again(nm, m->dso);
		return true;
	}
	if (m->image == NULL) {
		snprintf(text, sizeof(text), "found, but now: %s", m->reason);
		end(nm, w, text);
		return false;
	}
	w->state = WANTED_OVER;
	locations_symbols(nm->env->locations, m->dso)->awaits = false;
	/* What had no name may have one now, also where it was found before. */
	feed_forget_places(nm->env->feed);
	ask_lines_again(nm, m->dso);
	return true;
}

void
downloads_noted_image(struct names *nm, uint32_t dso, bool lacks_debug_file)
{
	const struct wanted_file *w = find_wanted(nm, dso);

	if (w != NULL && w->state == WANTED_OVER && lacks_debug_file)
		dso_source_learn_asked(nm->env->locations, dso, "found, but without symbols");
}

/* How many samples of each have not what it lacks.  Returns those of all that was sampled. */
static uint64_t
count_lacking(struct names *nm)
{
	const struct tables *t = &nm->env->profile->tables;
	const struct cells *cells = &t->cells[TABLE_HOT];
	uint64_t all = 0;

	for (size_t i = 0; i < nm->downloads.len; i++)
		nm->downloads.items[i].samples = 0;
	for (uint32_t id = 1; id < cells->len; id++) {
		uint32_t at = locations_resolve(nm->env->locations, t->hot[id].location);
		const struct location *loc = &nm->env->locations->items[at];
		struct wanted_file *w;

		all += cells->items[id].all_samples;
		w = find_wanted(nm, loc->dso);
		if (w != NULL && (w->is_named || !location_is_named(loc)))
			w->samples += cells->items[id].all_samples;
	}
	return all;
}

static struct wanted_file *
hottest(struct names *nm)
{
	struct wanted_file *best = NULL;
	uint64_t all = count_lacking(nm);

	for (size_t i = 0; i < nm->downloads.len; i++) {
		struct wanted_file *w = &nm->downloads.items[i];

		if (w->state == WANTED && w->samples >= LEAST_SAMPLES &&
		    w->samples * 1000 >= all * LEAST_PER_MILLE &&
		    (best == NULL || w->samples > best->samples))
			best = w;
	}
	return best;
}

static bool
has_wanted(const struct names *nm, enum wanted_state state)
{
	for (size_t i = 0; i < nm->downloads.len; i++)
		if (nm->downloads.items[i].state == state)
			return true;
	return false;
}

bool
names_download_next(struct names *nm)
{
	struct downloads *d = &nm->downloads;
	struct wanted_file *w;

	if (d->fetch == NULL || d->is_stopped)
		return false;
	if (has_wanted(nm, WANTED_ASKED) || has_wanted(nm, WANTED_HERE))
		return true;
	w = has_wanted(nm, WANTED) && d->asked < ASKED_MAX ? hottest(nm) : NULL;
	if (w == NULL)
		return false;
	w->state = WANTED_ASKED;
	d->asked++;
	fetch_ask(d->fetch, w->dso, w->want, w->build_id, w->build_id_len);
	dso_source_learn_asked(nm->env->locations, w->dso, "being downloaded");
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	return true;
}

void
names_beat_downloads(struct names *nm)
{
	uint64_t now_ns = clock_mono_ns();

	if (now_ns < nm->downloads.next_look_ns)
		return;
	nm->downloads.next_look_ns = now_ns + LOOK_MS * NSEC_PER_MSEC;
	names_download_next(nm);
	for (size_t i = 0; i < nm->downloads.len; i++) {
		const struct wanted_file *w = &nm->downloads.items[i];

		if (w->state == WANTED && (now_ns - w->since_ns >= WAIT_S * NSEC_PER_SEC ||
					   nm->env->locations->pending >= NAMES_PENDING_ENOUGH))
			settle(nm, w->dso);
	}
}

void
names_end_downloads(struct names *nm)
{
	for (size_t i = 0; i < nm->downloads.len; i++)
		settle(nm, nm->downloads.items[i].dso);
	files_end_waiting(nm);
}

/* In a batch nobody looks on. */
static void
tell_progress(struct names *nm, const struct wanted_file *w, const struct fetch_msg *m)
{
	const struct dso *dso = dsos_get(&nm->env->model->dsos, m->dso);
	const char *name = strs_get(&nm->env->model->strs, dso->name);
	double mb = 1 << 20;

	if (!nm->env->config->is_watched)
		return;
	if (m->total > 0)
		notes_say(nm->env->notes, "%s %s: %.1f of %.1f MiB; S stops it", kinds[w->want],
				   name, (double)m->got / mb, (double)m->total / mb);
	else
		notes_say(nm->env->notes, "%s %s: %.1f MiB so far; S stops it", kinds[w->want],
				   name, (double)m->got / mb);
}

static void
learn_outcome(struct names *nm, struct wanted_file *w, const struct fetch_msg *m)
{
	const struct model *model = nm->env->model;
	const char *name = strs_get(&model->strs, dsos_get(&model->dsos, m->dso)->name);
	char text[sizeof(m->err.text) + 16];

	switch (m->state) {
	case FETCH_GOING:
		tell_progress(nm, w, m);
		return;
	case FETCH_DONE:
		w->state = WANTED_HERE;
		dso_source_learn_asked(nm->env->locations, w->dso, "found, and being read");
		files_ask_image_again(nm, w->dso);
		break;
	case FETCH_NOT_FOUND:
		end(nm, w, "not found");
		break;
	case FETCH_FAILED:
		snprintf(text, sizeof(text), "failed: %s", m->err.text);
		end(nm, w, text);
		break;
	case FETCH_STOPPED:
		end(nm, w, "stopped");
		w->state = WANTED; /* should the user want to go on */
		break;
	}
	if (nm->env->config->is_watched)
		notes_keep(nm->env->notes, "%s %s: %s", kinds[w->want], name,
			    m->state == FETCH_FAILED ? m->err.text :
			    m->state == FETCH_DONE ? "downloaded" :
			    m->state == FETCH_STOPPED ? "stopped" : "no server has it");
}

enum part_reply
downloads_on_file(void *names, struct msg *msg)
{
	const struct fetch_msg *m = (const struct fetch_msg *)msg;
	struct wanted_file *w = find_wanted(names, m->dso);
	struct names *nm = names;

	if (m->source != 0)
		sources_on_file(nm, m);
	if (w == NULL || m->source != 0)
		return PART_DONE;
	learn_outcome(nm, w, m);
	agenda_want(nm->env->agenda, AGENDA_SHOW);
	names_download_next(nm);
	return PART_DONE;
}

/* Places that wait for what is not asked for any more are settled. */
void
names_toggle_downloads(struct names *nm)
{
	struct downloads *d = &nm->downloads;

	if (d->fetch == NULL) {
		notes_refuse(nm->env->notes, "nothing is downloaded without --debuginfod");
		return;
	}
	d->is_stopped = !d->is_stopped;
	if (d->is_stopped) {
		fetch_stop(d->fetch);
		for (size_t i = 0; i < d->len; i++)
			if (d->items[i].state == WANTED)
				settle(nm, d->items[i].dso);
	}
	names_download_next(nm);
	notes_say(nm->env->notes, d->is_stopped ? "nothing more is downloaded; S goes on"
						   : "debug files are downloaded");
}
