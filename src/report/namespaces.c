#include "report/namespaces.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/frame_kind.h"
#include "report/short_name.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/wrap.h"

void namespaces_init(struct namespaces *spaces)
{
	*spaces = (struct namespaces){ .sums = NULL };
	frame_tree_init(&spaces->tree);
	ARRAY_GROW_ZERO(spaces->sums, 1, spaces->alloc);
}

void namespaces_release(struct namespaces *spaces)
{
	frame_tree_release(&spaces->tree);
	free(spaces->sums);
}

static uint32_t child(struct namespaces *spaces, uint32_t parent, const char *part, size_t len)
{
	uint32_t name = frame_tree_name(&spaces->tree, part, len);
	uint32_t node = frame_tree_child(&spaces->tree, parent, name);

	ARRAY_GROW_ZERO(spaces->sums, (size_t)node + 1, spaces->alloc);
	return node;
}

/* A blank marks it: a path continues it with another separator. */
static uint32_t module_child(struct namespaces *spaces, const char *module)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t node;

	strbuf_addf(&sb, "%s ", module);
	node = child(spaces, FRAME_TREE_ROOT, sb.buf, sb.len);
	strbuf_release(&sb);
	return node;
}

/* Whether the path of a name begins with the crate; else the module that has the function says more. */
static bool is_rust(const char *name)
{
	enum frame_kind kind = frame_kind_guess(name);

	return kind == FRAME_RUST || (kind == FRAME_ALLOCATOR && strstr(name, "::"));
}

/* The length of a part of a path; an operator has none. */
static size_t part_length(const char *s)
{
	return short_name_is_operator(s) ? 0 : strcspn(s, ":<>(){}[]!&* ,'");
}

/* Whether what follows a path makes its last part a type: its arguments are before the function. */
static bool is_type(const char *after)
{
	return *after == '<' && strstr(after, ">::");
}

/* Add the parts of a path that are namespaces or types. `type`: all are; else the last one is the function. */
static uint32_t add_path(struct namespaces *spaces, uint32_t node, const char *path, bool type)
{
	for (;;) {
		size_t len = part_length(path);
		const char *after = path + len;

		/* A disambiguator of the v0 mangling, "core[5bf3fa2fc9e4b9b5]". */
		if (*after == '[')
			after += strcspn(after, "]") + 1;
		if (!len)
			return node;
		if (text_starts_with(after, "::") && part_length(after + 2)) {
			node = child(spaces, node, path, len);
			path = after + 2;
			continue;
		}
		return type || is_type(after) ? child(spaces, node, path, len) : node;
	}
}

void namespaces_add(struct namespaces *spaces, const char *name, const char *module, int64_t value)
{
	size_t len;
	const char *path = frame_kind_crate(name, &len);
	uint32_t node = FRAME_TREE_ROOT;

	if (module && !is_rust(name))
		node = module_child(spaces, module);
	if (path)
		node = add_path(spaces, node, path, path > name);
	spaces->sums[node].value = wrap_add(spaces->sums[node].value, value);
	spaces->sums[node].functions++;
}

void namespaces_merge(struct namespaces *spaces, int64_t least)
{
	for (size_t i = spaces->tree.nodes_nr - 1; i; i--) {
		struct namespace_sum *sum = &spaces->sums[i];
		struct namespace_sum *outer = &spaces->sums[spaces->tree.nodes[i].parent];

		if (sum->value >= least)
			continue;
		outer->value = wrap_add(outer->value, sum->value);
		outer->functions += sum->functions;
		*sum = (struct namespace_sum){ 0, 0 };
	}
}

void namespaces_name(const struct namespaces *spaces, uint32_t node, struct strbuf *sb)
{
	const char *names[64];
	size_t nr = 0;

	for (; node != FRAME_TREE_ROOT && nr < ARRAY_SIZE(names);
	     node = spaces->tree.nodes[node].parent)
		names[nr++] = frame_tree_text(&spaces->tree, node);
	while (nr-- > 0)
		strbuf_addf(sb, "%s%s", names[nr],
			    nr && !text_ends_with(names[nr], " ") ? "::" : "");
	if (strbuf_ends_with(sb, " "))
		strbuf_set_len(sb, sb->len - 1);
}
