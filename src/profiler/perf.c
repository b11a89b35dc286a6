/*
 * Linux perf: CPU samples, and the system calls that commit and free memory.
 *
 * Each memory event is recorded once without a stack, so that the accounting is exact. Stacks need stack
 * copies, as most allocators are built without frame pointers; copies for all events would be tens of
 * gigabytes. So additional events with stack copies record growth of 64 KB and more, and one in 64 of the
 * smaller calls, selected by address bits. First writes to pages show the memory that was really touched; they are
 * recorded for one page in 32. Never used: -F, which would sample the tracepoints too, and -a,
 * which would record other processes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/child.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/proc_watch.h"
#include "platform/program.h"
#include "profiler/perf_control.h"
#include "profiler/perf_data.h"
#include "profiler/perf_rights.h"
#include "profiler/profiler.h"
#include "rundir/layout.h"
#include "util/array.h"
#include "util/page_sampling.h"
#include "util/stack_sampling.h"
#include "util/text.h"

#define OWN_SCRIPT         "exec >>\"$0\" 2>&1 \"$@\""
#define MAX_STACK          "192" /* frames; the limit of ETW, so that traces of both systems are alike */
#define BUILDID_MMAP_SINCE 512 /* perf and Linux 5.12 */
#define COMPRESSION_SINCE  502 /* perf 5.2 */
#define CONTROL_SINCE      512 /* perf 5.12: --control=fifo:, and the command `ping` */

/*
 * rustc has stack frames of many KB (docs/stacks.md), so a copy is as large as a record can hold. With a small buffer it is
 * smaller, and for CPU samples, which are far more frequent, where perf cannot compress.
 */
#define LARGE_STACK_TERMS  "call-graph=dwarf,stack-size=65528"
#define SMALL_STACK_TERMS  "call-graph=dwarf,stack-size=16384"
#define LARGE_STACK_BUFFER (4 << 20) /* bytes for each CPU */

/* Copies of the stacks of CPU samples, for each processor and second. Not a divisor of the sampling rate. */
#define CPU_COPIES_HZ "67"

/* A number as text for a filter. */
#define TEXT_OF(figure) #figure
#define TEXT(figure)    TEXT_OF(figure)

/* Every event of the memory accounting, in the order in which perf reports equal times. */
static const char *const memory_events[] = {
	"sys_enter_mmap",   "sys_exit_mmap",      "sys_enter_munmap",
	"sys_enter_mremap", "sys_exit_mremap",    "sys_enter_brk",
	"sys_exit_brk",     "sys_enter_mprotect", "sys_enter_madvise",
};

/* The kernel's faults are those of system calls that write to memory of the program. */
static const char *const fault_events[] = { "page_fault_user", "page_fault_kernel" };

#define PICKED_FILTER "error_code & " TEXT(FAULT_WRITE) " && " PAGE_PICK_FILTER

/* Where large pages begin, to know their addresses; not those of the sample again. */
#define FIRST_PAGES_FILTER \
	"error_code & " TEXT(FAULT_WRITE) " && !(address & " TEXT( \
		LARGE_PAGE_ZEROS) ") && !(" PAGE_PICK_FILTER ")"
#define LARGE_PAGE_FILTER \
	"order > 0 && gfp_flags & " TEXT(LARGE_PAGE_FLAG_A) " && gfp_flags & " TEXT( \
		LARGE_PAGE_FLAG_B)

_Static_assert((STACK_PICK_LOW | STACK_PICK_HIGH) == STACK_PICK_MASK, "both pick one of as many");

