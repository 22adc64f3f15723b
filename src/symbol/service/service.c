/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/service/service_impl.h"

#include "symbol/service/image_cache.h"
#include "symbol/kernel/kernel.h"
#include "symbol/find/file_opener.h"
#include "symbol/parser/remote.h"
#include "symbol/kernel/vdso.h"
#include "base/thread.h"

#include <stdlib.h>

enum {
	LATE_MS = 3000,       /* an open that hangs longer is given up */
	LATE_CHECK_MS = 250,
	IDLE_MS = 5000,       /* then the parser's process is let go, with its debug data */
	OPEN_AHEAD = 3,       /* files open and waiting to be parsed */
};

/* What comes to the service's thread. */
enum inbox_type {
	INBOX_JOB,
	INBOX_NAMES, /* struct symbol_names_msg, names still raw */
	INBOX_OPENED,
	INBOX_KERNEL_DONE,
	INBOX_QUIT,
};

static void
answer_lines(struct symbol_service *s, struct job *job)
{
	queue_send(s->answers, &job->lines->msg);
	job->lines = NULL;
	job_free(job);
}

static void
answer_places(struct symbol_service *s, struct job *job)
{
	queue_send(s->answers, &job->places->answer->msg);
	job->places->answer = NULL;
	job_free(job);
}

/* No file: an answer all the same. */
static void
answer_failure(struct symbol_service *s, struct job *job, const struct err *err)
{
	if (job->container != NULL) {
		service_begin_container(s, job);
	} else if (job->source != NULL) {
		service_source_failed(s, job, err);
	} else if (job->listing != NULL) {
		service_answer_no_listing(s, job, err->text);
	} else if (job->places != NULL) {
		job->places->answer->err = *err;
		answer_places(s, job);
	} else if (job->lines != NULL) {
		answer_lines(s, job);
	} else if (job->rules != NULL) {
		job->rules->err = *err;
		job->rules->is_unread = true;
		job->rules->unread = service_unread(job, err);
		service_answer_rules(s, job);
	} else {
		service_answer_image(s, job, NULL, NULL, err);
	}
}

static void
make_names(struct symbol_service *s, struct symbol_names_msg *m)
{
	if (s->config.demangle)
		remote_names(s->remote, m);
	m->msg.type = SYMBOL_MSG_NAMES;
	queue_send(s->answers, &m->msg);
}

static void
make_lines(struct symbol_service *s, struct job *job)
{
	/* The process that had it open may have been let go, or has closed it, since. */
	if (job->fd < 0 && !remote_has_lines(s->remote, job->ask.dso)) {
		msg_list_add(&s->lines_to_open, &job->msg);
		return;
	}
	s->debug.finder.file = &job->ask;
	if (job->lines->of_inlines)
		remote_inlines(s->remote, job->fd, job->lines, s->config.demangle);
	else
		remote_lines(s->remote, job->fd, job->lines);
	answer_lines(s, job);
}

static void
make_places(struct symbol_service *s, struct job *job)
{
	s->debug.finder.file = &job->ask;
	places_job_run(job, &s->config, s->remote);
	answer_places(s, job);
}

/* Beside the service: user names must not wait for the 60 ms that the kernel's table takes. */
static void *
kernel_main(void *self)
{
	struct symbol_service *s = self;
	struct kernel_load load = { .config = &s->config, .ask = &s->kernel->ask,
				    .base = s->kernel->base, .stop = &s->stop };
	struct msg *done = mem_calloc(1, sizeof(*done));

	s->kernel->base = NULL;
	kernel_load(&load);
	if (atomic_load(&s->stop)) {
		image_free(load.image);
		job_free(s->kernel);
	} else {
		service_answer_kernel(s, s->kernel, &load);
	}
	kernel_load_end(&load);
	done->type = INBOX_KERNEL_DONE;
	queue_send(s->inbox, done);
	return NULL;
}

static void
start_kernel(struct symbol_service *s)
{
	if (s->kernel != NULL)
		return;
	s->kernel = (struct job *)msg_list_take(&s->kernel_jobs);
	if (s->kernel != NULL)
		thread_start_or_die(&s->kernel_thread, "ptop-kallsyms", kernel_main, s);
}

static void
end_kernel(struct symbol_service *s)
{
	if (s->kernel != NULL)
		pthread_join(s->kernel_thread, NULL);
	s->kernel = NULL;
}

