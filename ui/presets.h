/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_PRESETS_H
#define PTOP_UI_PRESETS_H
/* Questions that have an event and a view: the first group of the event picker.  A table. */
#include "view/view.h"

struct ui;

struct preset {
	const char *name, *help; /* in the picker */
	const char *spec;        /* the event that is opened; several are sampled together */
	enum view_id view;
	const char *field;       /* of VIEW_FIELDS, else "" */
	const char *filter;      /* of rows, "": none */
	const char *next;        /* what to do then */
	bool of_counters;        /* offered only where the machine's counters are */
};

extern const struct preset presets[];
extern const size_t preset_count;

/* Opens its event, and its view in the place where we are. */
void preset_take(struct ui *ui, const struct preset *p);

#endif
