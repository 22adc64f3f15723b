/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What paths of control groups tell of units, containers and pods. */
#include "container/cgroup_path.h"
#include "container/containers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ID "3f4f9eddcec5b1bd0e8a9d2c7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a"
#define ID_2 "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9"
#define POD "2f2ad3a4-8a65-4b6b-9c0a-0d8f5c1a7e11"
#define POD_ "2f2ad3a4_8a65_4b6b_9c0a_0d8f5c1a7e11"
#define STATIC_POD "7d0f2a1b3c4d5e6f708192a3b4c5d6e7"

/* As each of them writes paths, by its version of control groups and its driver for them. */
static const struct {
	const char *path, *container, *pod, *unit;
} paths[] = {
	/* systemd */
	{ "/", "", "", "" },
	{ "/init.scope", "", "", "init.scope" },
	{ "/system.slice/nginx.service", "", "", "nginx.service" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "", "", "getty@tty1.service" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope",
	  "", "", "user@1000/vte-spawn-1.scope" },
	{ "/user.slice/user-1000.slice/session-2.scope", "", "", "session-2.scope" },
	{ "/user.slice/user-1000.slice", "", "", "user-1000.slice" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice", "", "", "user@1000.service" },
	{ "/user.slice/user-1000.slice/user@1000.service/init.scope", "", "", "user@1000/init.scope" },
	{ "/system.slice/dev-disk-by\\x2duuid-1.swap", "", "", "dev-disk-by-uuid-1.swap" },
	{ "/system.slice/nginx.service/worker/2", "", "", "nginx.service" },
	/* docker: systemd, cgroupfs; what it runs inside of a container */
	{ "/system.slice/docker-" ID ".scope", ID, "", "docker-3f4f9eddcec5.scope" },
	{ "/docker/" ID, ID, "", "" },
	{ "/docker/" ID "/init.scope", ID, "", "init.scope" },
	{ "/docker/" ID "/docker/" ID_2, ID_2, "", "" },
	{ "/system.slice/docker.service", "", "", "docker.service" },
	/* podman: systemd as root and as a user, cgroupfs, in a pod; its monitor is none */
	{ "/machine.slice/libpod-" ID ".scope/container", ID, "", "libpod-3f4f9eddcec5.scope" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
	  "user@1000/" ID, "", "user@1000/libpod-3f4f9eddcec5.scope" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/user-libpod_pod_" ID_2 ".slice/libpod-" ID ".scope",
	  "user@1000/" ID, "user@1000/" ID_2, "user@1000/libpod-3f4f9eddcec5.scope" },
	{ "/libpod_parent/libpod-" ID, ID, "", "" },
	{ "/machine.slice/machine-libpod_pod_" ID_2 ".slice/libpod-" ID ".scope", ID, ID_2,
	  "libpod-3f4f9eddcec5.scope" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "", "", "libpod-conmon-3f4f9eddcec5.scope" },
	/* kubelet with containerd and CRI-O, both drivers; files of the kubelet's own */
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice/cri-containerd-" ID ".scope",
	  ID, POD, "cri-containerd-3f4f9eddcec5.scope" },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope", ID, POD, "crio-3f4f9eddcec5.scope" },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID, ID, POD, "kubepods-pod" POD_ ".slice" },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-conmon-" ID ".scope", "", POD,
	  "crio-conmon-3f4f9eddcec5.scope" },
	{ "/kubepods/besteffort/pod" POD "/" ID, ID, POD, "" },
	{ "/kubepods/burstable/pod" STATIC_POD "/" ID, ID, STATIC_POD, "" },
	{ "/system.slice/containerd.service/kubepods-besteffort-pod" POD_ ".slice:cri-containerd:" ID, ID, POD,
	  "containerd.service" },
	{ "/kubepods/burstable/pod" POD, "", POD, "" },
	/* kind: nodes are containers */
	{ "/docker/" ID_2 "/kubelet/kubepods/burstable/pod" POD "/" ID, ID, POD, "" },
	/* Amazon's tasks, LXC, machines */
	{ "/ecs/cluster/0123456789abcdef0123456789abcdef/0123456789abcdef0123456789abcdef-1234567890",
	  "0123456789abcdef0123456789abcdef-1234567890", "", "" },
	{ "/lxc.payload.web-1/init.scope", "web-1", "", "init.scope" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope", "qemu-1-vm", "", "machine-qemu-1-vm.scope" },
	{ "/machine.slice/systemd-nspawn@debian.service/payload", "debian", "", "systemd-nspawn@debian.service" },
	/* what a user makes below its own manager is named as the machine's, and is the user's */
#define USER "/user.slice/user-1000.slice/user@1000.service/app.slice/"
	{ USER "nginx.service", "", "", "user@1000/nginx.service" },
	{ USER "docker-" ID ".scope", "user@1000/" ID, "", "user@1000/docker-3f4f9eddcec5.scope" },
	{ USER "kubepods-pod" POD_ ".slice/crio-" ID, "user@1000/" ID, "user@1000/" POD, "user@1000.service" },
	{ USER "machine-vm.scope", "user@1000/vm", "", "user@1000/machine-vm.scope" },
	{ USER "user@0.service/nginx.service", "", "", "user@1000/nginx.service" },
	{ USER "x/user@1001.service", "", "", "user@1000/user@1001.service" },
	{ USER "..\\x2fnginx.service", "", "", "user@1000/../nginx.service" },
	{ "/docker/" ID "/user@0.service/nginx.service", ID, "", "user@0/nginx.service" },
	{ "/system.slice/user@.service/a.service", "", "", "a.service" },
	{ "/system.slice/user@web.service/a.service", "", "", "a.service" },
	{ "/system.slice/user@1.scope/a.service", "", "", "a.service" },
	{ "/system.slice/user@12345678901.service/a.service", "", "", "a.service" },
	/* what is none */
	{ "/x" ID, "", "", "" },
	{ "/docker/" ID "0", "", "", "" },
	{ "/podcast", "", "", "" }, { "/pod" , "", "", "" }, { "/podzzzzzzzz-8a65-4b6b-9c0a-0d8f5c1a7e11", "", "", "" },
	{ "/.service/.scope", "", "", "" },
	{ "/lxc.payload.", "", "", "" }, { "/machine-.scope", "", "", "machine-.scope" },
	{ "////", "", "", "" }, { "", "", "", "" }, { "cgroup:12", "", "", "" },
};