/* Growth that is recorded with a stack. Filters can only compare a field with a number. */
static const struct {
	const char *event;
	const char *filter;
} stack_events[] = {
	/* prot & PROT_WRITE, flags & MAP_ANONYMOUS */
	{ "sys_enter_mmap", "len >= " TEXT(STACK_LARGE_BYTES) " && prot & 2 && flags & 0x20" },
	/*
	 * Where a small one lands is known at its exit only. The lowest bit is set in the pattern, as large ones
	 * are aligned to huge pages: with all bits clear one mmap in five would match.
	 */
	{ "sys_exit_mmap",
	  "ret > 0 && ret & " TEXT(STACK_PICK_LOW) " && !(ret & " TEXT(STACK_PICK_HIGH) ")" },
	{ "sys_enter_mremap", "new_len >= " TEXT(STACK_LARGE_BYTES) },
	{ "sys_enter_brk", "brk != 0" },
	{ "sys_enter_mprotect", "len >= " TEXT(STACK_LARGE_BYTES) " && prot & 2" },
	{ "sys_enter_mprotect",
	  "len < " TEXT(STACK_LARGE_BYTES) " && prot & 2 && !(start & " TEXT(STACK_PICK_MASK) ")" },
};

static bool perf_suits(const struct profiler_ops *profiler)
{
	(void)profiler;
	return !host_is_windows();
}

static int64_t frequency(const struct config *config)
{
	int64_t hz =
		config->cpu_interval_ns ? llround(1e9 / (double)config->cpu_interval_ns) : 1000;

	return hz < 1 ? 1 : hz;
}

/* perf itself: what is not to be run is not found as "perf" in PATH either. */
static void add_perf(struct strvec *argv)
{
	struct err err = ERR_INIT;
	char *path = program_find_own("perf", &err);

	strvec_push_nodup(argv, path ? path : xstrdup("/usr/bin/perf"));
	err_clear(&err);
}

static char *read_version(void)
{
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *version = NULL;
	int64_t exit_code;

	add_perf(&argv);
	strvec_push(&argv, "--version");
	if (!child_capture(&argv, NULL, 10 * NS_PER_S, &output, &exit_code, &err) && !exit_code &&
	    text_starts_with(output.buf, "perf version "))
		version = xstrndup(output.buf + 13, strcspn(output.buf + 13, "\n"));
	err_clear(&err);
	strvec_release(&argv);
	strbuf_release(&output);
	return version;
}

static char *perf_version(const struct profiler_ops *profiler)
{
	(void)profiler;
	return read_version();
}

/* 601 for "6.1.192"; 0: unknown. */
static int version_number(void)
{
	char *version = read_version();
	int major = 0, minor = 0;

	if (version && sscanf(version, "%d.%d", &major, &minor) != 2)
		major = minor = 0;
	free(version);
	return major * 100 + minor;
}

/* Is perf built with libzstd? */
static bool can_compress(void)
{
	static const char feature[] = "zstd: [ on";
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;
	bool can;

	if (version_number() < COMPRESSION_SINCE)
		return false;
	add_perf(&argv);
	strvec_push(&argv, "version");
	strvec_push(&argv, "--build-options");
	can = !child_capture(&argv, NULL, 10 * NS_PER_S, &output, &exit_code, &err) && !exit_code &&
	      strstr(output.buf, feature);
	err_clear(&err);
	strvec_release(&argv);
	strbuf_release(&output);
	return can;
}

static bool copies_stacks(const struct profiler_job *job)
{
	return (job->cpu && (job->config->cpu_stacks == STACKS_SAMPLED ||
			     job->config->cpu_stacks == STACKS_DWARF)) ||
	       (job->memory && (job->config->memory_stacks == STACKS_SAMPLED ||
				job->config->memory_stacks == STACKS_DWARF));
}

static void add_event(struct strvec *argv, const char *system, const char *name, const char *terms,
		      const char *filter)
{
	strvec_push(argv, "-e");
	if (*terms)
		strvec_pushf(argv, "%s:%s/%s/", system, name, terms);
	else
		strvec_pushf(argv, "%s:%s", system, name);
	if (filter) {
		strvec_push(argv, "--filter");
		strvec_push(argv, filter);
	}
}

/* How each event of a stream gets its stack; `copy` is how one is copied. */
static const char *stack_terms(enum stack_mode stacks, const char *copy)
{
	return stacks == STACKS_FP ? "call-graph=fp" : stacks == STACKS_DWARF ? copy : "";
}

