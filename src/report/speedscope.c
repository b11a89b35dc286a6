/*
 * speedscope's own format: JSON of the names of all frames, and of each stack as their numbers, the root first, with its
 * value. Equal stacks are one, and stacks follow each other as in a walk through the tree: both "time order" and "left
 * heavy" show it. Format: github.com/jlfwong/speedscope, src/lib/file-format-spec.ts.
 *
 * One profile, as each has a list of all frames in memory. With --root the stacks of each process or crate have a frame of
 * their own at the root.
 */
#include <stdlib.h>

#include "report/export_format.h"
#include "report/json_out.h"
#include "util/array.h"

/* A number of a frame and a comma, about. */
#define FRAME_LENGTH 6

/* Above 128 MiB speedscope takes a parser that is several times slower. */
#define LENGTH ((uint64_t)100 << 20)

/* The way from the root to a node, as text. */
struct way {
	struct strbuf text;
	size_t *ends; /* by number of frames: its end in the text */
	size_t ends_alloc;
};

static void go_to(struct way *way, uint32_t number, size_t depth)
{
	ARRAY_GROW(way->ends, depth + 1, way->ends_alloc);
	way->ends[0] = 0;
	strbuf_set_len(&way->text, way->ends[depth - 1]);
	strbuf_addf(&way->text, "%s%u", depth > 1 ? "," : "", (unsigned int)number);
	way->ends[depth] = way->text.len;
}

/* Depth first, without recursion: stacks may be very deep. */
static uint32_t next_node(const struct frame_tree *tree, const struct frame_family *families,
			  uint32_t node, size_t *depth)
{
	uint32_t next = families[node].child;

	++*depth;
	while (!next && node != FRAME_TREE_ROOT) {
		--*depth;
		next = families[node].sibling;
		node = tree->nodes[node].parent;
	}
	return next;
}

static void write_stacks(const struct frame_tree *tree, const struct frame_family *families,
			 const uint32_t *numbers, struct json_out *json)
{
	struct way way = { STRBUF_INIT, NULL, 0 };
	size_t depth = 0, nr = 0;
	uint32_t node = FRAME_TREE_ROOT;

	do {
		if (node != FRAME_TREE_ROOT)
			go_to(&way, numbers[tree->nodes[node].name], depth);
		if (tree->nodes[node].self <= 0)
			continue;
		json_out_raw(json, nr++ ? ",\n[" : "\n[");
		json_out_raw(json, way.text.buf);
		json_out_raw(json, "]");
	} while ((node = next_node(tree, families, node, &depth)));
	strbuf_release(&way.text);
	free(way.ends);
}

static void write_weights(const struct frame_tree *tree, const struct frame_family *families,
			  struct json_out *json)
{
	size_t depth = 0, nr = 0;
	uint32_t node = FRAME_TREE_ROOT;

	do {
		if (tree->nodes[node].self <= 0)
			continue;
		json_out_comma(json, nr++);
		json_out_int(json, tree->nodes[node].self);
	} while ((node = next_node(tree, families, node, &depth)));
}

static const char *unit_of(const struct export_data *data)
{
	if (data->unit == COLUMN_DURATION)
		return "nanoseconds";
	return data->unit == COLUMN_BYTES ? "bytes" : "none";
}

/* Write the frames of the stacks; returns the number of each by its name. A merged tree has names that no stack has. */
static uint32_t *write_frames(const struct frame_tree *tree, struct json_out *json)
{
	uint32_t *numbers = xcalloc(tree->names_nr + 1, sizeof(*numbers)), nr = 0;
	bool *used = xcalloc(tree->names_nr + 1, sizeof(*used));

	for (size_t i = FRAME_TREE_ROOT + 1; i < tree->nodes_nr; i++)
		used[tree->nodes[i].name] = true;
	for (size_t i = 0; i < tree->names_nr; i++) {
		if (!used[i])
			continue;
		json_out_raw(json, nr ? ",\n{\"name\":" : "\n{\"name\":");
		json_out_string(json, tree->names[i].text);
		json_out_raw(json, "}");
		numbers[i] = nr++;
	}
	free(used);
	return numbers;
}

static void speedscope_write(const struct export_data *data, FILE *out)
{
	struct json_out json = JSON_OUT_INIT(out);
	struct frame_family *families = frame_tree_families(data->tree);
	uint32_t *numbers;

	json_out_raw(&json, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
			    "\"exporter\":\"stagetrace " STAGETRACE_VERSION "\",\n\"name\":");
	json_out_string(&json, data->subject ? data->subject : "stacks");
	json_out_raw(&json, ",\n\"shared\":{\"frames\":[");
	numbers = write_frames(data->tree, &json);
	json_out_raw(&json, "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":");
	json_out_string(&json, data->title ? data->title : "stacks");
	json_out_raw(&json, ",\"unit\":\"");
	json_out_raw(&json, unit_of(data));
	json_out_raw(&json, "\",\"startValue\":0,\"endValue\":");
	json_out_int(&json, data->tree->total);
	json_out_raw(&json, ",\n\"samples\":[");
	write_stacks(data->tree, families, numbers, &json);
	json_out_raw(&json, "],\n\"weights\":[");
	write_weights(data->tree, families, &json);
	json_out_raw(&json, "]}]}\n");
	json_out_end(&json);
	free(families);
	free(numbers);
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.help = "JSON for speedscope",
	.ending = ".speedscope.json",
	.carries = EXPORT_UNIT | EXPORT_SUBJECT,
	.frame_length = FRAME_LENGTH,
	.length = LENGTH,
	.write = speedscope_write,
};
