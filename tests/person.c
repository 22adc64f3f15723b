/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/person.h"
#include "tests/paranoid.h"
#include "tests/run.h"

#include "base/util.h"
#include "live/sys/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- who there is */

static bool
be_root(void)
{
	return true;
}

static bool
be_nobody(void)
{
	return setgroups(0, NULL) == 0 && setgid(PERSON_NOBODY) == 0 && setuid(PERSON_NOBODY) == 0;
}

/* As systemd starts a service with AmbientCapabilities=: they are the user's own. */
static bool
be_nobody_with_ambient_capabilities(void)
{
	const unsigned numbers[] = { CAP_NR_PERFMON, CAP_SYS_PTRACE, CAP_SETUID };
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 || !be_nobody())
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sets[numbers[i] / 32].permitted |= 1u << numbers[i] % 32;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets[i].inheritable = sets[i].effective = sets[i].permitted;
	if (syscall(SYS_capset, &head, sets) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, numbers[i], 0, 0) < 0)
			return false;
	return true;
}

static bool
put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_good;
}

/* The child is process 1 of its namespace, and this one stays to be waited for. */
static bool
fork_into_pid_namespace(void)
{
	int status;
	pid_t pid = run_fork();

	if (pid == 0)
		return mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		       mount("proc", "/proc", "proc", 0, NULL) == 0;
	if (pid < 0)
		return false;
	waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

/* With tracefs where it belongs, whatever the machine has. */
static bool
be_root_with_tracefs(void)
{
	const char *const place = "/sys/kernel/tracing";

	return unshare(CLONE_NEWNS) == 0 && mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       (mount("tracefs", place, "tracefs", 0, NULL) == 0 || errno == EBUSY);
}

/* All capabilities, of a user namespace: without root's own, as podman's. */
static bool
be_root_of_a_user_namespace(void)
{
	return unshare(CLONE_NEWUSER) == 0 && put("/proc/self/setgroups", "deny") &&
	       put("/proc/self/uid_map", "0 0 1") && put("/proc/self/gid_map", "0 0 1") &&
	       unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWCGROUP) == 0 &&
	       fork_into_pid_namespace();
}

static bool
be_root_of_other_namespaces(void)
{
	return unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWIPC |
		       CLONE_NEWUTS) == 0 && fork_into_pid_namespace();
}

/* What Docker leaves to root. */
static const int few_caps[] = {
	CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD, CAP_NET_RAW, CAP_SETGID,
	CAP_SETUID, CAP_SETFCAP, CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT, CAP_KILL,
	CAP_AUDIT_WRITE,
};

static bool
be_root_with_few_capabilities(void)
{
	unsigned long long kept = 0;

	for (size_t i = 0; i < ARRAY_SIZE(few_caps); i++)
		kept |= 1ULL << few_caps[i];
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (!(kept >> cap & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return false;
	return true; /* the exec takes what the bounding set leaves */
}

/* Docker's own profile does so without CAP_PERFMON. */
static bool
be_root_without_the_system_call(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	return be_root_of_other_namespaces() && be_root_with_few_capabilities() &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static const struct person {
	const char *name;
	bool (*be)(void);
} persons[] = {
	{ "root", be_root },
	{ "nobody", be_nobody },
	{ "ambient", be_nobody_with_ambient_capabilities },
	{ "tracefs", be_root_with_tracefs },
	{ "user-ns", be_root_of_a_user_namespace },
	{ "pid-ns", be_root_of_other_namespaces },
	{ "few-caps", be_root_with_few_capabilities },
	{ "no-syscall", be_root_without_the_system_call },
};

/* ---- */

void
person_main(char **argv)
{
	if (argv[1] == NULL || strcmp(argv[1], PERSON_OPTION) != 0 || argv[2] == NULL)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(persons); i++) {
		if (strcmp(argv[2], persons[i].name) != 0)
			continue;
		if (!persons[i].be()) {
			fprintf(stderr, "cannot be %s: %s\n", argv[2], strerror(errno));
			_exit(99);
		}
		execvp(argv[3], argv + 3);
	}
	_exit(98);
}

char *const *
person_call(const char *who, char *const argv[])
{
	static char *call[PERSON_ARGS_MAX];
	static char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t n = 0;

	self[len > 0 ? len : 0] = '\0';
	call[n++] = self;
	call[n++] = (char *)(uintptr_t)PERSON_OPTION;
	call[n++] = (char *)(uintptr_t)who;
	while (*argv != NULL && n < PERSON_ARGS_MAX - 1)
		call[n++] = *argv++;
	call[n] = NULL;
	return call;
}

pid_t
person_start(const char *who, char *const argv[])
{
	pid_t test = getpid(), pid = run_fork();

	for (size_t i = 0; pid == 0 && i < ARRAY_SIZE(persons); i++) {
		if (strcmp(who, persons[i].name) != 0)
			continue;
		if (!persons[i].be())
			_exit(99);
		run_end_with(test);
		execvp(argv[0], argv);
		_exit(99);
	}
	return pid;
}

static bool
copy(const char *from, const char *dir, const char *name)
{
	char path[4096];
	struct stat st;
	int in = open(from, O_RDONLY | O_CLOEXEC), out;
	bool is_good = in >= 0 && fstat(in, &st) == 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	for (off_t at = 0; is_good && at < st.st_size;)
		is_good = sendfile(out, in, &at, (size_t)(st.st_size - at)) > 0;
	is_good = is_good && out >= 0 && fchmod(out, 0755) == 0;
	close(in);
	close(out);
	return is_good;
}

static char folder[] = "/tmp/ptop-person-XXXXXX";
static bool has_folder;

bool
person_copy_load(const char *load, const char *name)
{
	return copy(run_load_path(load), folder, name);
}

int
person_begin(void **state)
{
	(void)state;
	if (geteuid() != 0)
		return 0;
	has_folder = mkdtemp(folder) != NULL;
	if (has_folder && chmod(folder, 0755) == 0 && copy(run_ptop(), folder, "ptop") &&
	    person_copy_load("syscalls", "mine") && person_copy_load("syscalls", "theirs") &&
	    paranoid_take())
		return 0;
	person_end(state);
	return -1;
}

int
person_end(void **state)
{
	char *const argv[] = { (char *)(uintptr_t)"rm", (char *)(uintptr_t)"-rf", folder, NULL };
	struct run_result r;

	(void)state;
	paranoid_give_back();
	if (!has_folder)
		return 0;
	has_folder = false;
	run_program(&r, 60, argv);
	run_release(&r);
	return 0;
}

const char *
person_dir(void)
{
	return has_folder ? folder : NULL;
}

bool
person_set_file_caps(const char *path, unsigned long long caps)
{
	const struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data = { { .permitted = (uint32_t)caps }, { .permitted = (uint32_t)(caps >> 32) } },
	};

	return setxattr(path, "security.capability", &data, sizeof(data), 0) == 0;
}

void
person_drop_file_caps(const char *path)
{
	if (removexattr(path, "security.capability") < 0)
		abort();
}
