/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a row's name comes from, or why it has none: the keys 'i' and '!'. */
#include "engine/viewer/viewer_impl.h"

#include <string.h>

#include "base/text.h"
#include "engine/leaf/engine_msg.h"
#include "profile/place/location.h"
#include "runtime/runtime.h"
#include "view/call_column.h"
#include "view/column.h"
#include "view/filter.h"

enum { UNNAMED_SHOWN = 10 };

static const char other_way[] = "; or "; /* between the ways to mend something */

/* A line of the page; what others wrote stays in its line. */
static void
put_fact(struct buf *b, const char *label, const char *text)
{
	if (*text == '\0')
		return;
	buf_addf(b, "%-12s ", label);
	text_add_safe(b, text, strlen(text));
	buf_add_char(b, '\n');
}

/* Each way to mend it in a line of its own. */
static void
put_why(struct buf *b, const char *reason, const char *remedy)
{
	const char *label = "mended by", *end;
	struct buf way = { 0 };

	put_fact(b, "no name", reason);
	while ((end = strstr(remedy, other_way)) != NULL) {
		buf_reset(&way);
		buf_add(&way, remedy, (size_t)(end - remedy));
		put_fact(b, label, buf_str(&way));
		remedy = end + strlen(other_way);
		label = "or by";
	}
	put_fact(b, label, remedy);
	buf_release(&way);
}

/* Why nothing of @dso has a name. */
static void
put_why_dso(const struct viewer *v, uint32_t dso, struct buf *b)
{
	const struct locations *l = v->env->locations;
	const struct strs *strs = &v->env->model->strs;

	if (dso < l->symbols_cap)
		put_why(b, strs_get(strs, l->symbols[dso].reason),
			strs_get(strs, l->symbols[dso].remedy));
}

/* What is shown of the process, or of its thread, that has no name: a row for each file. */
static struct snapshot *
unnamed_of(struct viewer *v, const struct query *shown, const struct filter *f, const struct row *row)
{
	const struct view_def *view = &view_defs[VIEW_UNNAMED];
	struct query q = *shown;

	q.view = VIEW_UNNAMED;
	q.by_view = q.unnamed = true;
	q.key_count = view->key_count;
	memcpy(q.keys, view->keys, sizeof(view->keys));
	q.process = row->process;
	q.thread = row->thread;
	q.shares = SHARES_OF_SHOWN;
	q.compare = COMPARE_NOTHING;
	q.max_rows = 0;
	return viewer_snapshot(v, &q, f);
}

/* Why what its runtime makes has no name, where that is shown: the task's own name is another matter. */
static void
put_made_code(struct viewer *v, const struct query *shown, const struct filter *f, const struct row *task,
	      struct buf *b)
{
	const uint32_t code = model_task_at(v->env->model, task->process)->code;
	struct snapshot *s;

	if (code == 0)
		return;
	s = unnamed_of(v, shown, f, task);
	for (size_t i = 0; i < s->row_count; i++) {
		const struct row *row = &s->rows[i];

		if (row->dso_id != code)
			continue;
		buf_addf(b, "%.1f %% of this %s is code without a name, %s:\n", row->share * 100,
			 task->tid >= 0 ? "thread" : "process", row->dso);
		put_why(b, row->reason, row->remedy);
	}
	snapshot_put(s);
}

static void
explain_task(struct viewer *v, const struct query *shown, const struct filter *f, const struct row *row,
	     struct buf *b)
{
	if (row->pid < 0) {
		buf_addf(b, "%s\n", *row->reason ? row->reason : "this row is a sum of many");
		return;
	}
	buf_addf(b, "%s %d\n", row->tid >= 0 ? "thread" : "process",
		 row->tid >= 0 ? row->tid : row->pid);
	put_fact(b, "name", row->comm);
	put_fact(b, "command", row->command);
	put_fact(b, "user", row->user);
	put_fact(b, "hottest", row->hottest);
	put_fact(b, "waits in", row->waits_in);
	put_fact(b, "on", row->on);
	put_made_code(v, shown, f, row, b);
	if (row->flags & ROW_DEAD)
		buf_add_str(b, "it has ended: its rows stay as long as the window holds samples\n");
}

