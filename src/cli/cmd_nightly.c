#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/recording.h"
#include "compare/comparison.h"
#include "compare/permutation.h"
#include "compare/verdicts.h"
#include "config/values.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/owner.h"
#include "record/checkout.h"
#include "record/differences.h"
#include "rundir/hash.h"
#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "util/alloc.h"
#include "util/print.h"
#include "util/text.h"

#define ROUNDS     6
#define ROUNDS_MAX 1000

/* Of the name of a series. */
#define SERIES_DIGITS 8

/* Directories of a series; a side's runs are in a directory of their own. */
static const char *const side_dirs[SIDES] = { "a", "b" };
static const char *const side_trees[SIDES] = { "tree-a", "tree-b" };

struct nightly_values {
	const char *config;
	const char *ab[SIDES];
	int64_t rounds;
	int64_t seed;
	struct strvec compare;
	struct recording_values recording;
};

static const struct opt nightly_rows[] = {
	{ 0, "ab", OPT_TWO, "A B",
	  "what is compared: two checkouts (directories), two commits of the configuration's "
	  "checkout, or two compilers (files)",
	  offsetof(struct nightly_values, ab), NULL },
	{ 0, "rounds", OPT_NUMBER, "N", "record each side N times; 6 by default",
	  offsetof(struct nightly_values, rounds), NULL },
	{ 0, "seed", OPT_NUMBER, "N",
	  "decides which side of each pair is first; by default the time at which the series "
	  "begins",
	  offsetof(struct nightly_values, seed), NULL },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "The series", nightly_rows, 0 },
	{ "Recording", recording_options, offsetof(struct nightly_values, recording) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "CONFIG",
	  "the recording's configuration: an INI file, or the name of one that is listed below",
	  false, OPT_ONE, offsetof(struct nightly_values, config) },
	{ "OPTION", "options of `compare` for the comparison at the end, as --by phase", true,
	  OPT_AFTER, offsetof(struct nightly_values, compare) },
	OPT_ARG_END,
};

/* What is recorded as A, or as B. */
struct side {
	char *what;         /* a directory, a commit or a compiler, by its full name */
	char *tree;         /* of a commit: the working tree that is made for it */
	bool tree_made;     /* by this call */
	struct strvec set;  /* settings that make the configuration this side's */
	char *dir;          /* of its runs */
	struct strvec done; /* paths of its complete runs, in the order of time */
};

struct series {
	const struct nightly_values *values;
	char *dir;
	char *source; /* of the configuration */
	char *toml;   /* that x.py finds there, and would not in another working tree; NULL: none */
	struct side sides[SIDES];
	uint64_t seed;
	int64_t rounds;
};

static int load(const struct series *series, const struct side *side, struct config *config,
		struct err *err)
{
	const struct recording_values *recording = &series->values->recording;
	struct config_changes changes = { STRVEC_INIT, STRVEC_INIT };
	int rc;

	strvec_push_all(&changes.set, &recording->set);
	if (side)
		strvec_push_all(&changes.set, &side->set);
	rc = recording_load(series->values->config, NULL, &changes,
			    side ? side->dir : recording->out, config, err);
	strvec_release(&changes.set);
	return rc;
}

/* A toml file of the checkout is not part of its commits, as a rule. */
static void find_toml(struct series *series, const struct config *config)
{
	if (!config->bootstrap_config && config_is_bootstrap(config))
		series->toml = checkout_find_toml(series->source);
}

/* A directory is a checkout, another file a compiler, all else a commit. */
static int find_side(struct series *series, const struct config *config, enum compare_side which,
		     struct err *err)
{
	struct side *side = &series->sides[which];
	const char *given = series->values->ab[which];

	if (fs_is_dir(given)) {
		side->what = fs_absolute(given);
		strvec_pushf(&side->set, "run.source=%s", side->what);
	} else if (fs_is_executable(given)) {
		side->what = value_program_path(given);
		strvec_pushf(&side->set,
			     config_is_bootstrap(config) ? "bootstrap.build.rustc=%s"
							 : "stage2.env.RUSTC=%s",
			     side->what);
	} else {
		side->what = checkout_find_commit(series->source, given);
		if (!side->what)
			return err_set(err, ERR_USAGE,
				       "--ab: '%s' is no directory, no program, and no commit of "
				       "'%s'",
				       given, series->source);
		side->tree = xstrdup(side_trees[which]);
	}
	return 0;
}

/* The same configuration and the same sides are the same series, which goes on. */
static void name_series(struct series *series, const struct config *config)
{
	struct strbuf text = STRBUF_INIT;
	char sha256[HASH_TEXT_SIZE], *name;
	char *output = value_absolute_path(config->output);

	config_add_ini(config, &text);
	for (int i = 0; i < SIDES; i++)
		strbuf_addf(&text, "\n%s", series->sides[i].what);
	hash_bytes(text.buf, text.len, sha256);
	name = xasprintf("%s-ab-%.*s", config->name, SERIES_DIGITS, sha256);
	series->dir = fs_join(output, name);
	strbuf_release(&text);
	free(output);
	free(name);
}

