/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_TURNS_H
#define PTOP_SERVE_TURNS_H
/* Whose turn it is among those who ask: who had none for the longest time. */
#include "serve/asker.h"

enum { TURNS_KEPT = 64 }; /* who had none since so many others had one is as who never had */

struct turns {
	struct {
		struct asker who;
		uint64_t at; /* 0: nobody */
	} kept[TURNS_KEPT];
	uint64_t last;
};

/* It is its turn. */
void turns_take(struct turns *t, const struct asker *who);

/* Who has less comes first; 0: had none. */
uint64_t turns_of(const struct turns *t, const struct asker *who);

#endif
