/*
 * pprof: one message of Protocol Buffers, compressed by gzip, with sums of stacks for each process and phase, which labels
 * name. Values are CPU time and the metrics of memory. Format: github.com/google/pprof, proto/profile.proto.
 *
 * A location is a frame's name: the same function is one location, wherever it was called. Readers of the format accept its
 * fields in any order, so that samples, which are nearly all of it, are not kept in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "report/export_format.h"
#include "report/profile.h"
#include "report/proto_out.h"
#include "util/alloc.h"
#include "util/strset.h"

#define WRITTEN_AT_ONCE ((size_t)64 << 10)

enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

enum value_type_field { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };

enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_START = 2,
	MAPPING_LIMIT = 3,
	MAPPING_FILENAME = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILENAMES = 8,
	MAPPING_HAS_LINE_NUMBERS = 9,
	MAPPING_HAS_INLINE_FRAMES = 10,
};

enum location_field { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_LINE = 4 };
enum line_field { LINE_FUNCTION_ID = 1 };
enum function_field { FUNCTION_ID = 1, FUNCTION_NAME = 2 };

struct pprof {
	const struct profile *profile;
	FILE *out;
	struct strbuf sb;    /* of the profile, not written yet */
	struct strset texts; /* the string table, but for names of frames, which follow it */
	bool *used;          /* by name of a frame */
	struct strbuf message, inner;
	struct {
		uint32_t crate, part, role, phase, process, pid;
	} keys;
};

static void flush(struct pprof *pprof)
{
	fwrite(pprof->sb.buf, 1, pprof->sb.len, pprof->out);
	strbuf_clear(&pprof->sb);
}

static void add_message(struct pprof *pprof, uint32_t field)
{
	proto_message(&pprof->sb, field, &pprof->message);
	strbuf_clear(&pprof->message);
	if (pprof->sb.len >= WRITTEN_AT_ONCE)
		flush(pprof);
}

static uint32_t text_of(struct pprof *pprof, const char *text)
{
	return strset_add(&pprof->texts, text);
}

static void add_sample_types(struct pprof *pprof, const struct export_data *data)
{
	const struct profile *profile = pprof->profile;
	const char *first = profile->metrics_nr ? profile->metrics[0]->name : "";

	for (size_t i = 0; i < profile->metrics_nr; i++) {
		const struct metric *metric = profile->metrics[i];
		bool time = metric->column->type == COLUMN_DURATION;

		proto_int(&pprof->message, VALUE_TYPE_TYPE, text_of(pprof, metric->name));
		proto_int(&pprof->message, VALUE_TYPE_UNIT,
			  text_of(pprof, time ? "nanoseconds" : "bytes"));
		add_message(pprof, PROFILE_SAMPLE_TYPE);
		if (!strcmp(metric->name, data->metric))
			first = metric->name;
	}
	proto_int(&pprof->sb, PROFILE_DEFAULT_SAMPLE_TYPE, text_of(pprof, first));
	if (profile->utc_ns)
		proto_int(&pprof->sb, PROFILE_TIME_NANOS, profile->utc_ns + profile->from_ns);
	proto_int(&pprof->sb, PROFILE_DURATION_NANOS, profile->to_ns - profile->from_ns);
	if (data->subject)
		proto_int(&pprof->sb, PROFILE_COMMENT, text_of(pprof, data->subject));
}

static void add_label(struct pprof *pprof, uint32_t key, const char *text)
{
	if (!text || !*text)
		return;
	proto_int(&pprof->inner, LABEL_KEY, key);
	proto_int(&pprof->inner, LABEL_STR, text_of(pprof, text));
	proto_message(&pprof->message, SAMPLE_LABEL, &pprof->inner);
	strbuf_clear(&pprof->inner);
}

static void add_labels(struct pprof *pprof, const struct profile_sum *sum)
{
	const struct profile *profile = pprof->profile;
	const struct profile_process *process = &profile->processes[sum->process];

	add_label(pprof, pprof->keys.crate, process->crate);
	add_label(pprof, pprof->keys.part, process->part);
	add_label(pprof, pprof->keys.role, process->role);
	add_label(pprof, pprof->keys.phase, profile->phases.strings.v[sum->phase]);
	add_label(pprof, pprof->keys.process, process->image);
	proto_int(&pprof->inner, LABEL_KEY, pprof->keys.pid);
	proto_int(&pprof->inner, LABEL_NUM, process->pid);
	proto_message(&pprof->message, SAMPLE_LABEL, &pprof->inner);
	strbuf_clear(&pprof->inner);
}

