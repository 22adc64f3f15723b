# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/librecord.a
%C%_librecord_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
%C%_librecord_a_SOURCES = \
	%D%/abi.h \
	%D%/decode.c \
	%D%/encode.c \
	%D%/encode.h \
	%D%/gains.c \
	%D%/gains.h \
	%D%/layouts.c \
	%D%/layouts.h \
	%D%/length.c \
	%D%/lock_call.c \
	%D%/lock_call.h \
	%D%/look.c \
	%D%/look.h \
	%D%/merge.c \
	%D%/merge.h \
	%D%/payload.c \
	%D%/payload.h \
	%D%/put.c \
	%D%/put.h \
	%D%/put_sample.c \
	%D%/put_values.c \
	%D%/put_words.c \
	%D%/put_words.h \
	%D%/read_format.c \
	%D%/record.h \
	%D%/reg_names.c \
	%D%/reg_names.h \
	%D%/types.c \
	%D%/types.h \
	%D%/wait_kind.c \
	%D%/wait_kind.h
