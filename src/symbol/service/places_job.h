/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_SERVICE_PLACES_JOB_H
#define PTOP_SYMBOL_SERVICE_PLACES_JOB_H
/* A question for places, from asking to its answer.  Symbol service thread, but for making it. */
#include "symbol/parser/job.h"
#include "symbol/parser/remote.h"

struct job *places_job_new(const struct symbol_places_ask *ask, int msg_type);

/* Fills the answer, from the file that is open, or from the kernel's symbols. */
void places_job_run(struct job *job, const struct symbol_config *config, struct remote *remote);

#endif