static void add_memory_events(struct strvec *argv, enum stack_mode stacks, const char *copy)
{
	const char *terms = stack_terms(stacks, copy);

	for (size_t i = 0; i < ARRAY_SIZE(memory_events); i++)
		add_event(argv, "syscalls", memory_events[i], terms, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(stack_events) && stacks == STACKS_SAMPLED; i++)
		add_event(argv, "syscalls", stack_events[i].event, copy, stack_events[i].filter);
}

/* Large pages are all recorded, and the faults where most of them begin. */
static void add_touched_events(struct strvec *argv, enum stack_mode stacks,
			       const struct perf_rights *rights, const char *copy)
{
	const char *terms = stacks == STACKS_SAMPLED ? copy : stack_terms(stacks, copy);

	for (size_t i = 0; i < ARRAY_SIZE(fault_events); i++)
		add_event(argv, "exceptions", fault_events[i], terms, PICKED_FILTER);
	if (!rights->large_pages)
		return;
	add_event(argv, "kmem", "mm_page_alloc", terms, LARGE_PAGE_FILTER);
	for (size_t i = 0; i < ARRAY_SIZE(fault_events); i++)
		add_event(argv, "exceptions", fault_events[i], "", FIRST_PAGES_FILTER);
}

/* perf requires a power of two per CPU. */
static int64_t buffer_per_cpu(const struct config *config, const struct perf_rights *rights)
{
	int64_t wanted, bytes = 1 << 17;
	struct host host;

	host_read(&host);
	wanted = config->buffers_bytes / (host.cpus > 0 ? host.cpus : 1);
	host_release(&host);
	if (!rights->may_lock_memory && wanted > rights->mlock_kb * 1024)
		wanted = rights->mlock_kb * 1024;
	while (bytes * 2 <= wanted)
		bytes *= 2;
	return bytes;
}

static void add_options(const struct profiler_job *job, const char *output, struct strvec *argv)
{
	struct perf_rights rights;
	const char *copy;
	int64_t buffer;
	bool compress;

	perf_rights_read(&rights);
	buffer = buffer_per_cpu(job->config, &rights);
	copy = buffer >= LARGE_STACK_BUFFER ? LARGE_STACK_TERMS : SMALL_STACK_TERMS;
	add_perf(argv);
	strvec_push(argv, "record");
	strvec_push(argv, "-o");
	strvec_push(argv, output);
	strvec_push(argv, "-k");
	strvec_push(argv, "CLOCK_MONOTONIC");
	strvec_push(argv, "--sample-cpu");
	strvec_push(argv, "-m");
	strvec_pushf(argv, "%lldK", (long long)(buffer / 1024));
	/* The build uses all processors: perf must not wait for one while its buffers fill. */
	if (rights.may_realtime)
		strvec_push(argv, "--realtime=1");
	/* Record build ids with the mappings, as the next build overwrites the compiler; do not copy files to ~/.debug. */
	strvec_push(argv,
		    version_number() >= BUILDID_MMAP_SINCE && rights.kernel >= BUILDID_MMAP_SINCE
			    ? "--buildid-mmap"
			    : "-N");
	/* Compresses stack copies to a 20th, faster than writing them would be. */
	compress = copies_stacks(job) && can_compress();
	if (compress)
		strvec_push(argv, "--compression-level=1");
	if (job->control)
		strvec_pushf(argv, "--control=fifo:%s", perf_control_path(job->control));
	if (job->cpu) {
		const char *terms = compress ? copy : SMALL_STACK_TERMS;

		strvec_push(argv, "-e");
		strvec_pushf(argv, "cpu-clock/freq=%lld,%s,name=cpu-clock/%s",
			     (long long)frequency(job->config),
			     job->config->cpu_stacks == STACKS_DWARF ? terms : "call-graph=fp",
			     job->user_only ? "u" : "");
	}
	if (job->cpu && job->config->cpu_stacks == STACKS_SAMPLED) {
		strvec_push(argv, "-e");
		strvec_pushf(argv, "cpu-clock/freq=" CPU_COPIES_HZ ",%s,name=cpu-stacks/%s", copy,
			     job->user_only ? "u" : "");
	}
	if (job->memory)
		add_memory_events(argv, job->config->memory_stacks, copy);
	if (job->touched)
		add_touched_events(argv, job->config->memory_stacks, &rights, copy);
}

