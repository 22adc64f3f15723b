/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs on each host.  It is one line without "!", which any login shell passes on: with --copy to
 * sh, whose script is the same for all, and has what differs as arguments.
 */
#include "engine/hosts/hosts_impl.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */
#include <inttypes.h>

#include "live/carrier/copy_file.h"

/* The ptop that is there, if it is $1, else the word that asks for one. */
static const char ask_script[] =
	"if [ \"$(ptop --version 2>/dev/null | head -n 1)\" = \"$1\" ]; then shift; exec ptop \"$@\"; fi; "
	"echo " HOSTFEED_WANTED;

/*
 * The ptop that comes on standard input, for machine $1 and with cksum(1)'s $2, runs from a file that
 * has lost its name before the first byte comes: whatever ends, however, nothing is left.
 */
static const char copy_script[] =
	"m=$(uname -m); [ \"$m\" = \"$1\" ] || "
	"{ echo \"this machine is $m, the ptop to copy is for $1\" >&2; exit 1; }; "
	"d=${TMPDIR:-/tmp}; f=$(mktemp \"$d/ptop.XXXXXX\") || exit 1; "
	"trap 'rm -f \"$f\"' 0; trap 'exit 1' 1 2 13 15; "
	"chmod 700 \"$f\" && exec 3>\"$f\" 4<\"$f\" && rm -f \"$f\" || exit 1; trap - 0; "
	"cat >&3 || exit 1; exec 3>&-; [ \"$(cksum <&4)\" = \"$2\" ] || "
	"{ echo 'the ptop that was copied there is not whole' >&2; exit 1; }; "
	"p=/proc/self/fd/4; shift 2; $p --version >/dev/null || "
	"{ echo \"the ptop that was copied there does not run in $d (TMPDIR)\" >&2; exit 1; }; "
	"exec $p \"$@\" </dev/null";

/* For a shell. */
static void
put_quoted(struct buf *b, const char *text)
{
	buf_add_char(b, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			buf_add_str(b, "'\\''");
		else
			buf_add_char(b, *text);
	}
	buf_add_char(b, '\'');
}

static void
put_arguments(struct buf *b, const struct engine_config *config, const char *events)
{
	buf_add_str(b, " --no-config --feed");
	if (events != NULL) {
		buf_add_str(b, " -e ");
		put_quoted(b, events);
	}
	if (config->rate_given && config->count > 0)
		buf_addf(b, " -c %" PRIu64, config->count);
	else if (config->rate_given && config->freq == UINT64_MAX)
		buf_add_str(b, " -F max");
	else if (config->rate_given)
		buf_addf(b, " -F %" PRIu64, config->freq);
}

static void
put_script(struct buf *b, const char *script)
{
	buf_add_str(b, "sh -c ");
	put_quoted(b, script);
	buf_add_str(b, " ptop");
}

char *
hosts_make_command(const struct engine_config *config, const char *events)
{
	struct buf b = { 0 };

	if (config->copy == NULL) {
		buf_add_str(&b, "ptop");
	} else {
		put_script(&b, ask_script);
		buf_add_str(&b, " 'ptop " PACKAGE_VERSION "'");
	}
	put_arguments(&b, config, events);
	return b.data;
}

char *
hosts_make_copying(const struct engine_config *config, const char *events)
{
	struct buf b = { 0 };

	if (config->copy == NULL)
		return NULL;
	put_script(&b, copy_script);
	buf_addf(&b, " %s '%" PRIu32 " %" PRIu64 "'", config->copy->machine, config->copy->sum,
		 config->copy->size);
	put_arguments(&b, config, events);
	return b.data;
}
