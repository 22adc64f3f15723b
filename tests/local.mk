# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each line of these lists is a program tests/test_NAME, made from tests/test_NAME.c.  What a test
# links beyond the base layer and the helpers is said below: no more than it tests.

# the longest first: else it ends alone
unit_tests = \
	tests/test_symbol_parser \
	tests/test_symbol_sources \
	tests/test_past \
	tests/test_listing \
	tests/test_replay \
	tests/test_share_past \
	tests/test_attr \
	tests/test_base \
	tests/test_batch \
	tests/test_brief \
	tests/test_broker \
	tests/test_budget \
	tests/test_build_store \
	tests/test_cache \
	tests/test_call_tree \
	tests/test_calls \
	tests/test_changes \
	tests/test_code \
	tests/test_column \
	tests/test_config \
	tests/test_container \
	tests/test_container_files \
	tests/test_counter_list \
	tests/test_coverage \
	tests/test_cpu_watch \
	tests/test_datafile \
	tests/test_datafile_pipe \
	tests/test_deferred \
	tests/test_error_causes \
	tests/test_difference \
	tests/test_event \
	tests/test_event_parse \
	tests/test_export \
	tests/test_fallback \
	tests/test_feed \
	tests/test_feed_stacks \
	tests/test_fetch \
	tests/test_filter \
	tests/test_fleet \
	tests/test_fold \
	tests/test_fuzz \
	tests/test_gaps \
	tests/test_held_images \
	tests/test_history \
	tests/test_hit_cost \
	tests/test_hostfeed \
	tests/test_image \
	tests/test_image_cache \
	tests/test_inlined \
	tests/test_inlines \
	tests/test_jit \
	tests/test_hung \
	tests/test_jit_places \
	tests/test_listing_made \
	tests/test_journal \
	tests/test_kernel_code \
	tests/test_kernel_files \
	tests/test_kernel_names \
	tests/test_kernel_symbols \
	tests/test_short_waits \
	tests/test_look_round \
	tests/test_look_record \
	tests/test_loss \
	tests/test_many_cpus \
	tests/test_model \
	tests/test_marks \
	tests/test_name_jit \
	tests/test_name_watch \
	tests/test_nameless \
	tests/test_moment \
	tests/test_open \
	tests/test_opener \
	tests/test_order \
	tests/test_other_records \
	tests/test_pairs \
	tests/test_payload \
	tests/test_place_search \
	tests/test_places \
	tests/test_proc_reader \
	tests/test_proc_tick \
	tests/test_proc_worker \
	tests/test_procfs \
	tests/test_profile \
	tests/test_push \
	tests/test_rcfile \
	tests/test_runtime \
	tests/test_record \
	tests/test_record_fields \
	tests/test_kept_sums \
	tests/test_row_order \
	tests/test_replay_losses \
	tests/test_replay_time \
	tests/test_report \
	tests/test_report_code \
	tests/test_report_keys \
	tests/test_report_waits \
	tests/test_ring \
	tests/test_sample_ids \
	tests/test_share \
	tests/test_scale \
	tests/test_serve_parts \
	tests/test_site \
	tests/test_split \
	tests/test_owners \
	tests/test_stack_choice \
	tests/test_stack_formats \
	tests/test_stacks \
	tests/test_switches \
	tests/test_waits_said \
	tests/test_symbol_names \
	tests/test_symbol_service \
	tests/test_unlike \
	tests/test_unread_files \
	tests/test_unwind \
	tests/test_unwind_programs \
	tests/test_unwind_rules \
	tests/test_unwind_values \
	tests/test_value_names \
	tests/test_writer

# canvas, keys and views: they link ui/ but need no terminal
ui_tests = \
	tests/test_term_input \
	tests/test_tty \
	tests/test_themes \
	tests/test_ui_tables

# these run ptop in a pseudo-terminal, with an engine that plays back
screen_tests = \
	tests/test_ui_random \
	tests/test_ui_screen \
	tests/test_ui_stacks \
	tests/test_ui_terminal

# These sample the real kernel, beside other tests: no figure of theirs is less on a busy machine.
# Those that touch most of the code are run with sanitizers, too; of the others `make check-all` does.
smoke_tests = \
	tests/test_attach \
	tests/test_attach_session \
	tests/test_command \
	tests/test_counters \
	tests/test_engine \
	tests/test_formats \
	tests/test_memory
