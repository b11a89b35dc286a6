#include "config/settings.h"

#include <string.h>

#include "config/config.h"
#include "tag/tag.h"
#include "util/array.h"
#include "util/text.h"

#define KB INT64_C(1024)
#define MB (KB * 1024)
#define GB (MB * 1024)
#define TB (GB * 1024)

#define DAY (24 * 3600 * NS_PER_S)

#define FIELD(member) .offset = offsetof(struct config, member)

static const char *const profilers[] = { "auto", "wpr", "xperf", "perf", "none", NULL };
static const char *const details[] = { "light", "verbose", NULL };
static const char *const cpu_stacks[] = { "sampled", "fp", "dwarf", NULL };
static const char *const memory_stacks[] = { "sampled", "fp", "dwarf", "none", NULL };
static const char *const touched[] = { "sampled", "no", NULL };
static const char *const recipes[] = { "snapshots", "tracing", NULL };
static const char *const modes[] = { "0600", "0640", "0660", "0644", "0664", NULL };
static const char *const symbols[] = { "auto", "none", "used", "build", "all", NULL };

/* clang-format off */
static const struct setting settings[] = {
	{ "run", "name", SETTING_NAME, FIELD(name),
	  .help = "first part of the run directory's name; default: the INI file's name" },
	{ "run", "source", SETTING_PATH, FIELD(source), .required = true,
	  .help = "the directory in which commands run: the rust checkout" },
	{ "run", "output", SETTING_PATH, FIELD(output), .fallback = "runs",
	  .help = "directory for run directories" },
	{ "run", "timeout", SETTING_DURATION, FIELD(timeout_ns), .fallback = "none", .max = 30 * DAY,
	  .help = "stop a recording that takes longer" },

	{ "bootstrap", "TABLE.KEY", SETTING_TOML, FIELD(set),
	  .help = "a setting of bootstrap.toml, given to x.py as --set" },
	{ "bootstrap", "config", SETTING_PATH, FIELD(bootstrap_config),
	  .help = "the bootstrap.toml to use; default: x.py's own search" },

	{ "stage1", "command", SETTING_COMMAND, FIELD(stage1.command),
	  .help = "builds the stage 1 compiler; not recorded" },
	{ "stage1", "env.NAME", SETTING_ENV, FIELD(stage1.env),
	  .help = "an environment variable of the command" },

	{ "stage2", "command", SETTING_COMMAND, FIELD(stage2.command), .required = true,
	  .help = "the build to record" },
	{ "stage2", "before", SETTING_COMMAND, FIELD(stage2.before),
	  .help = "command before the build, not recorded, for example to remove earlier results" },
	{ "stage2", "env.NAME", SETTING_ENV, FIELD(stage2.env),
	  .help = "an environment variable of both commands" },

	{ "record", "recorder", SETTING_WORD, FIELD(recorder), .fallback = "auto", .choices = profilers,
	  .help = "the profiler to use" },
	{ "record", "cpu", SETTING_BOOL, FIELD(cpu), .fallback = "yes",
	  .help = "CPU samples" },
	{ "record", "cpu-interval", SETTING_DURATION, FIELD(cpu_interval_ns), .fallback = "1ms",
	  .min = 100 * NS_PER_US, .max = NS_PER_S,
	  .help = "time between two CPU samples on each processor" },
	{ "record", "virtualalloc", SETTING_BOOL, FIELD(virtualalloc), .fallback = "yes",
	  .help = "every commit and free of memory" },
	{ "record", "heap", SETTING_BOOL, FIELD(heap), .fallback = "no",
	  .help = "every heap allocation: very expensive" },
	{ "record", "cpu-stacks", SETTING_STACKS, FIELD(cpu_stacks), .fallback = "sampled",
	  .choices = cpu_stacks, .help = "Linux: how CPU samples get their stacks" },
	{ "record", "memory-stacks", SETTING_STACKS, FIELD(memory_stacks), .fallback = "sampled",
	  .choices = memory_stacks, .help = "Linux: how memory events get their stacks" },
	{ "record", "touched", SETTING_WORD, FIELD(touched), .fallback = "sampled", .choices = touched,
	  .help = "Linux: which pages are recorded when they are first written: one in 32, or none" },
	{ "record", "keep-stack-copies", SETTING_BOOL, FIELD(keep_stack_copies), .fallback = "no",
	  .help = "Linux: keep the trace with its stack copies too" },
	{ "record", "buffers", SETTING_SIZE, FIELD(buffers_bytes), .fallback = "512MB",
	  .min = MB, .max = 64 * GB, .bare_unit = MB,
	  .help = "size of the profiler's buffers in memory" },
	{ "record", "min-free-disk", SETTING_SIZE, FIELD(min_free_disk_bytes), .fallback = "10GB",
	  .max = 1024 * TB,
	  .help = "refuse to start with less free disk space" },
	{ "record", "temp", SETTING_PATH, FIELD(temp),
	  .help = "directory for the profiler's own files (wpr's -recordtempto)" },
	{ "record", "wpr-profile", SETTING_PATH, FIELD(wpr_profile),
	  .help = "Windows: the recording profile; default: wpr's own CPU and VirtualAllocation" },
	{ "record", "detail", SETTING_WORD, FIELD(detail), .fallback = "verbose", .choices = details,
	  .help = "Windows: detail level of the recording profile" },
	{ "record", "stop-timeout", SETTING_DURATION, FIELD(stop_timeout_ns), .fallback = "30m",
	  .max = DAY,
	  .help = "Windows: give up saving the trace when nothing is written for this long" },

	{ "heap", "recipe", SETTING_WORD, FIELD(heap_job.recipe), .fallback = "snapshots",
	  .choices = recipes,
	  .help = "snapshots of chosen processes, or each allocation of an image: very expensive" },
	{ "heap", "crate", SETTING_NAMES, FIELD(heap_job.crates),
	  .help = "take heap snapshots of the compilers of these crates" },
	{ "heap", "pid", SETTING_PIDS, FIELD(heap_job.pids), .max = CONFIG_HEAP_PIDS,
	  .help = "running processes to take snapshots of; then nothing is built" },
	{ "heap", "image", SETTING_IMAGE, FIELD(heap_job.image),
	  .help = "program whose heap allocations are tracked from its start" },
	{ "heap", "snapshots", SETTING_COUNT, FIELD(heap_job.snapshots), .fallback = "3",
	  .min = 1, .max = 1000,
	  .help = "number of snapshots of each process; the first is taken at once" },
	{ "heap", "interval", SETTING_DURATION, FIELD(heap_job.interval_ns), .fallback = "10s",
	  .min = NS_PER_S, .max = DAY,
	  .help = "time between two snapshots of a process" },
	{ "heap", "at", SETTING_MOMENTS, FIELD(heap_job.at), .max = DAY,
	  .help = "times of the snapshots since the process's start, instead of an interval" },
	{ "heap", "periodic", SETTING_BOOL, FIELD(heap_job.periodic), .fallback = "no",
	  .help = "let wpr take snapshots at the interval until the process ends" },

	{ "tag", "ROLE", SETTING_GLOBS, FIELD(tag_rules),
	  .help = "more image names that have this role" },

	{ "bundle", "wpa-profile", SETTING_PATH, FIELD(wpa_profile),
	  .help = "WPA profile to put into the run" },
	{ "bundle", "symbols", SETTING_SYMBOLS, FIELD(symbols), .fallback = "auto", .choices = symbols,
	  .help = "which symbols to keep: names, or also PDBs and debug files" },
	{ "bundle", "max-size", SETTING_SIZE, FIELD(bundle_max_bytes), .fallback = "4GB",
	  .max = 1024 * TB,
	  .help = "leave out PDBs and debug files with which the run would be larger" },
	{ "bundle", "compress", SETTING_BOOL, FIELD(compress), .fallback = "yes",
	  .help = "compress the bundle's files" },
	{ "bundle", "mode", SETTING_WORD, FIELD(mode), .fallback = "0600", .choices = modes,
	  .help = "who may read the bundle and the run: file permissions" },

	{ "compare", "fail-if", SETTING_GATES, FIELD(fail_if),
	  .help = "gates for the comparison of runs" },
};
/* clang-format on */