/* The file, as far as there is one. */
static void
put_dso(const struct viewer *v, uint32_t id, struct buf *b)
{
	static const char *const namespaces[] = {
		[SYMBOL_NS_UNKNOWN] = "",
		[SYMBOL_NS_OWN] = "ptop's own mount namespace",
		[SYMBOL_NS_OTHER] = "another mount namespace: the path is as its processes see it",
	};
	const struct strs *strs = &v->env->model->strs;
	const struct dso *dso = dsos_get(&v->env->model->dsos, id);

	put_fact(b, "dso", strs_get(strs, dso->name));
	if (dso->path != dso->name)
		put_fact(b, "path", strs_get(strs, dso->path));
	put_fact(b, "build-id", strs_get(strs, dso_source_build_id(v->env->locations, id)));
	put_fact(b, "namespace", namespaces[dso_source_ns(v->env->locations, id)]);
	if (dso->ino != 0)
		buf_addf(b, "%-12s device %u:%u inode %llu\n", "file", dso->maj, dso->min,
			 (unsigned long long)dso->ino);
}

/* The name as the file has it, if what is shown is another. */
static void
put_raw_name(const struct viewer *v, const struct location *loc, const char *shown, struct buf *b)
{
	const struct image *image = locations_image(v->env->locations, loc->dso);
	struct buf raw = { 0 };

	if (loc->fn == IMAGE_NONE || loc->is_entry || image == NULL)
		return;
	image_copy_name(image, loc->fn, &raw);
	if (strcmp(buf_str(&raw), shown) != 0)
		put_fact(b, "raw name", buf_str(&raw));
	buf_release(&raw);
}

/* What the offset of a place in @dso is. */
static const char *
offset_label(const struct viewer *v, const struct dso *dso)
{
	if (dso->kind == DSO_FILE)
		return "file offset";
	if (dso->kind == DSO_MODULE && *strs_get(&v->env->model->strs, dso->path) == '/')
		return "in module";
	return "address";
}

/* Of code without a name, what the row is beside the place that it is called by. */
static const char *
extent(const struct location *loc)
{
	if (loc->kind == LOCATION_MAP)
		return ", and all of its map that has no name";
	return loc->kind == LOCATION_PAGE ? ", and all of its page that has no name" : "";
}

static void
put_place(const struct viewer *v, const struct location *loc, struct buf *b)
{
	const struct dso *dso = dsos_get(&v->env->model->dsos, loc->dso);

	/* All that no map covers is nowhere: why is what there is to say. */
	if (loc->kind == LOCATION_MAP && dso->kind == DSO_UNKNOWN)
		return;
	if (loc->kind == LOCATION_MAP && loc->offset == 0) {
		buf_addf(b, "code without a name, outside of the %s that have rows of their own\n",
			 dso->kind == DSO_ANON ? "maps" : "pages");
		return;
	}
	if (loc == &v->env->locations->items[LOCATION_OTHER] ||
	    loc == &v->env->locations->items[LOCATION_OTHER_KERNEL]) {
		buf_add_str(b, "functions that had less than a thousandth of ten seconds or a minute of the past:\n"
			       "they are kept as one of their task (--memory)\n");
		return;
	}
	if (loc->is_rest) {
		buf_add_str(b, "functions of programs that ended, each seldom sampled and in no window\n"
			       "any more: they count as one (-w all keeps each)\n");
		return;
	}
	buf_addf(b, "%-12s 0x%llx%s\n", offset_label(v, dso), (unsigned long long)loc->offset,
		 extent(loc));
	if (loc->is_entry)
		buf_add_str(b, "bounds       of a function, by its entry in the unwind tables (.eh_frame);\n"
			       "             the address shown is where that begins\n");
}

/* What names code of the kernel that is in no list of its symbols. */
static void
put_kernel_record(const struct viewer *v, const struct location *loc, struct buf *b)
{
	const struct ksymbol *ksym = ksymbols_find(&v->env->model->ksymbols, loc->offset);

	buf_add_str(b, "the kernel's records of code that comes and goes");
	if (ksym != NULL && ksym->name == loc->name && ksym->bpf_id != 0)
		buf_addf(b, ": BPF program %u", ksym->bpf_id);
}

/* Its process may have ended long ago, when it has no number any more. */
static void
put_runtime_file(const struct viewer *v, const struct location *loc, struct buf *b)
{
	const int pid = dsos_get(&v->env->model->dsos, loc->dso)->pid;

	buf_add_str(b, "what its runtime wrote: /tmp/perf-");
	if (pid > 0)
		buf_addf(b, "%d", pid);
	else
		buf_add_str(b, "PID");
	buf_add_str(b, ".map, or a jitdump");
}

/* Who gave a function its name that no image has. */
static void
put_told_by(const struct viewer *v, const struct location *loc, struct buf *b)
{
	if (dsos_get(&v->env->model->dsos, loc->dso)->kind == DSO_ANON)
		put_runtime_file(v, loc, b);
	else
		put_kernel_record(v, loc, b);
}

/* Whether no counter of cycles is here: the default is one, where there is one. */
static bool
lacks_cycles(const struct viewer *v)
{
	const struct measured *m = v->env->measured;

	return v->env->policy->has_processes && v->env->config->events == NULL &&
	       m->event_count > 0 && m->events[0].spec.is_clock;
}

