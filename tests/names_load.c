/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/asserts.h"
#include "tests/names_load.h"
#include "tests/bpf_fixture.h"
#include "tests/spinner.h"
#include "tests/run.h"

#include <sys/mman.h>
#include <sys/resource.h>

enum { LESS_NICE = 10, SPUN = 80, BUILDERS = 2 };

/* What a program of its own language is made of. */
static const struct source {
	const char *file, *text;
} sources[] = {
	/* What goes on to call a cold function is cold itself, and split off. */
	{ "cold.c", "#include <unistd.h>\n"
		    "static volatile unsigned sink;\n"
		    "#define FOUR(x) x; x; x; x\n"
		    "__attribute__((cold, noinline)) void rare(unsigned i) {\n"
		    "	if (i % 300000 == 0 && write(1, \"r\", 1) < 0) _exit(0); }\n"
		    "__attribute__((noinline, noclone)) unsigned halves(unsigned n) {\n"
		    "	if (n > 0) { FOUR(FOUR(FOUR(sink += n))); rare(n); }\n"
		    "	return n * 2; }\n"
		    "int main(void) { for (unsigned i = 0;; i++) sink += halves(i); }\n" },
	{ "tick.c", "int tick(int n) { return n + 1; }\n" },
	{ "table.c", "#include <unistd.h>\n"
		     "int tick(int);\n"
		     "int main(void) { for (;;) { int n = 0;\n"
		     "	while (n < 3000000) n = tick(n);\n"
		     "	if (write(1, \"r\", 1) < 0) return 0; } }\n" },
	{ "map.cc", "#include <map>\n"
		    "#include <string>\n"
		    "#include <unistd.h>\n"
		    "static volatile unsigned sink;\n"
		    "template <class K, class V> struct Table {\n"
		    "	__attribute__((noinline)) void spin(K) {\n"
		    "		for (unsigned i = 0; i < 3000000; i++) sink += i; } };\n"
		    "int main() { Table<std::pair<int, char>, int> t;\n"
		    "	for (;;) { t.spin({}); if (write(1, \"r\", 1) < 0) return 0; } }\n" },
	{ "heap.rs", "use std::io::Write;\n"
		     "mod inner { pub struct Heap; pub trait Spin { fn spin(&self); }\n"
		     "impl Spin for Heap { #[inline(never)] fn spin(&self) {\n"
		     "	for i in 0..3000000u64 { std::hint::black_box(i); } } } }\n"
		     "fn main() { use inner::Spin; let h = inner::Heap;\n"
		     "	loop { h.spin(); let mut o = std::io::stdout();\n"
		     "		if o.write(b\"r\").is_err() || o.flush().is_err() { return; } } }\n" },
	{ "tree.go", "package main\n"
		     "import \"os\"\n"
		     "type Tree struct{ sink uint64 }\n"
		     "//go:noinline\n"
		     "func (t *Tree) spin() {\n"
		     "	for i := uint64(0); i < 3000000; i++ { t.sink += i } }\n"
		     "func main() { t := &Tree{}\n"
		     "	for { t.spin()\n"
		     "		if _, err := os.Stdout.Write([]byte(\"r\")); err != nil { return } } }\n" },
};

/* A root that nobody else has. */
static void
make_cage(const struct fixture *f)
{
	if (mount("cage", in_dir(f, "cage"), "tmpfs", 0, NULL) != 0 ||
	    !sh(f, "mkdir -p \"cage$PWD\" cage/proc && mv caged \"cage$PWD\" && "
		   "mount -t proc proc cage/proc"))
		_exit(122);
}

static void
make_overlay(const struct fixture *f)
{
	if (!sh(f, "mkdir low layers merged && mv layered low && mount -t tmpfs none layers && "
		   "mkdir layers/up layers/work && mount -t overlay none "
		   "-o lowerdir=low,upperdir=layers/up,workdir=layers/work merged"))
		_exit(122);
}

