/*
 * Any bytes as a process: lines of executable, RUSTC_STAGE, package, target directory, working directory,
 * the parent's part and crate, and from the eighth line on arguments. The first byte selects the facts that
 * are known, the second the parent's role and stage.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tag/tag.h"
#include "util/alloc.h"
#include "util/strvec.h"

#define HEAD_LINES 7

/* The next line, or NULL where the input has ended or the bit says it is not known. */
static char *next_line(const char **at, const char *end, bool known)
{
	const char *start = *at, *stop;
	char *line;

	if (start >= end)
		return NULL;
	stop = memchr(start, '\n', (size_t)(end - start));
	if (!stop)
		stop = end;
	line = xstrndup(start, (size_t)(stop - start));
	*at = stop < end ? stop + 1 : end;
	if (known)
		return line;
	free(line);
	return NULL;
}

static void check_text(const char *text)
{
	if (text && !*text)
		abort();
}

static void check(const struct tag *tag)
{
	if ((unsigned)tag->role >= ROLE_COUNT || (tag->role == ROLE_OTHER) != (tag->why != NULL))
		abort();
	if (tag->built_by < STAGE_UNKNOWN || tag->built_by > 1000)
		abort();
	check_text(tag->crate);
	check_text(tag->crate_type);
	check_text(tag->part);
	check_text(tag->target);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The function is pure: the same input, also when it points to the result, gives the same tag. */
static void check_again(const struct tag_rules *rules, const struct tag_input *in,
			const struct tag *first)
{
	struct tag_input again = *in;
	struct tag tag = TAG_INIT;

	if (in->parent)
		tag_copy(&tag, in->parent);
	again.parent = in->parent ? &tag : NULL;
	tag_process(rules, &again, &tag);
	if (tag.role != first->role || tag.built_by != first->built_by || tag.why != first->why ||
	    !same_text(tag.crate, first->crate) || !same_text(tag.part, first->part) ||
	    !same_text(tag.target, first->target) || !same_text(tag.crate_type, first->crate_type))
		abort();
	tag_release(&tag);
}

static struct tag make_parent(uint8_t byte, const char *part, const char *crate)
{
	return (struct tag){
		.role = (enum role)(byte % ROLE_COUNT),
		.built_by = byte / ROLE_COUNT % 4 - 1,
		.part = part && *part ? xstrdup(part) : NULL,
		.crate = crate && *crate ? xstrdup(crate) : NULL,
		.why = byte % ROLE_COUNT == ROLE_OTHER ? "a reason" : NULL,
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data + 2, *end = (const char *)data + size;
	struct tag tag = TAG_INIT, parent = TAG_INIT;
	struct tag_rules rules = TAG_RULES_INIT;
	struct strvec argv = STRVEC_INIT;
	char *head[HEAD_LINES], *arg;
	struct tag_input in;

	if (size < 2)
		return 0;
	for (int i = 0; i < HEAD_LINES; i++)
		head[i] = next_line(&at, end, data[0] >> i & 1);
	while ((arg = next_line(&at, end, true)))
		strvec_push_nodup(&argv, arg);
	parent = make_parent(data[1], head[5], head[6]);
	in = (struct tag_input){
		.exe = head[0],
		.argv = &argv,
		.rustc_stage = head[1],
		.package = head[2],
		.target_dir = head[3],
		.cwd = head[4],
		.exec_seen = true,
		.parent = data[0] & 0x80 ? &parent : NULL,
		.numbering = (enum tag_numbering)(data[1] % 3),
	};
	tag_rules_add(&rules, (enum role)(data[0] % ROLE_COUNT), "my-*");
	tag_process(&rules, &in, &tag);
	check(&tag);
	check_again(&rules, &in, &tag);
	tag_detect_numbering(&in);
	tag_release(&tag);
	tag_release(&parent);
	tag_rules_release(&rules);
	strvec_release(&argv);
	for (int i = 0; i < HEAD_LINES; i++)
		free(head[i]);
	return 0;
}
