# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libview.a
%C%_libview_a_SOURCES = \
	%D%/annotate.c \
	%D%/annotate.h \
	%D%/annotate_costs.c \
	%D%/annotate_impl.h \
	%D%/annotate_make.c \
	%D%/annotate_text.c \
	%D%/brief.c \
	%D%/call_column.c \
	%D%/call_column.h \
	%D%/call_row.h \
	%D%/column.c \
	%D%/column.h \
	%D%/column_beside.c \
	%D%/column_list.c \
	%D%/column_mean.c \
	%D%/column_order.c \
	%D%/column_own.h \
	%D%/column_put.c \
	%D%/column_value.c \
	%D%/counter_row.h \
	%D%/cusum.c \
	%D%/cusum.h \
	%D%/difference.c \
	%D%/difference.h \
	%D%/difference_stacks.c \
	%D%/export_stacks.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/key.h \
	%D%/listing.c \
	%D%/listing.h \
	%D%/loss.c \
	%D%/loss.h \
	%D%/mark.c \
	%D%/mark.h \
	%D%/moment.c \
	%D%/moment.h \
	%D%/name.c \
	%D%/name.h \
	%D%/query.h \
	%D%/row_callers.h \
	%D%/share.c \
	%D%/share.h \
	%D%/snapshot.c \
	%D%/snapshot.h \
	%D%/student.c \
	%D%/student.h \
	%D%/task_column.c \
	%D%/task_column.h \
	%D%/theme.c \
	%D%/theme.h \
	%D%/view.c \
	%D%/view.h