shared_live_tests = \
	tests/test_annotate \
	tests/test_auto \
	tests/test_bad_stacks \
	tests/test_call_graph_events \
	tests/test_capabilities \
	tests/test_chains \
	tests/test_debuginfod \
	tests/test_endings \
	tests/test_explain \
	tests/test_hosts \
	tests/test_jit_live \
	tests/test_late_names \
	tests/test_list \
	tests/test_live \
	tests/test_live_kernel \
	tests/test_live_records \
	tests/test_machine \
	tests/test_own_rights \
	tests/test_push_live \
	tests/test_recording \
	tests/test_script_fields \
	tests/test_report_file \
	tests/test_serve \
	tests/test_stack_inlines \
	tests/test_stack_totals \
	tests/test_stopped \
	tests/test_stripped \
	tests/test_symbol_languages \
	tests/test_symbol_paths

# These mostly wait, and look at what else waits: beside each other, but not beside those that use
# much of the CPUs (see tests/run-tap).  The longest first: all end at about the same time.
calm_tests = \
	tests/test_waits \
	tests/test_locks \
	tests/test_lock_owners \
	tests/test_count_function \
	tests/test_waits_on \
	tests/test_wait_times \
	tests/test_shared_probes \
	tests/test_strings \
	tests/test_look \
	tests/test_waits_exact \
	tests/test_exact \
	tests/test_kernel_stack \
	tests/test_call_32

# These run alone (see tests/run-tap): they measure rates and costs, change the machine, or sample
# on all CPUs what the others cause, or would.
live_tests = \
	tests/test_budget_live \
	tests/test_call_graph \
	tests/test_check \
	tests/test_errors \
	tests/test_groups \
	tests/test_hotplug \
	tests/test_losses \
	tests/test_names \
	tests/test_privileges \
	tests/test_session \
	tests/test_shared \
	tests/test_storm \
	tests/test_totals \
	tests/test_user

# all three once more: the real kernel, seen through a pseudo-terminal
smoke_screen_tests = \
	tests/test_screen_by \
	tests/test_screen_config \
	tests/test_screen_export \
	tests/test_screen_locks \
	tests/test_screen_terminal \
	tests/test_screen_waits
shared_screen_tests = \
	tests/test_screen_annotate \
	tests/test_screen_counters \
	tests/test_screen_debuginfod \
	tests/test_screen_diff \
	tests/test_screen_endings \
	tests/test_screen_filter \
	tests/test_screen_hosts \
	tests/test_screen_past \
	tests/test_screen_past_samples \
	tests/test_screen_places \
	tests/test_screen_name_jit \
	tests/test_screen_processes \
	tests/test_screen_records \
	tests/test_screen_says \
	tests/test_screen_ssh \
	tests/test_screen_time \
	tests/test_screen_unnamed \
	tests/test_tutorial
if HAVE_CXX
smoke_screen_tests += tests/test_screen_stacks
endif
live_screen_tests = \
	tests/test_screen \
	tests/test_screen_budget \
	tests/test_screen_cpu \
	tests/test_screen_hotplug \
	tests/test_screen_losses \
	tests/test_screen_privileges

# ---- what tests link

test_libs = $(test_helper_libs) $(base_libs) $(CMOCKA_LIBS) $(VTERM_LIBS) $(JANSSON_LIBS) $(ZLIB_LIBS)
LDADD = $(test_libs)

