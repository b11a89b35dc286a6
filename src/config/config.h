/*
 * A recording's configuration: an INI file (docs/configuration.md), read and checked.
 *
 * config_load() reports every problem of a file in one pass, each as "path:line: message".
 */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "tag/tag.h"
#include "util/err.h"
#include "util/strbuf.h"
#include "util/strvec.h"

/* Size limit; a larger file is refused. */
#define CONFIG_MAX (256 * 1024)

enum stack_mode { STACKS_NONE, STACKS_FP, STACKS_DWARF, STACKS_SAMPLED };
/* [bundle] symbols; SYMBOLS_AUTO is SYMBOLS_BUILD for an ETL trace, else SYMBOLS_USED. */
enum symbols_mode { SYMBOLS_AUTO, SYMBOLS_NONE, SYMBOLS_USED, SYMBOLS_BUILD, SYMBOLS_ALL };

/* [stage1] and [stage2]; a command is split into arguments, with {set} left in place. */
struct config_stage {
	struct strvec command;
	struct strvec before; /* [stage2]; empty: none */
	struct strvec env;    /* NAME=value pairs */
};

struct config_numbers {
	int64_t *v;
	size_t nr, alloc;
};

/* Largest number of processes in one snapshot call of wpr. */
#define CONFIG_HEAP_PIDS 8

/* [heap]: what `stagetrace heap` records. */
struct config_heap {
	char *recipe;               /* "snapshots" or "tracing" */
	struct strvec crates;       /* globs; the compilers of these crates are selected */
	struct config_numbers pids; /* running processes to record; then nothing is built */
	char *image;                /* NULL: not set */
	int64_t snapshots;          /* of each process, one per interval */
	int64_t interval_ns;
	/* Nanoseconds since the process's start, instead of snapshots and interval; empty: not set. */
	struct config_numbers at;
	bool periodic;
};

struct config {
	char *path; /* of the INI file */

	char *name;   /* [run]; paths here are absolute or relative to the working directory */
	char *source; /* NULL: nothing is built */
	bool unseen; /* a stranger's: the source is not looked at, as the commands are only shown */
	char *output;
	int64_t timeout_ns; /* 0: none */

	struct strvec set;      /* [bootstrap] KEY=VALUE pairs, in the file's order */
	char *bootstrap_config; /* absolute; NULL: x.py's own search */

	struct config_stage stage1;
	struct config_stage stage2;

	char *recorder; /* "auto", "perf", ... */
	bool cpu;
	int64_t cpu_interval_ns;
	bool virtualalloc;
	bool heap;
	enum stack_mode cpu_stacks;
	enum stack_mode memory_stacks;
	char *touched; /* "sampled" or "no" */
	bool keep_stack_copies;
	int64_t buffers_bytes;
	int64_t min_free_disk_bytes;
	char *temp;              /* NULL: not set */
	char *wpr_profile;       /* NULL: wpr's own profiles */
	char *detail;            /* "light" or "verbose" */
	int64_t stop_timeout_ns; /* 0: none */

	struct config_heap heap_job;

	struct tag_rules tag_rules;

	char *wpa_profile; /* NULL: not set */
	enum symbols_mode symbols;
	int64_t bundle_max_bytes;
	bool compress;
	char *mode; /* permissions of what a recording writes, octal */

	struct strvec fail_if;

	struct config_entry *entries; /* all settings as given, for the copy in the run */
	size_t entries_nr, entries_alloc;
};

/* An empty configuration, which config_release() accepts. */
#define CONFIG_INIT \
	{ \
		.path = NULL, .set = STRVEC_INIT, \
		.stage1 = { STRVEC_INIT, STRVEC_INIT, STRVEC_INIT }, \
		.stage2 = { STRVEC_INIT, STRVEC_INIT, STRVEC_INIT }, \
		.heap_job = { .crates = STRVEC_INIT }, .fail_if = STRVEC_INIT \
	}

/* A setting as given in the file (continued lines are joined) or by --set. */
struct config_entry {
	char *section;
	char *key;
	char *value;
	int line; /* 0: from --set */
};

/* What replaces settings of a file; may be empty. */
struct config_changes {
	struct strvec set; /* "SECTION.KEY=VALUE" each; the section is up to the first dot */
	/*
	 * A command that is recorded in the working directory, instead of the bootstrap that the file describes: [run]
	 * source, [bootstrap], [stage1] and the commands of [stage2]. `set` comes after it.
	 */
	struct strvec command;
};

/*
 * Read `path`, then apply `changes` (NULL: none) as if they were in the file. On failure `config` is empty; the caller
 * releases it in both cases. All problems are in one ERR_CONFIG message, a line each.
 */
int config_load(const char *path, const struct config_changes *changes, struct config *config,
		struct err *err);

/* The same for a file `path` with the content `text`. */
int config_load_text(const char *path, const char *text, size_t len,
		     const struct config_changes *changes, struct config *config, struct err *err);

/* Whether one of the configuration's commands runs x.py: it builds a rustc checkout in stages. */
bool config_is_bootstrap(const struct config *config);

/* Whether a command runs x.py, directly or by another program such as python or perf. */
bool config_runs_x_py(const struct strvec *argv);

void config_release(struct config *config);

/* [bundle] mode as a number; 0600 for an empty configuration. */
int config_file_mode(const struct config *config);

/* Whether touched memory is to be recorded: it needs the events of committed memory. */
bool config_wants_touched(const struct config *config);

/* The entry of a key; NULL: not set in the file or by --set. */
struct config_entry *config_find_entry(const struct config *config, const char *section,
				       const char *key);

/* Remove the entries for which `is_removed` is true; NULL: all. */
void config_remove_entries(struct config *config,
			   bool (*is_removed)(const struct config_entry *entry));

/* Set the entry of a key, or append it; the strings are copied. */
void config_set_entry(struct config *config, const char *section, const char *key,
		      const char *value, int line);

/*
 * Append the location of a setting for messages: "path:line", "path" for a default, or "--set SECTION.KEY".
 */
void config_add_place(const struct config *config, const char *section, const char *key,
		      struct strbuf *sb);

/*
 * Append the configuration as used: INI text with overrides applied, defaults written out and paths absolute. From any
 * directory, config_load() reads it to the same result.
 */
void config_add_ini(const struct config *config, struct strbuf *sb);

/*
 * Read the settings of an INI text as they are given, into an empty configuration: values are not checked. Returns the
 * number of problems; lines with one are left out.
 */
size_t config_read_entries(const char *text, size_t len, struct config *config);

/* Append the settings as they are given, as INI text that reads back to the same. */
void config_add_entries(const struct config *config, struct strbuf *sb);

/*
 * Append the arguments of a stage's command. The arguments for x.py from [bootstrap] (--set and --config) replace {set};
 * without {set} they are inserted before a bare "--" or appended. A first word "python" becomes "python3" if this
 * machine has only that.
 */
void config_stage_argv(const struct config *config, const struct config_stage *stage,
		       struct strvec *argv);

/* The same for the stage's `before` command, but without {set} nothing is inserted. */
void config_before_argv(const struct config *config, const struct config_stage *stage,
			struct strvec *argv);

#endif
