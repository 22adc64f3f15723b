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

# A service, and its socket, installed and off.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = doc/ptop-serve.service
dist_systemdunit_DATA = doc/ptop-serve.socket
CLEANFILES += doc/ptop-serve.service
doc/ptop-serve.service: doc/ptop-serve.service.in
	$(AM_V_GEN)$(MKDIR_P) doc && sed "s,[@]bindir[@]/ptop,$(bindir)/$$(echo ptop | sed '$(transform)')," \
		$(srcdir)/doc/ptop-serve.service.in >$@.tmp && mv $@.tmp $@

# What shells complete: of each its name, where it looks, and under which name.
noinst_PROGRAMS += doc/compgen
doc_compgen_LDADD = $(app_libs)
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
fishcompdir = $(datadir)/fish/vendor_completions.d
nodist_bashcomp_DATA = doc/completions/ptop
nodist_zshcomp_DATA = doc/completions/_ptop
nodist_fishcomp_DATA = doc/completions/ptop.fish
CLEANFILES += doc/completions/ptop doc/completions/_ptop doc/completions/ptop.fish

put_completions = $(AM_V_GEN)$(MKDIR_P) doc/completions && doc/compgen$(EXEEXT)
doc/completions/ptop: doc/compgen$(EXEEXT)
	$(put_completions) bash >$@.tmp && mv $@.tmp $@
doc/completions/_ptop: doc/compgen$(EXEEXT)
	$(put_completions) zsh >$@.tmp && mv $@.tmp $@
doc/completions/ptop.fish: doc/compgen$(EXEEXT)
	$(put_completions) fish >$@.tmp && mv $@.tmp $@
