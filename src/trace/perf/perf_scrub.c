#include "trace/perf/perf_scrub.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/module.h"
#include "model/trace_event.h"
#include "trace/perf/linux_calls.h"
#include "trace/perf/linux_touches.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_known.h"
#include "trace/perf/perf_record_name.h"
#include "trace/perf/perf_walk.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/byte_cursor.h"
#include "util/intmap.h"
#include "util/little_endian.h"
#include "util/text.h"

#define ALIGNMENT 8
#define OTHER     "other"

/* What becomes of a field of a tracepoint. */
struct field_plan {
	bool is_register;
	bool reduced;                         /* to what touched memory is counted by */
	const struct tracepoint_field *owner; /* the thread that a text is of */
};

struct perf_scrub {
	struct scrub *scrub;
	struct perf_known *known;
	struct intmap plans; /* by event: a struct field_plan for each field of its tracepoint */
};

struct perf_scrub *perf_scrub_new(struct scrub *scrub)
{
	struct perf_scrub *made = xcalloc(1, sizeof(*made));

	made->scrub = scrub;
	made->known = perf_known_new();
	made->plans = (struct intmap)INTMAP_INIT;
	return made;
}

void perf_scrub_free(struct perf_scrub *scrub)
{
	if (!scrub)
		return;
	for (size_t i = 0; i < scrub->plans.nr; i++)
		free(scrub->plans.v[i].value);
	intmap_release(&scrub->plans);
	perf_known_free(scrub->known);
	free(scrub);
}

void perf_scrub_add_process(struct perf_scrub *scrub, int64_t pid)
{
	perf_known_add_process(scrub->known, pid);
}

static size_t trailer_size(struct perf_events *events, const unsigned char *record, size_t size)
{
	const struct perf_event *event = perf_events_of_trailer(events, record, size);

	return event && event->trailer <= size - PERF_RECORD_HEADER ? event->trailer : 0;
}

struct reading {
	struct perf_scrub *scrub;
	struct perf_events *events;
	struct perf_code *code;
	const struct progress *progress;
	int64_t size; /* of the file */
};

static int see(void *data, uint64_t location, const unsigned char *record, size_t size,
	       struct err *err)
{
	struct reading *reading = data;
	struct perf_scrub *scrub = reading->scrub;
	uint32_t type = le_get32(record);
	struct trace_event event;

	if (!(location & PERF_DECOMPRESSED) &&
	    progress_show(reading->progress, SCRUB_STEP, (int64_t)location, reading->size, err))
		return -1;
	if (perf_known_is_full(scrub->known))
		return err_set(
			err, ERR_UNSUPPORTED,
			"it has too many processes or mappings to be scrubbed, at 0x%" PRIx64,
			PERF_OFFSET(location));
	if (type != PERF_MMAP && type != PERF_MMAP2 && type != PERF_FORK && type != PERF_COMM)
		return 0;
	if (perf_decode_event(record, size, trailer_size(reading->events, record, size), &event))
		return 0;
	perf_code_see(reading->code, &event);
	if (perf_known_see(scrub->known, &event)) {
		scrub_learn(scrub->scrub, event.map.path, strlen(event.map.path));
		scrub_reserve(scrub->scrub, event.map.path);
	}
	return 0;
}

int perf_scrub_read(struct perf_scrub *scrub, const struct trace_input *input, const char *path,
		    struct perf_code *code, const struct progress *progress, struct err *err)
{
	struct trace_facts facts;
	struct perf_file file;
	struct perf_walk *walk = xcalloc(1, sizeof(*walk));
	struct reading reading = { scrub, &file.events, code, progress, 0 };
	int rc;

	trace_facts_init(&facts);
	rc = perf_file_open(&file, input, path, &facts, err);
	if (!rc) {
		perf_walk_init(walk, &file, NULL, &perf_limits_usual);
		reading.size = (int64_t)file.size;
		walk->visitor = (struct perf_visitor){ &reading, see };
		rc = perf_walk_prepare(walk, err);
		if (!rc)
			rc = perf_walk_next(walk, err);
		perf_walk_release(walk);
	}
	if (rc)
		err_wrap(err, "cannot scrub '%s'", path);
	perf_known_finish(scrub->known, &file.build_ids);
	perf_file_release(&file);
	trace_facts_release(&facts);
	free(walk);
	return rc;
}