/* Why there are more samples than it has earned. */
static void
put_irq_on(const struct viewer *v, struct buf *b)
{
	put_fact(b, "counted here", "what ran before it with interrupts off, too: a timer takes the "
		 "samples of this event, and its interrupt comes when this function lets them on");
	put_fact(b, "mended by", lacks_cycles(v)
		 ? "a machine with hardware counters: the event cycles samples such code where it runs"
		 : "the event cycles, where the machine has it (e, or -e cycles): it samples such code "
		   "where it runs");
}

/* In which all runs that a runtime does not compile. */
static void
put_interpreter(const char *name, struct buf *b)
{
	const struct runtime *r = runtime_of_function(name);
	struct buf text = { 0 };

	if (r == NULL)
		return;
	runtime_put_interpreter(&text, r);
	put_fact(b, "interpreter", buf_str(&text));
	buf_release(&text);
}

/* The first line of the page. */
static void
put_name(struct buf *b, const char *name)
{
	text_add_safe(b, name, strlen(name));
	buf_add_char(b, '\n');
}

static void
explain_place(const struct viewer *v, const struct row *row, struct buf *b)
{
	const struct locations *l = v->env->locations;
	const struct strs *strs = &v->env->model->strs;
	uint32_t id = locations_resolve(l, row->location);
	const struct location *loc = &l->items[id];
	bool is_named = location_is_named(loc);
	const char *name = loc->kind == LOCATION_FUNCTION ? strs_get(strs, loc->name) : row->symbol;
	struct buf by = { 0 };

	put_name(b, name);
	put_raw_name(v, loc, name, b);
	if (is_named && loc->fn == IMAGE_NONE && !loc->is_rest)
		put_told_by(v, loc, &by);
	else
		buf_add_str(&by, strs_get(strs, dso_source_names(l, loc->dso)));
	put_fact(b, is_named ? "named by" : "names from", buf_str(&by));
	buf_release(&by);
	put_interpreter(name, b);
	if (row->flags & ROW_IRQ_ON)
		put_irq_on(v, b);
	put_why(b, strs_get(strs, dso_source_reason(l, id)),
		strs_get(strs, dso_source_remedy(l, id)));
	put_dso(v, loc->dso, b);
	put_place(v, loc, b);
}

static void
explain_dso(const struct viewer *v, const struct row *row, struct buf *b)
{
	const struct locations *l = v->env->locations;
	const struct strs *strs = &v->env->model->strs;

	put_dso(v, row->dso_id, b);
	put_fact(b, "names from", strs_get(strs, dso_source_names(l, row->dso_id)));
	if (*row->reason != '\0')
		put_why(b, row->reason, row->remedy);
	else
		put_why_dso(v, row->dso_id, b);
}

static void
explain_lock(const struct viewer *v, const struct row *row, struct buf *b)
{
	buf_addf(b, "%s of process %d ", row->lock, row->pid);
	text_add_safe(b, row->comm, strlen(row->comm));
	buf_add_char(b, '\n');
	put_fact(b, "lock", strs_get(&v->env->model->strs, row->lock_id));
	buf_addf(b, "%-12s %d thread%s in this window, %d now\n", "waited for",
		 row->waiters, text_plural((uint64_t)row->waiters), row->waiting);
	if (row->owner > 0) {
		buf_addf(b, "%-12s thread %d ", "held by", row->owner);
		text_add_safe(b, row->owner_comm, strlen(row->owner_comm));
		buf_addf(b, ", for %d %% of the time that was waited for it\n", row->held);
	}
	put_fact(b, row->owner > 0 ? "meanwhile" : "held by", row->does);
	put_fact(b, "known by", "the word in the lock that libc keeps, read at each look; Enter shows the "
		 "stacks of who holds it, whenever that was, c those of who waits");
}

static void
explain_counter(const struct row *row, struct buf *b)
{
	buf_addf(b, "%s\n", row->counter->name);
	if (strcmp(row->reason, row->counter->name) != 0)
		put_fact(b, "note", row->reason);
}

static void
put_times(struct buf *b, const struct call_row *call)
{
	const struct {
		const char *name;
		uint64_t ns;
	} times[] = {
		{ "min", call->min_ns }, { "p50", call->p50_ns }, { "p95", call->p95_ns },
		{ "p99", call->p99_ns }, { "max", call->max_ns },
	};

	buf_addf(b, "%-12s", "time inside");
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		buf_addf(b, "%s %s ", i > 0 ? "," : "", times[i].name);
		call_put_ns(b, times[i].ns);
	}
	buf_add_char(b, '\n');
}