tests_test_attach_LDADD = $(test_libs) $(app_libs)
tests_test_attach_session_LDADD = $(test_libs) $(live_libs)
tests_test_attr_LDADD = $(test_libs) $(live_libs)
tests_test_bad_stacks_LDADD = $(test_libs) $(app_libs)
tests_test_batch_LDADD = $(test_libs) $(app_libs)
tests_test_brief_LDADD = $(test_libs) $(view_libs)
tests_test_broker_LDADD = $(test_libs) $(broker_libs)
tests_test_budget_LDADD = $(test_libs) $(app_libs)
tests_test_budget_live_LDADD = $(test_libs) $(app_libs)
tests_test_call_graph_LDADD = $(test_libs) $(app_libs)
tests_test_call_graph_events_LDADD = $(test_libs) $(app_libs)
tests_test_build_store_LDADD = $(test_libs) $(symbol_libs)
tests_test_cache_LDADD = $(test_libs) $(profile_libs)
tests_test_call_tree_LDADD = $(test_libs) $(profile_libs)
tests_test_changes_LDADD = $(test_libs) $(app_libs)
tests_test_calls_LDADD = $(test_libs) $(app_libs)
tests_test_capabilities_LDADD = $(test_libs) $(live_libs)
tests_test_check_LDADD = $(test_libs) $(app_libs)
tests_test_code_LDADD = $(test_libs) $(app_libs)
tests_test_column_LDADD = $(test_libs) $(view_libs)
tests_test_command_LDADD = $(test_libs) $(live_libs)
tests_test_config_LDADD = $(test_libs) $(app_libs)
tests_test_container_LDADD = $(test_libs) $(container_libs)
tests_test_container_files_LDADD = $(test_libs) $(symbol_libs)
tests_test_counter_list_LDADD = $(test_libs) $(app_libs)
tests_test_count_function_LDADD = $(test_libs)
tests_test_counters_LDADD = $(test_libs) $(live_libs)
tests_test_cpu_watch_LDADD = $(test_libs) $(live_libs)
tests_test_coverage_LDADD = $(test_libs) $(app_libs)
tests_test_datafile_LDADD = $(test_libs) $(datafile_libs)
tests_test_datafile_pipe_LDADD = $(test_libs) $(datafile_libs)
tests_test_debuginfod_LDADD = $(test_libs) $(symbol_libs)
tests_test_deferred_LDADD = $(test_libs) $(app_libs)
tests_test_engine_LDADD = $(test_libs) $(app_libs)
tests_test_error_causes_LDADD = $(test_libs) $(app_libs)
tests_test_errors_LDADD = $(test_libs) $(live_libs)
tests_test_difference_LDADD = $(test_libs) $(profile_libs)
tests_test_event_LDADD = $(test_libs) $(event_libs)
tests_test_event_parse_LDADD = $(test_libs) $(event_libs)
tests_test_exact_LDADD = $(test_libs) $(app_libs)
tests_test_explain_LDADD = $(test_libs) $(event_libs)
tests_test_export_LDADD = $(test_libs) $(export_libs)
tests_test_fallback_LDADD = $(test_libs) $(live_libs)
tests_test_feed_LDADD = $(test_libs) $(profile_libs)
tests_test_feed_stacks_LDADD = $(test_libs) $(profile_libs)
tests_test_fetch_LDADD = $(test_libs) $(symbol_libs)
tests_test_filter_LDADD = $(test_libs) $(view_libs)
tests_test_fleet_LDADD = $(test_libs) $(export_libs) $(profile_libs)
tests_test_fold_LDADD = $(test_libs) $(profile_libs)
tests_test_fuzz_LDADD = $(test_libs) $(app_libs)
tests_test_gaps_LDADD = $(test_libs) $(app_libs)
tests_test_held_images_LDADD = $(test_libs) $(app_libs)
tests_test_hung_LDADD = $(test_libs) $(app_libs)
tests_test_jit_places_LDADD = $(test_libs) $(app_libs)
tests_test_unread_files_LDADD = $(test_libs) $(app_libs)
tests_test_hit_cost_LDADD = $(test_libs) $(app_libs)
tests_test_history_LDADD = $(test_libs) $(app_libs)
tests_test_hostfeed_LDADD = $(test_libs) $(feed_libs)
tests_test_hosts_LDADD = $(test_libs)
tests_test_hotplug_LDADD = $(test_libs) $(live_libs)
tests_test_image_LDADD = $(test_libs) $(symbol_libs)
tests_test_image_cache_LDADD = $(test_libs) $(symbol_libs)
tests_test_inlined_LDADD = $(test_libs) $(profile_libs)
tests_test_inlines_LDADD = $(test_libs) $(symbol_libs)
tests_test_jit_LDADD = $(test_libs) $(profile_libs)
tests_test_listing_LDADD = $(test_libs) $(symbol_libs)
tests_test_listing_made_LDADD = $(test_libs) $(symbol_libs)
tests_test_journal_LDADD = $(test_libs) $(app_libs)
tests_test_kernel_code_LDADD = $(test_libs) $(profile_libs)
tests_test_kernel_files_LDADD = $(test_libs) $(symbol_libs) $(datafile_libs)
tests_test_kernel_names_LDADD = $(test_libs) $(app_libs)
tests_test_kernel_symbols_LDADD = $(test_libs) $(symbol_libs)
tests_test_loss_LDADD = $(test_libs) $(view_libs)
tests_test_live_LDADD = $(test_libs) -lm
tests_test_machine_LDADD = $(test_libs) -lm
tests_test_late_names_LDADD = $(test_libs) $(app_libs)
tests_test_late_names_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=symbol_service_ask_names
tests_test_waits_said_LDADD = $(test_libs) $(app_libs)
tests_test_waits_said_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=looker_figures
tests_test_list_LDADD = $(test_libs) $(event_libs)
tests_test_kernel_stack_LDADD = $(test_libs) $(live_libs)
tests_test_call_32_LDADD = $(test_libs) $(live_libs)
tests_test_short_waits_LDADD = $(test_libs) $(live_libs)
tests_test_look_round_LDADD = $(test_libs) $(live_libs)
tests_test_look_LDADD = $(test_libs) $(live_libs)
tests_test_look_record_LDADD = $(test_libs) $(record_libs)
tests_test_losses_LDADD = $(test_libs) $(app_libs)
tests_test_many_cpus_LDADD = $(test_libs) $(live_libs)
tests_test_model_LDADD = $(test_libs) $(model_libs)
tests_test_marks_LDADD = $(test_libs) $(app_libs)
tests_test_moment_LDADD = $(test_libs) $(view_libs)
tests_test_name_watch_LDADD = $(test_libs) $(app_libs)
tests_test_nameless_LDADD = $(test_libs) $(app_libs)
tests_test_name_jit_LDADD = $(test_libs) $(app_libs)
tests_test_names_LDADD = $(test_libs) $(symbol_libs)
tests_test_open_LDADD = $(test_libs) $(live_libs)
tests_test_opener_LDADD = $(test_libs) $(symbol_libs)
tests_test_order_LDADD = $(test_libs) $(datafile_libs)
tests_test_own_rights_LDADD = $(test_libs) $(live_libs)
tests_test_pairs_LDADD = $(test_libs) $(app_libs)
tests_test_past_LDADD = $(test_libs) $(profile_libs)
tests_test_payload_LDADD = $(test_libs) $(record_libs)
tests_test_place_search_LDADD = $(test_libs) $(app_libs)
tests_test_places_LDADD = $(test_libs) $(symbol_libs)
tests_test_privileges_LDADD = $(test_libs) $(live_libs)
tests_test_proc_reader_LDADD = $(test_libs) $(live_libs)
tests_test_proc_tick_LDADD = $(test_libs) $(live_libs)
tests_test_proc_worker_LDADD = $(test_libs) $(live_libs)
tests_test_procfs_LDADD = $(test_libs) $(live_libs)
tests_test_profile_LDADD = $(test_libs) $(profile_libs)
tests_test_push_LDADD = $(test_libs) $(push_libs)
tests_test_push_live_LDADD = $(test_libs) $(app_libs) -lm
tests_test_rcfile_LDADD = $(test_libs) $(app_libs)
tests_test_runtime_LDADD = $(test_libs) $(runtime_libs)
tests_test_record_LDADD = $(test_libs) $(model_libs)
tests_test_record_fields_LDADD = $(test_libs) $(record_libs)
tests_test_kept_sums_LDADD = $(test_libs) $(profile_libs)
tests_test_row_order_LDADD = $(test_libs) $(profile_libs)
tests_test_replay_losses_LDADD = $(test_libs) $(app_libs)
tests_test_replay_time_LDADD = $(test_libs) $(app_libs)
tests_test_report_LDADD = $(test_libs) $(profile_libs)
tests_test_report_code_LDADD = $(test_libs) $(profile_libs)
tests_test_report_keys_LDADD = $(test_libs) $(profile_libs)
tests_test_report_waits_LDADD = $(test_libs) $(profile_libs)
tests_test_ring_LDADD = $(test_libs) $(live_libs) $(model_libs)
tests_test_sample_ids_LDADD = $(test_libs) $(app_libs)
tests_test_serve_LDADD = $(test_libs) -lm
tests_test_serve_parts_LDADD = $(test_libs) $(app_libs)
tests_test_scale_LDADD = $(test_libs) $(datafile_libs)
tests_test_screen_LDADD = $(test_libs) $(event_libs)
tests_test_script_fields_LDADD = $(test_libs)
tests_test_screen_debuginfod_LDADD = $(test_libs) $(symbol_libs)
tests_test_screen_privileges_LDADD = $(test_libs) $(live_libs)
tests_test_screen_diff_LDADD = $(test_libs) $(datafile_libs)
tests_test_screen_time_LDADD = $(test_libs) $(datafile_libs)
tests_test_session_LDADD = $(test_libs) $(live_libs)
tests_test_share_LDADD = $(test_libs) $(view_libs)
tests_test_share_past_LDADD = $(test_libs) $(profile_libs)
tests_test_shared_LDADD = $(test_libs) $(live_libs)
tests_test_site_LDADD = $(test_libs) $(live_libs)
tests_test_split_LDADD = $(test_libs) $(profile_libs)
tests_test_owners_LDADD = $(test_libs) $(app_libs)
tests_test_stack_choice_LDADD = $(test_libs) $(app_libs)
tests_test_stack_formats_LDADD = $(test_libs) $(export_libs)
tests_test_stacks_LDADD = $(test_libs) $(export_libs) $(profile_libs)
tests_test_stopped_LDADD = $(test_libs) $(live_libs)
tests_test_stripped_LDADD = $(test_libs) $(symbol_libs)
tests_test_symbol_languages_LDADD = $(test_libs) $(symbol_libs)
tests_test_shared_probes_LDADD = $(test_libs) $(app_libs)
tests_test_strings_LDADD = $(test_libs) $(app_libs)
tests_test_switches_LDADD = $(test_libs) $(app_libs)
tests_test_symbol_names_LDADD = $(test_libs) $(symbol_libs)
tests_test_symbol_parser_LDADD = $(test_libs) $(symbol_libs) $(live_libs)
tests_test_symbol_paths_LDADD = $(test_libs) $(symbol_libs)
tests_test_symbol_service_LDADD = $(test_libs) $(symbol_libs)
tests_test_symbol_sources_LDADD = $(test_libs) $(symbol_libs)
tests_test_other_records_LDADD = $(test_libs) $(app_libs)
tests_test_term_input_LDADD = $(test_libs) $(ui_libs)
tests_test_tty_LDADD = $(test_libs) $(ui_libs)
tests_test_ui_random_LDADD = tests/libplay.a $(test_libs) $(ui_libs)
tests_test_ui_screen_LDADD = tests/libplay.a $(test_libs) $(ui_libs)
tests_test_ui_stacks_LDADD = tests/libplay.a $(test_libs) $(ui_libs)
tests_test_themes_LDADD = $(test_libs) $(ui_libs)
tests_test_ui_tables_LDADD = $(test_libs) $(ui_libs)
tests_test_ui_terminal_LDADD = tests/libplay.a $(test_libs) $(ui_libs)
tests_test_unlike_LDADD = $(test_libs) $(app_libs)
tests_test_unwind_LDADD = $(test_libs) $(symbol_libs)
tests_test_unwind_programs_LDADD = $(test_libs) $(symbol_libs)
tests_test_unwind_rules_LDADD = $(test_libs) $(symbol_libs)
tests_test_unwind_values_LDADD = $(test_libs) $(symbol_libs)
tests_test_value_names_LDADD = $(test_libs) $(live_libs)
tests_test_user_LDADD = $(test_libs) $(live_libs)
tests_test_wait_times_LDADD = $(test_libs) $(live_libs)
tests_test_writer_LDADD = $(test_libs) $(datafile_libs)