static void place_side(struct series *series, enum compare_side which)
{
	struct side *side = &series->sides[which];
	char *name = side->tree;

	side->dir = fs_join(series->dir, side_dirs[which]);
	if (!name)
		return;
	side->tree = fs_join(series->dir, name);
	strvec_pushf(&side->set, "run.source=%s", side->tree);
	if (series->toml)
		strvec_pushf(&side->set, "bootstrap.config=%s", series->toml);
	free(name);
}

static int check_values(const struct nightly_values *values, struct err *err)
{
	struct strvec words = STRVEC_INIT;
	int rc;

	if (!values->ab[SIDE_BASE])
		return err_set(err, ERR_USAGE, "no --ab A B given: what is to be compared?");
	if (values->rounds > ROUNDS_MAX)
		return err_set(err, ERR_USAGE, "--rounds is %d at most", ROUNDS_MAX);
	/* A mistake in them is found before hours of recording. */
	strvec_push_all(&words, &values->compare);
	strvec_push(&words, "a");
	rc = command_run_words(&compare_command, (const char *const *)words.v, true, err);
	strvec_release(&words);
	return rc;
}

/* A tree that was there before: its files are built as this user, so nobody else may have put it there. */
static int check_tree(const struct side *side, struct err *err)
{
	if (!side->tree || side->tree_made || !fs_is_dir(side->tree))
		return 0;
	if (fs_is_link(side->tree))
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is a link, and no working tree of this series: remove it, or "
			       "give another --out",
			       side->tree);
	if (!owner_is_ours(side->tree))
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' belongs to another user, whose files would be built: remove "
			       "it, or give another --out",
			       side->tree);
	return 0;
}

static int open_series(struct series *series, struct err *err)
{
	struct config config = CONFIG_INIT;
	int rc = check_values(series->values, err);

	series->rounds = series->values->rounds ? series->values->rounds : ROUNDS;
	if (!rc)
		rc = load(series, NULL, &config, err);
	if (!rc && !config.source)
		rc = err_set(err, ERR_USAGE, "%s: nothing is built", series->values->config);
	if (!rc) {
		series->source = value_absolute_path(config.source);
		find_toml(series, &config);
	}
	for (int i = 0; i < SIDES && !rc; i++)
		rc = find_side(series, &config, (enum compare_side)i, err);
	if (!rc && !strcmp(series->sides[SIDE_BASE].what, series->sides[SIDE_NEW].what))
		message_print("note: ", "both sides are the same: every change that is found is "
					"a false alarm");
	if (!rc)
		name_series(series, &config);
	for (int i = 0; i < SIDES && !rc; i++) {
		place_side(series, (enum compare_side)i);
		rc = check_tree(&series->sides[i], err);
	}
	config_release(&config);
	return rc;
}

/* Where the file system has no owners it stays as it is. */
static int write_seed(const struct series *series, const char *path, const struct strbuf *text,
		      struct err *err)
{
	struct owner owner = owner_in(series->dir);
	struct err ignored = ERR_INIT;

	if (fs_write_atomic(path, text->buf, text->len, err))
		return -1;
	if (owner_give(path, &owner, -1, &ignored))
		err_clear(&ignored);
	return 0;
}

/* The directory of a series, which belongs to the owner of its runs. */
static int make_dir(const char *dir, struct err *err)
{
	struct strvec refused = STRVEC_INIT; /* those of the recordings say the same */
	int rc = owner_mkdir_all(dir, -1, &refused, err);

	strvec_release(&refused);
	return rc;
}

/* Another seed would give the pairs that are done another order. */
static int read_seed(struct series *series, struct err *err)
{
	char *path = fs_join(series->dir, SERIES_SEED);
	struct strbuf text = STRBUF_INIT;
	int64_t seed = series->values->seed, kept = 0;
	int rc = 0;

	if (fs_size(path) >= 0) {
		rc = fs_read(path, 64, &text, err);
		strbuf_set_len(&text, strcspn(text.buf, "\r\n"));
		if (!rc && !text_parse_int(text.buf, 1, INT64_MAX, &kept))
			rc = err_set(err, ERR_CORRUPT, "'%s' has no number", path);
		if (!rc && seed && seed != kept)
			rc = err_set(err, ERR_USAGE, "--seed: this series began with %lld",
				     (long long)kept);
		seed = kept;
	} else {
		if (!seed)
			seed = clock_wall() / NS_PER_S;
		strbuf_addf(&text, "%lld\n", (long long)seed);
		if (!series->values->recording.dry_run)
			rc = write_seed(series, path, &text, err);
	}
	series->seed = (uint64_t)seed;
	strbuf_release(&text);
	free(path);
	return rc;
}

