/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_IMAGE_BUDGET_H
#define PTOP_PROFILE_PLACE_IMAGE_BUDGET_H
/*
 * What the symbol images of files may take together: those that no place was looked for in for
 * the longest time are given back.  Their locations stay as they are; the next place in such a
 * file that is not known yet waits for the image to be asked for again.  Engine thread only.
 */
#include "profile/place/location_store.h"

/* Gives back until the bound is kept, but for the image of @come, which has just come. */
void image_budget_keep(struct locations *l, uint32_t come);

#endif