# ---- fixtures

tests_test_fuzz_SOURCES = \
	tests/fuzz/fuzz.h \
	tests/fuzz/fuzz_build_id.c \
	tests/fuzz/fuzz_cfi.c \
	tests/fuzz/fuzz_datafile.c \
	tests/fuzz/fuzz_elf.c \
	tests/fuzz/fuzz_event.c \
	tests/fuzz/fuzz_feature.c \
	tests/fuzz/fuzz_hostfeed.c \
	tests/fuzz/fuzz_input.c \
	tests/fuzz/fuzz_listing.c \
	tests/fuzz/fuzz_jit.c \
	tests/fuzz/fuzz_kallsyms.c \
	tests/fuzz/fuzz_payload.c \
	tests/fuzz/fuzz_push.c \
	tests/fuzz/fuzz_record.c \
	tests/fuzz/fuzz_replay.c \
	tests/fuzz/fuzz_serve.c \
	tests/fuzz/fuzz_unwind.c \
	tests/fuzz/recording.c \
	tests/fuzz/recording.h \
	tests/test_fuzz.c \
	ui/term_input.c \
	ui/term_input.h

# ---- loads: programs that tests run and sample, tests/loads/NAME from NAME.c or NAME.cc

# Not sanitized: that adds to what is counted, and to loops whose shares are known.  Always with
# debug data, whatever CFLAGS say: lines of theirs are looked for.
load_flags = -I$(srcdir) -O2 -g -pthread $(LOAD_FRAMES)
LOAD_FRAMES = -fno-omit-frame-pointer

