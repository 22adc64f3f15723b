/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FILE_PARCEL_H
#define PTOP_SYMBOL_FILE_PARCEL_H
/*
 * An open file inside of a socket that nobody has read.  Who has the parcel can pass it on and
 * close it, and never waits for the file system: close(2) of the file itself does, on FUSE.
 */

/* A parcel with the file @fd, which stays the caller's; -1: errno says why. */
int parcel_new(int fd);

/* The file in the parcel @fd, which is taken; what is no parcel comes back as it is.  -1: none. */
int parcel_open(int fd);

#endif
