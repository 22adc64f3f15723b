/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_SYNONYMS_H
#define PTOP_UI_SYNONYMS_H
/* Other words for what can be done, by which the palette finds it, too. */
#include <stddef.h>

extern const struct synonym {
	const char *name; /* of an action or a view */
	const char *words;
} synonyms[];
extern const size_t synonym_count;

const char *synonyms_of(const char *name); /* "": there are none */

#endif
