# SPDX-License-Identifier: GPL-2.0-or-later

noinst_LIBRARIES += %D%/librecord.a
%C%_librecord_a_CFLAGS = $(AM_CFLAGS) $(STRICT_CFLAGS)
%C%_librecord_a_SOURCES = \
	%D%/abi.h \
	%D%/call_args.c \
	%D%/call_args.h \
	%D%/copy.c \
	%D%/copy.h \
	%D%/decode.c \
	%D%/encode.c \
	%D%/encode.h \
	%D%/gains.c \
	%D%/gains.h \
	%D%/layouts.c \
	%D%/layouts.h \
	%D%/length.c \
	%D%/lock_call.c \
	%D%/lock_call.h \
	%D%/look.c \
	%D%/look.h \
	%D%/merge.c \
	%D%/merge.h \
	%D%/payload.c \
	%D%/payload.h \
	%D%/payload_formats.c \
	%D%/payload_formats.h \
	%D%/print_fmt.c \
	%D%/print_fmt.h \
	%D%/put.c \
	%D%/put.h \
	%D%/put_sample.c \
	%D%/put_values.c \
	%D%/put_words.c \
	%D%/put_words.h \
	%D%/read_format.c \
	%D%/record.h \
	%D%/reg_names.c \
	%D%/reg_names.h \
	%D%/types.c \
	%D%/types.h \
	%D%/value_name.c \
	%D%/value_name.h \
	%D%/wait_kind.c \
	%D%/wait_kind.h

# Names of system calls by number, as this system's headers have them for what is built (CFLAGS: -m32).
# Two names are marks of asm-generic/unistd.h, no calls.
nodist_%C%_librecord_a_SOURCES = %D%/syscall_names.inc %D%/syscall_names_32.inc
BUILT_SOURCES += $(nodist_%C%_librecord_a_SOURCES)
CLEANFILES += $(nodist_%C%_librecord_a_SOURCES)
%D%/librecord_a-value_name.$(OBJEXT): $(nodist_%C%_librecord_a_SOURCES)
syscall_names = $(CC) $(CPPFLAGS) $(CFLAGS) -E -dM - | $(AWK) '$$2 ~ /^__NR_[a-z0-9_]+$$/ && \
	$$2 !~ /_(syscalls|arch_specific_syscall)$$/ { print "[" $$3 "] = \"" substr($$2, 6) "\"," }'
%D%/syscall_names.inc:
	$(AM_V_GEN)$(MKDIR_P) %D% && echo '#include <sys/syscall.h>' | $(syscall_names) >$@.new && mv $@.new $@
%D%/syscall_names_32.inc:
	$(AM_V_GEN)$(MKDIR_P) %D% && { echo '#if defined(__x86_64__)'; echo '#include <asm/unistd_32.h>'; \
		echo '#endif'; } | $(syscall_names) >$@.new && mv $@.new $@
