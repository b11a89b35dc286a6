#include "tools/wpt/wprp.h"

#include <stdlib.h>
#include <string.h>

#include "tools/wpt/names.h"
#include "tools/wpt/xml.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* Where a file says nothing. */
#define DEFAULT_KB    128
#define DEFAULT_COUNT 64

struct reader {
	const struct xml *root, *profiles;
	struct profiles *out;
	struct strbuf *problem;
};

static int fail(struct reader *r, const struct xml *at, const char *what)
{
	strbuf_addf(r->problem, "Element: %s, line %d, column %d: %s", at->name, at->line,
		    at->column, what);
	return -1;
}

/* The elements within `parent` are of `names`, in this order, each any number of times. */
static int check_order(struct reader *r, const struct xml *parent, const char *const *names,
		       size_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < parent->nr; i++) {
		size_t found = at;

		while (found < count && strcmp(names[found], parent->v[i]->name) != 0)
			found++;
		if (found == count)
			return fail(r, parent->v[i], "not expected here");
		at = found;
	}
	return 0;
}

static int check_number(struct reader *r, const struct xml *element, int *value)
{
	const char *text = xml_attribute(element, "Value");
	int64_t number;

	if (!text || !text_parse_int(text, 1, 1 << 20, &number))
		return fail(r, element, "Value is no number above zero");
	*value = (int)number;
	return 0;
}

/* BufferSize and Buffers of a collector, or of a profile's reference to one. */
static int read_buffers(struct reader *r, const struct xml *collector, struct buffers *buffers)
{
	const struct xml *size = xml_child(collector, "BufferSize");
	const struct xml *count = xml_child(collector, "Buffers");
	const char *percent = count ? xml_attribute(count, "PercentageOfTotalMemory") : NULL;

	if (size && check_number(r, size, &buffers->kb) != 0)
		return -1;
	if (count && check_number(r, count, &buffers->count) != 0)
		return -1;
	if (count)
		buffers->percent = percent && text_equal_fold(percent, "true");
	if (buffers->percent && buffers->count > 100)
		return fail(r, count, "more than the whole memory");
	return 0;
}

static const struct xml *find_id(const struct reader *r, const char *kind, const char *id)
{
	for (size_t i = 0; id && i < r->profiles->nr; i++) {
		const char *mine = xml_attribute(r->profiles->v[i], "Id");

		if (!strcmp(r->profiles->v[i]->name, kind) && mine && !strcmp(mine, id))
			return r->profiles->v[i];
	}
	return NULL;
}

static int read_names(struct reader *r, const struct xml *provider, const char *list,
		      const char *item, const char *known, struct strvec *out)
{
	const struct xml *names = xml_child(provider, list);

	for (size_t i = 0; names && i < names->nr; i++) {
		const char *value = xml_attribute(names->v[i], "Value");

		if (strcmp(names->v[i]->name, item) != 0)
			continue;
		if (!value || !names_have(known, value, false))
			return fail(r, names->v[i], "not a value of the enumeration");
		strvec_push(out, value);
	}
	return 0;
}

static int read_system_provider(struct reader *r, const struct xml *provider, struct profile *p)
{
	if (read_names(r, provider, "Keywords", "Keyword", names_keywords, &p->keywords) != 0)
		return -1;
	return read_names(r, provider, "Stacks", "Stack", names_stacks, &p->stacks);
}

static int read_event_provider(struct reader *r, const struct xml *provider, struct profile *p)
{
	const char *name = xml_attribute(provider, "Name");
	const char *level = xml_attribute(provider, "Level");
	const char *only = xml_attribute(provider, "ProcessExeFilter");
	const struct xml *keywords = xml_child(provider, "Keywords");
	const char *value =
		keywords && keywords->nr ? xml_attribute(keywords->v[0], "Value") : NULL;

	if (!name)
		return fail(r, provider, "Name is required");
	strvec_pushf(&p->providers, "%s: %s: %s", name, value ? value : "0x0",
		     level ? level : "0xff");
	if (only) {
		free(p->only_process);
		p->only_process = xstrdup(only);
	}
	return 0;
}

static int read_system_collector(struct reader *r, const struct xml *use, struct profile *p)
{
	const struct xml *collector = find_id(r, "SystemCollector", xml_attribute(use, "Value"));

	if (!collector)
		return fail(r, use, "no such SystemCollector");
	if (p->system.used)
		return fail(r, use, "a profile has at most one system collector");
	p->system = (struct buffers){ .used = true, .kb = DEFAULT_KB, .count = DEFAULT_COUNT };
	if (read_buffers(r, collector, &p->system) != 0 || read_buffers(r, use, &p->system) != 0)
		return -1;
	for (size_t i = 0; i < use->nr; i++) {
		const struct xml *provider = use->v[i];

		if (!strcmp(provider->name, "SystemProviderId"))
			provider = find_id(r, "SystemProvider", xml_attribute(provider, "Value"));
		if (!provider)
			return fail(r, use->v[i], "no such SystemProvider");
		if (!strcmp(provider->name, "SystemProvider") &&
		    read_system_provider(r, provider, p) != 0)
			return -1;
	}
	return 0;
}

