/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term.h"

#include "ui/keys.h"
#include "ui/terminals.h"
#include "ui/tty.h"
#include "base/charset.h"
#include "base/clock.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include <config.h> /* the one of configure */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
	RESTORE_MAX = 256,
	BYTES_A_READ = 4096, /* others than the keyboard have their turn, too */
	SHORT_GAP = 6,       /* cells: to move over it takes as many bytes */
	/* Of a screen: more is no size, and curses takes memory for each cell, or dies of it. */
	HEIGHT_MAX = 1000,
	WIDTH_MAX = 2000,
};

/*
 * State of the one terminal.  File scope because signal handlers and the die hook get no argument,
 * and must find what puts the terminal back.
 */
static struct {
	SCREEN *screen;
	FILE *in;             /* /dev/tty when standard input is none */
	struct term_input input; /* what came from it */
	struct tty tty;       /* where it writes to */
	int signal_pipe[2];
	struct termios saved; /* before we came */
	char restore[RESTORE_MAX];
	size_t restore_len;
	volatile sig_atomic_t taken; /* the terminal is ours now */
	bool ascii, all;
	bool has_mouse, wants_hover, hovers;
	struct buf copy; /* the sequence that is to be sent */
	int colors;           /* as style_look() has it */
	const struct theme *theme;
	attr_t attrs[STYLE_COUNT], selected_attrs[STYLE_COUNT]; /* in that theme */
	enum style blanks[STYLE_COUNT]; /* the first style whose blanks look the same */
	struct canvas shown;  /* what the terminal shows */
	cchar_t *line;
} term = { .signal_pipe = { -1, -1 }, .theme = &theme_table[THEME_DEFAULT] };

static const int caught_signals[] = { SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGTSTP, SIGCONT };

/* What keys send is a string of terminfo; of F1 and on it is kf1 and on. */
static const struct {
	const char *cap;
	int key;
} key_caps[] = {
	{ "kcuu1", KEYCODE_UP }, { "kcud1", KEYCODE_DOWN },
	{ "kcub1", KEYCODE_LEFT }, { "kcuf1", KEYCODE_RIGHT },
	{ "kpp", KEYCODE_PAGE_UP }, { "knp", KEYCODE_PAGE_DOWN },
	{ "khome", KEYCODE_HOME }, { "kend", KEYCODE_END },
	{ "kent", KEYCODE_ENTER }, { "kcbt", KEYCODE_BACK_TAB },
	{ "kbs", KEYCODE_BACKSPACE }, { "kich1", KEYCODE_INSERT },
	{ "kdch1", KEYCODE_DELETE },
};

/* Reports in digits, of any place; terminals that do not know them send older ones. */
static const char mouse_on[] = "\033[?1000h\033[?1006h";
static const char mouse_off[] = "\033[?1003l\033[?1000l\033[?1006l";

/* What is pasted comes with marks around it; terminals that know none are silent. */
static const char paste_on[] = "\033[?2004h";
static const char paste_off[] = "\033[?2004l";

static void
on_signal(int sig)
{
	int saved = errno;
	unsigned char byte = (unsigned char)sig;

	if (write(term.signal_pipe[1], &byte, 1) < 0)
		errno = 0; /* full: as many signals wait already */
	errno = saved;
}

/* Only what is async-signal-safe. */
void
term_emergency_restore(void)
{
	if (!term.taken)
		return;
	term.taken = 0;
	tty_send_last(&term.tty, &term.saved, term.restore, term.restore_len);
}

