#include "tag/path.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/text.h"

/* Hexadecimal digits of cargo's hashes in file names. */
#define HASH_LEN 16

bool span_is(struct span span, const char *text)
{
	for (size_t i = 0; i < span.len; i++)
		if (!text[i] || ascii_lower(span.s[i]) != ascii_lower(text[i]))
			return false;
	return !text[span.len];
}

char *span_dup(struct span span)
{
	return span.len ? xstrndup(span.s, span.len) : NULL;
}

static struct span cut(struct span span, size_t from)
{
	return (struct span){ span.s + from, span.len - from };
}

static bool starts_with(struct span span, const char *prefix)
{
	size_t len = strlen(prefix);

	return span.len >= len && span_is((struct span){ span.s, len }, prefix);
}

static bool drop_suffix(struct span *span, const char *suffix)
{
	size_t len = strlen(suffix);

	if (span->len <= len || !span_is(cut(*span, span->len - len), suffix))
		return false;
	span->len -= len;
	return true;
}

/* The next component at `*path`, which is advanced past it; empty at the end. */
static struct span next_component(const char **path)
{
	struct span part;

	*path += strspn(*path, "/\\");
	part.s = *path;
	part.len = strcspn(*path, "/\\");
	*path += part.len;
	return part;
}

struct span path_file(const char *path)
{
	struct span file = { path, strlen(path) };

	drop_suffix(&file, " (deleted)");
	for (size_t i = file.len; i > 0; i--)
		if (file.s[i - 1] == '/' || file.s[i - 1] == '\\') {
			file = cut(file, i);
			break;
		}
	drop_suffix(&file, ".exe");
	return file;
}

static bool is_profile(struct span part)
{
	return span_is(part, "release") || span_is(part, "debug");
}

/* A target triple has at least two dashes (aarch64-apple-darwin); "host" is bootstrap's symbolic link to one. */
static bool is_triple(struct span part)
{
	size_t dashes = span_is(part, "host") ? 2 : 0;

	for (size_t i = 0; i < part.len; i++)
		dashes += part.s[i] == '-';
	return dashes >= 2;
}

static bool is_hash(struct span part)
{
	if (part.len != HASH_LEN)
		return false;
	for (size_t i = 0; i < part.len; i++)
		if (ascii_hex_digit(ascii_lower(part.s[i])) < 0)
			return false;
	return true;
}

static bool drop_hash(struct span *name)
{
	if (name->len <= HASH_LEN + 1 || name->s[name->len - HASH_LEN - 1] != '-' ||
	    !is_hash(cut(*name, name->len - HASH_LEN)))
		return false;
	name->len -= HASH_LEN + 1;
	return true;
}

/* Split "stage12-rustc" into 12 and "rustc", "stage12" into 12 and "". */
static bool split_stage(struct span part, int *stage, struct span *mode)
{
	size_t i = strlen("stage");
	int n = 0;

	if (!starts_with(part, "stage") || i == part.len || !ascii_is_digit(part.s[i]))
		return false;
	for (; i < part.len && ascii_is_digit(part.s[i]); i++) {
		if (n > 99)
			return false;
		n = n * 10 + (part.s[i] - '0');
	}
	*stage = n;
	*mode = cut(part, i);
	if (!mode->len)
		return true;
	if (mode->s[0] != '-' || mode->len == 1)
		return false;
	*mode = cut(*mode, 1);
	return true;
}

static bool is_any(struct span part, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (span_is(part, names[i]))
			return true;
	return false;
}

/* Directories whose stage is one higher in the new numbering. */
static bool is_renumbered(struct span mode)
{
	static const char *const modes[] = { "rustc", "codegen", "tools" };

	return is_any(mode, modes, ARRAY_SIZE(modes));
}

static bool is_plain_part(struct span part)
{
	static const char *const parts[] = { "bootstrap-tools", "llvm",  "lld", "gcc",
					     "enzyme",          "native" };

	return is_any(part, parts, ARRAY_SIZE(parts));
}

static bool at_end(const char *rest)
{
	return !rest[strspn(rest, "/\\")];
}

/* <build>/bootstrap: followed by a profile, or by nothing if the path is CARGO_TARGET_DIR. */
static bool is_bootstrap(struct span before, struct span part, const char *rest)
{
	return span_is(part, "bootstrap") && !span_is(before, "src") &&
	       (at_end(rest) || is_profile(next_component(&rest)));
}

static bool enter_stage(struct build_path *found, struct span before, struct span part)
{
	struct span mode;
	int stage;

	if (!split_stage(part, &stage, &mode) || !mode.len || span_is(mode, "sysroot"))
		return false;
	/* A part is below the host's triple. A checkout in ~/stage1-work is none. */
	if (before.len ? !is_triple(before) : !span_is(mode, "std") && !is_renumbered(mode))
		return false;
	*found = (struct build_path){ .tree = TREE_STAGE, .stage = stage, .mode = mode };
	/* The old numbering had a stage here, too, though these are the same for all stages. */
	if (span_is(mode, "bootstrap-tools")) {
		found->tree = TREE_PLAIN;
		found->stage = STAGE_UNKNOWN;
	}
	return true;
}