const struct setting *setting_table(size_t *count)
{
	*count = ARRAY_SIZE(settings);
	return settings;
}

bool setting_is_family(const struct setting *setting)
{
	return setting->type == SETTING_TOML || setting->type == SETTING_ENV ||
	       setting->type == SETTING_GLOBS;
}

bool setting_takes_lines(const struct setting *setting)
{
	return setting->type == SETTING_COMMAND || setting->type == SETTING_GATES ||
	       setting->type == SETTING_GLOBS || setting->type == SETTING_NAMES ||
	       setting->type == SETTING_MOMENTS || setting->type == SETTING_PIDS;
}

static bool is_key_of(const struct setting *setting, const char *key)
{
	enum role role;

	switch (setting->type) {
	case SETTING_TOML:
		return strchr(key, '.');
	case SETTING_ENV:
		return text_starts_with(key, "env.") && key[4];
	case SETTING_GLOBS:
		return role_parse(key, &role);
	default:
		return !strcmp(key, setting->key);
	}
}

const struct setting *setting_find(const char *section, const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(section, settings[i].section) && is_key_of(&settings[i], key))
			return &settings[i];
	return NULL;
}

bool setting_is_section(const char *section)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(section, settings[i].section))
			return true;
	return false;
}

static void add_suggestion(struct strbuf *sb, const char *nearest)
{
	if (nearest)
		strbuf_addf(sb, " (did you mean '%s'?)", nearest);
}

