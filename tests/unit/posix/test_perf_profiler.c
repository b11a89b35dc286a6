/*
 * The profiler perf with tests/tools/fake-perf, which accepts the same arguments as the real perf. Run from the
 * project's root.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/child.h"
#include "platform/fs.h"
#include "platform/host.h"
#include "platform/proc_watch.h"
#include "profiler/perf_rights.h"
#include "profiler/profiler.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"

#define LONG (60 * NS_PER_S)

struct place {
	char *temp, *log, *old_path;
};

static int install_stand_in(void **state)
{
	struct place *place = xmalloc(sizeof(*place));
	char *tool = fs_absolute("tests/tools/fake-perf"), *bin, *link, *path;
	struct err err = ERR_INIT;

	assert_non_null(tool);
	place->temp = fs_temp_dir(&err);
	place->log = fs_join(place->temp, "stage 2.log");
	place->old_path = xstrdup(getenv("PATH"));
	bin = fs_join(place->temp, "bin");
	link = fs_join(bin, "perf");
	path = xasprintf("%s:%s", bin, place->old_path);
	assert_int_equal(fs_mkdir(bin, &err), 0);
	assert_int_equal(fs_copy(tool, link, &err), 0);
	assert_int_equal(fs_set_executable(link, &err), 0);
	setenv("PATH", path, 1);
	unsetenv("FAKE_PERF");
	unsetenv("FAKE_PERF_VERSION");
	unsetenv("FAKE_PERF_LOST");
	free(path);
	free(link);
	free(bin);
	free(tool);
	*state = place;
	return 0;
}

static int remove_stand_in(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	int rc = fs_remove_tree(place->temp, &err);

	setenv("PATH", place->old_path, 1);
	free(place->temp);
	free(place->log);
	free(place->old_path);
	free(place);
	return rc;
}

static struct config make_config(bool cpu, bool memory, enum stack_mode stacks)
{
	static char perf[] = "perf";

	return (struct config){
		.recorder = perf,
		.cpu = cpu,
		.cpu_interval_ns = NS_PER_MS,
		.virtualalloc = memory,
		.cpu_stacks = STACKS_FP,
		.memory_stacks = stacks,
		.buffers_bytes = 1, /* as small as can be, on any number of CPUs */
	};
}

static struct profiler_job make_job(const struct place *place, const struct config *config)
{
	return (struct profiler_job){
		.config = config,
		.dir = place->temp,
		.build_log = place->log,
		.cpu = config->cpu,
		.memory = config->virtualalloc,
	};
}

/* The first finding of that level with these words. */
static const struct finding *find(const struct finding_list *list, enum finding_level level,
				  const char *words)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->v[i].level == level && strstr(list->v[i].what, words))
			return &list->v[i];
	}
	return NULL;
}

struct check_case {
	const char *mode;
	bool cpu, memory;           /* asked for */
	bool gets_cpu, gets_memory; /* where there is no error */
	enum finding_level level;
	const char *words; /* of a finding of that level */
};

static void check_one(const struct place *place, const struct check_case *c)
{
	struct config config = make_config(c->cpu, c->memory, STACKS_SAMPLED);
	struct profiler_job job = make_job(place, &config);
	struct finding_list findings = FINDING_LIST_INIT;

	setenv("FAKE_PERF", c->mode, 1);
	perf_profiler.check(&job, &findings);
	if (!find(&findings, c->level, c->words)) {
		for (size_t i = 0; i < findings.nr; i++)
			print_message("%d: %s\n", findings.v[i].level, findings.v[i].what);
		fail_msg("mode '%s': not said: %s", c->mode, c->words);
	}
	for (size_t i = 0; i < findings.nr; i++) {
		if (findings.v[i].level >= FINDING_WARNING)
			assert_true(findings.v[i].why && findings.v[i].remedy);
	}
	if (finding_has(&findings, FINDING_ERROR) != (c->level == FINDING_ERROR))
		fail_msg("mode '%s': an error or none", c->mode);
	if (c->level != FINDING_ERROR && (job.cpu != c->gets_cpu || job.memory != c->gets_memory))
		fail_msg("mode '%s': cpu %d, memory %d", c->mode, job.cpu, job.memory);
	finding_list_release(&findings);
}