/* Bits of struct perf_event_attr.sample_type: numbers alone. */
#define HARMLESS \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
	 PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | \
	 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_NUMBERS)

int perf_scrub_check(const struct perf_events *events, bool chains, struct err *err)
{
	for (size_t i = 0; i < events->nr; i++) {
		const struct perf_event *event = &events->v[i];
		uint64_t type = event->sample_type & ~(uint64_t)HARMLESS;

		if (chains && perf_event_has_copies(event) && !event->distilled)
			type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
		if (type)
			return err_set(err, ERR_UNSUPPORTED,
				       "samples of '%s' hold memory or registers of programs",
				       event->name ? event->name : "?");
	}
	return 0;
}

/* Append a text, its NUL, and zeros to a multiple of 8 bytes. */
static void add_text(struct strbuf *to, const char *text)
{
	strbuf_adds(to, text);
	do
		strbuf_addc(to, '\0');
	while (to->len % ALIGNMENT);
}

/* False: it is a file of others, and its path was replaced. */
static bool scrub_file(struct perf_scrub *scrub, int64_t pid, bool kernel, struct strbuf *path)
{
	bool shown = kernel || perf_known_process(scrub->known, pid) ||
		     perf_known_path(scrub->known, path->buf);

	if (perf_known_is_special(path->buf)) {
		scrub_text(scrub->scrub, path, SCRUB_TEXT);
		return true;
	}
	if (!shown) {
		/* As the module is called. */
		strbuf_set_len(path, module_path_length(path->buf));
		scrub_hide_path(scrub->scrub, path->buf);
	}
	scrub_path(scrub->scrub, path);
	return shown;
}

/*
 * Replace a build id of a file of others, of `nr` bytes with room for MODULE_ID_MAX. Modules that differed still differ,
 * and one that is the same as a module of the build stays the same. Returns the new size.
 */
static size_t replace_id(struct perf_scrub *scrub, unsigned char *id, size_t nr)
{
	struct strbuf text = STRBUF_INIT;
	uint32_t number;

	perf_known_format_id(&text, id, nr);
	if (text.len && !perf_known_id(scrub->known, text.buf)) {
		number = scrub_hide_id(scrub->scrub, text.buf);
		memset(id, 0, MODULE_ID_MAX);
		for (int i = 1; i <= 4; i++, number >>= 8)
			id[MODULE_ID_MAX - i] = (unsigned char)number;
		nr = MODULE_ID_MAX;
	}
	strbuf_release(&text);
	return nr;
}

static void scrub_comm(struct perf_scrub *scrub, int64_t pid, struct strbuf *name)
{
	if (perf_known_process(scrub->known, pid)) {
		scrub_text(scrub->scrub, name, SCRUB_TEXT);
		return;
	}
	strbuf_clear(name);
	strbuf_adds(name, OTHER);
	scrub_note(scrub->scrub, "names of processes that are not of the build", 1);
}

/* Of an MMAP2 that has one: u8 size, 3 bytes, the id. */
static void hide_map_id(struct perf_scrub *scrub, unsigned char *record)
{
	memset(record + 41, 0, 3);
	record[40] = (unsigned char)replace_id(scrub, record + 44, record[40]);
}

/* MMAP, MMAP2, COMM: `fixed` bytes, the text, the trailer. */
static int scrub_event(struct perf_scrub *scrub, struct perf_events *events,
		       const unsigned char *record, size_t size, size_t fixed, struct strbuf *to)
{
	size_t trailer = trailer_size(events, record, size), start = to->len;
	struct strbuf text = STRBUF_INIT;
	struct trace_event event;
	bool fits, shown = true;

	if (perf_decode_event(record, size, trailer, &event))
		return -1;
	strbuf_adds(&text, le_get32(record) == PERF_COMM ? event.name : event.map.path);
	if (le_get32(record) == PERF_COMM)
		scrub_comm(scrub, event.pid, &text);
	else
		shown = scrub_file(scrub, event.pid, event.map.kernel, &text);
	strbuf_add(to, record, fixed);
	if (!shown && event.map.id_length)
		hide_map_id(scrub, (unsigned char *)to->buf + start);
	add_text(to, text.buf);
	strbuf_add(to, record + size - trailer, trailer);
	strbuf_release(&text);
	fits = to->len - start <= PERF_RECORD_MAX;
	if (fits)
		le_put16((unsigned char *)to->buf + start + 6, (uint16_t)(to->len - start));
	return fits;
}