static int read_event_collector(struct reader *r, const struct xml *use, struct profile *p)
{
	const struct xml *collector = find_id(r, "EventCollector", xml_attribute(use, "Value"));
	const struct xml *providers = xml_child(use, "EventProviders");

	if (!collector)
		return fail(r, use, "no such EventCollector");
	p->event = (struct buffers){ .used = true, .kb = DEFAULT_KB, .count = DEFAULT_COUNT };
	if (read_buffers(r, collector, &p->event) != 0 || read_buffers(r, use, &p->event) != 0)
		return -1;
	for (size_t i = 0; providers && i < providers->nr; i++) {
		const struct xml *provider = providers->v[i];

		if (!strcmp(provider->name, "EventProviderId"))
			provider = find_id(r, "EventProvider", xml_attribute(provider, "Value"));
		if (!provider)
			return fail(r, providers->v[i], "no such EventProvider");
		if (read_event_provider(r, provider, p) != 0)
			return -1;
	}
	return 0;
}

static int read_collectors(struct reader *r, const struct xml *collectors, struct profile *p)
{
	for (size_t i = 0; i < collectors->nr; i++) {
		const struct xml *use = collectors->v[i];

		if (!strcmp(use->name, "SystemCollectorId") &&
		    read_system_collector(r, use, p) != 0)
			return -1;
		if (!strcmp(use->name, "EventCollectorId") && read_event_collector(r, use, p) != 0)
			return -1;
	}
	return 0;
}

static void copy_base(struct profile *p, const struct profile *base)
{
	p->system = base->system;
	p->event = base->event;
	strvec_push_all(&p->keywords, &base->keywords);
	strvec_push_all(&p->stacks, &base->stacks);
	strvec_push_all(&p->providers, &base->providers);
	p->only_process = xstrdup_or_null(base->only_process);
}

static const struct profile *find_base(const struct profiles *profiles, const char *id)
{
	for (size_t i = 0; i < profiles->nr; i++)
		if (text_equal_fold(profiles->v[i].id, id))
			return &profiles->v[i];
	return NULL;
}

static int inherit(struct reader *r, const struct xml *element, const struct xml *collectors,
		   struct profile *p)
{
	const char *base = xml_attribute(element, "Base");
	const char *operation = collectors ? xml_attribute(collectors, "Operation") : NULL;
	const struct profile *found;
	struct profiles built_in = { 0 };

	if (!base)
		return 0;
	profiles_add_built_in(&built_in);
	found = find_base(r->out, base);
	if (!found)
		found = find_base(&built_in, base);
	if (found && (!collectors || (operation && strcmp(operation, "Set") != 0)))
		copy_base(p, found);
	profiles_release(&built_in);
	return found ? 0 : fail(r, element, "no such profile to be based on");
}

static struct profile *add_profile(struct profiles *profiles, const char *name, bool light,
				   bool file, const char *description)
{
	ARRAY_GROW(profiles->v, profiles->nr + 1, profiles->alloc);
	profiles->v[profiles->nr] = (struct profile){
		.id = xasprintf("%s.%s.%s", name, light ? "Light" : "Verbose",
				file ? "File" : "Memory"),
		.name = xstrdup(name),
		.description = xstrdup(description),
		.light = light,
		.file = file,
		.keywords = STRVEC_INIT,
		.stacks = STRVEC_INIT,
		.providers = STRVEC_INIT,
	};
	return &profiles->v[profiles->nr++];
}

static int read_profile(struct reader *r, const struct xml *element)
{
	const char *name = xml_attribute(element, "Name");
	const char *mode = xml_attribute(element, "LoggingMode");
	const char *level = xml_attribute(element, "DetailLevel");
	const char *description = xml_attribute(element, "Description");
	const struct xml *collectors = xml_child(element, "Collectors");
	struct profile *p;

	if (!name || !mode || !level || !description)
		return fail(r, element,
			    "Name, Description, LoggingMode and DetailLevel are required");
	if (strcmp(mode, "File") != 0 && strcmp(mode, "Memory") != 0)
		return fail(r, element, "LoggingMode is File or Memory");
	if (strcmp(level, "Light") != 0 && strcmp(level, "Verbose") != 0)
		return fail(r, element, "DetailLevel is Light or Verbose");
	p = add_profile(r->out, name, !strcmp(level, "Light"), !strcmp(mode, "File"), description);
	free(p->id);
	p->id = xstrdup(xml_attribute(element, "Id"));
	if (inherit(r, element, collectors, p) != 0)
		return -1;
	if (collectors && xml_attribute(element, "Base") && p->system.used)
		p->system.used = !xml_child(collectors, "SystemCollectorId");
	return collectors ? read_collectors(r, collectors, p) : 0;
}