load_programs = \
	tests/loads/anon \
	tests/loads/bpf \
	tests/loads/bursts \
	tests/loads/copies \
	tests/loads/counted \
	tests/loads/crowd \
	tests/loads/exact \
	tests/loads/execs \
	tests/loads/fault_bursts \
	tests/loads/faults \
	tests/loads/hot \
	tests/loads/islands \
	tests/loads/jit \
	tests/loads/large_frames \
	tests/loads/liars \
	tests/loads/locks \
	tests/loads/nested \
	tests/loads/owners \
	tests/loads/peers \
	tests/loads/pools \
	tests/loads/python314 \
	tests/loads/runtime \
	tests/loads/shop \
	tests/loads/sprawl \
	tests/loads/storm \
	tests/loads/syscalls \
	tests/loads/texts \
	tests/loads/threads \
	tests/loads/vast \
	tests/loads/waits
if HAVE_CXX
load_programs += tests/loads/calls tests/loads/deep
endif

# as distributions build: without frame pointers
tests/loads/bursts tests/loads/large_frames tests/loads/nested tests/loads/waits: LOAD_FRAMES = -fomit-frame-pointer

tests/loads/%: tests/loads/%.c tests/loads/keep.h tests/loads/rest.h
	$(AM_V_CC)$(MKDIR_P) tests/loads && \
		$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN_CFLAGS) $(load_flags) -o $@ $<
