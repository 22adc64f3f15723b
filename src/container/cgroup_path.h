/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_CONTAINER_CGROUP_PATH_H
#define PTOP_CONTAINER_CGROUP_PATH_H
/*
 * What the path of a control group tells of who made it: systemd, docker, containerd, CRI-O, podman,
 * kubelet and LXC each have names of their own for groups.  Nothing is asked of anybody.  Paths are
 * untrusted: who may make a group below its own gives it any name.
 */
#include "base/buf.h"

enum { CONTAINER_ID_MAX = 96, UNIT_NAME_MAX = 272, ID_SHOWN = 12 };

/*
 * "": the path tells of none.  Of nested ones the innermost.  Below "user@UID.service" a user makes
 * any group: these are the user's, with "user@UID/" before them, so they are never the machine's.
 */
struct cgroup_names {
	char container[CONTAINER_ID_MAX]; /* id, mostly 64 hex digits; of LXC and machines their name */
	char pod[CONTAINER_ID_MAX];       /* uid of Kubernetes, or id of podman */
	char unit[UNIT_NAME_MAX];         /* of systemd, without escapes, ids cut: "docker-0123456789ab.scope" */
	char whole_unit[UNIT_NAME_MAX];   /* the same as it is written there */
};

void cgroup_names_of(const char *path, struct cgroup_names *names);

/* Adds the text, with what is an id in it cut to its first 12 digits, as people write them. */
void cgroup_put_short(struct buf *b, const char *text);

#endif
