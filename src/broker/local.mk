# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libbroker.a
%C%_libbroker_a_SOURCES = \
	%D%/broker.c \
	%D%/broker.h \
	%D%/broker_impl.h \
	%D%/confine.c \
	%D%/held.c \
	%D%/reason.c \
	%D%/request.h \
	%D%/run.c \
	%D%/table.c
