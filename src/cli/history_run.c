#include "cli/history_run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare_run.h"
#include "cli/message.h"
#include "cli/run_settings.h"
#include "gate/gate.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/fnv.h"
#include "util/strbuf.h"
#include "util/text.h"

/* What is read of a run, in the order of enum history_kind. */
struct specs {
	struct compare_spec v[HISTORY_KINDS];
	struct process_filter all, compilers;
};

static void init_specs(struct specs *specs)
{
	static const enum group_by part_role[] = { BY_PART, BY_ROLE },
				   phase[] = { BY_PART, BY_PHASE },
				   part_crate[] = { BY_PART, BY_CRATE },
				   function[] = { BY_CRATE, BY_FUNCTION };

	*specs = (struct specs){ .all = PROCESS_FILTER_INIT, .compilers = PROCESS_FILTER_INIT };
	strvec_push(&specs->compilers.roles, role_name(ROLE_RUSTC));
	compare_spec_init(&specs->v[HISTORY_BUILD], NULL, 0, &specs->all);
	compare_spec_init(&specs->v[HISTORY_PART], &part_role[0], 1, &specs->all);
	compare_spec_init(&specs->v[HISTORY_ROLE], &part_role[1], 1, &specs->all);
	compare_spec_init(&specs->v[HISTORY_PART_ROLE], part_role, 2, &specs->all);
	compare_spec_init_crates(&specs->v[HISTORY_CRATE], &specs->compilers);
	compare_spec_init(&specs->v[HISTORY_PART_CRATE], part_crate, 2, &specs->all);
	compare_spec_init(&specs->v[HISTORY_PHASE], phase, 2, &specs->all);
	compare_spec_init(&specs->v[HISTORY_FUNCTION], function, 2, &specs->compilers);
}

static void release_specs(struct specs *specs)
{
	for (int i = 0; i < HISTORY_KINDS; i++)
		compare_spec_release(&specs->v[i]);
	process_filter_release(&specs->all);
	process_filter_release(&specs->compilers);
}

/* Which text of a series each text of a key is. */
static const enum history_text places[HISTORY_KINDS][COMPARE_TEXTS] = {
	[HISTORY_PART] = { TEXT_PART },
	[HISTORY_ROLE] = { TEXT_ROLE },
	[HISTORY_PART_ROLE] = { TEXT_PART, TEXT_ROLE },
	[HISTORY_CRATE] = { [CRATE_PART] = TEXT_PART,
			    [CRATE_NAME] = TEXT_CRATE,
			    [CRATE_TYPE] = TEXT_CRATE_TYPE },
	[HISTORY_PART_CRATE] = { TEXT_PART, TEXT_CRATE },
	[HISTORY_PHASE] = { TEXT_PART, TEXT_PHASE },
	[HISTORY_FUNCTION] = { TEXT_CRATE, TEXT_MODULE, TEXT_FUNCTION },
};

static void add_row(struct history_reading *reading, enum history_kind kind,
		    const struct comparison *comparison, uint32_t key)
{
	struct history_row row = { .kind = kind, .values = comparison->runs[0].values[key] };

	for (size_t i = 0; i < comparison->texts_nr; i++)
		row.texts[places[kind][i]] = xstrdup_or_null(comparison->keys[key].texts[i]);
	ARRAY_ADD(reading->rows, reading->nr, reading->alloc, row);
}

/* Processes that build no part, or no crate, are no series of their own. */
static bool is_named(enum history_kind kind, const struct compare_key *key)
{
	return kind == HISTORY_PART         ? key->texts[0] != NULL
	       : kind == HISTORY_CRATE      ? key->texts[CRATE_NAME] != NULL
	       : kind == HISTORY_PART_CRATE ? key->texts[1] != NULL
					    : true;
}

static void add_rows(struct history_reading *reading, enum history_kind kind,
		     const struct comparison *comparison)
{
	for (uint32_t key = 0; key < comparison->keys_nr; key++) {
		if (comparison_has(comparison, 0, key) && is_named(kind, &comparison->keys[key]))
			add_row(reading, kind, comparison, key);
	}
}

/* A function of a crate. */
struct heavy {
	const char *crate;
	int64_t own_peak;
	uint32_t key;
};

/* By crate, the heaviest first. */
static int compare_heavy(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;
	int order = strcmp(x->crate, y->crate);

	if (order)
		return order;
	if (x->own_peak != y->own_peak)
		return x->own_peak < y->own_peak ? 1 : -1;
	return x->key < y->key ? -1 : 1;
}

static bool is_large(const struct comparison *crates, const char *crate)
{
	for (uint32_t key = 0; key < crates->keys_nr; key++) {
		const char *name = crates->keys[key].texts[CRATE_NAME];

		if (name && !strcmp(name, crate) &&
		    comparison_value(crates, 0, key, MEASURE_OWN_PEAK) > HISTORY_FUNCTIONS_BYTES)
			return true;
	}
	return false;
}

static void add_functions(struct history_reading *reading, const struct comparison *functions,
			  const struct comparison *crates)
{
	struct heavy *heavy = xcalloc(functions->keys_nr + 1, sizeof(*heavy));
	size_t nr = 0, of_crate = 0;
	bool large = false;

	for (uint32_t key = 0; key < functions->keys_nr; key++) {
		const char *crate = functions->keys[key].texts[0];
		int64_t own_peak = comparison_value(functions, 0, key, MEASURE_OWN_PEAK);

		if (crate && own_peak > 0)
			heavy[nr++] = (struct heavy){ crate, own_peak, key };
	}
	qsort(heavy, nr, sizeof(*heavy), compare_heavy);
	for (size_t i = 0; i < nr; i++) {
		if (!i || strcmp(heavy[i].crate, heavy[i - 1].crate) != 0) {
			of_crate = 0;
			large = is_large(crates, heavy[i].crate);
		}
		if (large && of_crate++ < HISTORY_FUNCTIONS)
			add_row(reading, HISTORY_FUNCTION, functions, heavy[i].key);
	}
	free(heavy);
}

