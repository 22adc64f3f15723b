/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/commands.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 20 };

/* In braces there are {pid} and {tid}: NULL; else what is wrong. */
static const char *
fault_of(const char *text)
{
	size_t words = 0;

	for (const char *at = text; *(at += strspn(at, " \t")) != '\0'; at += strcspn(at, " \t"))
		words++;
	if (words == 0)
		return "it names no program";
	if (words > BROKER_WORDS_MAX)
		return "it has too many words";
	for (const char *at = text; (at = strchr(at, '{')) != NULL; at++)
		if (strncmp(at, "{pid}", 5) != 0 && strncmp(at, "{tid}", 5) != 0)
			return "in braces there can be {pid} and {tid} alone";
	return NULL;
}

static bool
is_name(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] <= ' ' || (unsigned char)name[i] >= 0x7f)
			return false;
	return len > 0 && len <= NAME_MAX_BYTES;
}

static void
split(struct broker_command *c, const char *text)
{
	size_t len, count = 0;

	for (; *(text += strspn(text, " \t")) != '\0'; text += len) {
		len = strcspn(text, " \t");
		c->words[count++] = mem_strndup(text, len);
	}
}

static void
take_line(struct acting *a, struct rcfile *rc, const struct rc_line *line)
{
	const char *why = fault_of(line->value);

	if (!is_name(line->name)) {
		rcfile_fault(rc, line->number, "'%.40s' is no name: up to %d letters, without blanks",
			     line->name, NAME_MAX_BYTES);
	} else if (why != NULL) {
		rcfile_fault(rc, line->number, "%s: %s", line->name, why);
	} else if (a->command_count == BROKER_COMMANDS_MAX) {
		rcfile_fault(rc, line->number, "there are %d actions already", BROKER_COMMANDS_MAX);
	} else {
		a->commands[a->command_count].name = mem_strdup(line->name);
		a->helps[a->command_count] = mem_strdup(line->value);
		split(&a->commands[a->command_count++], line->value);
	}
}

void
commands_read(struct acting *a, struct rcfile *rc)
{
	for (size_t i = 0; i < rc->len; i++)
		if (strcmp(rc->lines[i].section, "actions") == 0 &&
		    rcfile_get(rc, "actions", rc->lines[i].name) == &rc->lines[i])
			take_line(a, rc, &rc->lines[i]);
}
