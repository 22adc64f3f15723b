/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_HOSTS_HOSTS_H
#define PTOP_ENGINE_HOSTS_HOSTS_H
/*
 * The room that asks other hosts in place of sampling: a program for each, such as ssh, brings its feed,
 * which is counted in the same tables.  One that is slow, gone, of another version, or whose clock is
 * off is marked, and holds up none of the others.  Engine thread only.
 */
#include "engine/leaf/env.h"
#include "engine/leaf/part.h"

struct hosts;

struct hosts *hosts_new(const struct engine_config *config);

extern const struct file_policy hosts_policy; /* of what is here nothing is believed of them */

/* What @env has is there now.  Starts the programs. */
void hosts_begin(struct hosts *hs, const struct engine_env *env);

/* Counts what has come, a bounded amount of each; starts again what has ended. */
void hosts_step(struct hosts *hs, uint64_t now_ns);

/* All sample @events from now on, which are shown as soon as a host sends some. */
void hosts_sample(struct hosts *hs, const char *events, uint64_t now_ns);

/* Whether each has sent something, or has failed: there is no point in waiting for the first. */
bool hosts_have_begun(const struct hosts *hs);

extern const struct engine_part hosts_part;

#endif
