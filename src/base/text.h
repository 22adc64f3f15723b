/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_TEXT_H
#define PTOP_BASE_TEXT_H
/*
 * Text from others (names of threads, files, symbols) and text for people.
 */
#include "base/buf.h"

/*
 * Adds the bytes as printable UTF-8: control characters, escape, bidirectional controls and broken
 * sequences become \xNN, one for each byte.  What is added cannot command a terminal.
 */
void text_add_safe(struct buf *b, const char *s, size_t len);

/* The same for a NUL-terminated string, without UTF-8: every byte above 0x7e becomes \xNN. */
void text_add_ascii(struct buf *b, const char *s);

/* A line of source as text_add_safe() has it, but with blanks for tabs, up to columns of 8. */
void text_add_line(struct buf *b, const char *s, size_t len);

/* The nearest of @n names to @word if it is near enough to be meant, else NULL. */
const char *text_nearest(const char *word, const char *const *names, size_t n);

/* The edit distance (insert, delete, replace, swap of neighbours); both cut at 63 bytes. */
unsigned text_distance(const char *a, const char *b);

/* 41.2k, 3.1M, 512: at most five characters. */
void text_add_count(struct buf *b, double n);

/* What makes a noun after the number @n its plural: "s", "" of one. */
const char *text_plural(uint64_t n);

/* 14M, 3.2G, 812K: bytes, at most five characters. */
void text_add_bytes(struct buf *b, uint64_t bytes);

#endif
