# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libview.a
%C%_libview_a_SOURCES = \
	%D%/brief.c \
	%D%/column.c \
	%D%/column.h \
	%D%/column_list.c \
	%D%/counter_row.h \
	%D%/export_stacks.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/key.h \
	%D%/loss.c \
	%D%/loss.h \
	%D%/mark.c \
	%D%/mark.h \
	%D%/moment.c \
	%D%/moment.h \
	%D%/name.c \
	%D%/name.h \
	%D%/query.h \
	%D%/snapshot.c \
	%D%/snapshot.h \
	%D%/view.c \
	%D%/view.h
