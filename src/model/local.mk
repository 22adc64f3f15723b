# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libmodel.a
%C%_libmodel_a_SOURCES = \
	%D%/cgroup.c \
	%D%/cgroup.h \
	%D%/dso.c \
	%D%/dso.h \
	%D%/ksymbol.c \
	%D%/ksymbol.h \
	%D%/model.c \
	%D%/model.h \
	%D%/model_code.c \
	%D%/model_ended.c \
	%D%/model_hottest.c \
	%D%/model_impl.h \
	%D%/model_name.c \
	%D%/model_record.c \
	%D%/model_task.c \
	%D%/model_who.c \
	%D%/name_room.c \
	%D%/name_room.h \
	%D%/space.c \
	%D%/space.h \
	%D%/target.c
