/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_FAKE_ENGINE_H
#define PTOP_TESTS_FAKE_ENGINE_H
/*
 * An engine (engine/engine.h) that samples nothing: canned processes, threads and functions, so that
 * the whole screen can be tested.  Environment of the program that runs it:
 *   FAKE_SHUFFLE=1  the order of the rows changes with each refresh
 *   FAKE_MAKER=FILE what has no names was made by the process whose number is in it, once it is there
 *   FAKE_HOSTILE=1  names that try to command the terminal
 *   FAKE_CPUS=N     CPUs in the bar (default 4)
 *   FAKE_OFF_LINE=N of them, that are not sampled (default 0)
 *   FAKE_EVENTS=N   tracepoints in the catalogue (default 20)
 *   FAKE_NOTICES=N  notices in the header (default 0)
 *   FAKE_NEWS=T     each refresh brings this as news for the status line
 *   FAKE_CHANGES=N  so many changes are told, and one more each time that they are asked for (default: one)
 *   FAKE_OUTPUT=T   the text that COMMAND writes
 *   FAKE_SLOW=MS    each answer comes that much later
 *   FAKE_REFRESHES=N as --iterations (default: without end)
 *   FAKE_LOG=FILE   one line for each command of the ui
 */

/* Runs the screen on this engine: argv as ptop's own main() would get it.  The exit status. */
int fake_main(int argc, char **argv);

#endif
