/*
 * A recording's configuration: an INI file (docs/configuration.md), read, checked, and made ready to use.
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

enum stack_mode { STACKS_NONE, STACKS_FP, STACKS_DWARF, STACKS_SAMPLED };
enum symbols_mode { SYMBOLS_NONE, SYMBOLS_USED, SYMBOLS_ALL };

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

/* wpr takes snapshots of so many processes at once. */
#define CONFIG_HEAP_PIDS 8

/* [heap]: what `stagetrace heap` is to take. */
struct config_heap {
	char *recipe;               /* "snapshots" or "tracing" */
	struct strvec crates;       /* globs; of the compilers to take */
	struct config_numbers pids; /* that run already: nothing is built */
	char *image;                /* NULL: not set */
	int64_t snapshots;          /* of each process, every interval */
	int64_t interval_ns;
	struct config_numbers at; /* ns from the process's start, instead; empty: not set */
	bool periodic;
};

struct config {
	char *path; /* of the INI file */

	char *name;   /* [run]; paths here are absolute or relative to the working directory */
	char *source; /* NULL where nothing is built */
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
	bool compress;

	struct strvec fail_if;

	struct config_entry *entries; /* every setting as given, for the copy in the run */
	size_t entries_nr, entries_alloc;
};

/* Nothing read yet: fit for config_release(). */
#define CONFIG_INIT \
	{ \
		.path = NULL, .set = STRVEC_INIT, \
		.stage1 = { STRVEC_INIT, STRVEC_INIT, STRVEC_INIT }, \
		.stage2 = { STRVEC_INIT, STRVEC_INIT, STRVEC_INIT }, \
		.heap_job = { .crates = STRVEC_INIT }, .fail_if = STRVEC_INIT \
	}

/* A setting as it stood in the file (its lines joined) or in --set. */
struct config_entry {
	char *section;
	char *key;
	char *value;
	int line; /* 0: from --set */
};

/*
 * Read `path`, then apply `overrides` ("SECTION.KEY=VALUE" each; the section is up to the first dot) as if
 * they stood in the file. `config` is filled whole or left empty; it is released by the caller either way.
 * All problems are in one ERR_USAGE message, a line each.
 */
int config_load(const char *path, const struct strvec *overrides, struct config *config,
		struct err *err);

/* As config_load() of a file of that name that holds `text`. */
int config_load_text(const char *path, const char *text, size_t len, const struct strvec *overrides,
		     struct config *config, struct err *err);

void config_release(struct config *config);

/*
 * Where a setting stands, for messages: "path:line", "path" where it has its default, "--set SECTION.KEY"
 * where given there.
 */
void config_add_place(const struct config *config, const char *section, const char *key,
		      struct strbuf *sb);

/*
 * The configuration as used, as INI text that config_load() reads to the same end from any directory:
 * overrides applied, defaults written out, paths absolute.
 */
void config_add_ini(const struct config *config, struct strbuf *sb);

/*
 * The arguments of a stage's command with the --set arguments of [bootstrap] (and --config) in the place
 * of {set}, else at the end, before a bare "--". A first word "python" that this machine does not have
 * becomes "python3" where it has that.
 */
void config_stage_argv(const struct config *config, const struct config_stage *stage,
		       struct strvec *argv);

/* The same for the stage's `before`, but --set arguments only in the place of {set}. */
void config_before_argv(const struct config *config, const struct config_stage *stage,
			struct strvec *argv);

#endif