/* Where the function is, too, if a row was it that was counted; else it was named by hand. */
static void
explain_call(const struct viewer *v, const struct row *row, struct buf *b)
{
	const struct call_row *call = row->call;
	struct row place = *row;

	place.location = call->location;
	place.symbol = call->function;
	if (call->location != 0)
		explain_place(v, &place, b);
	else
		put_name(b, call->function);
	put_fact(b, "probed", call->state);
	put_fact(b, "event", call->event);
	buf_addf(b, "%-12s %llu in %.0f s, of which %llu were timed\n", "calls",
		 (unsigned long long)call->calls, call->seconds, (unsigned long long)call->timed);
	if (call->is_timed)
		put_times(b, call);
	if (call->cost_percent >= 0)
		buf_addf(b, "%-12s %.1f %% of CPU time of who is probed\n", "cost", call->cost_percent);
	put_fact(b, "note", call->note);
}

static void
put_explanation(struct viewer *v, const struct query *shown, const struct filter *f, const struct row *row,
		struct buf *b)
{
	if (row->call != NULL)
		explain_call(v, row, b);
	else if (row->counter != NULL)
		explain_counter(row, b);
	else if (row->lock_id != 0)
		explain_lock(v, row, b);
	else if (row->location != 0)
		explain_place(v, row, b);
	else if (row->dso_id != 0)
		explain_dso(v, row, b);
	else
		explain_task(v, shown, f, row, b);
}

void
viewer_send_explanation(struct viewer *v, const struct query *q, uint64_t row_id)
{
	struct err err = { 0 };
	struct filter *f = *q->filter != '\0' ? filter_parse(q->filter, &err) : NULL;
	struct snapshot *s = viewer_snapshot(v, q, f);
	struct buf b = { 0 };

	for (size_t i = 0; i < s->row_count; i++) {
		if (s->rows[i].id != row_id)
			continue;
		put_explanation(v, q, f, &s->rows[i], &b);
		break;
	}
	if (b.len == 0)
		buf_add_str(&b, "this row is gone\n");
	notes_send(v->env->notes, ENGINE_MSG_EXPLAIN, false, buf_str(&b));
	buf_release(&b);
	filter_free(f);
	snapshot_put(s);
}

void
viewer_send_place(struct viewer *v, uint32_t location, bool is_irq_on)
{
	const struct locations *l = v->env->locations;
	struct row row = { .location = locations_resolve(l, location),
			   .flags = is_irq_on ? ROW_IRQ_ON : 0 };
	struct buf address = { 0 }, b = { 0 };

	locations_put_address(l, &l->items[row.location], true, &address);
	row.symbol = buf_str(&address);
	explain_place(v, &row, &b);
	notes_send(v->env->notes, ENGINE_MSG_EXPLAIN, false, buf_str(&b));
	buf_release(&address);
	buf_release(&b);
}

/* One line: the first of the ways to mend it is enough. */
static void
put_unnamed_row(struct buf *b, const struct row *row)
{
	const char *name = (row->flags & ROW_REST) ? row->symbol
			   : *row->path != '\0'    ? row->path
						   : row->dso;
	const char *end = strstr(row->remedy, other_way);

	buf_addf(b, "%5.1f %% ", row->share * 100);
	text_add_safe(b, name, strlen(name));
	if (*row->reason != '\0')
		buf_add_str(b, ": ");
	text_add_safe(b, row->reason, strlen(row->reason));
	if (*row->remedy != '\0')
		buf_add_str(b, ": ");
	text_add_safe(b, row->remedy, end != NULL ? (size_t)(end - row->remedy) : strlen(row->remedy));
	buf_add_char(b, '\n');
}

void
explain_put_unnamed(struct viewer *v, struct buf *b)
{
	const struct view_def *view = &view_defs[VIEW_UNNAMED];
	struct query q = v->query;
	struct snapshot *s;
	double share = 0;

	q = (struct query){ .view = VIEW_UNNAMED, .by_view = true, .unnamed = true,
			    .sort = COLUMN_SHARE, .idle = q.idle, .trends = q.trends,
			    .window_ns = q.window_ns, .key_count = view->key_count,
			    .max_rows = UNNAMED_SHOWN };
	memcpy(q.keys, view->keys, sizeof(view->keys));
	s = viewer_snapshot(v, &q, NULL);
	for (size_t i = 0; i < s->row_count; i++)
		share += s->rows[i].share;
	if (s->row_count > 0)
		buf_addf(b, "without a name: %.1f %% of the samples of this window, by file "
			 "(more in the view Unnamed):\n", share * 100);
	for (size_t i = 0; i < s->row_count; i++)
		put_unnamed_row(b, &s->rows[i]);
	snapshot_put(s);
}
