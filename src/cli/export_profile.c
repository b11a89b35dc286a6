#include "cli/export_profile.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* What sinks get while the trace is played: keys have names only after it. */
struct events {
	struct cpu_moment *moments;
	size_t moments_nr, moments_alloc;
	struct profile_region *regions;
	size_t regions_nr, regions_alloc;
};

struct gathering {
	const struct results_values *values;
	struct profile *profile;
	struct events events;
	struct err missing; /* why the first kind that the trace lacks is not there */
	size_t found;       /* kinds that it has */
};

static void add_moment(void *data, const struct cpu_moment *moment)
{
	struct events *events = data;

	ARRAY_ADD(events->moments, events->moments_nr, events->moments_alloc, *moment);
}

static void add_region(void *data, const struct region *region)
{
	struct events *events = data;

	ARRAY_ADD(events->regions, events->regions_nr, events->regions_alloc,
		  (struct profile_region){
			  .start_ns = region->start_ns,
			  .end_ns = region->end_ns,
			  .bytes = region->bytes,
			  .key = region->key,
			  .held = region->end == LIFE_HELD,
		  });
}

/* The range of time, as far as the recording goes; and when it was. */
static void add_times(struct profile *profile, const struct results_view *view)
{
	const struct trace_facts *facts = replay_facts(&view->replay);
	const struct process_list *list = &view->run.processes;
	const char *utc = view->run.manifest.start_utc;
	int64_t last_ns = facts->counters.last_ns;

	for (size_t i = 0; i < list->nr; i++) {
		if (list->v[i]->end_ns > last_ns)
			last_ns = list->v[i]->end_ns;
	}
	if (view->filter.to_ns < last_ns)
		last_ns = view->filter.to_ns;
	profile->from_ns = view->filter.from_ns > 0 ? view->filter.from_ns : 0;
	if (last_ns > profile->to_ns)
		profile->to_ns = last_ns;
	if (!utc)
		utc = facts->start_utc;
	if (utc && !profile->utc_ns && !text_parse_utc(utc, &profile->utc_ns))
		profile->utc_ns = 0;
}

/* A trace alone knows most of it too. */
static void add_machine(struct profile *profile, const struct results_view *view)
{
	const struct manifest *manifest = &view->run.manifest;
	const struct trace_facts *facts = replay_facts(&view->replay);
	const char *arch = manifest_host(manifest, "arch");
	const char *cpu_model = manifest_host(manifest, "cpu_model");
	int64_t cpus = manifest_host_number(manifest, "cpus");
	int64_t memory_bytes = manifest_host_number(manifest, "memory_bytes");

	profile_set_machine(profile,
			    (struct profile_machine){
				    xstrdup_or_null(manifest_host(manifest, "os")),
				    xstrdup_or_null(arch ? arch : facts->arch),
				    xstrdup_or_null(cpu_model ? cpu_model : facts->cpu_model),
				    cpus > 0 ? cpus : facts->cpus,
				    memory_bytes > 0 ? memory_bytes : facts->memory_bytes,
			    });
}

static bool is_one_crate(const struct results_values *values)
{
	const struct strvec *crates = &values->view.crates;

	return crates->nr == 1 && !strpbrk(crates->v[0], "*?");
}

static const struct account *memory_of(const struct gathering *gathering)
{
	return memory_kind_account(gathering->values->of);
}

static void add_sums(struct profile *profile, const struct results_view *view)
{
	static const char *const names[] = { "size", "at-peak", "outstanding" };
	const struct account *account = view->account;

	if (account->cpu) {
		profile_add_sums(profile, &view->results, metric_of(account, "cpu"));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names) && !view->own_peak; i++)
		profile_add_sums(profile, &view->results, metric_of(account, names[i]));
	if (view->own_peak)
		profile_add_sums(profile, &view->results, metric_of(account, "own-peak"));
}

static void add_events(struct profile *profile, const struct results_view *view,
		       struct events *events)
{
	if (view->samples)
		profile_add_samples(profile, &view->results, events->moments, events->moments_nr);
	else
		profile_add_regions(profile, &view->results, events->regions, events->regions_nr);
	free(events->moments);
	free(events->regions);
	*events = (struct events){ .moments = NULL };
}

/* Play the trace for a view, and take what it has. What the trace lacks is noted; other errors are returned. */
static int gather(struct gathering *gathering, struct results_view *view, struct err *err)
{
	struct profile *profile = gathering->profile;
	struct err missing = ERR_INIT;
	int rc = results_view_open(view, &missing);

	if (!rc) {
		gathering->found++;
		add_times(profile, view);
		add_machine(profile, view);
		profile_add_processes(profile, &view->run.processes, &view->filter);
		if (view->samples || view->regions)
			add_events(profile, view, &gathering->events);
		else
			add_sums(profile, view);
		results_view_warn_stacks(view);
	} else if (missing.code == ERR_UNSUPPORTED && !gathering->missing.msg) {
		gathering->missing = missing;
		missing = (struct err)ERR_INIT;
		rc = 0;
	} else {
		*err = missing;
		missing = (struct err)ERR_INIT;
	}
	err_clear(&missing);
	results_view_close(view);
	return rc;
}

/* One of both kinds is enough. */
static int end(struct gathering *gathering, int rc, struct err *err)
{
	if (!rc && !gathering->found) {
		*err = gathering->missing;
		return -1;
	}
	if (!rc && gathering->missing.msg)
		message_print("note: ", gathering->missing.msg);
	err_clear(&gathering->missing);
	free(gathering->events.moments);
	free(gathering->events.regions);
	if (!rc)
		profile_finish(gathering->profile);
	return rc;
}

int export_profile_sums(const struct results_values *values, struct profile *profile,
			struct err *err)
{
	struct gathering gathering = { .values = values, .profile = profile, .missing = ERR_INIT };
	struct results_view view = {
		.values = values,
		.account = &account_cpu,
		.by = { BY_PROCESS, BY_STACK },
		.by_nr = 2,
		.split = true,
	};
	struct results_view memory = view, own_peak = view;
	int rc = gather(&gathering, &view, err);

	memory.account = own_peak.account = memory_of(&gathering);
	memory.at = values->at;
	own_peak.at = "own-peak";
	own_peak.own_peak = true;
	if (!rc)
		rc = gather(&gathering, &memory, err);
	if (!rc && is_one_crate(values) && profile->metrics_nr > 1)
		rc = gather(&gathering, &own_peak, err);
	return end(&gathering, rc, err);
}

int export_profile_events(const struct results_values *values, struct profile *profile,
			  struct err *err)
{
	struct gathering gathering = { .values = values, .profile = profile, .missing = ERR_INIT };
	const struct cpu_sink samples = { add_moment, &gathering.events };
	const struct region_sink regions = { .add = add_region, .data = &gathering.events };
	struct results_view view = {
		.values = values,
		.account = &account_cpu,
		.by = { BY_THREAD, BY_STACK },
		.by_nr = 2,
		.split = true,
		.samples = &samples,
	};
	struct results_view memory = {
		.values = values,
		.account = memory_of(&gathering),
		.by = { BY_PROCESS, BY_STACK },
		.by_nr = 2,
		.split = true,
		.regions = &regions,
	};
	int rc = gather(&gathering, &view, err);

	if (!rc)
		rc = gather(&gathering, &memory, err);
	return end(&gathering, rc, err);
}