/* A program: how it is made, started, and what becomes of it. */
static const struct kind {
	const char *program, *function;
	const char *options; /* of a spinner of that name; NULL: it has a source of its own */
	const char *needs;   /* a command without which it is left out */
	const char *build;
	void (*prepare)(const struct fixture *f); /* in a mount namespace of its own */
	bool is_caged, is_in_memory;
	const char *run, *arg; /* in the folder; NULL: @program, nothing */
	const char *dso;       /* NULL: its base name */
	unsigned percent;      /* 0: SPUN */
	const char *after;     /* done when it runs */
} kinds[] = {
	{ .program = "plain", .function = "plain_loop", .options = "" },
	{ .program = "linked", .function = "linked_loop", .options = "",
	  .build = "objcopy --only-keep-debug linked linked.debug && strip linked && "
		   "objcopy --add-gnu-debuglink=linked.debug linked" },
	{ .program = "by_id", .function = "id_loop", .options = "-Wl,--build-id=sha1",
	  .build = "id=$(readelf -n by_id | sed -n 's/.*Build ID: //p') && "
		   "to=/usr/lib/debug/.build-id/${id%${id#??}} && mkdir -p $to && "
		   "objcopy --only-keep-debug by_id $to/${id#??}.debug && strip by_id" },
#ifdef HAVE_LZMA
	{ .program = "mini", .function = "packed_loop", .options = "", .needs = "xz",
	  .build = "objcopy -S --keep-symbol=packed_loop mini mini.debug && xz mini.debug && "
		   "strip mini && objcopy --add-section .gnu_debugdata=mini.debug.xz mini" },
#endif
#ifdef HAVE_LIBDW
	{ .program = "shared", .function = "shared_loop", .options = "-g", .needs = "dwz",
	  .build = "cc -g -O2 -w -DFUNCTION=shared_loop spin.c -o other && "
		   "dwz -m common.debug -M $PWD/common.debug shared other && "
		   "objcopy --strip-all --keep-section '.debug_*' "
		   "--keep-section .gnu_debugaltlink shared" },
#endif
	{ .program = "static", .function = "static_loop", .options = "-static-pie" },
	{ .program = "table", .function = "tick@plt", .percent = 1,
	  .build = "cc -O1 -fPIC -shared tick.c -o libtick.so && "
		   "cc -O1 -Wl,-z,lazy table.c -o table -L. -ltick -Wl,-rpath,$PWD" },
	/* Most of it is in what the compiler calls halves.cold. */
	{ .program = "cold", .function = "halves",
	  .build = "cc -O2 -ffunction-sections cold.c -o cold" },
	{ .program = "map", .function = "Table<std::pair<int, char>, int>::spin", .needs = "c++",
	  .build = "c++ -O1 map.cc -o map" },
	{ .program = "heap", .function = "<heap::inner::Heap as heap::inner::Spin>::spin",
	  .needs = "rustc", .build = "rustc -O heap.rs -o heap" },
	{ .program = "heap0", .function = "<heap::inner::Heap as heap::inner::Spin>::spin",
	  .needs = "rustc", .build = "rustc -O -C symbol-mangling-version=v0 heap.rs -o heap0" },
	{ .program = "tree", .function = "main.(*Tree).spin", .needs = "go",
	  .build = "HOME=$PWD GOCACHE=$PWD/go GO111MODULE=off go build -o tree tree.go" },
	{ .program = "deleted", .function = "deleted_loop", .options = "", .after = "rm deleted" },
	{ .program = "replaced", .function = "old_loop", .options = "",
	  .after = "cp plain newer && mv newer replaced" },
	{ .program = "caged", .function = "caged_loop", .options = "-static",
	  .build = "mkdir cage", .prepare = make_cage, .is_caged = true },
	{ .program = "layered", .function = "layered_loop", .options = "",
	  .prepare = make_overlay, .run = "merged/layered" },
	{ .program = "memory", .function = "floating_loop", .options = "", .is_in_memory = true,
	  .dso = "memfd:floating" },
	{ .program = "plugin.so", .function = "plugin_loop", .options = "-DLIBRARY -shared -fPIC",
	  .build = "cc -O1 -w -DFUNCTION=own -DLOADS='\"plugin_loop\"' -DROUNDS=20 spin.c -o host",
	  .run = "host", .arg = "plugin.so" },
};

