#include "report/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/pipeline.h"
#include "replay/replay.h"
#include "report/export_format.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/utf8.h"

/* A step of the walk through a tree: a frame, after its caller or the last callee of its sibling. */
struct folded_step {
	/* Number of frames up to this one; 0: the root, which is not a frame. */
	uint32_t depth;
	uint32_t name;
	int64_t self;
};

#define FOLDED_STEPS 8192

struct folded_steps {
	struct folded_step v[FOLDED_STEPS];
	size_t nr;
};

/* A line that is being made. */
struct folded_line {
	struct strbuf text;
	size_t *ends; /* where the frames end in the text, by depth */
	size_t ends_alloc;
};

/*
 * The character that stands for the one at `text` in a line, whose bytes are `*used`; '\0': itself. A bad byte may be a
 * control character of another encoding.
 */
static char stand_in(const char *text, size_t left, size_t *used)
{
	uint32_t c = utf8_next(text, left, used);

	if (c == UTF8_BAD)
		c = (unsigned char)*text < 0xa0 ? (unsigned char)*text : 0;
	else if (c == ';')
		return ':';
	return c && utf8_is_control(c) ? '_' : '\0';
}

/* Whether the name is not empty and has no characters that a line cannot have. */
static bool fits(const char *text)
{
	size_t left = strlen(text), used;
	bool fine = left;

	for (; left && fine; text += used, left -= used)
		fine = !stand_in(text, left, &used);
	return fine;
}

/* Add a name without the characters that a line cannot have; an empty name would not be read as a frame again. */
static uint32_t clean_name(struct frame_tree *clean, const char *text)
{
	size_t left = strlen(text), used;
	struct strbuf sb = STRBUF_INIT;
	uint32_t name;

	for (; left; text += used, left -= used) {
		char c = stand_in(text, left, &used);

		if (c)
			strbuf_addc(&sb, c);
		else
			strbuf_add(&sb, text, used);
	}
	if (!sb.len)
		strbuf_addc(&sb, '_');
	name = frame_tree_name(clean, sb.buf, sb.len);
	strbuf_release(&sb);
	return name;
}

static void clean_tree(struct frame_tree *clean, const struct frame_tree *tree)
{
	uint32_t *names = xcalloc(tree->names_nr, sizeof(*names));
	uint32_t *nodes = xcalloc(tree->nodes_nr, sizeof(*nodes));

	frame_tree_init(clean);
	for (size_t i = 0; i < tree->names_nr; i++)
		names[i] = clean_name(clean, tree->names[i].text);
	for (size_t i = 0; i < tree->nodes_nr; i++) {
		const struct frame_node *node = &tree->nodes[i];

		if (i)
			nodes[i] = frame_tree_child(clean, nodes[node->parent], names[node->name]);
		frame_tree_add(clean, nodes[i], node->self);
	}
	free(names);
	free(nodes);
}

struct ranked {
	uint32_t rank, node;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Number of steps that names are prefetched early. */
#define PREFETCHED 8

struct folded_walk {
	const struct frame_tree *tree; /* the caller's, or `clean` */
	struct frame_tree clean;
	struct frame_family *families; /* those of a node are sorted when the walk comes to it */
	uint32_t *ranks;               /* of names */
	struct ranked *v;              /* children that are being sorted */
	size_t alloc;
	/* The next node, and its number of frames, 0 for the root. */
	uint32_t node, depth;
	bool done;
};

static bool all_fit(const struct frame_tree *tree)
{
	for (size_t i = 0; i < tree->names_nr; i++) {
		if (!fits(tree->names[i].text))
			return false;
	}
	return true;
}

static struct folded_walk *folded_walk_new(const struct frame_tree *tree)
{
	struct folded_walk *walk = xcalloc(1, sizeof(*walk));