/* The leaf first. */
static void add_sample(struct pprof *pprof, const struct profile_sum *sum)
{
	const struct profile *profile = pprof->profile;
	const struct frame_node *nodes = profile->tree.nodes;

	for (uint32_t node = sum->node; node != FRAME_TREE_ROOT; node = nodes[node].parent) {
		pprof->used[nodes[node].name] = true;
		proto_varint(&pprof->inner, (uint64_t)nodes[node].name + 1);
	}
	proto_message(&pprof->message, SAMPLE_LOCATION_ID, &pprof->inner);
	strbuf_clear(&pprof->inner);
	for (size_t i = 0; i < profile->metrics_nr; i++)
		proto_varint(&pprof->inner, (uint64_t)sum->values[i]);
	proto_message(&pprof->message, SAMPLE_VALUE, &pprof->inner);
	strbuf_clear(&pprof->inner);
	add_labels(pprof, sum);
	add_message(pprof, PROFILE_SAMPLE);
}

/* One for all: readers look for functions themselves where a mapping says that it has none. */
static void add_mapping(struct pprof *pprof, const char *name)
{
	proto_int(&pprof->message, MAPPING_ID, 1);
	proto_int(&pprof->message, MAPPING_START, 0);
	proto_int(&pprof->message, MAPPING_LIMIT, INT64_MAX);
	proto_int(&pprof->message, MAPPING_FILENAME, text_of(pprof, name));
	proto_int(&pprof->message, MAPPING_HAS_FUNCTIONS, 1);
	proto_int(&pprof->message, MAPPING_HAS_FILENAMES, 1);
	proto_int(&pprof->message, MAPPING_HAS_LINE_NUMBERS, 1);
	proto_int(&pprof->message, MAPPING_HAS_INLINE_FRAMES, 1);
	add_message(pprof, PROFILE_MAPPING);
}

/* `text`: the number of its name in the string table. */
static void add_location(struct pprof *pprof, size_t id, size_t text)
{
	proto_int(&pprof->inner, LINE_FUNCTION_ID, (int64_t)id);
	proto_int(&pprof->message, LOCATION_ID, (int64_t)id);
	proto_int(&pprof->message, LOCATION_MAPPING_ID, 1);
	proto_message(&pprof->message, LOCATION_LINE, &pprof->inner);
	strbuf_clear(&pprof->inner);
	add_message(pprof, PROFILE_LOCATION);
	proto_int(&pprof->message, FUNCTION_ID, (int64_t)id);
	/* No system name: from one that is equal pprof takes away all between < and >, "<A>::f" is "::f". */
	proto_int(&pprof->message, FUNCTION_NAME, (int64_t)text);
	add_message(pprof, PROFILE_FUNCTION);
}

static void add_text(struct pprof *pprof, const char *text)
{
	proto_text(&pprof->sb, PROFILE_STRING_TABLE, text);
	if (pprof->sb.len >= WRITTEN_AT_ONCE)
		flush(pprof);
}

static void add_tables(struct pprof *pprof)
{
	const struct frame_tree *tree = &pprof->profile->tree;
	size_t text = pprof->texts.strings.nr;

	for (size_t i = 0; i < pprof->texts.strings.nr; i++)
		add_text(pprof, pprof->texts.strings.v[i]);
	for (size_t i = 0; i < tree->names_nr; i++) {
		if (!pprof->used[i])
			continue;
		add_location(pprof, i + 1, text++);
		add_text(pprof, tree->names[i].text);
	}
}

static void pprof_write(const struct export_data *data, FILE *out)
{
	const struct profile *profile = data->profile;
	struct pprof pprof = {
		.profile = profile,
		.out = out,
		.sb = STRBUF_INIT,
		.texts = STRSET_INIT,
		.used = xcalloc(profile->tree.names_nr + 1, sizeof(bool)),
		.message = STRBUF_INIT,
		.inner = STRBUF_INIT,
	};

	text_of(&pprof, "");
	add_sample_types(&pprof, data);
	pprof.keys.crate = text_of(&pprof, "crate");
	pprof.keys.part = text_of(&pprof, "part");
	pprof.keys.role = text_of(&pprof, "role");
	pprof.keys.phase = text_of(&pprof, "phase");
	pprof.keys.process = text_of(&pprof, "process");
	pprof.keys.pid = text_of(&pprof, "pid");
	for (size_t i = 0; i < profile->sums_nr; i++)
		add_sample(&pprof, &profile->sums[i]);
	add_mapping(&pprof, "stagetrace");
	add_tables(&pprof);
	flush(&pprof);
	free(pprof.used);
	strset_release(&pprof.texts);
	strbuf_release(&pprof.sb);
	strbuf_release(&pprof.message);
	strbuf_release(&pprof.inner);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.help = "sums of stacks with labels of processes, for pprof; always compressed",
	.ending = ".pb",
	.carries = EXPORT_SUBJECT | EXPORT_SUMS,
	.packed = true,
	.write = pprof_write,
};