/* Which side of a pair is recorded first: of each two pairs in turn one of both, as a random number says. */
static enum compare_side first_of(const struct series *series, int64_t round)
{
	uint64_t state = series->seed + (uint64_t)(round - 1) / 2;
	bool swapped = permutation_random(&state) & 1;

	return swapped == (round % 2 == 0) ? SIDE_BASE : SIDE_NEW;
}

static bool is_complete(const char *dir)
{
	struct manifest manifest;
	struct err err = ERR_INIT;
	bool complete = !manifest_read(dir, &manifest, &err) && manifest.state == RUN_DONE;

	err_clear(&err);
	manifest_release(&manifest);
	return complete;
}

/* The runs that are there already. Names have the time of the start. */
static int find_runs(struct side *side, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	int rc = fs_is_dir(side->dir) ? fs_list(side->dir, &names, err) : 0;

	for (size_t i = 0; i < names.nr; i++) {
		char *path = fs_join(side->dir, names.v[i]);

		if (text_ends_with(path, RUN_PARTIAL))
			message_printf("note: ",
				       "'%s' was interrupted, and does not count: `stagetrace "
				       "recover` closes it",
				       path);
		else if (fs_is_dir(path) && is_complete(path))
			strvec_push(&side->done, path);
		free(path);
	}
	strvec_release(&names);
	return rc;
}

/* How many files git does not know is no matter of what is built. */
#define UNTRACKED "checkout, untracked_files"

static void take_difference(void *data, enum difference kind, const char *text)
{
	struct strbuf *first = data;

	if (kind == DIFFERENCE_SOURCES && !first->len && !text_starts_with(text, UNTRACKED))
		strbuf_adds(first, text);
}

/* A directory has the same name when it has other sources: its runs are compared as those of one compiler. */
static void warn_of_changes(const struct side *side, enum compare_side which)
{
	struct strvec notes = STRVEC_INIT;
	struct strbuf first = STRBUF_INIT;
	struct err ignored = ERR_INIT;
	struct manifest then, now;

	if (!side->done.nr || side->tree || !fs_is_dir(side->what))
		return;
	manifest_init(&now);
	if (!manifest_read(side->done.v[side->done.nr - 1], &then, &ignored)) {
		checkout_describe(side->what, NULL, &now, &notes);
		differences_find(&then, &now, DIFFERENCES_GIVEN, take_difference, &first);
	}
	if (first.len)
		message_printf("warning: ",
			       "%s, '%s', is not what its last run was made of (%s): --out DIR "
			       "begins another series",
			       which == SIDE_BASE ? "A" : "B", side->what, first.buf);
	err_clear(&ignored);
	manifest_release(&then);
	manifest_release(&now);
	strbuf_release(&first);
	strvec_release(&notes);
}

static int make_tree(const struct series *series, struct side *side, struct err *err)
{
	if (!side->tree || fs_is_dir(side->tree))
		return check_tree(side, err);
	message_printf("note: ", "commit %s is checked out in '%s'", side->what, side->tree);
	if (checkout_add_tree(series->source, side->what, side->tree, err))
		return -1;
	side->tree_made = true;
	return 0;
}

static int record_side(struct series *series, enum compare_side which, int64_t round,
		       struct err *err)
{
	struct recording_values recording = series->values->recording;
	struct side *side = &series->sides[which];
	struct config config = CONFIG_INIT;
	char *run = NULL;
	int rc;

	recording.aside = true;
	message_printf("", "round %lld of %lld: %s, %s", (long long)round,
		       (long long)series->rounds, which == SIDE_BASE ? "A" : "B", side->what);
	rc = make_tree(series, side, err);
	if (!rc)
		rc = load(series, side, &config, err);
	if (!rc)
		rc = recording_run(&config, plan_init, &recording, &run, err);
	if (!rc && run)
		strvec_push(&side->done, run);
	free(run);
	config_release(&config);
	return rc;
}

static int record_all(struct series *series, struct err *err)
{
	int rc = 0;

	for (int64_t round = 1; round <= series->rounds && !rc; round++) {
		enum compare_side first = first_of(series, round);

		for (int i = 0; i < SIDES && !rc; i++) {
			enum compare_side which = i ? SIDES - 1 - first : first;

			if ((int64_t)series->sides[which].done.nr < round)
				rc = record_side(series, which, round, err);
		}
	}
	return rc ? err_wrap(err, "the series is in '%s', and the same command goes on with it",
			     series->dir)
		  : 0;
}

