# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libevent.a
%C%_libevent_a_SOURCES = \
	%D%/breakpoint.c \
	%D%/builtin.c \
	%D%/catalogue.c \
	%D%/catalogue.h \
	%D%/env.c \
	%D%/event.c \
	%D%/event.h \
	%D%/event_table.c \
	%D%/event_table.h \
	%D%/fetch_args.c \
	%D%/fetch_args.h \
	%D%/modifier.c \
	%D%/modifier.h \
	%D%/names.c \
	%D%/names.h \
	%D%/pair.c \
	%D%/pair.h \
	%D%/parse.c \
	%D%/pfm.c \
	%D%/pmu.c \
	%D%/pmu.h \
	%D%/pmu_parse.c \
	%D%/probe.c \
	%D%/site.c \
	%D%/site.h \
	%D%/spec.c \
	%D%/spec.h \
	%D%/switches.c \
	%D%/term.c \
	%D%/term.h \
	%D%/term_table.c \
	%D%/tracepoint.c \
	%D%/tracepoint.h \
	%D%/tracepoint_fault.c \
	%D%/tracepoint_fields.c \
	%D%/tracepoint_help.c \
	%D%/tracepoint_parse.c \
	%D%/tracing_data.c