int
term_catch_signals(struct err *err)
{
	struct sigaction caught = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (pipe2(term.signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set(err, ERR_LIMIT, errno, "cannot make the signal pipe: %s",
			       strerror(errno));
	sigfillset(&caught.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(caught_signals); i++)
		sigaction(caught_signals[i], &caught, NULL);
	die_set_hook(term_emergency_restore);
	return 0;
}

static const char *
get_string(const char *cap)
{
	const char *s = tigetstr(cap);

	return s == (const char *)-1 ? NULL : s;
}

/* What terminfo says, if it can be written as it is: not a string with padding in it. */
static const char *
plain_string(const char *cap)
{
	const char *s = get_string(cap);

	return s == NULL || strchr(s, '$') != NULL ? "" : s;
}

static void
restore_add(const char *s)
{
	size_t len = strlen(s);

	if (term.restore_len + len > RESTORE_MAX)
		return;
	memcpy(term.restore + term.restore_len, s, len);
	term.restore_len += len;
}

/* The bytes that a crash writes: all that terminfo has ready now. */
static void
restore_prepare(void)
{
	term.restore_len = 0;
	term.has_mouse = get_string("kmous") != NULL;
	restore_add(paste_off);
	if (term.has_mouse)
		restore_add(mouse_off);
	restore_add(plain_string("sgr0"));
	restore_add(plain_string("op"));
	restore_add(plain_string("rmkx"));
	restore_add(plain_string("rmcup"));
	restore_add(plain_string("cnorm")); /* see end_screen() */
	restore_add(plain_string("cr")); /* a terminal that was resized may be anywhere in its line */
}

/* Of the mouse, and of pastes. */
static void
put_reports(bool on)
{
	term.hovers = false;
	fputs(on ? paste_on : paste_off, term.tty.stream);
	if (term.has_mouse)
		fputs(on ? mouse_on : mouse_off, term.tty.stream);
	fflush(term.tty.stream);
}

/* For xterm the two are one setting: what ends the moves ends the clicks. */
static void
put_hover(bool on)
{
	if (on == term.hovers || !term.has_mouse)
		return;
	term.hovers = on;
	fputs(on ? "\033[?1003h" : "\033[?1003l\033[?1000h", term.tty.stream);
	fflush(term.tty.stream);
}

void
term_hover(bool on)
{
	term.wants_hover = on;
}

/*
 * Leaving the alternate screen brings back what was saved last, which is ours if curses has moved
 * lines meanwhile; some terminals (those of libvterm) count the hidden cursor to it.
 */
static void
end_screen(void)
{
	const char *s = plain_string("cnorm");

	tty_drop(&term.tty);
	put_reports(false);
	endwin();
	term.taken = 0;
	if (write(STDOUT_FILENO, s, strlen(s)) < 0)
		return; /* then there is nobody to see it */
}

/* The same for good: the terminal may have stopped, and must not stop us. */
static void
end_screen_at_last(void)
{
	tty_drop(&term.tty);
	tty_hold(&term.tty);
	put_reports(false);
	endwin();
	fputs(plain_string("cnorm"), term.tty.stream);
	fflush(term.tty.stream);
	tty_release(&term.tty);
	term.taken = 0;
	tty_send_last(&term.tty, &term.saved, term.tty.rest, term.tty.rest_len);
}

/* Whether a colour's number is its red, green and blue: terminfo's RGB, in any of its forms. */
static bool
has_true_colors(void)
{
	return COLORS > 256 &&
	       (tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || get_string("RGB") != NULL);
}

static attr_t
curses_attr(unsigned attr)
{
	static const struct {
		unsigned ours;
		attr_t theirs;
	} map[] = {
		{ STYLE_BOLD, A_BOLD }, { STYLE_FAINT, A_DIM },
		{ STYLE_UNDER, A_UNDERLINE }, { STYLE_REVERSE, A_REVERSE },
	};
	attr_t res = A_NORMAL;

	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		if ((attr & map[i].ours) != 0)
			res |= map[i].theirs;
	return res;
}

/* Of a blank nothing is seen but what is behind it, and a line below it. */
static bool
has_same_blanks(const struct style_look *a, const struct style_look *b)
{
	unsigned seen = (a->attr | b->attr) & (STYLE_UNDER | STYLE_REVERSE);

	return a->bg == b->bg && (a->attr & seen) == (b->attr & seen) && (seen == 0 || a->fg == b->fg);
}

/* Once for all cells: the nearest of many colours take long to be found. */
static void
init_looks(void)
{
	struct style_look looks[STYLE_COUNT];

	for (int i = 0; i < STYLE_COUNT; i++) {
		struct style_look look = looks[i] = style_look(term.theme, (enum style)i, term.colors);
		struct style_look chosen = style_look_selected(term.theme, (enum style)i, term.colors);

		if (term.colors > 0)
			init_extended_pair(i + 1, look.fg, look.bg);
		term.attrs[i] = curses_attr(look.attr);
		term.selected_attrs[i] = curses_attr(chosen.attr);
		term.blanks[i] = 0;
		while (!has_same_blanks(&looks[term.blanks[i]], &look))
			term.blanks[i]++;
	}
}

static void
init_colors(void)
{
	const char *no_color = getenv("NO_COLOR");

	term.colors = 0;
	if ((no_color != NULL && no_color[0] != '\0') || !has_colors() || start_color() != OK)
		return;
	if (use_default_colors() != OK || COLORS < 8 || COLOR_PAIRS <= STYLE_COUNT)
		return;
	/* What the numbers above 256 are is not known then; the first 8 are everywhere the same. */
	term.colors = COLORS <= 256 || has_true_colors() ? COLORS : 8;
}

void
term_set_theme(const struct theme *theme)
{
	term.theme = theme;
	term.all = true;
	if (term.screen != NULL)
		init_looks();
}

static int
open_input(struct err *err)
{
	if (term.in != NULL)
		return 0;
	term.in = isatty(STDIN_FILENO) ? stdin : fopen("/dev/tty", "re");
	if (term.in == NULL)
		return err_set(err, ERR_IO, errno,
			       "cannot read keys: standard input is no terminal");
	return 0;
}

static void
begin_input(void)
{
	term_input_begin(&term.input, term.has_mouse);
	for (size_t i = 0; i < ARRAY_SIZE(key_caps); i++)
		term_input_add_string(&term.input, get_string(key_caps[i].cap), key_caps[i].key);
	for (int i = 0; i <= KEYCODE_F12 - KEYCODE_F1; i++) {
		char cap[16];

		snprintf(cap, sizeof(cap), "kf%d", i + 1);
		term_input_add_string(&term.input, get_string(cap), KEYCODE_F1 + i);
	}
}

/* What the terminal sends.  Curses alone does not ask for it again after endwin(). */
static void
ask_for_input(void)
{
	keypad(stdscr, TRUE);
	put_reports(true);
}

static SCREEN *
open_screen(void)
{
	SCREEN *screen = newterm(NULL, term.tty.stream, term.in);
#ifdef PTOP_STATIC
	const char *name = getenv("TERM"), *own = name != NULL ? terminal_description(name) : NULL;

	if (screen == NULL && own != NULL) {
		setenv("TERMINFO", own, 1);
		screen = newterm(NULL, term.tty.stream, term.in);
		unsetenv("TERMINFO"); /* what ptop runs may have another curses */
	}
#endif
	return screen;
}

static int
unknown_terminal(struct err *err)
{
	const char *name = getenv("TERM");

	err_set(err, ERR_UNSUPPORTED, 0, "cannot show a screen on the terminal type '%s'",
		name == NULL ? "" : name);
	return err_hint(err, "set TERM=vt100 or another that this machine knows, or use -b");
}

/* A number of lines or columns: what the terminal tells; else the environment; else it stays. */
static int
size_of(int told, const char *variable, int now, int max)
{
	const char *text = getenv(variable);

	if (told == 0 && text != NULL)
		told = (int)MIN(strtol(text, NULL, 10), (long)max);
	return told > 0 ? MIN(told, max) : now;
}

void
term_size(int *width, int *height)
{
	struct winsize ws = { 0 };
	int w, h;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws);
	w = size_of(ws.ws_col, "COLUMNS", COLS, WIDTH_MAX);
	h = size_of(ws.ws_row, "LINES", LINES, HEIGHT_MAX);
	if (w != COLS || h != LINES) {
		resizeterm(h, w);
		term.all = true;
	}
	*width = COLS;
	*height = LINES;
}

int
term_open(struct err *err)
{
	int width, height;

	if (open_input(err) != 0 || tty_open(&term.tty, err) != 0)
		return -1;
	charset_begin();
	term.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	tcgetattr(fileno(term.in), &term.saved);
	use_env(FALSE); /* it would take any size: term_size() asks instead */
	term.screen = open_screen();
	if (term.screen == NULL)
		return unknown_terminal(err);
	restore_prepare();
	term.taken = 1;
	cbreak();
	noecho();
	nonl();
	begin_input();
	term_size(&width, &height);
	/*
	 * ncurses 6.4 writes after each move of the cursor, some sixty times a frame, until it has
	 * come back from endwin() once; and looks for keys every few lines, which poll() does here.
	 */
	endwin();
	refresh();
	typeahead(-1);
	curs_set(0);
	ask_for_input();
	init_colors();
	init_looks();
	return 0;
}

void
term_close(void)
{
	if (term.screen != NULL) {
		if (term.taken)
			end_screen_at_last();
		delscreen(term.screen);
	}
	tty_close(&term.tty);
	if (term.in != NULL && term.in != stdin)
		fclose(term.in);
	canvas_release(&term.shown);
	buf_release(&term.copy);
	free(term.line);
	term.line = NULL;
	term.screen = NULL;
	term.in = NULL;
}

int
term_input_fd(void)
{
	return fileno(term.in);
}

int
term_output_fd(void)
{
	return tty_fd(&term.tty);
}

int
term_signal_fd(void)
{
	return term.signal_pipe[0];
}

int
term_next_signal(void)
{
	unsigned char byte;

	return read(term.signal_pipe[0], &byte, 1) == 1 ? byte : 0;
}

bool
term_is_ascii(void)
{
	return term.ascii;
}

void
term_redraw(void)
{
	term.all = true;
}

static void
cell_to_curses(const struct cell *cell, cchar_t *out)
{
	const attr_t *attrs = cell->selected ? term.selected_attrs : term.attrs;
	int pair = (cell->selected ? STYLE_SELECTED : (int)cell->style) + 1;
	wchar_t text[3] = { (wchar_t)cell->ch, (wchar_t)cell->mark, 0 };

	setcchar(out, text, attrs[cell->style], term.colors > 0 ? (short)pair : 0, NULL);
}

static bool
is_blank(const struct cell *cell)
{
	return cell->ch == ' ' && cell->mark == 0 && cell->width == 1;
}

/* A blank that looks as it did is not sent again: its colour is no more than that of the row it is in. */
static bool
cell_changed(const struct cell *cell, const struct cell *shown)
{
	if (term.all)
		return true;
	if (is_blank(cell) && is_blank(shown) && cell->selected == 0 && shown->selected == 0)
		return term.blanks[cell->style] != term.blanks[shown->style];
	return memcmp(cell, shown, sizeof(*cell)) != 0;
}

static void
flush_run(const struct cell *line, int y, int from, int to)
{
	int n = 0;

	while (from > 0 && line[from].width == 0)
		from--;
	for (int x = from; x < to; x++)
		if (line[x].width != 0)
			cell_to_curses(&line[x], &term.line[n++]);
	mvadd_wchnstr(y, from, term.line, n);
}

/*
 * Gives curses what changed in a line: of most lines only some numbers do.  Short gaps go along: curses
 * writes them again rather than move, and blanks are to have the colour then that is written in.
 */
static void
flush_line(const struct canvas *c, int y)
{
	const struct cell *line = &c->cells[(size_t)y * (size_t)c->width];
	const struct cell *shown = &term.shown.cells[(size_t)y * (size_t)c->width];
	int x = 0, from;

	while (x < c->width) {
		int end;

		for (; x < c->width && !cell_changed(&line[x], &shown[x]); x++)
			;
		for (from = end = x; x < c->width && x < end + SHORT_GAP; x++)
			if (cell_changed(&line[x], &shown[x]))
				end = x + 1;
		if (from < end)
			flush_run(line, y, from, end);
	}
}

void
term_copy(const char *text, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	buf_reset(&term.copy);
	buf_add_str(&term.copy, "\033]52;c;");
	for (size_t i = 0; i < len; i += 3) {
		uint32_t bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < len ? (unsigned char)text[i + k] : 0u);
		for (size_t k = 0; k < 4; k++)
			buf_add_char(&term.copy,
				     i + k <= len ? digits[bits >> (18 - 6 * k) & 63] : '=');
	}
	buf_add_str(&term.copy, "\a");
}