/* Records of numbers, with their size; those without are of any size. */
static const struct {
	uint32_t type;
	size_t size;
} numbers[] = {
	{ PERF_LOST, 24 },          { PERF_EXIT, 32 },         { PERF_THROTTLE, 32 },
	{ PERF_UNTHROTTLE, 32 },    { PERF_FORK, 32 },         { PERF_ITRACE_START, 16 },
	{ PERF_LOST_SAMPLES, 16 },  { PERF_SWITCH, 8 },        { PERF_SWITCH_CPU_WIDE, 16 },
	{ PERF_FINISHED_ROUND, 8 }, { PERF_ID_INDEX, 0 },      { PERF_CPU_MAP, 0 },
	{ PERF_TIME_CONV, 0 },      { PERF_FINISHED_INIT, 8 },
};

static int scrub_numbers(struct perf_events *events, const unsigned char *record, size_t size,
			 struct strbuf *to)
{
	size_t trailer, fixed = 0, i = 0;

	while (i < ARRAY_SIZE(numbers) && numbers[i].type != le_get32(record))
		i++;
	if (i == ARRAY_SIZE(numbers))
		return 0;
	if (size < numbers[i].size)
		return -1;
	fixed = numbers[i].size ? numbers[i].size : size;
	trailer = le_get32(record) < PERF_HEADER_ATTR ? trailer_size(events, record, size) : 0;
	if (fixed + trailer > size)
		trailer = size - fixed;
	strbuf_add(to, record, fixed);
	strbuf_add(to, record + size - trailer, trailer);
	le_put16((unsigned char *)to->buf + to->len - fixed - trailer + 6,
		 (uint16_t)(fixed + trailer));
	return 1;
}

/* u64 kind of update, u64 id, text. Only names are kept. */
static bool scrub_update(struct perf_scrub *scrub, struct perf_events *events,
			 const unsigned char *record, size_t size, struct strbuf *to)
{
	struct strbuf name = STRBUF_INIT;
	size_t start = to->len;
	uint32_t event;

	if (size <= 24 || le_get64(record + 8) != PERF_UPDATE_NAME ||
	    !memchr(record + 24, 0, size - 24))
		return false;
	event = perf_events_by_id(events, le_get64(record + 16));
	if (event == PERF_NO_EVENT)
		return false;
	strbuf_adds(&name, (const char *)record + 24);
	perf_scrub_event_name(scrub, &events->v[event], &name);
	strbuf_add(to, record, 24);
	add_text(to, name.buf);
	strbuf_release(&name);
	le_put16((unsigned char *)to->buf + start + 6, (uint16_t)(to->len - start));
	return to->len - start <= PERF_RECORD_MAX;
}

/* struct build_id_event: i32 pid, 20 bytes of id, u8 its length, 3 bytes, path. */
static bool scrub_build_id(struct perf_scrub *scrub, const unsigned char *record, size_t size,
			   struct strbuf *to)
{
	struct strbuf path = STRBUF_INIT;
	size_t start = to->len;
	struct perf_build_id id;

	if (!perf_build_id_parse(record, size, &id))
		return false;
	strbuf_adds(&path, id.path);
	strbuf_add(to, record, PERF_BUILD_ID_PATH);
	if (!scrub_file(scrub, -1, id.kernel, &path)) {
		unsigned char *made = (unsigned char *)to->buf + start;

		memset(made + PERF_BUILD_ID_LENGTH, 0, PERF_BUILD_ID_PATH - PERF_BUILD_ID_LENGTH);
		made[PERF_BUILD_ID_LENGTH] =
			(unsigned char)replace_id(scrub, made + PERF_BUILD_ID_AT, id.id_length);
	}
	add_text(to, path.buf);
	strbuf_release(&path);
	le_put16((unsigned char *)to->buf + start + 6, (uint16_t)(to->len - start));
	return to->len - start <= PERF_RECORD_MAX;
}

