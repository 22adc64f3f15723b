/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_FUZZ_FUZZ_H
#define PTOP_TESTS_FUZZ_FUZZ_H
/*
 * The fuzz targets: each takes any bytes and returns 0.  tests/fuzz/run builds one at a time with
 * libFuzzer, which calls it by a name of its own; tests/test_fuzz.c gives all of them what was
 * found once.
 */
#include <stddef.h>
#include <stdint.h>

int fuzz_build_id(const uint8_t *data, size_t size);
int fuzz_cfi(const uint8_t *data, size_t size);
int fuzz_datafile(const uint8_t *data, size_t size);
int fuzz_elf(const uint8_t *data, size_t size);
int fuzz_event(const uint8_t *data, size_t size);
int fuzz_feature(const uint8_t *data, size_t size);
int fuzz_hostfeed(const uint8_t *data, size_t size);
int fuzz_input(const uint8_t *data, size_t size);
int fuzz_kallsyms(const uint8_t *data, size_t size);
int fuzz_jit(const uint8_t *data, size_t size);
int fuzz_listing(const uint8_t *data, size_t size);
int fuzz_payload(const uint8_t *data, size_t size);
int fuzz_push(const uint8_t *data, size_t size);
int fuzz_record(const uint8_t *data, size_t size);
int fuzz_replay(const uint8_t *data, size_t size);
int fuzz_serve(const uint8_t *data, size_t size);
int fuzz_unwind(const uint8_t *data, size_t size);

#ifdef PTOP_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
#define FUZZ_TARGET(name) LLVMFuzzerTestOneInput
#else
#define FUZZ_TARGET(name) fuzz_##name
#endif

#endif
