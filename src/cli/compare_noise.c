#include "cli/compare_noise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history_actions.h"
#include "cli/history_run.h"
#include "cli/message.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "util/alloc.h"
#include "util/array.h"

/* The configuration and the host of a run; a bare trace has none. */
struct setup {
	char *config, *host;
};

static bool get_setup(const char *path, struct setup *setup)
{
	struct history_reading reading;
	struct err ignored = ERR_INIT;
	bool known = !history_run_read_facts(path, &reading, &ignored) && reading.run.host;

	if (known)
		*setup = (struct setup){ xstrdup(reading.run.config), xstrdup(reading.run.host) };
	history_reading_release(&reading);
	err_clear(&ignored);
	return known;
}

static bool is_same(const struct setup *a, const struct setup *b)
{
	return !strcmp(a->config, b->config) && !strcmp(a->host, b->host);
}

/* A place that nobody named is used if it is there. */
static bool is_named(const struct compare_noise *noise, const char *db)
{
	char *named = db ? xstrdup(db) : env_get("STAGETRACE_HISTORY");
	bool is = named || fs_exists(noise->place);

	free(named);
	return is;
}

/* How many runs there are of the configuration and the host. */
static int count_runs(struct compare_noise *noise, struct err *err)
{
	const struct history_filter filter = { .config = noise->config,
					       .host = noise->host,
					       .last = HISTORY_LAST };
	struct history_runs runs = { NULL, 0, 0 };
	int rc = history_get_runs(noise->db, &filter, &runs, err);

	for (size_t i = 0; i < runs.nr; i++)
		noise->runs += !runs.v[i].failed;
	history_runs_release(&runs);
	return rc;
}

static void forget(struct compare_noise *noise)
{
	database_close(noise->db);
	noise->db = NULL;
}

static int open_history(struct compare_noise *noise, struct err *err)
{
	char *name = database_place_name(noise->place);
	int rc = history_open(noise->place, DB_READ, &noise->db, err);

	if (!rc)
		rc = count_runs(noise, err);
	if (!rc && noise->runs < SERIES_NOISE_VALUES) {
		message_printf("note: ",
			       "no verdicts: history '%s' has %" PRId64
			       " run%s of '%s' on '%s', and %d are needed",
			       name, noise->runs, noise->runs == 1 ? "" : "s", noise->config,
			       noise->host, SERIES_NOISE_VALUES);
		forget(noise);
	}
	free(name);
	return rc;
}

int compare_noise_open(struct compare_noise *noise, const char *db, const char *const runs[SIDES],
		       struct err *err)
{
	struct setup setups[SIDES] = { { NULL, NULL }, { NULL, NULL } };
	struct err own = ERR_INIT;
	int rc = 0;

	*noise = (struct compare_noise){ .place = history_place(db) };
	if (!is_named(noise, db))
		return 0;
	if (get_setup(runs[SIDE_BASE], &setups[SIDE_BASE]) &&
	    get_setup(runs[SIDE_NEW], &setups[SIDE_NEW]) &&
	    is_same(&setups[SIDE_BASE], &setups[SIDE_NEW])) {
		noise->config = setups[SIDE_NEW].config;
		noise->host = setups[SIDE_NEW].host;
		setups[SIDE_NEW] = (struct setup){ NULL, NULL };
		rc = open_history(noise, db ? err : &own);
	} else {
		message_print("note: ", "no verdicts by the history: they need two runs of one "
					"configuration on one host");
	}
	if (rc && !db) {
		message_printf("note: ", "no verdicts: %s", own.msg);
		forget(noise);
		rc = 0;
	}
	err_clear(&own);
	for (int side = 0; side < SIDES; side++) {
		free(setups[side].config);
		free(setups[side].host);
	}
	return rc;
}

void compare_noise_release(struct compare_noise *noise)
{
	database_close(noise->db);
	free(noise->place);
	free(noise->config);
	free(noise->host);
}

/* What a history keeps of a kind of key: which text each part of a key is. */
struct kept {
	enum history_kind kind;
	enum group_by by[GROUP_DIMENSIONS];
	size_t by_nr;
	enum history_text texts[GROUP_DIMENSIONS];
};

static const struct kept all_kept[] = {
	{ .kind = HISTORY_BUILD },
	{ HISTORY_PART, { BY_PART }, 1, { TEXT_PART } },
	{ HISTORY_ROLE, { BY_ROLE }, 1, { TEXT_ROLE } },
	{ HISTORY_PART_ROLE, { BY_PART, BY_ROLE }, 2, { TEXT_PART, TEXT_ROLE } },
	{ HISTORY_PART_CRATE, { BY_PART, BY_CRATE }, 2, { TEXT_PART, TEXT_CRATE } },
	{ HISTORY_PHASE, { BY_PART, BY_PHASE }, 2, { TEXT_PART, TEXT_PHASE } },
	/* A function has two texts: its module is the first. */
	{ HISTORY_FUNCTION, { BY_CRATE, BY_FUNCTION }, 2, { TEXT_CRATE, TEXT_MODULE } },
};