static int add_record(struct perf_scrub *scrub, struct perf_events *events,
		      const unsigned char *record, size_t size, struct strbuf *to)
{
	switch (le_get32(record)) {
	case PERF_MMAP:
		return scrub_event(scrub, events, record, size, 40, to);
	case PERF_MMAP2:
		return scrub_event(scrub, events, record, size, 72, to);
	case PERF_COMM:
		return scrub_event(scrub, events, record, size, 16, to);
	case PERF_EVENT_UPDATE:
		return scrub_update(scrub, events, record, size, to);
	case PERF_HEADER_BUILD_ID:
		return scrub_build_id(scrub, record, size, to);
	default:
		return scrub_numbers(events, record, size, to);
	}
}

/* The record's own event has no trailer, though others have: without its last bytes it would be read as one of those. */
static bool is_ambiguous(struct perf_events *events, const unsigned char *record, size_t size)
{
	static const uint32_t types[] = { PERF_MMAP, PERF_MMAP2, PERF_COMM, PERF_FORK, PERF_EXIT };
	bool becomes_event = false;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		becomes_event |= types[i] == le_get32(record);
	return becomes_event && events->nr && events->v[0].trailers && events->v[0].trailer &&
	       !perf_events_of_trailer(events, record, size);
}

int perf_scrub_record(struct perf_scrub *scrub, struct perf_events *events,
		      const unsigned char *record, size_t size, struct strbuf *to)
{
	struct strbuf what = STRBUF_INIT;
	const char *name = perf_record_name(le_get32(record));
	size_t before = to->len;
	int kept = is_ambiguous(events, record, size) ? -1
						      : add_record(scrub, events, record, size, to);

	if (kept)
		return kept;
	strbuf_set_len(to, before);
	if (name)
		strbuf_addf(&what, "records %s of the trace", name);
	else
		strbuf_adds(&what, "records of unknown types of the trace");
	scrub_note(scrub->scrub, what.buf, 1);
	strbuf_release(&what);
	return 0;
}

/* The end of all fields in the raw data. */
static size_t fields_end(const struct tracepoint_format *format, size_t raw_nr)
{
	uint64_t end = 0;

	for (size_t i = 0; i < format->nr; i++) {
		uint64_t field = (uint64_t)format->fields[i].offset + format->fields[i].size;

		if (field > end)
			end = field;
	}
	return end < raw_nr ? (size_t)end : raw_nr;
}

/* A text of at most `nr` bytes, as a string. */
static void take_text(struct perf_scrub *scrub, bool known, const unsigned char *at, size_t nr,
		      struct strbuf *text)
{
	const unsigned char *end = nr ? memchr(at, 0, nr) : NULL;

	strbuf_clear(text);
	strbuf_add(text, at, end ? (size_t)(end - at) : nr);
	if (known)
		scrub_text(scrub->scrub, text, SCRUB_TEXT);
	else
		strbuf_clear(text);
}

/* A field that says where a text is: the text is appended to `to`, whose raw data begins at `start`. */
static void move_text(struct perf_scrub *scrub, bool known, const struct tracepoint_field *field,
		      const struct perf_sample *sample, size_t start, struct strbuf *to)
{
	uint32_t where = le_get32(sample->raw + field->offset);
	size_t base = field->kind == TRACEPOINT_RELATIVE ? field->offset + field->size : 0;
	size_t at = base + (where & 0xffff), nr = where >> 16;
	struct strbuf text = STRBUF_INIT;

	if (at <= sample->raw_nr && nr <= sample->raw_nr - at)
		take_text(scrub, known, sample->raw + at, nr, &text);
	at = to->len - start - base;
	nr = text.len + 1;
	if (at + nr <= UINT16_MAX && to->len - start >= base) {
		strbuf_add(to, text.buf, nr);
		le_put32((unsigned char *)to->buf + start + field->offset,
			 (uint32_t)(at | nr << 16));
	}
	strbuf_release(&text);
}

static void add_field(struct perf_scrub *scrub, bool known, const struct tracepoint_field *field,
		      const struct perf_sample *sample, size_t start, struct strbuf *to)
{
	struct strbuf text = STRBUF_INIT;

	if (field->kind == TRACEPOINT_NUMBERS) {
		memcpy(to->buf + start + field->offset, sample->raw + field->offset, field->size);
	} else if (field->kind == TRACEPOINT_TEXT && field->size) {
		take_text(scrub, known, sample->raw + field->offset, field->size, &text);
		memcpy(to->buf + start + field->offset, text.buf,
		       text.len < field->size ? text.len : field->size - 1);
	} else if (field->kind == TRACEPOINT_LOCATION || field->kind == TRACEPOINT_RELATIVE) {
		move_text(scrub, known, field, sample, start, to);
	}
	strbuf_release(&text);
}

