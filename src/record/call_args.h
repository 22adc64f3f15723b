/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_CALL_ARGS_H
#define PTOP_RECORD_CALL_ARGS_H
/*
 * A function's first arguments, where it begins: the registers that the calling convention of this
 * machine has for integers and addresses.  They are fields of samples, as those of tracepoints are:
 * arg1 to arg6.  Which of them the function has, and what they are, debug data may tell.
 */
#include "record/payload.h"
#include "record/record.h"

enum { CALL_ARGS = ARGUMENTS_MAX };

#define CALL_ARGS_EVENT "call:arguments" /* the name of the formats' only event */

/*
 * Where arguments are read as strings, by probes with a name: how names of their groups begin.  Their
 * payloads are those of tracepoints.
 */
#define CALL_PROBES_GROUP "ptop_"

/* For sample_regs_user; 0: it is not known on this machine. */
uint64_t call_args_mask(void);

/* @known NULL: nothing is known of them.  Free with payload_formats_free(). */
struct payload_formats *call_args_formats(const struct arguments *known);

/* Fills @args, a payload of these formats; false: not all are there, as of a 32-bit program. */
bool call_args_take(const struct record_regs *regs, uint64_t args[CALL_ARGS]);

#endif