	walk->tree = tree;
	if (!all_fit(tree)) {
		clean_tree(&walk->clean, tree);
		walk->tree = &walk->clean;
	}
	walk->families = frame_tree_families(walk->tree);
	walk->ranks = frame_tree_ranks(walk->tree);
	return walk;
}

static void folded_walk_free(struct folded_walk *walk)
{
	if (walk->tree == &walk->clean)
		frame_tree_release(&walk->clean);
	free(walk->families);
	free(walk->ranks);
	free(walk->v);
	free(walk);
}

/*
 * The first child. Children are sorted when the walk needs them. Most nodes have only one, whose name need not be read.
 */
static uint32_t first_child(struct folded_walk *walk, uint32_t parent)
{
	uint32_t *link = &walk->families[parent].child;
	size_t nr = 0;

	if (!*link || !walk->families[*link].sibling)
		return *link;
	for (uint32_t at = *link; at; at = walk->families[at].sibling) {
		ARRAY_GROW(walk->v, nr + 1, walk->alloc);
		walk->v[nr++] = (struct ranked){ walk->ranks[walk->tree->nodes[at].name], at };
	}
	qsort(walk->v, nr, sizeof(*walk->v), compare_ranks);
	for (size_t i = 0; i < nr; i++) {
		*link = walk->v[i].node;
		link = &walk->families[*link].sibling;
	}
	*link = FRAME_TREE_ROOT;
	return walk->v[0].node;
}

/* Go to the next node, depth first, without recursion: stacks may be very deep. */
static void advance(struct folded_walk *walk)
{
	uint32_t node = walk->node, next = first_child(walk, node);

	walk->depth++;
	while (!next && node != FRAME_TREE_ROOT) {
		walk->depth--;
		next = walk->families[node].sibling;
		node = walk->tree->nodes[node].parent;
	}
	walk->done = !next;
	walk->node = next;
	/* They will be in the cache when the walk has finished the callees. */
	__builtin_prefetch(&walk->tree->nodes[walk->families[next].sibling]);
	__builtin_prefetch(&walk->families[walk->families[next].sibling]);
}

static bool folded_walk_next(struct folded_walk *walk, struct folded_steps *steps)
{
	for (steps->nr = 0; steps->nr < FOLDED_STEPS && !walk->done; advance(walk)) {
		const struct frame_node *node = &walk->tree->nodes[walk->node];

		steps->v[steps->nr++] = (struct folded_step){ walk->depth, node->name, node->self };
	}
	return steps->nr;
}

static void add_frame(struct folded_line *line, const struct frame_name *name, uint32_t depth)
{
	char *end;

	ARRAY_GROW(line->ends, (size_t)depth + 1, line->ends_alloc);
	line->ends[0] = 0;
	line->text.len = line->ends[depth - 1];
	strbuf_grow(&line->text, (size_t)name->len + 1);
	end = line->text.buf + line->text.len;
	if (depth > 1)
		*end++ = ';';
	memcpy(end, name->text, name->len);
	line->ends[depth] = (size_t)(end - line->text.buf) + name->len;
	strbuf_set_len(&line->text, line->ends[depth]);
}

/* Remove the value after writing: the next stack mostly begins with the same frames. */
static void write_line(struct folded_line *line, int64_t value, FILE *out)
{
	size_t len = line->text.len;
	char digits[24], *at = digits + sizeof(digits);

	*--at = '\n';
	for (; value; value /= 10)
		*--at = (char)('0' + value % 10);
	*--at = ' ';
	strbuf_add(&line->text, at, (size_t)(digits + sizeof(digits) - at));
	fwrite(line->text.buf, 1, line->text.len, out);
	strbuf_set_len(&line->text, len);
}

/* Names are scattered in memory: prefetch the name of a later step, and the text of a nearer one. */
static void prefetch_names(const struct folded_walk *walk, const struct folded_steps *steps,
			   size_t i)
{
	const struct frame_name *names = walk->tree->names;

	if (i && i + 2 * PREFETCHED < steps->nr) {
		__builtin_prefetch(&names[steps->v[i + 2 * PREFETCHED].name]);
		__builtin_prefetch(names[steps->v[i + PREFETCHED].name].text);
	}
}

static void folded_write_steps(const struct folded_walk *walk, const struct folded_steps *steps,
			       struct folded_line *line, FILE *out)
{
	for (size_t i = 0; i < steps->nr; i++) {
		const struct folded_step *step = &steps->v[i];

		prefetch_names(walk, steps, i);
		if (step->depth)
			add_frame(line, &walk->tree->names[step->name], step->depth);
		if (step->self > 0)
			write_line(line, step->self, out);
	}
}

struct folding {
	struct folded_walk *walk;
	struct folded_steps steps[PIPELINE_SLOTS];
};

static int walk_on(void *data, size_t slot, struct err *err)
{
	struct folding *folding = data;

	(void)err;
	return folded_walk_next(folding->walk, &folding->steps[slot]);
}

/* One thread walks the tree, which is scattered in memory; another one writes. */
void folded_write(const struct frame_tree *tree, FILE *out)
{
	struct folding *folding = xcalloc(1, sizeof(*folding));
	struct folded_line line = { STRBUF_INIT, NULL, 0 };
	struct err never = ERR_INIT;
	struct pipeline *pipeline;
	size_t slot;

	folding->walk = folded_walk_new(tree);
	pipeline = pipeline_new(walk_on, NULL, folding, replay_threads());
	while (pipeline_next(pipeline, &slot, &never) > 0)
		folded_write_steps(folding->walk, &folding->steps[slot], &line, out);
	pipeline_free(pipeline);
	strbuf_release(&line.text);
	free(line.ends);
	folded_walk_free(folding->walk);
	free(folding);
}

#define CHUNK ((size_t)64 << 10)

struct folded_reader {
	struct frame_tree *tree;
	struct folded_damage *damage;
	struct strbuf line; /* the current line, as far as it was read */
	bool skipping;      /* the current line is too long */
	uint64_t number, stacks;
};

void folded_damage_release(struct folded_damage *damage)
{
	strbuf_release(&damage->first);
	damage->lines = 0;
}

static void note_damage(struct folded_reader *reader, const char *what)
{
	if (!reader->damage->lines++)
		strbuf_addf(&reader->damage->first, "line %llu: %s",
			    (unsigned long long)reader->number, what);
}

/* The number in [s, end). False: it is not a number, or too large. */
static bool parse_value(const char *s, const char *end, int64_t *value)
{
	int64_t number = 0;

	if (s == end || !ascii_is_digit(*s))
		return false;
	for (; s < end && ascii_is_digit(*s); s++) {
		if (number > (INT64_MAX - (*s - '0')) / 10)
			return false;
		number = number * 10 + (*s - '0');
	}
	if (s < end && *s++ != '.')
		return false;
	while (s < end && ascii_is_digit(*s))
		s++;
	*value = number;
	return s == end;
}

/* Empty frames, as in ";;a;", are left out. */
static uint32_t intern_stack(struct frame_tree *tree, const char *s, const char *end)
{
	uint32_t node = FRAME_TREE_ROOT;

	while (s < end) {
		const char *next = memchr(s, ';', (size_t)(end - s));
		size_t len = (size_t)((next ? next : end) - s);

		if (len)
			node = frame_tree_child(tree, node, frame_tree_name(tree, s, len));
		s += len + 1;
	}
	return node;
}

static void read_line(struct folded_reader *reader, const char *s, size_t len)
{
	const char *end = s + len, *number;
	int64_t value;

	reader->number++;
	while (end > s && (ascii_is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	if (end == s)
		return;
	number = end;
	while (number > s && !ascii_is_blank(number[-1]))
		number--;
	if (number == s || !parse_value(number, end, &value)) {
		note_damage(reader, "no value at the end");
		return;
	}
	reader->stacks++;
	if (value &&
	    !frame_tree_add(reader->tree, intern_stack(reader->tree, s, number - 1), value))
		note_damage(reader, "the sum of all values is too large for a number");
}

/* Split a chunk into lines; the last one waits for its end. */
static void read_chunk(struct folded_reader *reader, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t nr = (size_t)((stop ? stop : end) - s);

		if (!reader->skipping)
			strbuf_add(&reader->line, s, nr);
		if (reader->line.len > FOLDED_LINE_MAX) {
			reader->skipping = true;
			strbuf_clear(&reader->line);
		}
		s += nr;
		if (!stop)
			return;
		s++;
		if (reader->skipping) {
			reader->number++;
			note_damage(reader, "longer than any stack");
		} else {
			read_line(reader, reader->line.buf, reader->line.len);
		}
		reader->skipping = false;
		strbuf_clear(&reader->line);
	}
}

int folded_read(FILE *in, struct frame_tree *tree, struct folded_damage *damage, struct err *err)
{
	struct folded_reader reader = {
		.tree = tree,
		.damage = damage,
		.line = STRBUF_INIT,
	};
	char *chunk = xmalloc(CHUNK);
	size_t nr;
	int ret = 0;

	while ((nr = fread(chunk, 1, CHUNK, in)) > 0)
		read_chunk(&reader, chunk, nr);
	if (ferror(in))
		ret = err_set_errno(err, errno, "cannot read folded stacks");
	else if (reader.line.len || reader.skipping)
		read_chunk(&reader, "\n", 1);
	if (!ret && !reader.stacks && damage->lines)
		ret = err_set(err, ERR_CORRUPT, "not folded stacks: %s", damage->first.buf);
	strbuf_release(&reader.line);
	free(chunk);
	return ret;
}

static void write_format(const struct export_data *data, FILE *out)
{
	folded_write(data->tree, out);
}

const struct export_format export_folded = {
	.name = "folded",
	.help = "a line of text for each stack, as flamegraph.pl, inferno and speedscope read it",
	.length = (uint64_t)500 << 20,
	.ending = ".folded",
	.write = write_format,
};
