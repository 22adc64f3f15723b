/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_ANSWERS_H
#define PTOP_SYMBOL_PARSER_ANSWERS_H
/* Answers belong to their receiver, who frees them with these.  NULL is allowed. */
#include "symbol/ask/ask.h"

void symbol_image_msg_free(struct symbol_image_msg *m);
void symbol_names_msg_free(struct symbol_names_msg *m);
void symbol_lines_msg_free(struct symbol_lines_msg *m);
void symbol_places_msg_free(struct symbol_places_msg *m);
void symbol_rules_msg_free(struct symbol_rules_msg *m);

#endif