static void
start_open(struct symbol_service *s)
{
	struct job *job;

	if (s->opening != NULL || s->open_count >= OPEN_AHEAD)
		return;
	job = (struct job *)msg_list_take(&s->listings_to_open);
	if (job == NULL)
		job = (struct job *)msg_list_take(&s->to_open);
	if (job == NULL)
		job = (struct job *)msg_list_take(&s->lines_to_open);
	if (job == NULL)
		return;
	s->opening = job;
	file_opener_ask(s->opener, &job->ask, job->places != NULL);
}

static void
job_is_open(struct symbol_service *s, struct job *job, int fd)
{
	job->fd = fd;
	s->open_count++;
	msg_list_add(job->listing != NULL || job->source != NULL ? &s->listings_opened
		     : job->lines != NULL ? &s->lines_opened : &s->opened, &job->msg);
}

static void
take_opened(struct symbol_service *s, struct file_opener_answer *a)
{
	struct job *job = s->opening;

	s->opening = NULL;
	job->ns = a->ns;
	job->ino_generation = a->file.ino_generation;
	job->st = a->file.st;
	atomic_fetch_add(&s->opened_ns, a->file.cpu_ns);
	if (job->places != NULL)
		job->places->answer->path = mem_strdup(a->file.path);
	if (a->file.fd >= 0)
		job_is_open(s, job, a->file.fd);
	else
		answer_failure(s, job, &a->file.err);
	free(a);
}

static void
check_late(struct symbol_service *s)
{
	struct err err;

	if (s->opening == NULL || !file_opener_give_up(s->opener))
		return;
	err_set(&err, ERR_BUSY, 0, "file system does not answer");
	s->opening->has_hung = true;
	answer_failure(s, s->opening, &err);
	s->opening = NULL;
}

static void
open_vdso(struct symbol_service *s, struct job *job)
{
	struct err err;
	int fd = vdso_open(&err);

	if (fd >= 0)
		job_is_open(s, job, fd);
	else
		answer_failure(s, job, &err);
}

static void
take_job(struct symbol_service *s, struct job *job)
{
	if (job->source != NULL || job->container != NULL) {
		if (job->source != NULL)
			service_begin_source(s, job);
		else
			service_begin_container(s, job);
		return;
	}
	if (job->listing != NULL && job->listing->ask.why_none != NULL) {
		service_answer_no_listing(s, job, job->listing->ask.why_none);
		return;
	}
	if (job->listing != NULL && job->ask.kind == SYMBOL_KERNEL) {
		service_begin_kernel_listing(s, job);
		return;
	}
	if (job->listing != NULL && job->listing->ask.code != NULL) {
		job_is_open(s, job, -1);
		return;
	}
	if (job->lines != NULL &&
	    (job->ask.kind != SYMBOL_ELF || remote_is_bad(s->remote, job->ask.dso))) {
		answer_lines(s, job);
		return;
	}
	if (job->places != NULL && job->ask.kind == SYMBOL_KERNEL) {
		job_is_open(s, job, -1);
		return;
	}
	switch (job->ask.kind) {
	case SYMBOL_KERNEL:
		msg_list_add(&s->kernel_jobs, &job->msg);
		return;
	case SYMBOL_VDSO:
		open_vdso(s, job);
		return;
	case SYMBOL_ELF:
	case SYMBOL_MEMORY:
	case SYMBOL_SOURCE:
	case SYMBOL_SOURCE_NAMED:
	case SYMBOL_SOURCE_SENT:
	case SYMBOL_CONTAINER:
	case SYMBOL_VMLINUX:
		break;
	}
	if (job->listing != NULL)
		msg_list_add(&s->listings_to_open, &job->msg);
	else if (job->lines != NULL && remote_has_lines(s->remote, job->ask.dso))
		job_is_open(s, job, -1);
	else
		msg_list_add(job->lines != NULL ? &s->lines_to_open : &s->to_open, &job->msg);
}

/* false: to end. */
static bool
take_message(struct symbol_service *s, struct msg *m)
{
	switch ((enum inbox_type)m->type) {
	case INBOX_JOB:
		take_job(s, (struct job *)m);
		break;
	case INBOX_NAMES:
		msg_list_add(&s->names, m);
		break;
	case INBOX_OPENED:
		take_opened(s, (struct file_opener_answer *)m);
		break;
	case INBOX_KERNEL_DONE:
		end_kernel(s);
		free(m);
		break;
	case INBOX_QUIT:
		free(m);
		return false;
	}
	return true;
}