tests/loads/%: tests/loads/%.cc
	$(AM_V_CXX)$(MKDIR_P) tests/loads && $(CXX) $(load_flags) -o $@ $<

scale_machine = \
	tests/scale/machine.c \
	tests/scale/machine.h \
	tests/scale/records.c \
	tests/scale/records.h \
	tests/scale/scale.h
tests_feeds_SOURCES = tests/feeds.c
tests_feeds_LDADD = $(feed_libs)
tests_scale_generate_SOURCES = \
	tests/scale/generate.c \
	tests/scale/image.c \
	tests/scale/image.h \
	$(scale_machine)
tests_scale_generate_LDADD = $(datafile_libs)

# ---- running them

script_tests = \
	tests/check-bootstrap \
	tests/check-completions \
	tests/check-errors \
	tests/check-headers \
	tests/check-layers \
	tests/check-messages \
	tests/check-ships

dist_check_SCRIPTS = $(script_tests) tests/check-clang tests/hosts-network tests/messages tests/mutate tests/run-tap tests/show-again tests/show-failures tests/show-slowest
TESTS =
# what they read are sources, and objects whatever the compiler was told: once is enough
if !SANITIZED
TESTS += $(script_tests)
endif
check_PROGRAMS =
check_LIBRARIES =
check_DATA =
# what is left to `make check-all`: nothing without sanitizers
rest_tests =

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests) $(smoke_tests) tests/scale/generate tests/feeds
check_DATA += $(load_programs)
TESTS += $(smoke_tests)
check_LIBRARIES += tests/libhelper.a
tests_libhelper_a_SOURCES = \
	tests/breakpoint.c \
	tests/breakpoint.h \
	tests/csv.c \
	tests/csv.h \
	tests/database.c \
	tests/database.h \
	tests/debug_server.c \
	tests/debug_server.h \
	tests/family.c \
	tests/http.c \
	tests/family.h \
	tests/gaps.c \
	tests/gaps.h \
	tests/hanging_fs.c \
	tests/hanging_fs.h \
	tests/listener.c \
	tests/listener.h \
	tests/locks.c \
	tests/locks.h \
	tests/mock_sys.c \
	tests/mock_sys.h \
	tests/named.c \
	tests/named.h \
	tests/names_load.c \
	tests/names_load.h \
	tests/paranoid.c \
	tests/paranoid.h \
	tests/person.c \
	tests/person.h \
	tests/probes.c \
	tests/probes.h \
	tests/push_store.c \
	tests/push_store.h \
	tests/root.h \
	tests/run.c \
	tests/run.h \
	tests/scale/machine.c \
	tests/scale/machine.h \
	tests/scale/records.c \
	tests/scale/records.h \
	tests/scale/scale.h \
	tests/session_fixture.c \
	tests/session_fixture.h \
	tests/setting.c \
	tests/setting.h \
	tests/stack_loads.c \
	tests/stack_loads.h \
	tests/share_past.c \
	tests/share_past.h \
	tests/share_world.c \
	tests/share_world.h \
	tests/stack_sums.c \
	tests/stack_sums.h \
	tests/static_program.c \
	tests/static_program.h \
	tests/waiter.c \
	tests/waiter.h
