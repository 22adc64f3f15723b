/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the screen says of samples that were lost: how many, where, and what helps. */
#include "tests/screen_fixture.h"

static void
a_window_with_losses_is_marked_and_explained(void **state)
{
	struct screen *s = *state;

	screen_load(s, "syscalls");
	screen_start(s, 120, 40, ARGS("-m", "1", "-e", "raw_syscalls:sys_enter", "-c", "1", "-w", "2",
				      "-d", "0.3"), NULL);
	sees_match(s, "^ event raw_syscalls:sys_enter .* lost [1-9]");
	sees_match(s, "window 2 s.* lost in it [(]!");
	keys(s, "!");
	sees_match(s, "samples lost in full rings: [1-9].*larger rings \\(-m\\)");
	sees_match(s, "most samples were lost on CPU [0-9]+: [1-9]");
	keys(s, "\033");
	sees(s, "lost in it (!)");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_window_with_losses_is_marked_and_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