/* The only section that has this key; NULL: none or several. */
static const char *other_section(const char *key)
{
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (setting_is_family(&settings[i]) || strcmp(key, settings[i].key))
			continue;
		if (found)
			return NULL;
		found = settings[i].section;
	}
	return found;
}

static void suggest_key(const char *section, const char *key, struct strbuf *sb)
{
	const char *candidates[ARRAY_SIZE(settings) + ROLE_COUNT];
	const char *other = other_section(key), *nearest;
	size_t count = 0;

	if (other) {
		strbuf_addf(sb, " (it belongs in [%s])", other);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(section, settings[i].section) && !setting_is_family(&settings[i]))
			candidates[count++] = settings[i].key;
	for (int role = 0; !strcmp(section, "tag") && role < ROLE_COUNT; role++)
		candidates[count++] = role_name((enum role)role);
	nearest = text_nearest(key, candidates, count);
	add_suggestion(sb, nearest);
	if (!nearest && !strcmp(section, "bootstrap"))
		strbuf_adds(sb, " (x.py's settings are TABLE.KEY, as in rust.debuginfo-level)");
}

bool setting_refuse_section(const char *section, struct strbuf *why)
{
	const char *candidates[ARRAY_SIZE(settings)];

	if (setting_is_section(section))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		candidates[i] = settings[i].section;
	strbuf_addf(why, "unknown section '%s'", section);
	add_suggestion(why, text_nearest(section, candidates, ARRAY_SIZE(settings)));
	return true;
}

bool setting_refuse(const char *section, const char *key, struct strbuf *why)
{
	if (!setting_find(section, key)) {
		strbuf_addf(why, "unknown key '%s' in [%s]", key, section);
		suggest_key(section, key, why);
	} else if (strlen(key) > SETTING_KEY_MAX) {
		strbuf_addf(why, "key too long: at most %d bytes", SETTING_KEY_MAX);
	} else {
		return false;
	}
	return true;
}

void setting_suggest_choice(const struct setting *setting, const char *word, struct strbuf *sb)
{
	size_t count = 0;

	while (setting->choices[count])
		count++;
	add_suggestion(sb, text_nearest(word, setting->choices, count));
}