/*
 * perf writes messages to the stream that its child inherits, so a shell redirects the build's output to its log. "$@"
 * passes every argument unchanged.
 */
static void perf_command(const struct profiler_job *job, const struct strvec *build,
			 struct strvec *argv, int *own_execs)
{
	char *output = fs_join(job->dir, RUN_PERF_DATA);

	add_options(job, output, argv);
	strvec_push(argv, "--");
	strvec_push(argv, "/bin/sh");
	strvec_push(argv, "-c");
	strvec_push(argv, OWN_SCRIPT);
	strvec_push(argv, job->build_log);
	strvec_push_all(argv, build);
	free(output);
	*own_execs = 1;
}

/*
 * Why did perf fail? The text after "Error:" if there is any: warnings and the position of a syntax error precede it.
 */
static void set_reason(const char *output, int64_t exit_code, struct strbuf *why)
{
	const char *text = strstr(output, "Error:");

	text = text ? text + strlen("Error:") : output;
	text += strspn(text, " \t\n");
	strbuf_clear(why);
	strbuf_add(why, text, strcspn(text, "\n"));
	if (!why->len)
		strbuf_addf(why, "perf ended with exit code %lld", (long long)exit_code);
}

/* Does a recording of these events work? If not, perf's reason is appended to `why`. */
static bool try_recording(const struct profiler_job *job, struct strbuf *why)
{
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;
	char *dir = fs_temp_dir(&err), *file;
	bool works;

	if (!dir) {
		strbuf_adds(why, err.msg);
		err_clear(&err);
		return false;
	}
	file = fs_join(dir, "trial.data");
	add_options(job, file, &argv);
	strvec_push(&argv, "--");
	strvec_push(&argv, "/bin/sh");
	strvec_push(&argv, "-c");
	strvec_push(&argv, ":");
	works = !child_capture(&argv, NULL, 60 * NS_PER_S, &output, &exit_code, &err) &&
		exit_code == 0;
	if (!works)
		set_reason(err.msg ? err.msg : output.buf, exit_code, why);
	err_clear(&err);
	fs_remove_tree(dir, &err);
	err_clear(&err);
	free(file);
	free(dir);
	strvec_release(&argv);
	strbuf_release(&output);
	return works;
}

static const char *memory_remedy(const struct perf_rights *rights)
{
	if (!rights->tracefs_mounted && rights->admin)
		return "mount it: mount -t tracefs nodev /sys/kernel/tracing";
	if (rights->admin)
		return "this looks like a container: run it with CAP_PERFMON and tracefs mounted, "
		       "or outside";
	return "run as root, or give perf the rights:\n"
	       "sudo setcap cap_perfmon,cap_ipc_lock,cap_dac_read_search+ep $(readlink -f "
	       "$(command -v perf))\n"
	       "and, if tracefs is not mounted: sudo mount -t tracefs nodev /sys/kernel/tracing";
}

static void report_no_memory(const struct perf_rights *rights, const char *why,
			     struct finding_list *findings)
{
	static const char *const consequence =
		"only the peak memory of each process will be known, from the tracker: no sizes "
		"over time, no stacks";
	const char *remedy = memory_remedy(rights);

	if (!rights->tracefs_mounted)
		finding_add(
			findings, FINDING_WARNING, consequence, remedy,
			"the tracepoints of the memory events are missing: tracefs is not mounted");
	else if (!rights->tracefs)
		finding_add(findings, FINDING_WARNING, consequence, remedy,
			    "this user may not read the tracepoints of the memory events");
	else
		finding_add(findings, FINDING_WARNING, consequence, remedy,
			    "perf may not record the memory events here: %s", why);
}

