# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libfeed.a
%C%_libfeed_a_SOURCES = \
	%D%/hostfeed.h \
	%D%/hostfeed_decode.c \
	%D%/hostfeed_decode.h \
	%D%/hostfeed_encode.c \
	%D%/hostfeed_encode.h \
	%D%/hostfeed_told.c \
	%D%/hostfeed_told.h
