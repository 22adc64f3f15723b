# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libexport.a
%C%_libexport_a_SOURCES = \
	%D%/boxes.c \
	%D%/boxes.h \
	%D%/csv.c \
	%D%/csv.h \
	%D%/folded.c \
	%D%/folded.h \
	%D%/format.c \
	%D%/format.h \
	%D%/gzip.c \
	%D%/gzip.h \
	%D%/json.c \
	%D%/json.h \
	%D%/pprof.c \
	%D%/pprof.h \
	%D%/proto.c \
	%D%/proto.h \
	%D%/report.h \
	%D%/sink.c \
	%D%/sink.h \
	%D%/speedscope.c \
	%D%/speedscope.h \
	%D%/svg.c \
	%D%/svg.h \
	%D%/svg_script.h \
	%D%/text.c \
	%D%/text.h
