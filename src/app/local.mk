# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libapp.a
%C%_libapp_a_SOURCES = \
	%D%/app.c \
	%D%/app.h \
	%D%/batch.c \
	%D%/check.c \
	%D%/check_event.c \
	%D%/check_event.h \
	%D%/config.c \
	%D%/config.h \
	%D%/config_files.c \
	%D%/config_hosts.c \
	%D%/config_impl.h \
	%D%/config_input.c \
	%D%/config_options.c \
	%D%/config_query.c \
	%D%/config_rc.c \
	%D%/config_serve.c \
	%D%/config_shown.c \
	%D%/config_text.c \
	%D%/config_view.c \
	%D%/crash.c \
	%D%/crash.h \
	%D%/crash_place.c \
	%D%/dump.c \
	%D%/dump_chains.c \
	%D%/dump_chains.h \
	%D%/explain.c \
	%D%/explain_word.c \
	%D%/feed_run.c \
	%D%/feed_stacks.c \
	%D%/feed_stacks.h \
	%D%/list.c \
	%D%/naming.c \
	%D%/naming.h \
	%D%/option.c \
	%D%/option.h \
	%D%/rc_edit.c \
	%D%/rcfile.c \
	%D%/rcfile.h \
	%D%/report_out.c \
	%D%/report_out.h \
	%D%/run.h \
	%D%/target.c \
	%D%/version.c

# Of which sources this is: asked by each make, written when the answer is another one.  The makes
# that it runs do not ask: all that is of an answer would wait for it, and tests that link this come last.
ASK_SOURCE = ask-source
AM_MAKEFLAGS = ASK_SOURCE=
BUILT_SOURCES += %D%/source.inc
CLEANFILES += %D%/source.inc
%D%/version.$(OBJEXT): %D%/source.inc
%D%/source.inc: $(ASK_SOURCE)
	$(AM_V_at)$(MKDIR_P) %D% && $(srcdir)/ship/source-id -c >$@.new && \
		if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
ask-source:
.PHONY: ask-source