static void perf_check__what_the_rights_allow__is_what_the_job_gets(void **state)
{
	static const char denied[] = "perf cannot record here: Access to performance monitoring";
	static const struct check_case cases[] = {
		{ "", true, true, true, true, FINDING_OK,
		  "perf can record CPU samples and memory events" },
		{ "", true, false, true, false, FINDING_OK, "perf can record CPU samples" },
		{ "", false, true, false, true, FINDING_OK, "perf can record memory events" },
		{ "no-tracepoints", true, true, true, false, FINDING_OK,
		  "perf can record CPU samples" },
		{ "no-tracepoints", false, true, false, false, FINDING_ERROR,
		  "no event can be recorded" },
		{ "nothing", true, false, false, false, FINDING_ERROR, denied },
		{ "nothing", true, true, false, false, FINDING_ERROR, denied },
		{ "nothing,warnings", true, true, false, false, FINDING_ERROR, denied },
		{ "nothing,silent", true, true, false, false, FINDING_ERROR,
		  "perf cannot record here: perf ended with exit code 255" },
		{ "", false, false, false, false, FINDING_ERROR,
		  "cpu and virtualalloc are both off" },
		{ "no-version", true, true, false, false, FINDING_ERROR,
		  "'perf --version' prints no version" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_one(*state, &cases[i]);
}

/* perf falls back to user code without a message, so only the rights show it. */
static void perf_check__no_kernel_samples__are_not_asked_for(void **state)
{
	struct config config = make_config(true, false, STACKS_NONE);
	struct profiler_job job = make_job(*state, &config);
	struct finding_list findings = FINDING_LIST_INIT;
	struct perf_rights rights;

	perf_rights_read(&rights);
	perf_profiler.check(&job, &findings);
	assert_int_equal(job.user_only, rights.paranoid > 1 && !rights.capable);
	assert_int_equal(find(&findings, FINDING_WARNING, "user code only") != NULL, job.user_only);
	finding_list_release(&findings);
}

/* If the rights already explain the problem, the finding says so; else it has perf's message. */
static void perf_check__no_tracepoints__goes_on_with_cpu_and_says_why(void **state)
{
	struct perf_rights rights;
	struct check_case c = { "no-tracepoints",        true, true, true, false, FINDING_WARNING,
				"tracefs is not mounted" };

	perf_rights_read(&rights);
	if (rights.tracefs)
		c.words =
			"No permissions to read /sys/kernel/tracing/events/syscalls/sys_enter_mmap";
	else if (rights.tracefs_mounted)
		c.words = "this user may not read the tracepoints";
	check_one(*state, &c);
	c.mode = "no-tracepoints,warnings";
	check_one(*state, &c);
}

static void perf_check__old_perf__is_asked_for_what_it_knows(void **state)
{
	static const char *const versions[] = { "4.19.0", "5.4", "5.11.22", "5.12.0", "6.12.y" };
	struct check_case c = {
		"",
		true,
		true,
		true,
		true,
		FINDING_OK,
		"perf can record CPU samples and memory events",
	};

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		setenv("FAKE_PERF_VERSION", versions[i], 1);
		check_one(*state, &c);
	}
}

static void perf_check__not_installed__is_an_error(void **state)
{
	struct check_case c = {
		"", true, true, false, false, FINDING_ERROR, "perf is not installed",
	};
	struct place *place = *state;

	setenv("PATH", place->temp, 1);
	check_one(place, &c);
}

static void perf_check__faster_than_the_kernel_allows__is_an_error(void **state)
{
	struct config config = make_config(true, false, STACKS_NONE);
	struct profiler_job job = make_job(*state, &config);
	struct finding_list findings = FINDING_LIST_INIT;
	struct perf_rights rights;

	perf_rights_read(&rights);
	if (!rights.max_sample_rate)
		skip();
	config.cpu_interval_ns = 1;
	perf_profiler.check(&job, &findings);
	assert_non_null(find(&findings, FINDING_ERROR, "1000000000 samples a second"));
	finding_list_release(&findings);
}

static void perf_check__no_page_faults__leaves_out_touched_memory_alone(void **state)
{
	static char sampled[] = "sampled", no[] = "no";
	static const struct {
		const char *mode;
		bool cpu;
		char *wanted;
		bool gets_touched, warns;
	} cases[] = {
		{ "", true, sampled, true, false },
		{ "", false, sampled, true, false },
		{ "", true, no, false, false },
		{ "no-page-faults", true, sampled, false, true },
		{ "no-page-faults", false, sampled, false, true },
		{ "no-page-faults", true, no, false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct config config = make_config(cases[i].cpu, true, STACKS_SAMPLED);
		struct profiler_job job = make_job(*state, &config);
		struct finding_list findings = FINDING_LIST_INIT;
		const struct finding *finding;

		config.touched = cases[i].wanted;
		setenv("FAKE_PERF", cases[i].mode, 1);
		perf_profiler.check(&job, &findings);
		assert_true(job.memory);
		assert_int_equal(job.cpu, cases[i].cpu);
		assert_int_equal(job.touched, cases[i].gets_touched);
		finding = find(&findings, FINDING_WARNING, "touched memory cannot be recorded");
		assert_int_equal(finding != NULL, cases[i].warns);
		if (finding)
			assert_true(finding->why && finding->remedy);
		assert_false(finding_has(&findings, FINDING_ERROR));
		finding_list_release(&findings);
	}
}

/* Nothing is left in the temporary directory. */
static void perf_check__trials__leave_nothing_behind(void **state)
{
	struct check_case c = {
		"no-tracepoints", true, true, true, false, FINDING_OK, "perf can record CPU samples"
	};
	struct strvec names = STRVEC_INIT;
	struct place *place = *state;
	struct err err = ERR_INIT;

	setenv("TMPDIR", place->temp, 1);
	check_one(place, &c);
	unsetenv("TMPDIR");
	assert_int_equal(fs_list(place->temp, &names, &err), 0);
	assert_int_equal(names.nr, 1);
	assert_string_equal(names.v[0], "bin");
	strvec_release(&names);
}

#define PLAIN(terms) \
	" -e syscalls:sys_enter_mmap" terms " -e syscalls:sys_exit_mmap" terms \
	" -e syscalls:sys_enter_munmap" terms " -e syscalls:sys_enter_mremap" terms \
	" -e syscalls:sys_exit_mremap" terms " -e syscalls:sys_enter_brk" terms \
	" -e syscalls:sys_exit_brk" terms " -e syscalls:sys_enter_mprotect" terms \
	" -e syscalls:sys_enter_madvise" terms
#define DWARF "/call-graph=dwarf,stack-size=16384/"
#define SAMPLED \
	PLAIN("") \
	" -e syscalls:sys_enter_mmap" DWARF " --filter 'len >= 65536 && prot & 2 && flags & 0x20'" \
	" -e syscalls:sys_exit_mmap" DWARF \
	" --filter 'ret > 0 && ret & 0x1000 && !(ret & 0x3e000)'" \
	" -e syscalls:sys_enter_mremap" DWARF " --filter 'new_len >= 65536'" \
	" -e syscalls:sys_enter_brk" DWARF " --filter 'brk != 0'" \
	" -e syscalls:sys_enter_mprotect" DWARF " --filter 'len >= 65536 && prot & 2'" \
	" -e syscalls:sys_enter_mprotect" DWARF \
	" --filter 'len < 65536 && prot & 2 && !(start & 0x3f000)'"
#define TOUCHED(terms) FAULTS("user", terms) FAULTS("kernel", terms)
#define FAULTS(who, terms) \
	" -e exceptions:page_fault_" who terms " --filter 'error_code & 2 && address & 0x1000 && " \
	"address & 0x4000 && !(address & 0x1a000)'"
#define CPU(graph, modifier) " -e cpu-clock/freq=1000,call-graph=" graph ",name=cpu-clock/" modifier

#define COPIES(modifier) \
	" -e cpu-clock/freq=67,call-graph=dwarf,stack-size=16384,name=cpu-stacks/" modifier

#define LARGE(terms) \
	" -e kmem:mm_page_alloc" terms \
	" --filter 'order > 0 && gfp_flags & 0x80000 && gfp_flags & 0x8'" FIRST("user") \
		FIRST("kernel")
#define FIRST(who) \
	" -e exceptions:page_fault_" who " --filter 'error_code & 2 && !(address & 0x1f0000) && " \
	"!(address & 0x1000 && address & 0x4000 && !(address & 0x1a000))'"

struct command_case {
	bool cpu, memory, touched, user_only;
	enum stack_mode cpu_stacks, memory_stacks;
	const char *events;
	const char *large; /* NULL; of large pages, where there are any */
};

static const struct command_case command_cases[] = {
	{ true, true, false, false, STACKS_FP, STACKS_SAMPLED, CPU("fp", "") SAMPLED, NULL },
	{ true, true, false, false, STACKS_FP, STACKS_NONE, CPU("fp", "") PLAIN(""), NULL },
	{ true, true, false, false, STACKS_FP, STACKS_FP, CPU("fp", "") PLAIN("/call-graph=fp/"),
	  NULL },
	{ true, true, false, false, STACKS_DWARF, STACKS_DWARF,
	  CPU("dwarf,stack-size=16384", "") PLAIN(DWARF), NULL },
	{ true, false, false, false, STACKS_FP, STACKS_SAMPLED, CPU("fp", ""), NULL },
	{ true, true, false, false, STACKS_SAMPLED, STACKS_NONE, CPU("fp", "") COPIES("") PLAIN(""),
	  NULL },
	{ true, false, false, true, STACKS_SAMPLED, STACKS_NONE, CPU("fp", "u") COPIES("u"), NULL },
	{ false, true, false, false, STACKS_SAMPLED, STACKS_NONE, PLAIN(""), NULL },
	{ true, false, false, true, STACKS_FP, STACKS_SAMPLED, CPU("fp", "u"), NULL },
	{ false, true, false, false, STACKS_FP, STACKS_SAMPLED, SAMPLED, NULL },
	{ false, true, false, false, STACKS_DWARF, STACKS_NONE, PLAIN(""), NULL },
	{ false, true, true, false, STACKS_FP, STACKS_SAMPLED, SAMPLED TOUCHED(DWARF),
	  LARGE(DWARF) },
	{ false, true, true, false, STACKS_FP, STACKS_DWARF, PLAIN(DWARF) TOUCHED(DWARF),
	  LARGE(DWARF) },
	{ false, true, true, false, STACKS_FP, STACKS_FP,
	  PLAIN("/call-graph=fp/") TOUCHED("/call-graph=fp/"), LARGE("/call-graph=fp/") },
	{ false, true, true, false, STACKS_FP, STACKS_NONE, PLAIN("") TOUCHED(""), LARGE("") },
};

static void make_command(const struct place *place, const struct command_case *c,
			 const struct strvec *build, struct strvec *argv)
{
	struct config config = make_config(c->cpu, c->memory, c->memory_stacks);
	struct profiler_job job = make_job(place, &config);
	int own_execs = 0;

	config.cpu_stacks = c->cpu_stacks;
	job.touched = c->touched;
	job.user_only = c->user_only;
	perf_profiler.command(&job, build, argv, &own_execs);
	assert_int_equal(own_execs, 1);
}

static void perf_rights__large_pages__by_any_setting(void **state)
{
	static const struct {
		const char *all, *of_64k; /* NULL: there is no such file */
		bool gives;
	} cases[] = {
		{ "[always] madvise never\n", NULL, true },
		{ "always [madvise] never\n", NULL, true },
		{ "always madvise [never]\n", NULL, false },
		{ "always madvise [never]\n", "always inherit madvise [never]\n", false },
		{ "always madvise [never]\n", "always [inherit] madvise never\n", false },
		{ "always madvise [never]\n", "[always] inherit madvise never\n", true },
		{ "always madvise [never]\n", "always inherit [madvise] never\n", true },
		{ NULL, NULL, false },
	};
	const struct place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *dir = xasprintf("%s/settings%zu", place->temp, i);
		char *size = fs_join(dir, "hugepages-64kB"), *all = fs_join(dir, "enabled");
		char *one = fs_join(size, "enabled");
		struct err err = ERR_INIT;

		assert_int_equal(fs_mkdir(dir, &err), 0);
		assert_int_equal(fs_mkdir(size, &err), 0);
		if (cases[i].all)
			assert_int_equal(
				fs_write_atomic(all, cases[i].all, strlen(cases[i].all), &err), 0);
		if (cases[i].of_64k)
			assert_int_equal(fs_write_atomic(one, cases[i].of_64k,
							 strlen(cases[i].of_64k), &err),
					 0);
		assert_int_equal(perf_rights_large_pages(dir), cases[i].gives);
		free(one);
		free(all);
		free(size);
		free(dir);
	}
}

static void perf_command__each_mode__is_exactly_this(void **state)
{
	const struct place *place = *state;
	struct perf_rights rights;

	perf_rights_read(&rights);
	for (size_t i = 0; i < ARRAY_SIZE(command_cases); i++) {
		struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
		struct strbuf line = STRBUF_INIT;
		const char *large = command_cases[i].large;
		char *expected = xasprintf(
			"%s/bin/perf record -o %s/trace.perf.data -k CLOCK_MONOTONIC --sample-cpu "
			"-m 128K%s "
			"--buildid-mmap%s%s%s -- /bin/sh -c 'exec >>\"$0\" 2>&1 \"$@\"' '%s' "
			"python "
			"x.py 'a b'",
			place->temp, place->temp, host_allows_realtime() ? " --realtime=1" : "",
			strstr(command_cases[i].events, "dwarf") ? " --compression-level=1" : "",
			command_cases[i].events, rights.large_pages && large ? large : "",
			place->log);

		strvec_push(&build, "python");
		strvec_push(&build, "x.py");
		strvec_push(&build, "a b");
		make_command(place, &command_cases[i], &build, &argv);
		quote_add_shell(&line, &argv);
		assert_string_equal(line.buf, expected);
		free(expected);
		strbuf_release(&line);
		strvec_release(&argv);
		strvec_release(&build);
	}
}

static void perf_command__run__keeps_arguments_output_and_exit_code(void **state)
{
	static const char script[] = "printf '<%s>' \"$@\"; echo err >&2; exit 7";
	const struct place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(command_cases); i++) {
		struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
		struct strbuf output = STRBUF_INIT, log = STRBUF_INIT;
		struct err err = ERR_INIT;
		int64_t exit_code = -1;

		strvec_push(&build, "sh");
		strvec_push(&build, "-c");
		strvec_push(&build, script);
		strvec_push(&build, "$0");
		strvec_push(&build, "");
		strvec_push(&build, "a  'b'");
		strvec_push(&build, "-o");
		strvec_push(&build, "$(x)\n");
		make_command(place, &command_cases[i], &build, &argv);
		assert_int_equal(child_capture(&argv, place->temp, LONG, &output, &exit_code, &err),
				 0);
		if (exit_code != 7)
			fail_msg("case %zu: exit code %d: %s", i, (int)exit_code, output.buf);
		assert_int_equal(fs_read(place->log, 4096, &log, &err), 0);
		assert_string_equal(log.buf, "<><a  'b'><-o><$(x)\n>err\n");
		assert_null(strstr(output.buf, "err\n"));
		assert_int_equal(fs_remove(place->log, &err), 0);
		strbuf_release(&output);
		strbuf_release(&log);
		strvec_release(&argv);
		strvec_release(&build);
	}
}