int
term_flush(const struct canvas *c)
{
	size_t bytes = (size_t)c->width * sizeof(*c->cells);

	if (term.shown.width != c->width || term.shown.height != c->height) {
		canvas_resize(&term.shown, c->width, c->height);
		term.line = mem_realloc(term.line, (size_t)c->width, sizeof(*term.line));
		term.all = true;
	}
	if (term.all)
		clearok(stdscr, TRUE);
	for (int y = 0; y < c->height; y++) {
		size_t at = (size_t)y * (size_t)c->width;

		if (!term.all && memcmp(&c->cells[at], &term.shown.cells[at], bytes) == 0)
			continue;
		flush_line(c, y);
		memcpy(&term.shown.cells[at], &c->cells[at], bytes);
	}
	term.all = false;
	tty_hold(&term.tty);
	put_hover(term.wants_hover);
	if (term.copy.len > 0) {
		fputs(buf_str(&term.copy), term.tty.stream);
		fflush(term.tty.stream); /* curses has a buffer of its own */
		buf_reset(&term.copy);
	}
	refresh();
	tty_release(&term.tty);
	return term_send();
}

int
term_send(void)
{
	return tty_send(&term.tty);
}

/* One at a time: what comes behind a key that leaves is for the shell. */
static int
read_byte(unsigned char *byte)
{
	struct pollfd some = { .fd = fileno(term.in), .events = POLLIN };
	ssize_t n;

	if (poll(&some, 1, 0) <= 0)
		return 0;
	n = read(some.fd, byte, 1);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	return n == 1 ? 1 : -1;
}

