# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libprofile.a
%C%_libprofile_a_SOURCES = \
	%D%/count/cache.c \
	%D%/count/cache.h \
	%D%/count/feed.c \
	%D%/count/feed.h \
	%D%/count/feed_held.c \
	%D%/count/feed_impl.h \
	%D%/count/feed_place.c \
	%D%/count/fold.c \
	%D%/count/fold_impl.h \
	%D%/count/fold_light.c \
	%D%/count/forget.c \
	%D%/count/label.c \
	%D%/count/label.h \
	%D%/count/log.c \
	%D%/count/log.h \
	%D%/count/memo.c \
	%D%/count/memo.h \
	%D%/count/profile.c \
	%D%/count/profile.h \
	%D%/count/srcline.c \
	%D%/count/srcline.h \
	%D%/count/stack_users.c \
	%D%/count/stack_users.h \
	%D%/count/tables.c \
	%D%/count/tables.h \
	%D%/count/unwinder.c \
	%D%/count/unwinder.h \
	%D%/place/dso_source.c \
	%D%/place/dso_source.h \
	%D%/place/image_budget.c \
	%D%/place/image_budget.h \
	%D%/place/inlined.c \
	%D%/place/inlined.h \
	%D%/place/jit.c \
	%D%/place/jit.h \
	%D%/place/jit_code.c \
	%D%/place/jit_code.h \
	%D%/place/location.c \
	%D%/place/location.h \
	%D%/report/call_tree.c \
	%D%/report/call_tree.h \
	%D%/report/forest.h \
	%D%/report/group.c \
	%D%/report/group.h \
	%D%/report/report.c \
	%D%/report/report.h \
	%D%/report/report_export.c \
	%D%/report/report_impl.h \
	%D%/report/report_nodes.c \
	%D%/report/report_row.c \
	%D%/report/report_stacks.c \
	%D%/report/report_tree.c \
	%D%/report/report_trend.c \
	%D%/report/report_unnamed.c