/* The FIFO that a recording prepares; perf of before 5.12 has none. */
static void perf_prepare__fifo__is_named_if_perf_can_open_it(void **state)
{
	static const struct {
		const char *version;
		bool named;
	} cases[] = { { "5.11.9", false }, { "5.12.0", true }, { "6.12.y", true }, { "?", false } };
	const char option[] = "--control=fifo:";

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct config config = make_config(true, true, STACKS_SAMPLED);
		struct profiler_job job = make_job(*state, &config);
		struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
		char *fifo = NULL;
		int own_execs;

		setenv("FAKE_PERF_VERSION", cases[i].version, 1);
		perf_profiler.prepare(&job);
		perf_profiler.command(&job, &build, &argv, &own_execs);
		for (size_t j = 0; j < argv.nr; j++) {
			if (text_starts_with(argv.v[j], option))
				fifo = xstrdup(argv.v[j] + strlen(option));
		}
		assert_int_equal(fifo != NULL, cases[i].named);
		assert_true(!fifo || fs_exists(fifo));
		perf_profiler.tick(&job, 0);
		perf_profiler.finish(&job);
		assert_null(job.control);
		assert_true(!fifo || !fs_exists(fifo));
		strvec_release(&argv);
		strvec_release(&build);
		free(fifo);
	}
}

