/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_PARSER_ANSWERS_H
#define PTOP_SYMBOL_PARSER_ANSWERS_H
/* Answers belong to their receiver, who frees them with these.  NULL is allowed. */
#include "symbol/ask/ask.h"

struct symbol_image_msg *symbol_image_msg_new(uint32_t dso);
struct symbol_names_msg *symbol_names_msg_new(uint32_t dso);
struct symbol_lines_msg *symbol_lines_msg_new(uint32_t dso);
struct symbol_places_msg *symbol_places_msg_new(uint32_t dso);
struct symbol_rules_msg *symbol_rules_msg_new(uint32_t dso);

#endif