static void report_no_cpu(const struct perf_rights *rights, const char *why,
			  struct finding_list *findings)
{
	struct strbuf what = STRBUF_INIT;

	strbuf_addf(&what, "perf cannot record here: %s", why);
	if (rights->paranoid > 2 && !rights->capable)
		strbuf_addf(&what, " (kernel.perf_event_paranoid is %lld)",
			    (long long)rights->paranoid);
	finding_add(findings, FINDING_ERROR,
		    "without perf there are no stacks, only tags, times and peaks",
		    "run as root, or: sudo sysctl kernel.perf_event_paranoid=1\n"
		    "or record without perf: --set record.recorder=none",
		    "%s", what.buf);
	strbuf_release(&what);
}

static void report_no_touched(const struct perf_rights *rights, const char *why,
			      struct finding_list *findings)
{
	bool lacking = rights->tracefs && !rights->page_faults;

	finding_add(findings, FINDING_WARNING,
		    "'memory --of touched' will show nothing; committed memory is recorded",
		    lacking ? "the kernels of x86 have them; --set record.touched=no turns this "
			      "warning off"
		    : rights->tracefs && rights->capable
			    ? "--set record.touched=no turns this warning off"
			    : memory_remedy(rights),
		    "touched memory cannot be recorded: %s",
		    lacking ? "this kernel has no tracepoints of page faults (exceptions:*)" : why);
}

/*
 * Try to record all that was requested; if that fails, without touched memory. False: both fail, and the reason is appended
 * to `why`.
 */
static bool try_memory(struct profiler_job *job, const struct perf_rights *rights,
		       struct strbuf *why, struct finding_list *findings)
{
	struct strbuf first = STRBUF_INIT;
	bool works;

	if (!job->touched)
		return try_recording(job, why);
	works = try_recording(job, &first);
	if (!works) {
		job->touched = false;
		works = try_recording(job, why);
		if (works)
			report_no_touched(rights, first.buf, findings);
	}
	strbuf_release(&first);
	return works;
}

/* Without CPU samples there is only the memory to record. */
static void check_memory_alone(struct profiler_job *job, const struct perf_rights *rights,
			       struct finding_list *findings)
{
	struct strbuf why = STRBUF_INIT;

	if (!try_memory(job, rights, &why, findings)) {
		job->memory = job->touched = false;
		report_no_memory(rights, why.buf, findings);
		finding_add(findings, FINDING_ERROR, "nothing would be recorded",
			    "set cpu = yes, or --set record.recorder=none",
			    "no event can be recorded");
	}
	strbuf_release(&why);
}

/* Try what was requested, then less. */
static void check_by_trial(struct profiler_job *job, const struct perf_rights *rights,
			   struct finding_list *findings)
{
	struct strbuf why = STRBUF_INIT, less = STRBUF_INIT;
	bool memory = job->memory;

	/* If kernel frames are not permitted, perf records only user code, without a message. */
	job->user_only = rights->paranoid > 1 && !rights->capable;
	if (!try_memory(job, rights, &why, findings)) {
		job->memory = job->touched = false;
		job->cpu = try_recording(job, &less);
	}
	if (!job->cpu)
		report_no_cpu(rights, less.buf, findings);
	else if (memory && !job->memory)
		report_no_memory(rights, why.buf, findings);
	if (job->cpu && job->user_only)
		finding_add(findings, FINDING_WARNING,
			    "time in the kernel (page faults, file reads) will be missing",
			    "run as root, or: sudo sysctl kernel.perf_event_paranoid=1",
			    "CPU samples are of user code only");
	strbuf_release(&why);
	strbuf_release(&less);
}