static void perf_command__old_perf__has_no_build_ids_in_mmap_events(void **state)
{
	struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
	bool found = false;

	setenv("FAKE_PERF_VERSION", "5.11.0", 1);
	strvec_push(&build, "true");
	make_command(*state, &command_cases[0], &build, &argv);
	for (size_t i = 0; i < argv.nr; i++) {
		assert_string_not_equal(argv.v[i], "--buildid-mmap");
		found |= !strcmp(argv.v[i], "-N");
	}
	assert_true(found);
	strvec_release(&argv);
	strvec_release(&build);
}

static bool asks_for_compression(const struct place *place)
{
	struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
	bool found = false;

	strvec_push(&build, "true");
	make_command(place, &command_cases[0], &build, &argv);
	for (size_t i = 0; i < argv.nr; i++)
		found |= text_starts_with(argv.v[i], "--compression");
	strvec_release(&argv);
	strvec_release(&build);
	return found;
}

static void perf_command__perf_that_cannot_compress__is_not_asked_to(void **state)
{
	static const struct {
		const char *version, *mode;
		bool asked;
	} cases[] = {
		{ "5.1.21", "", false },        { "5.2.0", "", true }, { "6.12.y", "", true },
		{ "6.12.y", "no-zstd", false }, { "?", "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		setenv("FAKE_PERF_VERSION", cases[i].version, 1);
		setenv("FAKE_PERF", cases[i].mode, 1);
		assert_int_equal(asks_for_compression(*state), cases[i].asked);
	}
}

/* What is asked for is for all CPUs together, and a power of two for each. */
static void perf_command__buffers__are_shared_out(void **state)
{
	struct config config = make_config(true, true, STACKS_SAMPLED);
	struct profiler_job job = make_job(*state, &config);
	struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
	struct perf_rights rights;
	int64_t bytes = 0;
	struct host host;
	bool compressed = false;
	int copies = 0;
	int own_execs;

	perf_rights_read(&rights);
	host_read(&host);
	config.buffers_bytes = INT64_C(512) << 20;
	config.cpu_stacks = STACKS_DWARF;
	perf_profiler.command(&job, &build, &argv, &own_execs);
	for (size_t i = 0; i + 1 < argv.nr; i++) {
		if (!strcmp(argv.v[i], "-m"))
			assert_true(text_parse_size(argv.v[i + 1], 1, &bytes));
		copies += strstr(argv.v[i], bytes < 4 << 20 ? "stack-size=16384/"
							    : "stack-size=65528/") != NULL;
		compressed |= !strcmp(argv.v[i], "--compression-level=1");
		if (text_starts_with(argv.v[i], "cpu-clock/"))
			assert_non_null(strstr(argv.v[i], compressed && bytes >= 4 << 20
								  ? "stack-size=65528,"
								  : "stack-size=16384,"));
	}
	assert_int_equal(copies, 6);
	assert_true(bytes >= 1 << 17);
	assert_int_equal(bytes & (bytes - 1), 0);
	if (rights.may_lock_memory && host.cpus <= 2048) {
		assert_true(bytes * host.cpus <= config.buffers_bytes);
		assert_true(bytes * 2 * host.cpus > config.buffers_bytes);
	}
	host_release(&host);
	strvec_release(&argv);
	strvec_release(&build);
}

static void perf_lost__trace_of_the_run__is_counted(void **state)
{
	struct strvec build = STRVEC_INIT, argv = STRVEC_INIT;
	const struct place *place = *state;
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	void *walk = NULL;
	int64_t exit_code;

	assert_int_equal(perf_profiler.lost(place->temp, &walk), -1);
	setenv("FAKE_PERF_LOST", "42", 1);
	strvec_push(&build, "true");
	make_command(place, &command_cases[0], &build, &argv);
	assert_int_equal(child_capture(&argv, NULL, LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 0);
	assert_int_equal(perf_profiler.lost(place->temp, &walk), 42);
	assert_int_equal(perf_profiler.lost(place->temp, &walk), 42);
	free(walk);
	strbuf_release(&output);
	strvec_release(&argv);
	strvec_release(&build);
}

/* The value that a setting is to get; NULL: it stays. */
static const char *find_setting(const struct profiler_settings *settings, const char *path)
{
	for (size_t i = 0; i < settings->nr; i++)
		if (!strcmp(settings->v[i].path, path))
			return settings->v[i].value;
	return NULL;
}

static void perf_settings__stacks_of_192_frames__only_with_cpu_samples(void **state)
{
	struct config config = make_config(true, true, STACKS_SAMPLED);
	struct profiler_job job = make_job(*state, &config);
	struct profiler_settings settings = { NULL, 0, 0 };
	struct perf_rights rights;

	perf_rights_read(&rights);
	job.cpu = false;
	perf_profiler.settings(&job, &settings);
	assert_null(find_setting(&settings, PERF_MAX_STACK_FILE));
	job.cpu = true;
	perf_profiler.settings(&job, &settings);
	if (rights.max_stack > 0 && rights.max_stack < 192)
		assert_string_equal(find_setting(&settings, PERF_MAX_STACK_FILE), "192");
	else
		assert_null(find_setting(&settings, PERF_MAX_STACK_FILE));
	profiler_settings_release(&settings);
}

static void perf_settings__waits__are_counted_where_root_may(void **state)
{
	struct config config = make_config(false, true, STACKS_SAMPLED);
	struct profiler_job job = make_job(*state, &config);
	struct profiler_settings settings = { NULL, 0, 0 };

	perf_profiler.settings(&job, &settings);
	if (host_is_admin() && fs_exists(PROC_DELAYS_SETTING))
		assert_string_equal(find_setting(&settings, PROC_DELAYS_SETTING), "1");
	else
		assert_null(find_setting(&settings, PROC_DELAYS_SETTING));
	profiler_settings_release(&settings);
}

static void perf_version__as_perf_says__without_its_name(void **state)
{
	char *version;

	(void)state;
	setenv("FAKE_PERF_VERSION", "6.1.192", 1);
	version = perf_profiler.version(&perf_profiler);
	assert_string_equal(version, "6.1.192");
	free(version);
	setenv("FAKE_PERF", "no-version", 1);
	assert_null(perf_profiler.version(&perf_profiler));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, install_stand_in, remove_stand_in)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(perf_check__what_the_rights_allow__is_what_the_job_gets),
		TEST(perf_check__no_kernel_samples__are_not_asked_for),
		TEST(perf_check__no_tracepoints__goes_on_with_cpu_and_says_why),
		TEST(perf_check__old_perf__is_asked_for_what_it_knows),
		TEST(perf_check__not_installed__is_an_error),
		TEST(perf_check__faster_than_the_kernel_allows__is_an_error),
		TEST(perf_check__no_page_faults__leaves_out_touched_memory_alone),
		TEST(perf_check__trials__leave_nothing_behind),
		TEST(perf_rights__large_pages__by_any_setting),
		TEST(perf_command__each_mode__is_exactly_this),
		TEST(perf_command__run__keeps_arguments_output_and_exit_code),
		TEST(perf_prepare__fifo__is_named_if_perf_can_open_it),
		TEST(perf_command__old_perf__has_no_build_ids_in_mmap_events),
		TEST(perf_command__perf_that_cannot_compress__is_not_asked_to),
		TEST(perf_command__buffers__are_shared_out),
		TEST(perf_lost__trace_of_the_run__is_counted),
		TEST(perf_settings__stacks_of_192_frames__only_with_cpu_samples),
		TEST(perf_settings__waits__are_counted_where_root_may),
		TEST(perf_version__as_perf_says__without_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