static int check_ids(struct reader *r)
{
	for (size_t i = 0; i < r->profiles->nr; i++) {
		const struct xml *mine = r->profiles->v[i];
		const char *id = xml_attribute(mine, "Id");

		if (!id || !*id || strpbrk(id, ": "))
			return fail(r, mine, "Id is required, without colons and blanks");
		for (size_t j = 0; j < i; j++)
			if (!strcmp(xml_attribute(r->profiles->v[j], "Id"), id))
				return fail(r, mine, "Id given twice");
	}
	return 0;
}

static int check_collectors(struct reader *r)
{
	static const char *const within[] = { "BufferSize",      "Buffers", "StackCaching",
					      "MaximumFileSize", "FileMax", "FlushTimer",
					      "FlushThreshold" };
	struct buffers unused = { 0 };

	for (size_t i = 0; i < r->profiles->nr; i++) {
		const struct xml *mine = r->profiles->v[i];

		if (strcmp(mine->name, "SystemCollector") != 0 &&
		    strcmp(mine->name, "EventCollector") != 0)
			continue;
		if (!xml_attribute(mine, "Name"))
			return fail(r, mine, "Name is required");
		if (check_order(r, mine, within, ARRAY_SIZE(within)) != 0 ||
		    read_buffers(r, mine, &unused) != 0)
			return -1;
	}
	return 0;
}

static int read_root(struct reader *r)
{
	static const char *const within_root[] = { "Profiles", "TraceMergeProperties",
						   "OnOffTransitionConfigurations" };
	static const char *const within_profiles[] = {
		"SystemCollector",    "EventCollector",
		"HeapEventCollector", "HypervisorEventCollector",
		"SystemProvider",     "MicroArchitecturalConfig",
		"HardwareCounter",    "EventProvider",
		"HeapEventProvider",  "Profile",
	};

	if (strcmp(r->root->name, "WindowsPerformanceRecorder") != 0)
		return fail(r, r->root, "not expected here");
	if (!xml_attribute(r->root, "Version"))
		return fail(r, r->root, "Version is required");
	if (check_order(r, r->root, within_root, ARRAY_SIZE(within_root)) != 0)
		return -1;
	r->profiles = xml_child(r->root, "Profiles");
	if (!r->profiles || !xml_child(r->profiles, "Profile"))
		return fail(r, r->root, "no Profile");
	if (check_order(r, r->profiles, within_profiles, ARRAY_SIZE(within_profiles)) != 0 ||
	    check_ids(r) != 0 || check_collectors(r) != 0)
		return -1;
	for (size_t i = 0; i < r->profiles->nr; i++)
		if (!strcmp(r->profiles->v[i]->name, "Profile") &&
		    read_profile(r, r->profiles->v[i]) != 0)
			return -1;
	return 0;
}

int profiles_parse(struct profiles *profiles, const char *text, size_t len, struct strbuf *problem)
{
	struct xml_error error = { 0 };
	struct xml *root = xml_parse(text, len, &error);
	struct reader r = { .root = root, .out = profiles, .problem = problem };
	int bad;

	if (!root) {
		strbuf_addf(problem, "line %d, column %d: %s", error.line, error.column,
			    error.what);
		return -1;
	}
	bad = read_root(&r);
	xml_free(root);
	return bad;
}

void profiles_release(struct profiles *profiles)
{
	for (size_t i = 0; i < profiles->nr; i++) {
		struct profile *p = &profiles->v[i];

		free(p->id);
		free(p->name);
		free(p->description);
		free(p->only_process);
		strvec_release(&p->keywords);
		strvec_release(&p->stacks);
		strvec_release(&p->providers);
	}
	free(profiles->v);
	*profiles = (struct profiles){ 0 };
}

static const struct profile *pick_level(const struct profiles *profiles, const char *name,
					bool file, bool light)
{
	for (size_t i = 0; i < profiles->nr; i++) {
		const struct profile *p = &profiles->v[i];

		if (text_equal_fold(p->name, name) && p->file == file && p->light == light)
			return p;
	}
	return NULL;
}

const struct profile *profiles_pick(const struct profiles *profiles, const char *name, bool file)
{
	const char *dot = strrchr(name, '.');
	bool light = dot && text_equal_fold(dot, ".light");
	const struct profile *p;
	char *base;

	if (!light && !(dot && text_equal_fold(dot, ".verbose"))) {
		p = pick_level(profiles, name, file, false);
		return p ? p : pick_level(profiles, name, file, true);
	}
	base = xstrndup(name, (size_t)(dot - name));
	p = pick_level(profiles, base, file, light);
	free(base);
	return p;
}
