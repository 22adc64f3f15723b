/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/dump_chains.h"

#include "engine/replay/replay_impl.h"
#include "profile/count/unwinder.h"
#include "symbol/file/cache_dir.h"

#include <inttypes.h>
#include <stdlib.h>

struct dump_chains {
	const struct config *config;
	const struct datafile *file;
	struct model *model;
	struct unwinder unwinder;
	struct queue *answers;
	struct symbol_service *symbols; /* NULL until it is needed */
	struct buf path;
	bool is_this_host;
	uint64_t swept_ns;
};

struct dump_chains *
dump_chains_new(const struct config *config, const struct datafile *file)
{
	struct dump_chains *c = mem_calloc(1, sizeof(*c));

	c->config = config;
	c->file = file;
	c->model = model_new();
	model_set_from_file(c->model);
	unwinder_init(&c->unwinder, c->model);
	return c;
}

void
dump_chains_free(struct dump_chains *c)
{
	if (c == NULL)
		return;
	symbol_service_free(c->symbols);
	queue_free(c->answers);
	unwinder_release(&c->unwinder);
	model_free(c->model);
	buf_release(&c->path);
	free(c);
}

static void
start_service(struct dump_chains *c)
{
	struct symbol_config config = {
		.kallsyms = "/proc/kallsyms", .proc = "/proc", .debug_dir = "/usr/lib/debug",
	};
	struct buf dir = { 0 };

	config.cache = cache_dir_path(&dir) ? dir.data : NULL;
	c->is_this_host = same_machine_is_here(datafile_info(c->file));
	unwinder_set_machine(&c->unwinder, datafile_info(c->file)->arch);
	c->answers = queue_new();
	c->symbols = symbol_service_new(&config, c->answers);
	buf_release(&dir);
}

/* false: there is no such file. */
static bool
ask_rules(struct dump_chains *c, const struct rules_ask *r)
{
	const struct dso *dso = dsos_get(&c->model->dsos, r->dso);
	struct symbol_ask a = {
		.dso = r->dso, .kind = SYMBOL_ELF, .pid = r->pid, .start = r->start, .end = r->end,
		.maj = dso->maj, .min = dso->min, .ino = dso->ino,
		.ino_generation = dso->ino_generation,
		.path = strs_get(&c->model->strs, dso->path),
	};

	if (dso->kind == DSO_VDSO) {
		a.kind = SYMBOL_VDSO;
		/* Each build of the kernel has its own. */
		if (!c->is_this_host || !same_machine_has_build(c->file))
			return false;
	} else {
		same_machine_file(c->file, &c->config->engine, c->is_this_host, &a, &c->path);
		if (dso->kind != DSO_FILE || *a.path == '\0')
			return false;
	}
	symbol_service_ask_rules(c->symbols, &a);
	return true;
}

/* Asks for what is wanted, and waits for it. */
static void
learn_rules(struct dump_chains *c)
{
	struct unwinder *u = &c->unwinder;

	while (u->ask_len > 0) {
		struct rules_ask ask = u->asks[--u->ask_len];
		struct symbol_rules_msg *m;

		if (!ask_rules(c, &ask)) {
			unwinder_note_unread(u, ask.dso, true);
			unwinder_learn(u, ask.dso, NULL);
			continue;
		}
		m = (struct symbol_rules_msg *)queue_wait(c->answers, -1);
		unwinder_note_unread(u, ask.dso, m->is_unread);
		unwinder_learn(u, ask.dso, m->rules);
		m->rules = NULL;
		msg_free(&m->msg);
	}
}

static void
put_chain(const struct unwinder *u, struct buf *b)
{
	buf_add_str(b, " unwound=[");
	for (size_t i = 0; i < u->len; i++)
		buf_addf(b, "%s0x%" PRIx64, i > 0 ? " " : "", u->addrs[i]);
	buf_add_char(b, ']');
	if (unwinder_is_cut(u))
		buf_addf(b, " cut=\"%s\"", unwinder_why(u->result.end));
}

static void
take_sample(struct dump_chains *c, const struct record *rec, struct buf *b)
{
	uint32_t task;
	struct space *space;
	int pid;

	if (!unwinder_accepts(&rec->sample))
		return;
	if (c->symbols == NULL)
		start_service(c);
	task = model_sample_task(c->model, (int)rec->id.pid, (int)rec->id.tid, rec->id.cpu);
	space = model_space(c->model, task);
	pid = model_task_at(c->model, task)->pid;
	while (unwinder_run(&c->unwinder, &rec->sample, space, pid, true) != 0)
		learn_rules(c);
	put_chain(&c->unwinder, b);
}

void
dump_chains_add(struct dump_chains *c, const struct record *rec, struct buf *b)
{
	uint64_t now_ns = rec->id.time_ns;

	if (rec->type == PERF_RECORD_SAMPLE)
		take_sample(c, rec, b);
	else
		model_record(c->model, rec);
	if (now_ns <= RECORD_TIME_MAX && now_ns >= c->swept_ns + 2 * NSEC_PER_SEC) {
		model_sweep(c->model, now_ns - NSEC_PER_SEC);
		c->swept_ns = now_ns;
	}
}
