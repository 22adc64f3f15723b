/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for unwinding through the code of a file. */
#include "symbol/service_impl.h"

#include "symbol/remote.h"

#include <unistd.h>

void
service_answer_rules(struct symbol_service *s, struct job *job)
{
	job->rules->msg.type = SYMBOL_MSG_RULES;
	queue_send(s->answers, &job->rules->msg);
	job->rules = NULL;
	job_free(job);
}

void
service_make_rules(struct symbol_service *s, struct job *job)
{
	struct symbol_rules_msg *m = job->rules;
	struct parser_file about = { 0 };
	int fd;

	s->debug.finder.file = &job->ask;
	fd = remote_rules(s->remote, job->fd, &about, &m->err);
	if (about.is_elf && !service_is_asked_build(&job->ask, about.build_id, about.build_id_len,
						    &m->err)) {
		if (fd >= 0)
			close(fd);
	} else if (fd >= 0) {
		m->rules = unwind_rules_open(fd, &m->err);
	}
	service_answer_rules(s, job);
}