static void
paths_tell_units_containers_and_pods(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct cgroup_names n;

		cgroup_names_of(paths[i].path, &n);
		if (strcmp(n.container, paths[i].container) != 0 || strcmp(n.pod, paths[i].pod) != 0 ||
		    strcmp(n.unit, paths[i].unit) != 0)
			fail_msg("'%s': container '%s', pod '%s', unit '%s'", paths[i].path, n.container,
				 n.pod, n.unit);
	}
}

/* Whoever may make groups gives them any name: nothing is written beyond, and no half of an id is taken. */
static void
names_without_end_and_odd_bytes_are_names_of_nothing(void **state)
{
	static const char *const parts[] = {
		"pod", "-", "libpod_pod_", ID, ".scope", ".service", "\\x2d", "\\x", "\\x00", "/", ":", "\033[2J",
		"lxc.payload.", "machine-", "systemd-nspawn@", "\xff", "kubepods-pod", POD_, ".slice", "a",
		"/user@7.service/",
	};
	struct cgroup_names n;
	size_t pod;
	struct buf b = { 0 };
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		buf_reset(&b);
		for (unsigned count = 1 + (seed >> 16) % 12; count > 0; count--) {
			seed = seed * 1103515245 + 12345;
			for (unsigned again = (seed >> 8) % 16 == 0 ? 100 : 1; again > 0; again--)
				buf_add_str(&b, parts[(seed >> 16) % ARRAY_SIZE(parts)]);
		}
		cgroup_names_of(b.data, &n);
		assert_true(strlen(n.container) < CONTAINER_ID_MAX && strlen(n.unit) < UNIT_NAME_MAX);
		pod = strlen(n.pod) - (strncmp(n.pod, "user@7/", 7) == 0 ? 7 : 0);
		assert_true(pod == 0 || pod == 64 || pod == 36 || pod == 32);
	}
	buf_release(&b);
}

static const char *
str(const struct containers *c, uint32_t id)
{
	return strs_get(c->strs, id);
}

static struct container_names
names_of(struct containers *c, const char *path)
{
	return containers_of(c, strs_add_str(c->strs, path));
}

static void
ids_are_short_until_a_name_is_known(void **state)
{
	static const char path[] = "/kubepods/besteffort/pod" POD "/" ID, other[] = "/kubepods/besteffort/pod" POD "/" ID_2;
	struct strs strs = { 0 };
	struct containers c;

	(void)state;
	containers_init(&c, &strs);
	assert_string_equal(str(&c, names_of(&c, path).container), "3f4f9eddcec5");
	assert_string_equal(str(&c, names_of(&c, path).pod), "2f2ad3a4-8a65");
	assert_string_equal(str(&c, names_of(&c, path).unit), "-");
	assert_string_equal(str(&c, names_of(&c, "/").container), "-");
	assert_string_equal(str(&c, containers_of(&c, 0).pod), "-");
	names_of(&c, other);
	assert_int_equal(c.containers.len, 2);
	assert_int_equal(c.pods.len, 1);
	containers_learn(&c, 0, "shop/web-7d/nginx", "shop/web-7d");
	containers_learn(&c, 7, "nobody", "asked");
	assert_string_equal(str(&c, names_of(&c, path).container), "shop/web-7d/nginx");
	assert_string_equal(str(&c, names_of(&c, other).container), "0a1b2c3d4e5f");
	assert_string_equal(str(&c, names_of(&c, other).pod), "shop/web-7d"); /* they share it */
	containers_release(&c);
	strs_release(&strs);
}

