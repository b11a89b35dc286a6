#include <string.h>

#include "tools/wpt/wprp.h"
#include "util/alloc.h"
#include "util/array.h"

/*
 * The built-in profiles. The contents of CPU are as reported of 10.0.26100; those of the others are not public and
 * stand for what their names say.
 */
static const struct {
	const char *name, *description, *keywords, *stacks;
} built_in[] = {
	{ "GeneralProfile", "First level triage",
	  "CSwitch DiskIO HardFaults Loader MemoryInfo ProcessThread ReadyThread SampledProfile "
	  "SystemCall ",
	  "CSwitch ReadyThread SampledProfile " },
	{ "CPU", "CPU usage",
	  "CpuConfig CSwitch IdealProcessor Loader MemoryInfo Power ProcessThread ReadyThread "
	  "SampledProfile ThreadPriority ",
	  "CSwitch ReadyThread SampledProfile " },
	{ "DiskIO", "Disk I/O activity", "DiskIO Loader ProcessThread ", "" },
	{ "FileIO", "File I/O activity", "FileIO FileIOInit Loader ProcessThread ", "" },
	{ "Registry", "Registry I/O activity", "Loader ProcessThread Registry ", "" },
	{ "Network", "Networking I/O activity", "Loader NetworkTrace ProcessThread ", "" },
	{ "Heap", "Heap usage", "Loader ProcessThread ", "HeapAllocation HeapReallocation " },
	{ "HeapSnapshot", "Heap snapshot", "Loader ProcessThread ", "" },
	{ "Pool", "Pool usage", "Loader Pool ProcessThread ", "PoolAllocation PoolFree " },
	{ "VirtualAllocation", "VirtualAlloc usage",
	  "Loader MemoryInfo MemoryInfoWS ProcessThread VirtualAllocation ",
	  "VirtualAllocation VirtualFree " },
	{ "Audio", "Audio glitches", "Loader ProcessThread ", "" },
	{ "Video", "Video glitches", "Loader ProcessThread ", "" },
	{ "Power", "Power usage", "Loader Power ProcessThread ", "" },
	{ "GPU", "GPU activity", "Loader ProcessThread ", "" },
	{ "Handle", "Handle usage", "Handle Loader ProcessThread ", "HandleCreate HandleClose " },
	{ "Minifilter", "Minifilter I/O activity", "FilterIO Loader ProcessThread ", "" },
	{ "ReferenceSet", "Reference Set analysis", "Loader ProcessThread ReferenceSet ", "" },
	{ "ResidentSet", "Resident Set analysis", "Loader Memory MemoryInfo ProcessThread ", "" },
	{ "DotNET", ".NET Activity", "Loader ProcessThread ", "" },
};

/* Of recordings to a file, and shares of the memory of those to memory. */
#define SYSTEM_KB      1024
#define SYSTEM_COUNT   20
#define EVENT_COUNT    20
#define SYSTEM_PERCENT 5
#define EVENT_PERCENT  3

static void add_words(struct strvec *out, const char *words)
{
	for (; *words; words += strcspn(words, " ") + 1)
		strvec_push_nodup(out, xstrndup(words, strcspn(words, " ")));
}

static void add_form(struct profiles *profiles, size_t which, bool light, bool file)
{
	struct profile *p;

	ARRAY_GROW(profiles->v, profiles->nr + 1, profiles->alloc);
	p = &profiles->v[profiles->nr++];
	*p = (struct profile){
		.id = xasprintf("%s.%s.%s", built_in[which].name, light ? "Light" : "Verbose",
				file ? "File" : "Memory"),
		.name = xstrdup(built_in[which].name),
		.description = xstrdup(built_in[which].description),
		.light = light,
		.file = file,
		.keywords = STRVEC_INIT,
		.stacks = STRVEC_INIT,
		.providers = STRVEC_INIT,
		.system = { .used = true,
			    .kb = SYSTEM_KB,
			    .count = file ? SYSTEM_COUNT : SYSTEM_PERCENT,
			    .percent = !file },
		.event = { .used = true,
			   .kb = SYSTEM_KB,
			   .count = file ? EVENT_COUNT : EVENT_PERCENT,
			   .percent = !file },
	};
	add_words(&p->keywords, built_in[which].keywords);
	if (!light)
		add_words(&p->stacks, built_in[which].stacks);
	strvec_push(&p->providers, "Microsoft-Windows-Kernel-Process: 0x10: 0xff");
}

