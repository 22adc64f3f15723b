/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of every theme can be read, on terminals of every number of colours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "app/rcfile.h"
#include "tests/asserts.h"
#include "ui/own_theme.h"

#define LEAST_CONTRAST 4.5

enum { BLACK = 0x000000, WHITE = 0xffffff, BRIGHT = 8 };

/* The first 16 colours; bold text in one of the first 8 is bright on the console. */
static const struct palette {
	const char *name;
	bool bold_is_bright;
	uint32_t rgb[16];
} palettes[] = {
	{ "xterm", false,
	  { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff } },
	{ "console", true,
	  { 0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
	    0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff } },
};

/* As the Web Content Accessibility Guidelines define them. */
static double
luminance(uint32_t rgb)
{
	static const double weights[] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double c = (rgb >> 8 * i & 0xff) / 255.0;

		sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double
contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

/* @number is the terminal's. */
static uint32_t
rgb_of(const struct palette *p, int number, int colors)
{
	if (number < 16 && (colors <= 256 || number < 8))
		return p->rgb[number];
	return colors > 256 ? (uint32_t)number : style_colour_rgb(number);
}

static bool
is_bar(enum style style)
{
	return style == STYLE_BAR_LOW || style == STYLE_BAR_MID || style == STYLE_BAR_HIGH;
}

static double
contrast_of(const struct palette *p, enum theme_id theme, struct style_look look, int colors)
{
	const bool is_light = theme == THEME_LIGHT;
	uint32_t fg = is_light ? BLACK : p->rgb[7], bg = is_light ? WHITE : BLACK;

	if (p->bold_is_bright && (look.attr & STYLE_BOLD) && look.fg >= 0 && look.fg < BRIGHT)
		look.fg += BRIGHT;
	if (look.fg >= 0)
		fg = rgb_of(p, look.fg, colors);
	if (look.bg >= 0)
		bg = rgb_of(p, look.bg, colors);
	return contrast(fg, bg);
}

static void
contrasts_are_computed_as_they_are_defined(void **state)
{
	(void)state;
	assert_that(contrast(WHITE, BLACK), ==, 21.0);
	assert_that(fabs(contrast(0x777777, WHITE) - 4.48), <, 0.01);
	assert_that(fabs(contrast(0xcd0000, BLACK) - 3.60), <, 0.01);
}

static void
text_of_every_theme_can_be_read_with_any_number_of_colours(void **state)
{
	static const int depths[] = { 8, 16, 88, 256, 1 << 24 };

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(palettes); p++) {
		for (size_t d = 0; d < ARRAY_SIZE(depths); d++) {
			for (int t = 0; t < THEME_COUNT; t++) {
				for (int s = 0; s < STYLE_COUNT; s++) {
					struct style_look look = style_look(&theme_table[t], s, depths[d]);
					struct style_look chosen =
						style_look_selected(&theme_table[t], s, depths[d]);
					double least = MIN(contrast_of(&palettes[p], t, look, depths[d]),
							   contrast_of(&palettes[p], t, chosen, depths[d]));

					if (!is_bar(s) && least < LEAST_CONTRAST)
						fail_msg("%s, %s, %d colours, %s: contrast %.2f",
							 palettes[p].name, theme_defs[t].name, depths[d],
							 style_defs[s].name, least);
				}
			}
		}
	}
}

/* Of 16 to 255 each is itself, and what lies between is the nearest. */
static void
colours_become_the_nearest_that_a_terminal_has(void **state)
{
	(void)state;
	for (int i = 16; i < 256; i++) {
		int again = style_colour_of(STYLE_RGB((int)style_colour_rgb(i)), 256);

		assert_int_equal(style_colour_rgb(again), style_colour_rgb(i));
		assert_int_equal(style_colour_of(i, 1 << 24), style_colour_rgb(i));
	}
	assert_int_equal(style_colour_of(STYLE_RGB(0xfe0000), 16), 9);
	assert_int_equal(style_colour_of(STYLE_RGB(0xfe0000), 8), 1);
	assert_that(style_colour_of(20, 88), <, 16); /* its 20 is another than that of 256 */
	assert_int_equal(style_colour_of(STYLE_COLOUR_OWN, 256), STYLE_COLOUR_OWN);
	assert_int_equal(style_colour_of(3, 1 << 24), 3);
}

static void
read_theme(struct own_theme *t, struct rcfile *rc, const char *text)
{
	*rc = (struct rcfile){ .name = "ptoprc" };
	rcfile_parse(rc, text, strlen(text));
	own_theme_read(t, rc);
}

static void
a_theme_of_one_s_own_is_a_base_and_changes(void **state)
{
	static const char text[] = "[theme]\nhot = #ff8700 on black bold\nbase = light\n"
				   "dim = bright-red\ntitle = white on 25 under\nuser = default\n";
	struct own_theme t;
	struct rcfile rc;
	struct style_look look;

	(void)state;
	read_theme(&t, &rc, text);
	assert_int_equal(rc.faults.len, 0);
	assert_true(t.is_told);
	look = style_look(&t.theme, STYLE_HOT, 1 << 24);
	assert_int_equal(look.fg, 0xff8700);
	assert_int_equal(look.bg, 0);
	assert_int_equal(look.attr, STYLE_BOLD);
	assert_int_equal(style_look(&t.theme, STYLE_HOT, 256).fg, 208);
	assert_that(style_look(&t.theme, STYLE_HOT, 8).fg, <, 8);
	assert_int_equal(style_look(&t.theme, STYLE_DIM, 256).fg, 9);
	assert_int_equal(style_look(&t.theme, STYLE_TITLE, 256).bg, 25);
	assert_int_equal(style_look(&t.theme, STYLE_TITLE, 256).attr, STYLE_UNDER);
	assert_int_equal(style_look(&t.theme, STYLE_WARM, 256).fg,
			 style_look(&theme_table[THEME_LIGHT], STYLE_WARM, 256).fg);
	rcfile_release(&rc);
}

static void
what_is_wrong_in_a_theme_is_told_and_the_rest_taken(void **state)
{
	static const char text[] =
		"[theme]\nbase = nosuch\nhot = pink\nnothing = red\nwarm = #12345\ndim = 256\n"
		"good = red on \x1b[31m\nalarm = bright-bright-red\ncrumb = #0000000000000000000000000000000000\n"
		"notice = blue\n";
	struct own_theme t;
	struct rcfile rc;

	(void)state;
	read_theme(&t, &rc, text);
	for (int line = 2; line <= 9; line++) {
		char number[24];

		snprintf(number, sizeof(number), "ptoprc:%d: ", line);
		if (strstr(buf_str(&rc.faults), number) == NULL)
			fail_msg("line %d is no fault of\n%s", line, buf_str(&rc.faults));
	}
	assert_int_equal(style_look(&t.theme, STYLE_HOT, 256).fg,
			 style_look(&theme_table[THEME_OWN], STYLE_HOT, 256).fg);
	assert_int_equal(style_look(&t.theme, STYLE_NOTICE, 256).fg, 4);
	rcfile_release(&rc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contrasts_are_computed_as_they_are_defined),
		cmocka_unit_test(text_of_every_theme_can_be_read_with_any_number_of_colours),
		cmocka_unit_test(colours_become_the_nearest_that_a_terminal_has),
		cmocka_unit_test(a_theme_of_one_s_own_is_a_base_and_changes),
		cmocka_unit_test(what_is_wrong_in_a_theme_is_told_and_the_rest_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