int
term_read(struct term_event *ev)
{
	unsigned char byte;

	for (int i = 0; i < BYTES_A_READ; i++) {
		int n;

		if (term_input_next(&term.input, ev))
			return 1;
		n = read_byte(&byte);
		if (n < 0)
			return -1;
		if (n == 0)
			return term_input_give_up(&term.input, clock_mono_ns(), ev);
		term_input_put(&term.input, byte, clock_mono_ns());
	}
	return 0;
}

uint64_t
term_until_ns(void)
{
	return term_input_until_ns(&term.input);
}

void
term_lend(void)
{
	term_input_forget(&term.input);
	end_screen();
}

/* Also after SIGSTOP and what the shell has made of the terminal meanwhile. */
void
term_resume(void)
{
	if (term.taken)
		end_screen();
	refresh();
	ask_for_input();
	term.taken = 1;
	term.all = true;
}

void
term_suspend(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, stop, go_on;

	term_lend();
	sigaction(SIGCONT, &usual, &go_on);
	sigaction(SIGTSTP, &usual, &stop);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &stop, NULL);
	sigaction(SIGCONT, &go_on, NULL);
	term_resume();
}

/* From a process group in the background; and with the settings of before, whatever was made of them. */
static void
take_foreground(void)
{
	sigset_t output, old;

	sigemptyset(&output);
	sigaddset(&output, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &output, &old);
	tcsetpgrp(fileno(term.in), getpgrp());
	tcsetattr(fileno(term.in), TCSADRAIN, &term.saved);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void
term_take_back(const char *text, size_t len)
{
	take_foreground();
	if (write(STDOUT_FILENO, text, len) < 0)
		return; /* then there is nobody to see it */
}

int
term_has_enter(void)
{
	char typed[64];
	ssize_t n = read(fileno(term.in), typed, sizeof(typed));

	/* 0 is ^D: of a terminal that has gone poll() says so. */
	if (n == 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return 0;
	return n < 0 ? -1 : memchr(typed, '\n', (size_t)n) != NULL;
}
