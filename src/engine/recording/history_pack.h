/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_RECORDING_HISTORY_PACK_H
#define PTOP_ENGINE_RECORDING_HISTORY_PACK_H
/* The records of a chunk in less memory: samples are much alike.  By zstd, each chunk alone. */
#include "base/util.h"

/* What packing works with, some 600 KiB.  NULL: this ptop is built without zstd. */
struct history_pack *history_pack_new(void);
void history_pack_free(struct history_pack *p);

/* Room that packed bytes are sure to fit. */
size_t history_pack_bound(size_t len);

/* Packs @len bytes at @from into @to; how many they are then, 0: it cannot be done. */
size_t history_pack(struct history_pack *p, const void *from, size_t len, void *to, size_t cap);

/* The @len bytes again that history_pack() made @packed_len of.  Any thread. */
void history_unpack(const void *packed, size_t packed_len, void *to, size_t len);

#endif
