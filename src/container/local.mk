# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libcontainer.a
%C%_libcontainer_a_SOURCES = \
	%D%/cgroup_path.c \
	%D%/cgroup_path.h \
	%D%/containers.c \
	%D%/containers.h
