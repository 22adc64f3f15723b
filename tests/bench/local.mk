# SPDX-License-Identifier: GPL-2.0-or-later
#
# Benchmarks: `make bench` runs them by tests/bench/run.

if SCREEN_TESTS
bench_programs = \
	tests/bench/annotate \
	tests/bench/cost \
	tests/bench/groups \
	tests/bench/growth \
	tests/bench/hosts \
	tests/bench/kernel_loop \
	tests/bench/keys \
	tests/bench/large \
	tests/bench/own \
	tests/bench/past \
	tests/bench/probe \
	tests/bench/replay \
	tests/bench/scale \
	tests/bench/scrape \
	tests/bench/sleepers \
	tests/bench/soak \
	tests/bench/split \
	tests/bench/stacks \
	tests/bench/start \
	tests/bench/symbols \
	tests/bench/trees \
	tests/bench/truth \
	tests/bench/truth_live \
	tests/bench/unwind \
	tests/bench/wait \
	tests/bench/waiters
EXTRA_LIBRARIES = tests/bench/libbench.a
tests_bench_libbench_a_SOURCES = \
	tests/bench/bare_looks.c \
	tests/bench/bare_looks.h \
	tests/bench/child.c \
	tests/bench/child.h \
	tests/bench/figure.c \
	tests/bench/figure.h \
	tests/bench/load.c \
	tests/bench/load.h \
	tests/bench/made_day.c \
	tests/bench/made_day.h \
	tests/bench/meter.c \
	tests/bench/meter.h \
	tests/bench/refresh.c \
	tests/bench/refresh.h \
	tests/bench/view.c \
	tests/bench/view.h
endif
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

bench_libs = tests/bench/libbench.a tests/libhelper.a $(base_libs) $(VTERM_LIBS) -lm
tests_bench_annotate_LDADD = $(bench_libs)
tests_bench_cost_LDADD = $(bench_libs)
tests_bench_groups_LDADD = $(bench_libs) $(profile_libs) $(CMOCKA_LIBS)
tests_bench_growth_LDADD = $(bench_libs)
tests_bench_hosts_LDADD = $(bench_libs)
tests_bench_kernel_loop_LDADD =
tests_bench_keys_LDADD = $(bench_libs)
tests_bench_large_LDADD = $(bench_libs)
tests_bench_own_LDADD = $(bench_libs)
tests_bench_past_LDADD = $(bench_libs) $(datafile_libs) $(profile_libs) $(CMOCKA_LIBS)
tests_bench_probe_LDADD = $(bench_libs)
tests_bench_replay_LDADD = $(bench_libs)
tests_bench_scale_LDADD = $(bench_libs)
tests_bench_scrape_LDADD = $(bench_libs) $(CMOCKA_LIBS)
tests_bench_sleepers_LDADD =
tests_bench_soak_LDADD = $(bench_libs)
tests_bench_split_LDADD = $(bench_libs)
tests_bench_stacks_LDADD = $(bench_libs)
tests_bench_start_LDADD = $(bench_libs)
tests_bench_symbols_LDADD = $(bench_libs) $(symbol_libs)
tests_bench_trees_LDADD = $(bench_libs) $(profile_libs) $(CMOCKA_LIBS)
tests_bench_truth_LDADD = $(bench_libs) $(profile_libs) $(CMOCKA_LIBS)
tests_bench_truth_live_LDADD = $(bench_libs) $(app_libs)
tests_bench_unwind_LDADD = $(bench_libs)
tests_bench_wait_LDADD = $(bench_libs)
tests_bench_waiters_LDADD =

bench-programs: $(bench_programs)
.PHONY: bench-programs

bench: all $(bench_programs) $(load_programs) tests/feeds$(EXEEXT) tests/scale/generate$(EXEEXT)
	$(AM_V_at)CC='$(CC)' top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
		PTOP='$(abs_top_builddir)/ptop$(EXEEXT)' \
		PTOP_FIXTURES="$${PTOP_FIXTURES-$(PTOP_FIXTURES)}" $(srcdir)/tests/bench/run
.PHONY: bench

# Half an hour under load with random keys; SOAK_SECONDS and SOAK_SEED say otherwise.
soak: all tests/bench/soak$(EXEEXT) $(load_programs)
	$(AM_V_at)top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
		PTOP='$(abs_top_builddir)/ptop$(EXEEXT)' tests/bench/soak$(EXEEXT)
.PHONY: soak