/*
 * Arguments of system calls are registers of a program, whatever the call uses of them. Those stay that say how much memory
 * it asks for; with others equal, a stack would belong to several calls at once.
 */
static bool is_register(const struct perf_event *event, const struct perf_tracepoint *tracepoint,
			const struct tracepoint_field *field)
{
	static const char *const no_registers[] = { "__syscall_nr", "nr", "id", "ret" };

	if (strcmp(tracepoint->system, "syscalls") != 0 &&
	    strcmp(tracepoint->system, "raw_syscalls") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(no_registers); i++)
		if (!strcmp(field->name, no_registers[i]))
			return false;
	return !text_starts_with(field->name, "common_") &&
	       !linux_call_uses(event->name, field->name);
}

/*
 * Page faults and allocations have addresses that are pointers of programs and of the kernel, and physical ones: what is
 * left is what the accounting needs.
 */
static bool is_reduced(const struct perf_tracepoint *tracepoint,
		       const struct tracepoint_field *field)
{
	return (!strcmp(tracepoint->system, "exceptions") || !strcmp(tracepoint->system, "kmem")) &&
	       field->kind == TRACEPOINT_NUMBERS && !text_starts_with(field->name, "common_");
}

static void add_reduced(const struct perf_tracepoint *tracepoint,
			const struct tracepoint_field *field, const struct perf_sample *sample,
			size_t start, struct strbuf *to)
{
	unsigned char bytes[8];
	uint64_t value;

	if (field->size > sizeof(bytes) ||
	    !tracepoint_field_get(field, sample->raw, sample->raw_nr, &value))
		return;
	le_put64(bytes, linux_touch_reduce(tracepoint->system, field->name, value));
	memcpy(to->buf + start + field->offset, bytes, field->size);
}

/*
 * The thread that a text is of: "prev_pid" of "prev_comm"; "pid" of "comm", "newcomm" and "filename". NULL: the tracepoint
 * does not say it.
 */
static const struct tracepoint_field *find_owner(const struct tracepoint_format *format,
						 const struct tracepoint_field *text)
{
	const char *end = strrchr(text->name, '_');
	char *name = xasprintf("%.*spid", end ? (int)(end + 1 - text->name) : 0, text->name);
	const struct tracepoint_field *owner = tracepoint_format_field(format, name);

	free(name);
	return owner;
}

/* What becomes of the fields of an event's tracepoint: found once, as there are millions of samples. */
static const struct field_plan *plan_of(struct perf_scrub *scrub, const struct perf_event *event,
					uint32_t index, const struct perf_tracepoint *tracepoint)
{
	const struct tracepoint_format *format = &tracepoint->format;
	struct field_plan *plan = intmap_get(&scrub->plans, index);

	if (plan)
		return plan;
	plan = xcalloc(format->nr + 1, sizeof(*plan));
	for (size_t i = 0; i < format->nr; i++) {
		const struct tracepoint_field *field = &format->fields[i];

		plan[i].is_register = is_register(event, tracepoint, field);
		plan[i].reduced = is_reduced(tracepoint, field);
		if (field->kind != TRACEPOINT_NUMBERS)
			plan[i].owner = find_owner(format, field);
	}
	intmap_put(&scrub->plans, index, plan);
	return plan;
}

static bool get_thread(const struct tracepoint_field *field, const struct perf_sample *sample,
		       int64_t *tid)
{
	uint64_t value;

	if (!field || !tracepoint_field_get(field, sample->raw, sample->raw_nr, &value))
		return false;
	*tid = (int64_t)value;
	return true;
}

/*
 * Whether a text is of a thread of the build. Ids in raw data are those of the machine, and those of samples are of perf's
 * namespace of pids: they are the same where that of the sample's own thread is.
 */