static const struct kept *find_kept(const struct compare_spec *spec)
{
	for (size_t i = 0; i < ARRAY_SIZE(all_kept); i++) {
		const struct kept *kept = &all_kept[i];
		bool is = kept->by_nr == spec->by_nr;

		for (size_t k = 0; k < kept->by_nr; k++)
			is = is && compare_spec_is_by(spec, kept->by[k]);
		if (is)
			return kept;
	}
	return NULL;
}

/* Of some processes, or of some time, the history keeps nothing. */
static bool is_filtered(const struct compare_spec *spec)
{
	return spec->by_nr && (process_filter_has_names(spec->filter) ||
			       compare_spec_limits_time(spec) || spec->full_names);
}

struct asking {
	struct compare_noise *noise;
	const struct compare_spec *spec;
	const struct kept *kept;
	double values[MEASURES_KEPT];
	struct err *err;
	bool failed;
};

/* Runs that an earlier version has added have values of the compilers of a crate alone: their noise is the next best. */
static int find_noise(struct asking *asking, const char *const texts[HISTORY_TEXTS])
{
	const struct compare_noise *noise = asking->noise;
	enum history_kind kind = asking->kept->kind;
	double compilers[MEASURES_KEPT];

	if (history_noise(noise->db, noise->config, noise->host, kind, texts, HISTORY_LAST,
			  asking->values, asking->err))
		return -1;
	if (kind != HISTORY_PART_CRATE)
		return 0;
	if (history_noise(noise->db, noise->config, noise->host, HISTORY_CRATE, texts, HISTORY_LAST,
			  compilers, asking->err))
		return -1;
	for (int i = 0; i < MEASURES_KEPT; i++) {
		if (asking->values[i] < 0)
			asking->values[i] = compilers[i];
	}
	return 0;
}

/* What the history knows of a key. */
static void ask_history(struct asking *asking, uint32_t key)
{
	struct compare_noise *noise = asking->noise;
	const struct compare_spec *spec = asking->spec;
	const char *texts[HISTORY_TEXTS] = { NULL };
	bool known = false;

	for (size_t i = 0; i < asking->kept->by_nr; i++) {
		enum group_by by = asking->kept->by[i];
		char *const *at = &spec->comparison.keys[key].texts[compare_text_place(spec, by)];

		for (size_t k = 0; k < compare_texts(by); k++)
			texts[asking->kept->texts[i] + k] = at[k] ? at[k] : "";
	}
	if (find_noise(asking, texts)) {
		asking->failed = true;
		return;
	}
	for (int i = 0; i < MEASURES; i++)
		known = known || asking->values[i] >= 0;
	noise->known += known;
}

/* All of what a key has is by compilers whose threads do not race, in both runs. */
static bool is_steady(const struct compare_spec *spec, uint32_t key)
{
	return spec->by_nr && !compare_spec_by_stacks(spec) && !compare_spec_limits_time(spec) &&
	       !spec->comparison.keys[key].varies;
}

/* Whether it was set: it is not known better. */
static bool set_noise(double *noise, double steady)
{
	bool unknown = *noise < 0;

	if (unknown)
		*noise = steady;
	return unknown;
}

static const double *ask(void *data, uint32_t key)
{
	struct asking *asking = data;
	bool used = false;

	for (int i = 0; i < MEASURES_KEPT; i++)
		asking->values[i] = -1;
	if (asking->kept && !asking->failed)
		ask_history(asking, key);
	if (asking->failed)
		return NULL;
	if (is_steady(asking->spec, key)) {
		used = set_noise(&asking->values[MEASURE_SIZE], COMPARE_STEADY_SIZE);
		/* That of several depends on who ran together. */
		if (!asking->spec->comparison.keys[key].several)
			used = set_noise(&asking->values[MEASURE_OWN_PEAK],
					 COMPARE_STEADY_OWN_PEAK) ||
			       used;
	}
	asking->noise->steady += used;
	return asking->values;
}

int compare_noise_judge(struct compare_noise *noise, const struct compare_spec *spec,
			const struct compare_effect *effect, struct verdicts *verdicts,
			struct err *err)
{
	struct asking asking = { .noise = noise, .spec = spec, .err = err };

	if (noise->db && !is_filtered(spec))
		asking.kept = find_kept(spec);
	verdicts_by_noise(verdicts, &spec->comparison, effect, ask, &asking);
	return asking.failed ? -1 : 0;
}

static void say_history(const struct compare_noise *noise)
{
	char *name = database_place_name(noise->place);

	message_printf("note: ",
		       "one run a side: what changed by more than %d times its noise in %" PRId64
		       " runs of '%s' on '%s' (history '%s') grew or shrank",
		       VERDICT_FENCE, noise->runs, noise->config, noise->host, name);
	free(name);
}

void compare_noise_say(const struct compare_noise *noise)
{
	if (noise->known)
		say_history(noise);
	if (noise->steady)
		message_printf(
			"note: ",
			"one run a side: of compilers with one codegen unit sizes that changed "
			"by more than %g%%, and own peaks by more than %g%%, grew or shrank",
			100 * VERDICT_FENCE * COMPARE_STEADY_SIZE,
			100 * VERDICT_FENCE * COMPARE_STEADY_OWN_PEAK);
}