void profiles_add_built_in(struct profiles *profiles)
{
	for (size_t i = 0; i < ARRAY_SIZE(built_in); i++)
		for (int form = 0; form < 4; form++)
			add_form(profiles, i, form & 1, form & 2);
}

static void write_collector(struct strbuf *out, const char *kind, unsigned number,
			    const struct buffers *buffers)
{
	strbuf_addf(out, "    <%sCollector Id=\"%s%u\" Name=\"WPR %s Collector\">\n", kind, kind,
		    number, kind);
	strbuf_addf(out, "      <BufferSize Value=\"%d\"/>\n", buffers->kb);
	strbuf_addf(out, "      <Buffers Value=\"%d\"%s/>\n", buffers->count,
		    buffers->percent ? " PercentageOfTotalMemory=\"true\"" : "");
	strbuf_addf(out, "    </%sCollector>\n", kind);
}

static void write_names(struct strbuf *out, const char *list, const char *item,
			const struct strvec *names)
{
	if (!names->nr)
		return;
	strbuf_addf(out, "      <%s>\n", list);
	for (size_t i = 0; i < names->nr; i++)
		strbuf_addf(out, "        <%s Value=\"%s\"/>\n", item, names->v[i]);
	strbuf_addf(out, "      </%s>\n", list);
}

static void write_profile(struct strbuf *out, const struct profile *p, unsigned number)
{
	strbuf_addf(out, "    <Profile Id=\"%s\" Name=\"%s\" Description=\"%s\"", p->id, p->name,
		    p->description);
	strbuf_addf(out, " LoggingMode=\"%s\" DetailLevel=\"%s\">\n", p->file ? "File" : "Memory",
		    p->light ? "Light" : "Verbose");
	strbuf_addf(out, "      <Collectors>\n        <SystemCollectorId Value=\"System%u\">\n",
		    number);
	strbuf_addf(out, "          <SystemProviderId Value=\"SystemProvider%u\"/>\n", number);
	strbuf_adds(out, "        </SystemCollectorId>\n");
	strbuf_addf(out, "        <EventCollectorId Value=\"Event%u\">\n", number);
	strbuf_adds(out, "          <EventProviders>\n");
	strbuf_addf(out, "            <EventProviderId Value=\"EventProvider%u\"/>\n", number);
	strbuf_adds(out, "          </EventProviders>\n        </EventCollectorId>\n");
	strbuf_adds(out, "      </Collectors>\n    </Profile>\n");
}

void profiles_write(const struct profile *const *profiles, size_t count, struct strbuf *out)
{
	strbuf_adds(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
			 "<WindowsPerformanceRecorder Version=\"1.0\">\n  <Profiles>\n");
	for (size_t i = 0; i < count; i++)
		write_collector(out, "System", (unsigned)i, &profiles[i]->system);
	for (size_t i = 0; i < count; i++)
		write_collector(out, "Event", (unsigned)i, &profiles[i]->event);
	for (size_t i = 0; i < count; i++) {
		strbuf_addf(out, "    <SystemProvider Id=\"SystemProvider%u\">\n", (unsigned)i);
		write_names(out, "Keywords", "Keyword", &profiles[i]->keywords);
		write_names(out, "Stacks", "Stack", &profiles[i]->stacks);
		strbuf_adds(out, "    </SystemProvider>\n");
	}
	for (size_t i = 0; i < count; i++)
		strbuf_addf(out,
			    "    <EventProvider Id=\"EventProvider%u\""
			    " Name=\"Microsoft-Windows-Kernel-Process\" Level=\"255\"/>\n",
			    (unsigned)i);
	for (size_t i = 0; i < count; i++)
		write_profile(out, profiles[i], (unsigned)i);
	strbuf_adds(out, "  </Profiles>\n</WindowsPerformanceRecorder>\n");
}