test_helper_libs = tests/libhelper.a
if SCREEN_TESTS
tests_libhelper_a_SOURCES += \
	tests/past.c \
	tests/past.h \
	tests/pty.c \
	tests/pty.h \
	tests/screen_fixture.c \
	tests/screen_fixture.h
# the played engine has the real one's names: a library of its own
check_LIBRARIES += tests/libplay.a
tests_libplay_a_SOURCES = \
	tests/fake_engine.c \
	tests/fake_engine.h \
	tests/fake_nodes.c \
	tests/fake_nodes.h
check_PROGRAMS += $(screen_tests) $(smoke_screen_tests)
TESTS += $(screen_tests) $(smoke_screen_tests)
endif
if SANITIZED
rest_tests += $(shared_live_tests) $(calm_tests) $(live_tests)
EXTRA_PROGRAMS += $(shared_live_tests) $(calm_tests) $(live_tests)
if SCREEN_TESTS
rest_tests += $(shared_screen_tests) $(live_screen_tests)
EXTRA_PROGRAMS += $(shared_screen_tests) $(live_screen_tests)
endif
else
check_PROGRAMS += $(shared_live_tests) $(calm_tests) $(live_tests)
TESTS += $(shared_live_tests)
if SCREEN_TESTS
check_PROGRAMS += $(shared_screen_tests) $(live_screen_tests)
TESTS += $(shared_screen_tests)
endif
endif
TESTS += $(unit_tests)
if HAVE_NCURSES
check_PROGRAMS += $(ui_tests)
TESTS += $(ui_tests)
endif
# when all others have ended, those that run alone last
if !SANITIZED
TESTS += $(calm_tests) $(live_tests)
if SCREEN_TESTS
TESTS += $(live_screen_tests)
endif
endif
check-local: check-TESTS
	@$(srcdir)/tests/show-slowest .
else
check-local:
	@echo "the unit tests are left out: they need cmocka" >&2
endif

# A test that needs a library which is left out is in no list then, nor is what it calls used.
if !HAVE_INIH
unused = -Wno-unused-function
endif
if !HAVE_LIBDW
unused = -Wno-unused-function
endif

# Tests are not optimized: that takes longer than it saves when they run.  Without its optimizer gcc
# does not know how long a text can be, so what it says of that is switched off.
all_tests = $(unit_tests) $(ui_tests) $(screen_tests) $(smoke_tests) $(smoke_screen_tests) \
	$(shared_live_tests) $(shared_screen_tests) $(calm_tests) $(live_tests) $(live_screen_tests)
$(addsuffix .$(OBJEXT),$(all_tests)): CFLAGS += -O0 $(TEST_CFLAGS) $(unused)
$(addsuffix $(EXEEXT),$(all_tests)): LDFLAGS += $(TEST_LDFLAGS)

# What clang says of the sources of what is shipped; its warnings need no build of its own.
check-clang: $(BUILT_SOURCES) config.h
	echo $(filter src/%.c ui/%.c,$(SOURCES)) | \
		top_srcdir='$(abs_top_srcdir)' STRICT_CFLAGS='$(STRICT_CFLAGS)' $(abs_top_srcdir)/tests/check-clang $(DEFS) \
		-I'$(abs_top_builddir)' -I'$(abs_top_builddir)/src' $(AM_CPPFLAGS) $(MICROHTTPD_CFLAGS) \
		$(CPPFLAGS) -std=gnu11 $(WARN_CFLAGS)
