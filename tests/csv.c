/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cuts a line into its fields, in place. */
static size_t
split(char *line, char *fields[CSV_FIELDS])
{
	size_t n = 0;

	while (n < CSV_FIELDS) {
		bool quoted = *line == '"';
		char *end = quoted ? ++line : line;

		while (*end != '\0' && (quoted ? *end != '"' || end[1] == '"' : *end != ','))
			end += quoted && *end == '"' ? 2 : 1;
		fields[n++] = line;
		if (quoted && *end == '"')
			*end++ = '\0';
		if (*end == '\0')
			break;
		*end = '\0';
		line = end + 1;
	}
	return n;
}

void
csv_init(struct csv *c, const char *text)
{
	c->text = strdup(text);
	c->head = strtok_r(c->text, "\r\n", &c->rest);
	c->columns = c->head != NULL ? split(c->head, c->names) : 0;
}

void
csv_release(struct csv *c)
{
	free(c->text);
}

bool
csv_next(struct csv *c)
{
	char *line;

	while ((line = strtok_r(NULL, "\r\n", &c->rest)) != NULL)
		if (split(line, c->fields) == c->columns)
			return true;
	return false;
}

const char *
csv_field(const struct csv *c, const char *column)
{
	for (size_t i = 0; i < c->columns; i++)
		if (strcmp(c->names[i], column) == 0)
			return c->fields[i];
	fprintf(stderr, "no column '%s'\n", column);
	abort();
}

double
csv_number(const struct csv *c, const char *column)
{
	return atof(csv_field(c, column));
}
