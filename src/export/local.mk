# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libexport.a
%C%_libexport_a_SOURCES = \
	%D%/boxes.c \
	%D%/boxes.h \
	%D%/code_rows.c \
	%D%/code_rows.h \
	%D%/csv.c \
	%D%/folded.c \
	%D%/format.c \
	%D%/format.h \
	%D%/formats.h \
	%D%/gzip.c \
	%D%/json.c \
	%D%/json_rows.c \
	%D%/json_rows.h \
	%D%/json_schema.c \
	%D%/json_schema.h \
	%D%/ndjson.c \
	%D%/otlp.c \
	%D%/pprof.c \
	%D%/proto.c \
	%D%/proto.h \
	%D%/report.h \
	%D%/sink.c \
	%D%/sink.h \
	%D%/speedscope.c \
	%D%/stack_locations.c \
	%D%/stack_locations.h \
	%D%/svg.c \
	%D%/svg_script.h \
	%D%/text.c