/* What else runs, each a group of processes: shell commands.  $scratch is the fixture's folder. */
static const struct other {
	const char *command, *needs;
	const char *dso, *function; /* of the first process; NULL: many, with many */
	unsigned percent;
} others[] = {
	{ .command = "exec sh \"${top_srcdir:-.}/tests/bench/mixed.sh\"" },
	{ .command = "exec \"${top_builddir:-.}/tests/loads/jit\" map 120",
	  .dso = "[JIT]", .function = "alpha", .percent = 50 },
	{ .command = "exec \"${top_builddir:-.}/tests/loads/jit\" dump 120",
	  .dso = "[JIT]", .function = "alpha", .percent = 50 },
	/* It leaves a log where it is started. */
	{ .command = "cd \"$scratch\" && exec node --perf-basic-prof -e 'function hotLeaf(n)"
		     "{let s=0;for(let i=0;i<n;i++)s=(s*31+i)%65521;return s}"
		     "let x=0;for(;;)x+=hotLeaf(200000)'",
	  .needs = "node", .dso = "[JIT]", .function = "JS:*hotLeaf*", .percent = 50 },
	/* Without a command: the BPF program is run. */
	{ .dso = "[bpf]", .function = "bpf_prog_*_ptop_named", .percent = SPUN },
};

struct names_load {
	const struct fixture *f;
	struct running {
		const struct kind *kind;
		struct spinner spinner;
	} running[ARRAY_SIZE(kinds)];
	unsigned count;
	pid_t others[ARRAY_SIZE(others)]; /* each leads a group; 0: not started */
	int bpf;
};

/* Debug files can be put there without leaving any: what covers it goes with the namespace. */
static void
cover_debug_files(const struct fixture *f)
{
	assert_true(sh(f, "mkdir cover && mount -t tmpfs none cover && mkdir cover/up cover/work && "
			  "mkdir -p /usr/lib/debug && mount -t overlay none "
			  "-o lowerdir=/usr/lib/debug,upperdir=cover/up,workdir=cover/work "
			  "/usr/lib/debug && umount -l cover"));
}

static bool
is_here(const struct fixture *f, const char *needs)
{
	char line[128];

	snprintf(line, sizeof(line), "command -v %s", needs != NULL ? needs : "sh");
	if (sh(f, line))
		return true;
	print_message("# left out: '%s' is not here\n", needs);
	return false;
}

static bool
build(const struct fixture *f, const struct kind *k)
{
	return (k->options == NULL || spinner_compile(f, k->program, k->function, k->options)) &&
	       (k->build == NULL || sh(f, k->build));
}

/* Each builder has its part of those that are there; it is a process of its own. */
static void
build_all(const struct fixture *f, const bool *is_there)
{
	pid_t builders[BUILDERS];

	for (size_t b = 0; b < BUILDERS; b++) {
		builders[b] = run_fork();
		assert_that(builders[b], >=, 0);
		for (size_t i = b; builders[b] == 0 && i < ARRAY_SIZE(kinds); i += BUILDERS) {
			if (is_there[i] && !build(f, &kinds[i])) {
				fprintf(stderr, "cannot build '%s'\n", kinds[i].program);
				_exit(1);
			}
		}
		if (builders[b] == 0)
			_exit(0);
	}
	for (size_t b = 0; b < BUILDERS; b++) {
		int status;

		assert_int_equal(waitpid(builders[b], &status, 0), builders[b]);
		assert_int_equal(status, 0);
	}
}

static int
in_memory(const struct fixture *f, const char *program)
{
	int fd = memfd_create("floating", 0);
	struct buf bytes = { 0 };

	assert_int_equal(file_read(in_dir(f, program), &bytes, 1 << 24), 0);
	assert_int_equal(file_write_all(fd, bytes.data, bytes.len), 0);
	buf_release(&bytes);
	return fd;
}

