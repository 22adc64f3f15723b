# SPDX-License-Identifier: GPL-2.0-or-later

# doc/errors.md is in the repository, to be read there; tests/check-errors
# compares it.
noinst_PROGRAMS += doc/errgen
doc_errgen_LDADD = $(app_libs)

errors-doc: doc/errgen$(EXEEXT)
	$(AM_V_GEN)doc/errgen$(EXEEXT) >$(srcdir)/doc/errors.md
.PHONY: errors-doc

if HAVE_NCURSES
noinst_PROGRAMS += doc/mangen
doc_mangen_LDADD = $(ui_libs)
nodist_man1_MANS = doc/ptop.1
CLEANFILES += doc/ptop.1

doc/ptop.1: doc/ptop.1.in doc/mangen$(EXEEXT)
	$(AM_V_GEN)doc/mangen$(EXEEXT) $(srcdir)/doc/ptop.1.in >$@.tmp && mv $@.tmp $@
endif

EXTRA_DIST += $(wildcard $(srcdir)/doc/*.md $(srcdir)/doc/*.in $(srcdir)/doc/*.svg)
