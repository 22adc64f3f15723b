/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_CSV_H
#define PTOP_TESTS_CSV_H
/* Reads a report as CSV, row by row.  Quoted fields may hold commas, not newlines. */
#include <stdbool.h>
#include <stddef.h>

enum { CSV_FIELDS = 32 };

struct csv {
	char *text, *head, *rest;
	char *names[CSV_FIELDS], *fields[CSV_FIELDS];
	size_t columns;
};

/* The first line names the columns.  Free with csv_release(). */
void csv_init(struct csv *c, const char *text);
void csv_release(struct csv *c);

/* The next row that has as many fields as there are columns.  false: there is none. */
bool csv_next(struct csv *c);

/* Of that row, valid until the next; doubled quotes stay doubled.  Without such a column the test ends. */
const char *csv_field(const struct csv *c, const char *column);
double csv_number(const struct csv *c, const char *column);

#endif