/* "rustc-stage2" of "rustc-stage2-20260131T120000Z", and of "...Z-2". */
static char *config_of(const char *name)
{
	static const char form[] = "-00000000T000000Z";

	for (const char *at = name + strlen(name); at > name; at--) {
		size_t i = 0;

		while (form[i] && at[i] &&
		       (form[i] == '0' ? isdigit((unsigned char)at[i]) : at[i] == form[i]))
			i++;
		if (!form[i])
			return xstrndup(name, (size_t)(at - name));
	}
	return xstrdup(name);
}

static int get_time(const struct manifest *manifest, int64_t *time_ms, struct err *err)
{
	int64_t ns;

	if (!manifest->start_utc || !text_parse_utc(manifest->start_utc, &ns) || ns <= 0)
		return err_set(err, ERR_CORRUPT, "its manifest does not say when it began");
	*time_ms = ns / NS_PER_MS;
	return 0;
}

static char *hash_settings(struct run_source *source)
{
	char *text = run_settings_text(source), *hash = NULL;

	if (text)
		hash = xasprintf("%016llx",
				 (unsigned long long)fnv_add(FNV_FIRST, text, strlen(text)));
	free(text);
	return hash;
}

/* What is no gate of this version is kept as it is: `history check` says so. */
static char *join_gates(struct run_source *source)
{
	struct gates gates = GATES_INIT;
	struct strbuf all = STRBUF_INIT;
	char *text = run_settings_gates_text(source);

	if (text)
		gates_add_kept(&gates, text);
	free(text);
	for (size_t i = 0; i < gates.nr; i++)
		strbuf_addf(&all, "%s%s", i ? ", " : "", gates.v[i].text);
	gates_release(&gates);
	return strbuf_detach(&all);
}

static int take_manifest(struct run_source *source, struct history_run *run, struct err *err)
{
	struct manifest manifest;
	int rc = -1;

	if (run_source_manifest(source, &manifest, err))
		return -1;
	if (manifest.state != RUN_DONE && manifest.state != RUN_FAILED) {
		err_set(err, ERR_UNSUPPORTED,
			"its recording has not ended: `stagetrace recover` ends it");
	} else if (!get_time(&manifest, &run->time_ms, err)) {
		run->name = xstrdup(manifest.name);
		run->config = config_of(manifest.name);
		run->host = xstrdup_or_null(manifest_host(&manifest, "hostname"));
		run->commit = xstrdup_or_null(manifest.git_commit);
		run->branch = xstrdup_or_null(manifest.git_branch);
		run->dirty = manifest.git_dirty;
		run->version = xstrdup_or_null(manifest.version);
		run->recorder = xstrdup_or_null(manifest.recorder);
		run->kernel = xstrdup_or_null(manifest_host(&manifest, "kernel"));
		run->cpu = xstrdup_or_null(manifest_host(&manifest, "cpu_model"));
		run->cpus = manifest_host_number(&manifest, "cpus");
		run->settings = hash_settings(source);
		run->gates = join_gates(source);
		run->failed = manifest.state != RUN_DONE;
		rc = 0;
	}
	manifest_release(&manifest);
	return rc;
}

int history_run_read_facts(const char *path, struct history_reading *reading, struct err *err)
{
	struct run_source *source;
	int rc;

	*reading = (struct history_reading){ .run = { .lost = -1, .foreign_permille = -1 } };
	if (!run_source_takes(path))
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is no run: a history takes run directories and bundles", path);
	if (run_source_open(path, &source, err))
		return -1;
	rc = take_manifest(source, &reading->run, err);
	run_source_free(source);
	return rc ? err_wrap(err, "cannot add '%s'", path) : 0;
}

int history_run_read(const char *path, struct history_reading *reading, struct err *err)
{
	struct compare_spec *list[HISTORY_KINDS];
	const struct compare_request request = { .specs = list,
						 .specs_nr = HISTORY_KINDS,
						 .kept = true };
	struct compare_reading read;
	struct specs specs;
	int rc;

	init_specs(&specs);
	for (int i = 0; i < HISTORY_KINDS; i++)
		list[i] = &specs.v[i];
	rc = compare_run_read(path, SIDE_NEW, &request, &read, err);
	if (!rc) {
		for (int i = 0; i < HISTORY_FUNCTION; i++)
			add_rows(reading, (enum history_kind)i, &specs.v[i].comparison);
		add_functions(reading, &specs.v[HISTORY_FUNCTION].comparison,
			      &specs.v[HISTORY_CRATE].comparison);
		/* What needs nearly nothing would look like a change, and pass any gate. */
		if (read.idle)
			message_printf("warning: ",
				       "%s compiled no crate, as everything was up to date: it "
				       "counts as failed",
				       reading->run.name);
		reading->run.failed = reading->run.failed || read.failed || read.idle;
		reading->run.lost = read.lost;
		if (read.foreign_percent >= 0)
			reading->run.foreign_permille = (int64_t)(read.foreign_percent * 10 + 0.5);
	}
	compare_reading_release(&read);
	release_specs(&specs);
	return rc;
}

void history_reading_release(struct history_reading *reading)
{
	history_run_release(&reading->run);
	for (size_t i = 0; i < reading->nr; i++) {
		for (int k = 0; k < HISTORY_TEXTS; k++)
			free(reading->rows[i].texts[k]);
	}
	free(reading->rows);
	reading->rows = NULL;
}