/* One piece of work, the shortest kind first.  false: there is none. */
static bool
work(struct symbol_service *s)
{
	struct msg *m;

	if ((m = msg_list_take(&s->names)) != NULL) {
		make_names(s, (struct symbol_names_msg *)m);
	} else if ((m = msg_list_take(&s->listings_opened)) != NULL) {
		s->open_count--;
		if (((struct job *)m)->source != NULL)
			service_make_source(s, (struct job *)m);
		else
			service_make_listing(s, (struct job *)m);
	} else if ((m = msg_list_take(&s->opened)) != NULL) {
		s->open_count--;
		if (((struct job *)m)->places != NULL)
			make_places(s, (struct job *)m);
		else if (((struct job *)m)->container != NULL)
			service_make_container(s, (struct job *)m);
		else if (((struct job *)m)->rules != NULL)
			service_make_rules(s, (struct job *)m);
		else
			service_make_image(s, (struct job *)m);
	} else if ((m = msg_list_take(&s->listing_lines)) != NULL) {
		service_make_listing(s, (struct job *)m);
	} else if ((m = msg_list_take(&s->lines_opened)) != NULL) {
		s->open_count--;
		make_lines(s, (struct job *)m);
	} else {
		return false;
	}
	return true;
}

static struct msg *
wait_message(struct symbol_service *s)
{
	int timeout = -1;
	struct msg *m;

	if (s->opening != NULL)
		timeout = LATE_CHECK_MS;
	else if (remote_is_running(s->remote))
		timeout = IDLE_MS;
	m = queue_wait(s->inbox, timeout);
	if (m == NULL && timeout == IDLE_MS)
		remote_rest(s->remote);
	return m;
}

static void *
service_main(void *self)
{
	struct symbol_service *s = self;
	struct msg *m;

	for (;;) {
		while ((m = queue_take(s->inbox)) != NULL)
			if (!take_message(s, m))
				return NULL;
		check_late(s);
		start_open(s);
		start_kernel(s);
		if (work(s) || image_cache_save(s->cache))
			continue;
		m = wait_message(s);
		if (m != NULL && !take_message(s, m))
			return NULL;
	}
}

struct symbol_service *
symbol_service_new(const struct symbol_config *config, struct queue *answers)
{
	struct symbol_service *s = mem_calloc(1, sizeof(*s));
	struct file_opener_config opener = {
		.open = open_target,
		.late_ns = LATE_MS * NSEC_PER_MSEC,
		.answer_type = INBOX_OPENED,
	};

	s->config = *config;
	s->config.kallsyms = mem_strdup(config->kallsyms);
	s->config.proc = mem_strdup(config->proc);
	s->config.container_root = mem_strdup(config->container_root != NULL ? config->container_root : "");
	s->config.debug_dir = mem_strdup(config->debug_dir != NULL ? config->debug_dir : "");
	s->config.cache = config->cache != NULL ? mem_strdup(config->cache) : NULL;
	debug_opener_init(&s->debug, s->config.debug_dir, s->config.proc, opener.late_ns, &s->stop);
	s->cache = image_cache_new(s->config.cache);
	s->answers = answers;
	s->inbox = queue_new();
	msg_list_init(&s->names);
	msg_list_init(&s->to_open);
	msg_list_init(&s->opened);
	msg_list_init(&s->kernel_jobs);
	msg_list_init(&s->lines_to_open);
	msg_list_init(&s->lines_opened);
	msg_list_init(&s->listings_to_open);
	msg_list_init(&s->listings_opened);
	msg_list_init(&s->listing_lines);
	s->host = config->host != NULL ? config->host : host_new(NULL);
	s->remote = remote_new(s->host, &s->debug.finder, &s->stop);
	opener.proc = s->config.proc;
	opener.answers = s->inbox;
	s->opener = file_opener_new(&opener);
	thread_start_or_die(&s->thread, "ptop-symbols", service_main, s);
	return s;
}

static void
free_jobs(struct msg_list *l)
{
	struct msg *m;

	while ((m = msg_list_take(l)) != NULL)
		job_free((struct job *)m);
}

static void
free_unanswered(struct symbol_service *s)
{
	struct msg *m;

	while ((m = queue_take(s->inbox)) != NULL)
		msg_free(m);
	while ((m = msg_list_take(&s->names)) != NULL)
		msg_free(m);
	free_jobs(&s->to_open);
	free_jobs(&s->opened);
	free_jobs(&s->kernel_jobs);
	free_jobs(&s->lines_to_open);
	free_jobs(&s->lines_opened);
	free_jobs(&s->listings_to_open);
	free_jobs(&s->listings_opened);
	free_jobs(&s->listing_lines);
	job_free(s->opening);
}