static bool is_known_text(const struct perf_scrub *scrub, const struct tracepoint_format *format,
			  const struct field_plan *plan, const struct perf_sample *sample)
{
	int64_t own, tid;

	return perf_known_process(scrub->known, sample->pid) &&
	       get_thread(plan->owner, sample, &tid) &&
	       get_thread(tracepoint_format_field(format, "common_pid"), sample, &own) &&
	       own == sample->tid && perf_known_thread(scrub->known, tid);
}

static void add_fields(struct perf_scrub *scrub, const struct perf_event *event,
		       const struct perf_tracepoint *tracepoint, bool only_numbers,
		       const struct perf_sample *sample, size_t start, struct strbuf *to)
{
	const struct tracepoint_format *format = &tracepoint->format;
	const struct field_plan *plan = plan_of(scrub, event, sample->event, tracepoint);
	size_t end = fields_end(format, sample->raw_nr);

	for (size_t i = 0; i < format->nr; i++) {
		const struct tracepoint_field *field = &format->fields[i];
		bool known;

		if (plan[i].is_register || (field->kind == TRACEPOINT_NUMBERS) != only_numbers ||
		    field->offset > end || field->size > end - field->offset)
			continue;
		known = !only_numbers && is_known_text(scrub, format, &plan[i], sample);
		if (plan[i].reduced)
			add_reduced(tracepoint, field, sample, start, to);
		else
			add_field(scrub, known, field, sample, start, to);
	}
}

void perf_scrub_raw(struct perf_scrub *scrub, const struct perf_tracing *tracing,
		    const struct perf_event *event, const struct perf_sample *sample,
		    struct strbuf *to)
{
	const struct perf_tracepoint *found = NULL;
	size_t size_at = to->len, start = size_at + 4;

	if (event->type == PERF_TYPE_TRACEPOINT)
		found = perf_tracing_find(tracing, event->config);
	if (found && !perf_tracing_is_common(found->system, strlen(found->system)))
		found = NULL;
	strbuf_pad(to, '\0', start);
	if (found) {
		strbuf_pad(to, '\0', start + fields_end(&found->format, sample->raw_nr));
		/* Numbers last: whatever else the format claims, views get the same ones. */
		for (int last = 0; last < 2; last++)
			add_fields(scrub, event, found, last, sample, start, to);
	} else {
		scrub_note(scrub->scrub, "raw data of samples in a form that is not known", 1);
	}
	while ((to->len - size_at) % ALIGNMENT)
		strbuf_addc(to, '\0');
	le_put32((unsigned char *)to->buf + size_at, (uint32_t)(to->len - start));
}

void perf_scrub_note_words(struct perf_scrub *scrub, uint64_t nr)
{
	scrub_note(scrub->scrub, "words of memory in call chains", nr);
}

/* Names that follow from the event's kind are kept: views find events by them. */
void perf_scrub_event_name(struct perf_scrub *scrub, const struct perf_event *event,
			   struct strbuf *name)
{
	char *usual = perf_event_default_name(event);
	size_t colon = strcspn(name->buf, ":"), end = strcspn(name->buf, "/");
	struct strbuf rest = STRBUF_INIT;

	if (event->type != PERF_TYPE_TRACEPOINT || !perf_tracing_is_common(name->buf, colon))
		end = 0;
	if (strcmp(name->buf, usual) != 0) {
		strbuf_adds(&rest, name->buf + end);
		scrub_text(scrub->scrub, &rest, SCRUB_TEXT);
		strbuf_set_len(name, name->len ? end : 0);
		strbuf_add(name, rest.buf, rest.len);
		strbuf_release(&rest);
	}
	free(usual);
}

/* A text of a feature: u32 size, which includes the NUL and zeros. */
static void add_string(struct strbuf *to, const char *text)
{
	unsigned char size[4];
	size_t at = to->len;

	strbuf_pad(to, '\0', at + 4);
	strbuf_adds(to, text);
	do
		strbuf_addc(to, '\0');
	while ((to->len - at - 4) % PERF_NAME_ALIGN);
	le_put32(size, (uint32_t)(to->len - at - 4));
	memcpy(to->buf + at, size, sizeof(size));
}

static bool take_string(struct byte_cursor *cursor, struct strbuf *text)
{
	uint32_t size;
	const unsigned char *at =
		byte_cursor_take32(cursor, &size) ? byte_cursor_take(cursor, size) : NULL;
	const unsigned char *end = at && size ? memchr(at, 0, size) : NULL;

	strbuf_clear(text);
	if (end)
		strbuf_add(text, at, (size_t)(end - at));
	return end;
}