/* Whether the component `part`, between `before` and `rest`, is a part of the build. */
static bool enter_part(struct build_path *found, struct span before, struct span part,
		       const char *rest)
{
	if (enter_stage(found, before, part))
		return true;
	if (is_triple(before) && is_plain_part(part)) {
		*found = (struct build_path){ .tree = TREE_PLAIN,
					      .stage = STAGE_UNKNOWN,
					      .mode = part };
		return true;
	}
	if (is_bootstrap(before, part, rest)) {
		*found = (struct build_path){ .tree = TREE_BOOTSTRAP,
					      .stage = STAGE_UNKNOWN,
					      .mode = part };
		return true;
	}
	return false;
}

/* The package of <package>-<hash>, or of <package>/<hash> (newer cargo). */
static struct span package_of(struct span part, const char *rest)
{
	if (drop_hash(&part) || is_hash(next_component(&rest)))
		return part;
	return (struct span){ NULL, 0 };
}

struct build_path path_parse(const char *path)
{
	struct build_path found = { .tree = TREE_NONE, .stage = STAGE_UNKNOWN };
	struct span before = { NULL, 0 }, older = { NULL, 0 }, part;
	bool fresh = false;

	if (!path)
		return found;
	for (part = next_component(&path); part.len; part = next_component(&path)) {
		const char *rest = path;

		if (enter_part(&found, before, part, path)) {
			fresh = true;
		} else if (fresh && is_profile(part)) {
			found.host = found.tree != TREE_BOOTSTRAP;
			fresh = false;
		} else if (fresh) {
			if (is_profile(next_component(&rest)))
				found.target = part;
			fresh = false;
		} else if (span_is(before, "build") && is_profile(older)) {
			found.package = package_of(part, path);
		}
		older = before;
		before = part;
	}
	return found;
}

int path_compiler_stage(const char *path)
{
	struct span part, mode;
	int stage, found = STAGE_UNKNOWN;

	if (!path)
		return found;
	for (part = next_component(&path); part.len; part = next_component(&path)) {
		const char *rest = path;

		if (split_stage(part, &stage, &mode) &&
		    (span_is(mode, "sysroot") ||
		     (!mode.len && (at_end(path) || span_is(next_component(&rest), "bin")))))
			found = stage;
	}
	return found;
}

bool path_is_bootstrap_program(const char *path)
{
	struct span older = { NULL, 0 }, before = { NULL, 0 }, part;

	for (part = next_component(&path); part.len; part = next_component(&path)) {
		if (at_end(path))
			return span_is(older, "bootstrap") && is_profile(before);
		older = before;
		before = part;
	}
	return false;
}

/* Whether the last directory of `path` is `directory`; `file` is the file name in `path`. */
static bool is_in(const char *path, struct span file, const char *directory)
{
	size_t len = strlen(directory);

	return (size_t)(file.s - path) > len &&
	       span_is((struct span){ file.s - len - 1, len }, directory);
}

char *path_crate(const char *output)
{
	static const char *const libraries[] = { ".so", ".dylib", ".rlib", ".a" };
	struct build_path where;
	struct span name;
	bool in_deps;

	if (!output)
		return NULL;
	where = path_parse(output);
	if (where.package.len)
		return span_dup(where.package);
	name = path_file(output);
	in_deps = is_in(output, name, "deps");
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		if (drop_suffix(&name, libraries[i]) && starts_with(name, "lib")) {
			name = cut(name, strlen("lib"));
			break;
		}
	for (size_t i = 0; i < name.len; i++)
		if (name.s[i] == '.')
			name.len = i;
	return drop_hash(&name) || in_deps ? span_dup(name) : NULL;
}

enum tag_numbering part_numbering(const struct build_path *where, int compiler)
{
	if (where->tree != TREE_STAGE || !is_renumbered(where->mode))
		return NUMBERING_UNKNOWN;
	/* The new numbering has no stage0-rustc: the stage 0 compiler is downloaded. */
	if (where->stage == 0 || compiler == where->stage)
		return NUMBERING_OLD;
	return compiler + 1 == where->stage && compiler >= 0 ? NUMBERING_NEW : NUMBERING_UNKNOWN;
}

char *part_name(const struct build_path *where, int compiler, enum tag_numbering numbering)
{
	enum tag_numbering shown = part_numbering(where, compiler);
	bool old = (shown == NUMBERING_UNKNOWN ? numbering : shown) == NUMBERING_OLD;

	if (where->tree != TREE_STAGE)
		return span_dup(where->mode);
	return xasprintf("stage%d-%.*s", where->stage + (old && is_renumbered(where->mode)),
			 (int)where->mode.len, where->mode.s);
}

int part_compiler(const char *part, bool host)
{
	const char *mode;
	int stage;

	if (!part)
		return STAGE_UNKNOWN;
	if (text_starts_with(part, "bootstrap"))
		return 0;
	if (!text_starts_with(part, "stage"))
		return STAGE_UNKNOWN;
	stage = atoi(part + strlen("stage"));
	mode = strchr(part, '-');
	if (!mode)
		return STAGE_UNKNOWN;
	mode++;
	if (!strcmp(mode, "std"))
		return host ? 0 : stage;
	return is_renumbered((struct span){ mode, strlen(mode) }) && stage > 0 ? stage - 1
									       : STAGE_UNKNOWN;
}