/* What so few pairs cannot show is said before hours of recording. */
static void say_rounds(const struct series *series)
{
	size_t rounds = (size_t)series->rounds;
	double least = permutation_least(rounds, rounds);
	struct strbuf percent = STRBUF_INIT;

	text_add_percent(&percent, 100 * least);
	if (rounds < VERDICT_RUNS)
		message_printf("note: ",
			       "%s not show how much values vary: verdicts need three pairs, and "
			       "five find most changes",
			       rounds == 1 ? "one pair does" : "two pairs do");
	else if (least > VERDICT_LEVEL_BUILD)
		message_printf(
			"note: ",
			"%zu pairs can show no change of %s: chance alone does as much in %s%% of "
			"all comparisons; five find most changes",
			rounds,
			least > VERDICT_LEVEL_ROWS ? "what varies"
						   : "the whole build in what varies",
			percent.buf);
	strbuf_release(&percent);
}

/* The runs of whole pairs alone, so that both sides have seen the same times. */
static int compare_sides(const struct series *series, struct err *err)
{
	struct strvec words = STRVEC_INIT;
	int rc;

	strvec_push_all(&words, &series->values->compare);
	for (int i = 0; i < SIDES; i++) {
		if (i)
			strvec_push(&words, "--");
		for (int64_t round = 0; round < series->rounds; round++)
			strvec_push(&words, series->sides[i].done.v[round]);
	}
	rc = command_run_words(&compare_command, (const char *const *)words.v, false, err);
	strvec_release(&words);
	return rc;
}

static int show_series(struct series *series, struct err *err)
{
	int rc = 0;

	print_textf(stdout, "# series %s, seed %llu\n", series->dir,
		    (unsigned long long)series->seed);
	for (int64_t round = 1; round <= series->rounds; round++)
		print_textf(stdout, "# round %lld: %s\n", (long long)round,
			    first_of(series, round) == SIDE_BASE ? "A, B" : "B, A");
	for (int i = 0; i < SIDES && !rc; i++) {
		const struct side *side = &series->sides[i];

		print_textf(stdout, "# %s: %s\n", i ? "B" : "A", side->what);
		if (side->tree && !fs_is_dir(side->tree))
			print_textf(stdout, "# its working tree is made first: %s\n", side->tree);
		else
			rc = record_side(series, (enum compare_side)i, 1, err);
	}
	return rc;
}

static int run_series(struct series *series, struct err *err)
{
	struct fs_lock *lock = NULL;
	int rc = 0;

	if (!series->values->recording.dry_run)
		rc = make_dir(series->dir, err) || fs_lock(series->dir, &lock, err) ? -1 : 0;
	if (!rc)
		rc = read_seed(series, err);
	for (int i = 0; i < SIDES && !rc; i++) {
		rc = find_runs(&series->sides[i], err);
		warn_of_changes(&series->sides[i], (enum compare_side)i);
	}
	if (!rc && series->values->recording.dry_run) {
		rc = show_series(series, err);
	} else if (!rc) {
		say_rounds(series);
		rc = record_all(series, err);
		if (!rc)
			rc = compare_sides(series, err);
	}
	fs_unlock(lock);
	return rc;
}

static int run_nightly(const void *data, struct err *err)
{
	struct series series = { .values = data };
	int rc;

	for (int i = 0; i < SIDES; i++)
		series.sides[i] = (struct side){ .set = STRVEC_INIT, .done = STRVEC_INIT };
	rc = open_series(&series, err);
	if (!rc)
		rc = run_series(&series, err);
	for (int i = 0; i < SIDES; i++) {
		free(series.sides[i].what);
		free(series.sides[i].tree);
		free(series.sides[i].dir);
		strvec_release(&series.sides[i].set);
		strvec_release(&series.sides[i].done);
	}
	free(series.dir);
	free(series.source);
	free(series.toml);
	return rc;
}

const struct command nightly_command = {
	.name = "nightly",
	.summary = "record two compilers, commits or checkouts in turns, and compare them",
	.details =
		"Records A and B as often as --rounds says, in pairs, of which a random number "
		"says who is first: a machine that becomes slower meanwhile does so for both. The "
		"runs are in a directory of the series, below the output directory. The same "
		"command goes on with a series that was interrupted, or adds rounds. Then the two "
		"sides are compared, as by `compare A... -- B...`; options for that follow --.\n\n"
		"The exit code is that of the comparison: 3 if a gate tripped, of the "
		"configuration or of -- --fail-if.",
	.syntax = { groups, args, sizeof(struct nightly_values) },
	.takes_config = true,
	.examples = { { "Which recordings of two checkouts would be made, in which order?",
			"stagetrace nightly memory.ini --ab ~/rust ~/rust-new --dry-run" },
		      { "Two checkouts in turns, six times each, compared by phase",
			"stagetrace nightly memory.ini --ab ~/rust ~/rust-new --no-bundle -- "
			"--by phase" } },
	.run = run_nightly,
};