static bool scrub_string(struct perf_scrub *scrub, struct byte_cursor *from, struct strbuf *to)
{
	struct strbuf text = STRBUF_INIT;
	bool whole = take_string(from, &text);

	scrub_text(scrub->scrub, &text, SCRUB_COMMAND);
	add_string(to, text.buf);
	strbuf_release(&text);
	return whole;
}

static bool scrub_command_line(struct perf_scrub *scrub, struct byte_cursor *from,
			       struct strbuf *to)
{
	const unsigned char *start = from->at;
	struct strvec arguments = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	bool whole = true;
	uint32_t nr;

	if (!byte_cursor_take32(from, &nr))
		return false;
	strbuf_add(to, start, 4);
	while (whole && nr--) {
		whole = take_string(from, &text);
		strvec_push(&arguments, text.buf);
	}
	scrub_arguments(scrub->scrub, &arguments);
	for (size_t i = 0; i < arguments.nr; i++)
		add_string(to, arguments.v[i]);
	strbuf_release(&text);
	strvec_release(&arguments);
	return whole;
}

static bool scrub_build_ids(struct perf_scrub *scrub, struct byte_cursor *from, struct strbuf *to)
{
	while (from->left) {
		const unsigned char *record = from->at;
		size_t size = from->left >= PERF_RECORD_HEADER ? le_get16(record + 6) : 0;
		size_t before = to->len;

		if (size < PERF_RECORD_HEADER || !byte_cursor_take(from, size))
			return false;
		if (!scrub_build_id(scrub, record, size, to))
			strbuf_set_len(to, before);
	}
	return true;
}

static bool take_numbers(struct byte_cursor *from, size_t nr, struct strbuf *to)
{
	const unsigned char *at = byte_cursor_take(from, nr);

	if (at)
		strbuf_add(to, at, nr);
	return at;
}

static bool scrub_tracing(struct perf_scrub *scrub, struct byte_cursor *from, struct strbuf *to)
{
	uint64_t left_out;

	if (!perf_tracing_add_common(from->at, from->left, to, &left_out))
		return false;
	scrub_note(scrub->scrub, "formats of tracepoints that users defined", left_out);
	return true;
}

static bool add_feature(struct perf_scrub *scrub, unsigned number, struct byte_cursor *from,
			struct strbuf *to)
{
	switch (number) {
	case PERF_FEATURE_TRACING_DATA:
		return scrub_tracing(scrub, from, to);
	case PERF_FEATURE_BUILD_ID:
		return scrub_build_ids(scrub, from, to);
	case PERF_FEATURE_HOSTNAME:
		add_string(to, scrub_host(scrub->scrub));
		scrub_note(scrub->scrub, "names of the host", 1);
		return true;
	case PERF_FEATURE_OSRELEASE:
	case PERF_FEATURE_VERSION:
	case PERF_FEATURE_ARCH:
	case PERF_FEATURE_CPUDESC:
	case PERF_FEATURE_CPUID:
		return scrub_string(scrub, from, to);
	case PERF_FEATURE_CMDLINE:
		return scrub_command_line(scrub, from, to);
	case PERF_FEATURE_NRCPUS:
	case PERF_FEATURE_TOTAL_MEM:
	case PERF_FEATURE_CLOCKID:
	case PERF_FEATURE_DIR_FORMAT:
		return take_numbers(from, 8, to);
	case PERF_FEATURE_SAMPLE_TIME:
		return take_numbers(from, 16, to);
	case PERF_FEATURE_CLOCK_DATA:
		return take_numbers(from, 24, to);
	case PERF_FEATURE_BRANCH_STACK:
		return true;
	default:
		return false;
	}
}

bool perf_scrub_feature(struct perf_scrub *scrub, unsigned number, struct strbuf *data)
{
	struct byte_cursor from = { (const unsigned char *)data->buf, data->len };
	struct strbuf to = STRBUF_INIT;
	bool kept = add_feature(scrub, number, &from, &to);

	strbuf_release(data);
	*data = to;
	if (!kept)
		scrub_note(scrub->scrub, "features of the trace", 1);
	return kept;
}