void
symbol_service_free(struct symbol_service *s)
{
	struct msg *quit;

	if (s == NULL)
		return;
	quit = mem_calloc(1, sizeof(*quit));
	quit->type = INBOX_QUIT;
	atomic_store(&s->stop, true);
	host_give_up(s->host);
	queue_send(s->inbox, quit);
	pthread_join(s->thread, NULL);
	end_kernel(s);
	file_opener_free(s->opener);
	debug_opener_release(&s->debug);
	free_unanswered(s);
	queue_free(s->inbox);
	image_cache_free(s->cache);
	remote_free(s->remote);
	host_free(s->host);
	free((char *)(uintptr_t)s->config.kallsyms);
	free((char *)(uintptr_t)s->config.proc);
	free((char *)(uintptr_t)s->config.debug_dir);
	free((char *)(uintptr_t)s->config.container_root);
	free((char *)(uintptr_t)s->config.cache);
	free(s);
}

uint64_t
symbol_service_cpu_ns(const struct symbol_service *s)
{
	return host_cpu_ns(s->host);
}

uint64_t
symbol_service_openers_cpu_ns(const struct symbol_service *s)
{
	return atomic_load(&s->opened_ns) + atomic_load(&s->debug.cpu_ns);
}

const char *
symbol_service_loss(const struct symbol_service *s)
{
	return host_loss(s->host);
}

const char *
symbol_service_lack(const struct symbol_service *s)
{
	return host_lack(s->host);
}

void
symbol_service_ask_image(struct symbol_service *s, const struct symbol_ask *ask)
{
	queue_send(s->inbox, &job_new(ask, INBOX_JOB)->msg);
}

void
symbol_service_ask_names(struct symbol_service *s, uint32_t dso, const char *const *raw_names,
			 const uint32_t *fns, uint32_t count)
{
	struct symbol_names_msg *m = symbol_names_msg_new(dso);
	uint32_t i;

	m->msg.type = INBOX_NAMES;
	m->count = count;
	m->names = mem_calloc(count, sizeof(m->names[0]));
	for (i = 0; i < count; i++)
		m->names[i] = (struct symbol_name){ fns[i], mem_strdup(raw_names[i]) };
	queue_send(s->inbox, &m->msg);
}

static void
ask_lines(struct symbol_service *s, const struct symbol_ask *ask, const uint64_t *addrs,
	  uint32_t count, bool of_inlines)
{
	struct job *job = job_new(ask, INBOX_JOB);
	struct symbol_lines_msg *m = symbol_lines_msg_new(ask->dso);
	uint32_t i;

	m->count = count;
	m->of_inlines = m->is_lost = of_inlines;
	m->lines = mem_calloc(count, sizeof(m->lines[0]));
	for (i = 0; i < count; i++)
		m->lines[i].addr = addrs[i];
	job->lines = m;
	queue_send(s->inbox, &job->msg);
}

void
symbol_service_ask_lines(struct symbol_service *s, const struct symbol_ask *ask,
			 const uint64_t *addrs, uint32_t count)
{
	ask_lines(s, ask, addrs, count, false);
}

void
symbol_service_ask_inlines(struct symbol_service *s, const struct symbol_ask *ask,
			   const uint64_t *addrs, uint32_t count)
{
	ask_lines(s, ask, addrs, count, true);
}

void
symbol_service_ask_places(struct symbol_service *s, const struct symbol_places_ask *ask)
{
	queue_send(s->inbox, &places_job_new(ask, INBOX_JOB)->msg);
}

void
symbol_service_ask_rules(struct symbol_service *s, const struct symbol_ask *ask)
{
	struct job *job = job_new(ask, INBOX_JOB);

	job->rules = symbol_rules_msg_new(ask->dso);
	queue_send(s->inbox, &job->msg);
}

void
symbol_service_ask_listing(struct symbol_service *s, const struct symbol_listing_ask *ask)
{
	struct job *job = job_new(&ask->file, INBOX_JOB);

	job->listing = listing_job_new(ask);
	queue_send(s->inbox, &job->msg);
}

void
symbol_service_ask_source(struct symbol_service *s, const struct symbol_source_ask *ask)
{
	struct job *job = job_new(&ask->dso, INBOX_JOB);

	job->source = source_job_new(ask);
	queue_send(s->inbox, &job->msg);
}

void
symbol_service_ask_container(struct symbol_service *s, uint32_t number, const char *id)
{
	struct job *job = job_new(&(struct symbol_ask){ .kind = SYMBOL_CONTAINER }, INBOX_JOB);

	job->container = container_job_new(number, id);
	queue_send(s->inbox, &job->msg);
}
