/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_FEED_HOSTFEED_DECODE_H
#define PTOP_FEED_HOSTFEED_DECODE_H
/*
 * Reads a feed, which is not trusted: whatever it holds, memory and time are bounded, and names are
 * raw bytes without a NUL.  One thread.
 */
#include "base/err.h"
#include "feed/hostfeed.h"

struct hostfeed_decoder;

struct hostfeed_decoder *hostfeed_decoder_new(void);
void hostfeed_decoder_free(struct hostfeed_decoder *d); /* NULL is allowed */

/* More bytes of it; before that hostfeed_next() must have given 0. */
void hostfeed_put(struct hostfeed_decoder *d, const void *data, size_t len);

/*
 * What the feed says next: an enum hostfeed_kind, 0: there is no more yet, -1: it is none, or broken,
 * and nothing more can be read; see @err.  Of another version there is a hello without names, and
 * nothing more.
 */
int hostfeed_next(struct hostfeed_decoder *d, struct err *err);

/* What it was.  Valid until the next call of the two above. */
const struct hostfeed_hello *hostfeed_hello(const struct hostfeed_decoder *d);
const struct hostfeed_second *hostfeed_second(const struct hostfeed_decoder *d);

/*
 * What has come in place of it so far, as a login's greeting, or what another program says; NULL: it has
 * begun.  Untrusted; valid until the next call of hostfeed_put().
 */
const char *hostfeed_before(const struct hostfeed_decoder *d);

size_t hostfeed_decoder_bytes(const struct hostfeed_decoder *d); /* that it holds */

#endif
