/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_FLAME_H
#define PTOP_UI_FLAME_H
/*
 * A call tree as boxes, each as wide as its part of what is shown, below who calls it; one of them
 * is selected, and one fills the width.  Zero-initialise to begin.
 */
#include "ui/nodepath.h"
#include "ui/nodetext.h"

enum { FLAME_ZOOMS_MAX = 32 };

struct flame_box {
	int x, width; /* 0: not to be seen */
};

struct flame {
	struct nodepath selected, zoom; /* zoom.len 0: all */
	size_t zooms[FLAME_ZOOMS_MAX];  /* lengths of zoom before it was what it is */
	size_t zoom_count;
	uint32_t node, zoom_node;       /* in the snapshot seen last */
	struct flame_box *boxes;        /* by node */
	size_t box_cap;
	uint64_t *starts;               /* where in its row the next child begins, by node */
	size_t start_cap;
	uint32_t top;                   /* depth of the first row */
	int y, rows;                    /* where it was drawn */
};

/* New nodes, or another width: finds what is selected and lays out all boxes. */
void flame_update(struct flame *f, const struct snapshot *s, int width);

void flame_draw(struct flame *f, struct canvas *c, const struct snapshot *s,
		const struct nodefound *found, int y, int rows);
void flame_draw_legend(struct canvas *c, int y, const char *right);

/* All functions below need a snapshot that has nodes. */
void flame_select(struct flame *f, const struct snapshot *s, uint32_t node);
void flame_move(struct flame *f, const struct snapshot *s, int dx, int dy); /* one of them is 0 */
bool flame_click(struct flame *f, const struct snapshot *s, int x, int y); /* false: no box */

/* The box that was drawn there, UINT32_MAX: none. */
uint32_t flame_at(const struct flame *f, const struct snapshot *s, int x, int y);

/* Makes the selected box fill the width; back to what it was before (false: to nothing). */
void flame_zoom(struct flame *f, const struct snapshot *s);
bool flame_unzoom(struct flame *f);
void flame_unzoom_all(struct flame *f);

/* What part of all the box is that fills the width. */
double flame_zoom_share(const struct flame *f, const struct snapshot *s);
void flame_release(struct flame *f);

#endif
