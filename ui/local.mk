# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/libui.a
%C%_libui_a_SOURCES = \
	%D%/acting.c \
	%D%/acting.h \
	%D%/action_table.c \
	%D%/action_table.h \
	%D%/annotate_actions.c \
	%D%/annotate_draw.c \
	%D%/annotate_file.c \
	%D%/annotate_impl.h \
	%D%/annotate_lines.c \
	%D%/annotate_lines.h \
	%D%/annotate_model.c \
	%D%/annotate_page.c \
	%D%/away.c \
	%D%/away.h \
	%D%/calltree.c \
	%D%/calltree.h \
	%D%/canvas.c \
	%D%/canvas.h \
	%D%/choice.c \
	%D%/choice.h \
	%D%/column_width.c \
	%D%/column_width.h \
	%D%/columns.c \
	%D%/columns.h \
	%D%/commands.c \
	%D%/commands.h \
	%D%/compare_menu.c \
	%D%/cpu_bars.c \
	%D%/cpu_bars.h \
	%D%/cpus_page.c \
	%D%/crumbs.c \
	%D%/crumbs.h \
	%D%/engine_messages.c \
	%D%/file_actions.c \
	%D%/filter_actions.c \
	%D%/find_actions.c \
	%D%/flame_page.c \
	%D%/header.c \
	%D%/header.h \
	%D%/header_parts.c \
	%D%/header_parts.h \
	%D%/hits_page.c \
	%D%/help_actions.c \
	%D%/input.c \
	%D%/input.h \
	%D%/keymap.c \
	%D%/keymap.h \
	%D%/keys.c \
	%D%/keys.h \
	%D%/layout.c \
	%D%/layout.h \
	%D%/menu_page.c \
	%D%/move_actions.c \
	%D%/name_code.c \
	%D%/nav.c \
	%D%/nav.h \
	%D%/nodepath.c \
	%D%/nodetext.c \
	%D%/nodetext.h \
	%D%/other_keys.c \
	%D%/other_keys.h \
	%D%/output.c \
	%D%/output.h \
	%D%/output_page.c \
	%D%/own_theme.c \
	%D%/own_theme.h \
	%D%/page.c \
	%D%/page.h \
	%D%/page_table.c \
	%D%/pages.h \
	%D%/palette_page.c \
	%D%/picker_list.c \
	%D%/picker_list.h \
	%D%/picker_page.c \
	%D%/place.c \
	%D%/place.h \
	%D%/process_actions.c \
	%D%/program_actions.c \
	%D%/presets.c \
	%D%/presets.h \
	%D%/prompt.c \
	%D%/prompt.h \
	%D%/prompt_page.c \
	%D%/refusal.c \
	%D%/refusal.h \
	%D%/row_actions.c \
	%D%/sampling_actions.c \
	%D%/screen_words.c \
	%D%/screen_words.h \
	%D%/segs.c \
	%D%/segs.h \
	%D%/settings.c \
	%D%/settings.h \
	%D%/setup_page.c \
	%D%/signals.c \
	%D%/signals.h \
	%D%/state.c \
	%D%/state.h \
	%D%/strip.c \
	%D%/strip.h \
	%D%/style.c \
	%D%/style.h \
	%D%/synonyms.c \
	%D%/synonyms.h \
	%D%/table.c \
	%D%/table.h \
	%D%/table_page.c \
	%D%/term.c \
	%D%/term.h \
	%D%/term_input.c \
	%D%/term_input.h \
	%D%/text_ops.c \
	%D%/text_ops.h \
	%D%/text_page.c \
	%D%/textview.c \
	%D%/textview.h \
	%D%/themes.c \
	%D%/time_actions.c \
	%D%/time_page.c \
	%D%/title_menu.c \
	%D%/title_menu.h \
	%D%/tree_page.c \
	%D%/tty.c \
	%D%/tty.h \
	%D%/ui.c \
	%D%/ui.h \
	%D%/view_actions.c \
	%D%/words.c

if STATIC
# What a static ptop knows of terminals is this machine's terminfo.
%C%_libui_a_SOURCES += %D%/terminals.c %D%/terminals.h
BUILT_SOURCES += %D%/terminals.inc
CLEANFILES += %D%/terminals.inc
%D%/terminals.$(OBJEXT): %D%/terminals.inc
%D%/terminals.inc:
	$(AM_V_GEN)$(MKDIR_P) %D% && for name in xterm-256color xterm screen-256color screen tmux-256color tmux \
		rxvt-unicode-256color linux vt100; do \
		text=$$(infocmp -0 -q -Q2 $$name) && echo "{ \"$$name\", \"$$text\" }," || exit; done >$@.new && mv $@.new $@
endif
