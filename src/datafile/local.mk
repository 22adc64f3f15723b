# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libdatafile.a
%C%_libdatafile_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
%C%_libdatafile_a_SOURCES = \
	%D%/attr.c \
	%D%/chunk.c \
	%D%/chunk.h \
	%D%/compressed.c \
	%D%/compressed.h \
	%D%/contents.c \
	%D%/contents.h \
	%D%/datafile.c \
	%D%/datafile.h \
	%D%/event_name.c \
	%D%/feature.c \
	%D%/feature.h \
	%D%/feature_text.c \
	%D%/file_symbols.c \
	%D%/header.c \
	%D%/header.h \
	%D%/lane.c \
	%D%/lane.h \
	%D%/order.c \
	%D%/order.h \
	%D%/own_record.c \
	%D%/own_record.h \
	%D%/packer.c \
	%D%/packer.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/swap.h \
	%D%/whole_records.c \
	%D%/whole_records.h \
	%D%/write_ends.c \
	%D%/write_ends.h \
	%D%/write_feature.c \
	%D%/write_feature.h \
	%D%/write_table.c \
	%D%/writer.c \
	%D%/writer.h
