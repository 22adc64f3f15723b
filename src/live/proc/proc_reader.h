/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_READER_H
#define PTOP_LIVE_PROC_PROC_READER_H
/*
 * The thread that reads /proc: maps of processes at their first sample, and the process list with
 * its measured CPU times.  Reading /proc/PID/maps can hang on the target's lock, so nobody else
 * does it.  Questions never block; answers come by message.
 *
 * A thread that hangs for more than 3 s is replaced: this is found out when something is asked, so
 * ask for ticks by the clock and not when the last one was answered.  One thread asks.
 */
#include "live/proc/hung.h"
#include "live/proc/proc_msg.h"

struct proc_reader;

/* Reads below @root (normally "/proc").  Answers go to @answers. */
struct proc_reader *proc_reader_new(const char *root, struct queue *answers);
void proc_reader_free(struct proc_reader *r);

/* On whom it hangs: true until the next question.  Where there are HUNG_MAX, nothing more is answered. */
const struct hung *proc_reader_hung(const struct proc_reader *r);

/* From now on the maps of files that are not executable are told, too: prot tells them apart. */
void proc_reader_want_data(struct proc_reader *r);

/*
 * Asks for the maps of @pid.  Each ask gets exactly one PROC_MSG_MAPS: ETIMEDOUT if reading them
 * hangs (hung.h), EFBIG if there are more than can be kept.
 */
void proc_reader_ask_maps(struct proc_reader *r, int pid, uint32_t cookie);

/* Asks for the name of a thread.  Each ask gets exactly one PROC_MSG_COMM. */
void proc_reader_ask_comm(struct proc_reader *r, int pid, int tid, uint32_t cookie);

/* Asks for the owner of @pid.  Each ask gets exactly one PROC_MSG_OWNER. */
void proc_reader_ask_owner(struct proc_reader *r, int pid);

/* Whether ticks that are asked for from now on tell proc_info.io_read and io_write. */
void proc_reader_want_io(struct proc_reader *r, bool wants_io);

/* Whether they read little of threads: there is hardly any time for it. */
void proc_reader_spare(struct proc_reader *r, bool is_thrifty);

/*
 * Asks for a tick: the machine, the processes in @hot, the threads of @threads_of (0: none), and
 * a slice of the rest that takes about @budget_us.  The array is copied.  Of ticks that wait while
 * one is worked on, only the newest is answered.
 */
void proc_reader_ask_tick(struct proc_reader *r, const int *hot, size_t hot_count, int threads_of,
			  unsigned budget_us);

#endif
