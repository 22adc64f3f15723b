# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libbroker.a
%C%_libbroker_a_SOURCES = \
	%D%/ask_dotnet.c \
	%D%/ask_python.c \
	%D%/attach_jvm.c \
	%D%/broker.c \
	%D%/broker.h \
	%D%/broker_impl.h \
	%D%/confine.c \
	%D%/held.c \
	%D%/namer.c \
	%D%/namer_ask.c \
	%D%/peer.c \
	%D%/python_table.c \
	%D%/python_table.h \
	%D%/reason.c \
	%D%/request.h \
	%D%/run.c \
	%D%/subject.c \
	%D%/switch.c \
	%D%/table.c