/* A user takes the name of another's: below its own manager it names groups as it likes. */
static void
a_users_things_are_others_than_the_machines_of_their_names(void **state)
{
	static const char mine[] = "/kubepods/besteffort/pod" POD "/docker-" ID ".scope",
		theirs[] = USER "pod" POD "/docker-" ID ".scope";
	struct strs strs = { 0 };
	struct containers c;
	struct container_ids ids;

	(void)state;
	containers_init(&c, &strs);
	names_of(&c, mine);
	names_of(&c, theirs);
	assert_int_equal(c.containers.len, 2);
	assert_int_equal(c.pods.len, 2);
	containers_learn(&c, 0, "shop/web-7d/nginx", "shop/web-7d");
	assert_string_equal(str(&c, names_of(&c, mine).container), "shop/web-7d/nginx");
	assert_string_equal(str(&c, names_of(&c, mine).pod), "shop/web-7d");
	assert_string_equal(str(&c, names_of(&c, theirs).container), "user@1000/3f4f9eddcec5");
	assert_string_equal(str(&c, names_of(&c, theirs).pod), "user@1000/2f2ad3a4-8a65");
	ids = containers_ids_of(&c, strs_add_str(&strs, theirs));
	assert_string_equal(str(&c, ids.container[0]), "user@1000/" ID);
	assert_string_equal(str(&c, ids.pod[0]), "user@1000/" POD);
	assert_string_equal(str(&c, ids.unit), "user@1000/docker-" ID ".scope");
	containers_release(&c);
	strs_release(&strs);
}

/* The longest name that a group can have is whole, with its user before it. */
static void
a_users_unit_of_the_longest_name_is_whole(void **state)
{
	enum { FILE_NAME_MAX = 255 };
	char path[512];
	struct cgroup_names n;
	int before = snprintf(path, sizeof(path), "/user@4294967294.service/");

	(void)state;
	memset(path + before, 'x', FILE_NAME_MAX);
	strcpy(path + before + FILE_NAME_MAX - strlen(".service"), ".service");
	cgroup_names_of(path, &n);
	assert_int_equal(strlen(n.unit), strlen("user@4294967294/") + FILE_NAME_MAX);
	assert_string_equal(n.whole_unit, n.unit);
	strcpy(path + before, "libpod-" ID);
	cgroup_names_of(path, &n);
	assert_string_equal(n.container, "user@4294967294/" ID);
}

/* A node with 100 pods of 1000 containers each, as nobody has it. */
static void
of_100000_groups_each_has_its_own_names(void **state)
{
	enum { PODS = 100, EACH = 1000 };
	struct strs strs = { 0 };
	struct containers c;
	char path[256], id[16];

	(void)state;
	containers_init(&c, &strs);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < PODS * EACH; i++) {
			struct container_names n;

			snprintf(path, sizeof(path), "/kubepods/burstable/pod%08x-8a65-4b6b-9c0a-0d8f5c1a7e11/%012x%052x",
				 i / EACH, i, i);
			n = names_of(&c, path);
			snprintf(id, sizeof(id), "%012x", i);
			assert_string_equal(str(&c, n.container), id);
			snprintf(id, sizeof(id), "%08x-8a65", i / EACH);
			assert_string_equal(str(&c, n.pod), id);
		}
	}
	assert_int_equal(c.containers.len, PODS * EACH);
	assert_int_equal(c.pods.len, PODS);
	assert_int_equal(c.group_len, PODS * EACH);
	containers_release(&c);
	strs_release(&strs);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_tell_units_containers_and_pods),
		cmocka_unit_test(names_without_end_and_odd_bytes_are_names_of_nothing),
		cmocka_unit_test(ids_are_short_until_a_name_is_known),
		cmocka_unit_test(a_users_things_are_others_than_the_machines_of_their_names),
		cmocka_unit_test(a_users_unit_of_the_longest_name_is_whole),
		cmocka_unit_test(of_100000_groups_each_has_its_own_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
