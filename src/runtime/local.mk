# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libruntime.a
%C%_libruntime_a_SOURCES = \
	%D%/runtime.c \
	%D%/runtime.h
