/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for unwinding through the code of a file: kept from an earlier run, or made anew. */
#include "symbol/service/service_impl.h"

#include "symbol/parser/remote.h"
#include "symbol/unwind/unwind_rules.h"

#include <unistd.h>

void
service_answer_rules(struct symbol_service *s, struct job *job)
{
	queue_send(s->answers, &job->rules->msg);
	job->rules = NULL;
	job_free(job);
}

/* Those made of this very file in an earlier run, NULL: there are none. */
static struct unwind_rules *
kept_rules(struct symbol_service *s, const struct job *job)
{
	struct image_cache_key key = service_cache_key(job, IMAGE_CACHE_RULES);
	int fd = image_cache_load(s->cache, &key);
	struct unwind_rules *rules = fd >= 0 ? unwind_rules_open(fd, NULL) : NULL;
	uint8_t build_id[20];
	size_t len;

	if (rules == NULL)
		return NULL;
	len = unwind_rules_build_id(rules, build_id);
	if (service_is_asked_build(&job->ask, build_id, len, NULL))
		return rules;
	unwind_rules_free(rules);
	return NULL;
}

static struct unwind_rules *
make_anew(struct symbol_service *s, struct job *job)
{
	struct err *err = &job->rules->err;
	struct image_cache_key key;
	struct parser_file about = { 0 };
	int fd;

	s->debug.finder.file = &job->ask;
	s->debug.was_asked = false;
	fd = remote_rules(s->remote, job->fd, &about, err);
	if (about.is_elf &&
	    !service_is_asked_build(&job->ask, about.build_id, about.build_id_len, err)) {
		if (fd >= 0)
			close(fd);
		job->rules->is_unread = true;
		return NULL;
	}
	if (fd < 0) {
		job->rules->is_unread = err->code == ERR_BUSY ||
					(!about.is_elf && err->code != ERR_FORMAT);
		return NULL;
	}
	/* A debug file may go, change and come without anything to be seen of the file itself. */
	if (!s->debug.was_asked && err->code == ERR_NONE) {
		key = service_cache_key(job, IMAGE_CACHE_RULES);
		image_cache_keep(s->cache, &key, fd);
	}
	return unwind_rules_open(fd, err);
}

void
service_make_rules(struct symbol_service *s, struct job *job)
{
	struct symbol_rules_msg *m = job->rules;

	m->rules = kept_rules(s, job);
	if (m->rules == NULL)
		m->rules = make_anew(s, job);
	if (m->rules == NULL && m->err.code == ERR_BUSY)
		m->unread = (struct symbol_unread){ m->err.code, job->ask.pid };
	service_answer_rules(s, job);
}
