/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_ANSWER_H
#define PTOP_SERVE_ANSWER_H
/*
 * From what is asked to a query of the engine, and from its snapshot to an answer: a sealed file in
 * memory.  ptop's main thread.
 */
#include "base/buf.h"
#include "base/err.h"
#include "export/format.h"
#include "serve/link.h"

/*
 * What the engine is asked for it, made of @base, which is what reports of this run have in common.
 * -1: it cannot be, see @err, which ends with what to do.
 */
int answer_query(const struct serve_ask *ask, const struct query *base, struct query *q,
		 struct err *err);

/* The answer, of @s.  -1: see @err. */
int answer_make(const struct serve_ask *ask, const struct snapshot *s, struct err *err);

/* The same for stores that are pushed to: a pprof, and OTLP's profiles; both packed by gzip. */
int answer_make_profile(const struct snapshot *s, struct err *err);
int answer_make_otlp(const struct snapshot *s, struct err *err);

/* The same of bytes that are there. */
int answer_of_bytes(const void *data, size_t len, struct err *err);

#endif