static void perf_check(struct profiler_job *job, struct finding_list *findings)
{
	struct perf_rights rights;
	struct err err = ERR_INIT;
	char *path = program_find_own("perf", &err), *version = path ? read_version() : NULL;

	job->cpu = job->config->cpu;
	job->memory = job->config->virtualalloc;
	job->touched = config_wants_touched(job->config);
	job->user_only = false;
	perf_rights_read(&rights);
	if (!version) {
		finding_add(findings, FINDING_ERROR, "stagetrace records with it on Linux",
			    "install it (Debian: apt-get install linux-perf; Ubuntu: "
			    "linux-tools-generic; "
			    "Fedora: perf)\nor record without it: --set record.recorder=none",
			    "%s", path ? "'perf --version' prints no version" : err.msg);
		err_clear(&err);
		free(path);
		return;
	}
	finding_add(findings, FINDING_OK, NULL, NULL, "perf %s at %s", version, path);
	if (job->cpu && rights.max_sample_rate && rights.max_sample_rate < frequency(job->config))
		finding_add(
			findings, FINDING_ERROR, "the kernel refuses faster sampling",
			"set a longer cpu-interval, or: sudo sysctl "
			"kernel.perf_event_max_sample_rate=100000",
			"cpu-interval asks for %lld samples a second, but the kernel allows %lld",
			(long long)frequency(job->config), (long long)rights.max_sample_rate);
	else if (job->cpu)
		check_by_trial(job, &rights, findings);
	else if (job->memory)
		check_memory_alone(job, &rights, findings);
	else
		profiler_report_nothing(findings);
	profiler_report_ready("perf", job, findings);
	if (job->memory && !rights.may_lock_memory)
		finding_add(findings, FINDING_NOTE, "a burst of events may be lost",
			    "give perf CAP_IPC_LOCK", "buffers are limited to %lld KB for each CPU",
			    (long long)rights.mlock_kb);
	free(version);
	free(path);
}

static void perf_prepare(struct profiler_job *job)
{
	if (version_number() >= CONTROL_SINCE)
		job->control = perf_control_new();
}

static void perf_tick(const struct profiler_job *job, uint64_t ended)
{
	if (job->control)
		perf_control_tick(job->control, clock_now(), ended);
}

static void perf_finish(struct profiler_job *job)
{
	perf_control_free(job->control);
	job->control = NULL;
}

static void perf_settings(const struct profiler_job *job, struct profiler_settings *settings)
{
	struct perf_rights rights;

	perf_rights_read(&rights);
	if (job->cpu && rights.max_stack && rights.max_stack < atoi(MAX_STACK))
		profiler_settings_add(settings, PERF_MAX_STACK_FILE, MAX_STACK, false);
	/* Not perf's: but who may profile the system may change it, and the watch of the build reads it. */
	if (rights.admin && fs_exists(PROC_DELAYS_SETTING))
		profiler_settings_add(settings, PROC_DELAYS_SETTING, "1", false);
}

/* They are only ever raised. */
static bool perf_restores(const char *path, const char *value)
{
	int64_t before;

	if (!strcmp(path, PROC_DELAYS_SETTING))
		return !strcmp(value, "0");
	return !strcmp(path, PERF_MAX_STACK_FILE) &&
	       text_parse_int(value, 1, atoi(MAX_STACK) - 1, &before);
}

static int64_t perf_lost(const char *dir, void **state)
{
	struct perf_data_walk *walk = *state;
	struct err err = ERR_INIT;
	FILE *file = below_open(dir, RUN_PERF_DATA, "rb", &err);

	err_clear(&err);
	if (!walk)
		*state = walk = xcalloc(1, sizeof(*walk));
	if (file) {
		perf_data_walk(file, walk);
		fclose(file);
	}
	return perf_data_lost(walk);
}

const struct profiler_ops perf_profiler = {
	.name = "perf",
	.summary = "Linux perf: CPU samples, every system call that commits or frees memory, and "
		   "first writes to pages",
	.suits = perf_suits,
	.check = perf_check,
	.version = perf_version,
	.settings = perf_settings,
	.restores = perf_restores,
	.command = perf_command,
	.own_script = OWN_SCRIPT,
	.prepare = perf_prepare,
	.tick = perf_tick,
	.finish = perf_finish,
	.lost = perf_lost,
	.trace = RUN_PERF_DATA,
	.wraps_build = true,
};
