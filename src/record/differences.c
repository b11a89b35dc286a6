#include "record/differences.h"

#include <stdlib.h>
#include <string.h>

#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"

struct search {
	const struct manifest *then, *now;
	difference_fn *found;
	void *data;
};

/* Texts longer than this are hashes and lists, whose beginnings say enough. */
#define SHOWN_MAX 100

static void add_value(struct strbuf *sb, const char *value)
{
	if (!value)
		strbuf_adds(sb, "none");
	else
		strbuf_addf(sb, "'%.*s%s'", SHOWN_MAX, value,
			    strlen(value) > SHOWN_MAX ? "..." : "");
}

static bool equal(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void compare(const struct search *search, enum difference kind, const char *what,
		    const char *then, const char *now)
{
	struct strbuf text = STRBUF_INIT;

	if (equal(then, now))
		return;
	strbuf_addf(&text, "%s: ", what);
	add_value(&text, then);
	strbuf_adds(&text, " -> ");
	add_value(&text, now);
	search->found(search->data, kind, text.buf);
	strbuf_release(&text);
}

static char *text_of(const struct system_fact *fact)
{
	return !fact        ? NULL
	       : fact->text ? xstrdup(fact->text)
			    : xasprintf("%lld", (long long)fact->number);
}

/* A section of facts, as people call it. */
struct section {
	const char *name, *title;
	enum difference kind;
	bool in_both; /* what only one side has is no difference */
};

/* No stage 1 makes the toml: one that is gone, or new, is a difference. */
static bool is_given_always(const struct section *section, const char *key)
{
	return !strcmp(section->name, "files") && !strcmp(key, RUN_BOOTSTRAP_TOML);
}

static void compare_fact(const struct search *search, const struct section *section,
			 const char *key, const struct system_fact *then,
			 const struct system_fact *now)
{
	/* A scrubbed bundle has no values of variables. */
	bool removed = search->then->scrubbed && now && then && then->text && !*then->text;
	char *before = text_of(removed ? now : then), *after = text_of(now);
	char *what = xasprintf("%s%s", section->title, key);

	if (!section->in_both || (then && now) || is_given_always(section, key))
		compare(search, section->kind, what, before, after);
	free(before);
	free(after);
	free(what);
}

static void compare_section(const struct search *search, const struct section *section,
			    const struct system_facts *then, const struct system_facts *now)
{
	for (size_t i = 0; i < then->nr; i++) {
		const struct system_fact *fact = &then->v[i];

		if (!strcmp(fact->section, section->name))
			compare_fact(search, section, fact->key, fact,
				     system_facts_find(now, section->name, fact->key));
	}
	for (size_t i = 0; i < now->nr; i++) {
		const struct system_fact *fact = &now->v[i];

		if (!strcmp(fact->section, section->name) &&
		    !system_facts_find(then, section->name, fact->key))
			compare_fact(search, section, fact->key, NULL, fact);
	}
}

static void compare_build(const struct search *search, enum differences_of what)
{
	static const struct section given[] = {
		{ "checkout", "checkout, ", DIFFERENCE_SOURCES, false },
		{ "submodules", "submodule ", DIFFERENCE_SOURCES, false },
		{ "tools", "version of ", DIFFERENCE_BUILD, false },
		{ "environment", "variable ", DIFFERENCE_BUILD, false },
		{ "build", "", DIFFERENCE_BUILD, true },
	};
	static const struct section made[] = {
		{ "files", "file ", DIFFERENCE_SOURCES, true },
		{ "stage0", "stage 0 compiler of ", DIFFERENCE_SOURCES, true },
		{ "ci_llvm", "LLVM from CI of ", DIFFERENCE_SOURCES, true },
	};
	bool is_given = what == DIFFERENCES_GIVEN;
	const struct section *sections = is_given ? given : made;
	size_t nr = is_given ? ARRAY_SIZE(given) : ARRAY_SIZE(made);

	for (size_t i = 0; i < nr; i++)
		compare_section(search, &sections[i], &search->then->build, &search->now->build);
}

/* Facts of the host: those of the system's kind, then those that only change how much is measured. */
static void compare_host(const struct search *search)
{
	static const struct {
		const char *key, *title;
		enum difference kind;
	} facts[] = {
		{ "arch", "architecture", DIFFERENCE_BUILD },
		{ "hostname", "host", DIFFERENCE_MACHINE },
		{ "os", "operating system", DIFFERENCE_MACHINE },
		{ "kernel", "kernel", DIFFERENCE_MACHINE },
		{ "cpu_model", "processor", DIFFERENCE_MACHINE },
		{ "cpus", "number of processors", DIFFERENCE_MACHINE },
		{ "memory_bytes", "memory in bytes", DIFFERENCE_MACHINE },
		{ "transparent_hugepage", "transparent_hugepage", DIFFERENCE_MACHINE },
		{ "overcommit_memory", "overcommit_memory", DIFFERENCE_MACHINE },
		{ "overcommit_ratio", "overcommit_ratio", DIFFERENCE_MACHINE },
		{ "swappiness", "swappiness", DIFFERENCE_MACHINE },
		{ "cpu_governor", "cpu_governor", DIFFERENCE_MACHINE },
	};

	static const char *const group[] = { "version", "processors" };

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		compare(search, facts[i].kind, facts[i].title,
			manifest_host(search->then, facts[i].key),
			manifest_host(search->now, facts[i].key));
	for (size_t i = 0; i < ARRAY_SIZE(group); i++) {
		char *title = xasprintf("control group, %s", group[i]), *then, *now;

		then = text_of(system_facts_find(&search->then->system, "control_group", group[i]));
		now = text_of(system_facts_find(&search->now->system, "control_group", group[i]));
		compare(search, DIFFERENCE_MACHINE, title, then, now);
		free(title);
		free(then);
		free(now);
	}
}

static void compare_limit(const struct search *search, const char *what, int64_t then, int64_t now)
{
	char *before = then < 0 ? NULL : xasprintf("%lld", (long long)then);
	char *after = now < 0 ? NULL : xasprintf("%lld", (long long)now);
	bool lower = now >= 0 && (then < 0 || now < then);

	compare(search, lower ? DIFFERENCE_LIMIT : DIFFERENCE_MACHINE, what, before, after);
	free(before);
	free(after);
}

/* -1 is no limit. A run that never came to stage 2 does not know that of its processes. */
static void compare_limits(const struct search *search)
{
	static const struct {
		const char *key, *title;
	} group[] = {
		{ "memory_limit_bytes", "control group, memory_limit_bytes" },
		{ "swap_limit_bytes", "control group, swap_limit_bytes" },
		{ "memory_and_swap_limit_bytes", "control group, memory_and_swap_limit_bytes" },
	};
	const struct manifest *then = search->then, *now = search->now;

	for (size_t i = 0; i < ARRAY_SIZE(group); i++)
		compare_limit(search, group[i].title,
			      system_facts_number(&then->system, "control_group", group[i].key),
			      system_facts_number(&now->system, "control_group", group[i].key));
	if (then->memory.least_available_bytes >= 0 && now->memory.least_available_bytes >= 0)
		compare_limit(search, "address space of a process in bytes (ulimit -v)",
			      then->memory.address_space_limit_bytes,
			      now->memory.address_space_limit_bytes);
}

void differences_find(const struct manifest *then, const struct manifest *now,
		      enum differences_of what, difference_fn *found, void *data)
{
	const struct search search = { then, now, found, data };

	if (what == DIFFERENCES_MADE) {
		compare_build(&search, what);
		return;
	}
	compare(&search, DIFFERENCE_SOURCES, "commit of the checkout", then->git_commit,
		now->git_commit);
	/* Runs of earlier versions have none. */
	if (then->build.nr)
		compare_build(&search, what);
	compare_host(&search);
	compare_limits(&search);
	compare(&search, DIFFERENCE_MACHINE, "profiler", then->recorder, now->recorder);
	compare(&search, DIFFERENCE_MACHINE, "version of the profiler", then->recorder_version,
		now->recorder_version);
}