static void
start(struct names_load *l, const struct kind *k)
{
	const struct fixture *f = l->f;
	struct running *r = &l->running[l->count++];
	struct spinner_how how = {
		.program = in_dir(f, k->run != NULL ? k->run : k->program),
		.arg = k->arg != NULL ? in_dir(f, k->arg) : NULL,
		.fd = k->is_in_memory ? in_memory(f, k->program) : 0,
		.new_mounts = k->prepare != NULL,
		.prepare = k->prepare,
		.new_pids = k->is_caged,
		.root = k->is_caged ? in_dir(f, "cage") : NULL,
	};

	r->kind = k;
	r->spinner = spinner_start(f, &how);
	if (how.fd != 0)
		close(how.fd);
	setpriority(PRIO_PROCESS, (id_t)r->spinner.pid, LESS_NICE);
	if (k->after != NULL)
		assert_true(sh(f, k->after));
}

static void
run_bpf(int fd)
{
	while (bpf_run(fd) == 0)
		;
}

static pid_t
start_other(const struct names_load *l, const struct other *o)
{
	pid_t pid = run_fork();

	assert_that(pid, >=, 0);
	if (pid != 0) {
		setpgid(pid, pid);
		return pid;
	}
	setpgid(0, 0);
	if (o->command == NULL)
		run_bpf(l->bpf);
	else if (setenv("scratch", l->f->dir, 1) == 0)
		execl("/bin/sh", "sh", "-c", o->command, NULL);
	_exit(127);
}

static void
start_others(struct names_load *l)
{
	l->bpf = bpf_load("ptop_named");
	if (l->bpf < 0)
		print_message("# left out: no BPF program can be loaded here\n");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct other *o = &others[i];

		if (!is_here(l->f, o->needs) || (o->command == NULL && l->bpf < 0))
			continue;
		l->others[i] = start_other(l, o);
		if (o->function != NULL)
			setpriority(PRIO_PROCESS, (id_t)l->others[i], LESS_NICE);
	}
}

struct names_load *
names_load_start(const struct fixture *f)
{
	struct names_load *l = mem_calloc(1, sizeof(*l));
	bool is_there[ARRAY_SIZE(kinds)];

	l->f = f;
	cover_debug_files(f);
	spinner_write_source(f);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		write_text(f, sources[i].file, sources[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		is_there[i] = is_here(f, kinds[i].needs);
	/* None runs yet: they would take the CPUs that compilers need. */
	build_all(f, is_there);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (is_there[i])
			start(l, &kinds[i]);
	start_others(l);
	return l;
}

void
names_load_stop(struct names_load *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (l->others[i] != 0)
			kill(-l->others[i], others[i].function != NULL ? SIGSTOP : SIGKILL);
	for (unsigned i = 0; i < l->count; i++)
		kill(l->running[i].spinner.pid, SIGSTOP);
}

static void
end_other(pid_t pid)
{
	kill(-pid, SIGKILL);
	run_end(pid);
}

void
names_load_free(struct names_load *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (l->others[i] != 0)
			end_other(l->others[i]);
	for (unsigned i = 0; i < l->count; i++)
		spinner_end(&l->running[i].spinner);
	if (l->bpf >= 0)
		close(l->bpf);
	free(l);
}

static bool
other_kind(const struct names_load *l, unsigned i, struct names_kind *out)
{
	for (size_t n = 0; n < ARRAY_SIZE(others); n++)
		if (l->others[n] != 0 && others[n].function != NULL && i-- == 0) {
			*out = (struct names_kind){ l->others[n], others[n].dso,
						    others[n].function, others[n].percent };
			return true;
		}
	return false;
}

bool
names_load_kind(const struct names_load *l, unsigned i, struct names_kind *out)
{
	const struct kind *k;

	if (i >= l->count)
		return other_kind(l, i - l->count, out);
	k = l->running[i].kind;
	*out = (struct names_kind){ .tid = l->running[i].spinner.pid, .function = k->function,
				    .dso = k->dso != NULL ? k->dso : k->program,
				    .percent = k->percent != 0 ? k->percent : SPUN };
	return true;
}