.PHONY: check-clang

check-all: $(rest_tests)
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(TESTS) $(rest_tests)'

# What is left to check without sanitizers where a build with them runs beside (.ci/run): what needs the
# real kernel, and of the others those of which a sanitizer leaves something out: they ask IS_SANITIZED or
# PTOP_CONFINE (confinement is off there), or run the confined parsers.
not_whole_sanitized = \
	tests/test_base \
	tests/test_broker \
	tests/test_fold \
	tests/test_gaps \
	tests/test_listing \
	tests/test_name_jit \
	tests/test_opener \
	tests/test_past \
	tests/test_push \
	tests/test_replay \
	tests/test_symbol_parser \
	tests/test_symbol_service \
	tests/test_unwind
sanitized_elsewhere = $(filter-out $(not_whole_sanitized),$(unit_tests) $(ui_tests) $(screen_tests))
check-unsanitized:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter-out $(sanitized_elsewhere),$(TESTS))' \
		check_PROGRAMS='$(filter-out $(sanitized_elsewhere),$(check_PROGRAMS))'
.PHONY: check-all check-unsanitized

# What is freed is kept out of use until 8 MiB more are, not 256: what uses it meanwhile is seen, and
# new pages, which cost most of what such a test takes, are few.
AM_TESTS_ENVIRONMENT = \
	ASAN_OPTIONS="quarantine_size_mb=8:$$ASAN_OPTIONS"; export ASAN_OPTIONS; \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	PTOP='$(abs_top_builddir)/ptop$(EXEEXT)'; export PTOP; \
	XDG_CONFIG_HOME=/dev/null; export XDG_CONFIG_HOME; \
	PTOP_FIXTURES="$${PTOP_FIXTURES-$(PTOP_FIXTURES)}"; export PTOP_FIXTURES; \
	PTOP_ALONE_TESTS='$(live_tests) $(live_screen_tests)'; export PTOP_ALONE_TESTS; \
	PTOP_CALM_TESTS='$(calm_tests)'; export PTOP_CALM_TESTS; \
	PTOP_COMPILE='$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) -std=gnu11'; \
	export PTOP_COMPILE; \
	NM='$(NM)'; export NM;
LOG_DRIVER = $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(srcdir)/tests/run-tap
AM_DISTCHECK_CONFIGURE_FLAGS = PTOP_FIXTURES='$(PTOP_FIXTURES)'

EXTRA_DIST += \
	$(wildcard $(srcdir)/tests/*.h $(srcdir)/tests/loads/*.*) \
	$(wildcard $(srcdir)/tests/bench/run $(srcdir)/tests/bench/*.sh $(srcdir)/tests/fuzz/run $(srcdir)/tests/fuzz/elf-seeds) \
	$(wildcard $(srcdir)/tests/data) \
	$(wildcard $(srcdir)/tests/package/*)
CLEANFILES += tests/.lock tests/.lock-builds tests/.lock-calm tests/*.said $(load_programs)

# doc/tutorial.md is in the repository: what its screens are is of this program
if HAVE_CMOCKA
if SCREEN_TESTS
tutorial: tests/test_tutorial$(EXEEXT) ptop$(EXEEXT) tests/loads/shop
	$(AM_V_GEN)PTOP=./ptop PTOP_TUTORIAL=$(srcdir)/doc/tutorial.md tests/test_tutorial$(EXEEXT) >/dev/null

# the picture of README.md, PICTURE_OPTIONS="-p PID,..." of a server's processes alone; with PICTURES=FOLDER
# each page in several themes and sizes
EXTRA_PROGRAMS += tests/pictures
pictures: tests/pictures$(EXEEXT) ptop$(EXEEXT) tests/loads/shop tests/feeds$(EXEEXT)
	$(AM_V_GEN)PTOP=./ptop; export PTOP; \
		if test -n "$(PICTURES)"; then tests/pictures$(EXEEXT) all "$(PICTURES)"; \
		else tests/pictures$(EXEEXT) readme $(srcdir)/doc/screen.svg $(PICTURE_OPTIONS); fi
endif
endif
.PHONY: pictures tutorial
