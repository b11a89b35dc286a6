#include "tag/tag.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

static const char *const role_names[ROLE_COUNT] = {
	[ROLE_OTHER] = "other",
	[ROLE_RUSTC] = "rustc",
	[ROLE_RUSTC_SHIM] = "rustc-shim",
	[ROLE_RUSTDOC] = "rustdoc",
	[ROLE_CARGO] = "cargo",
	[ROLE_BOOTSTRAP] = "bootstrap",
	[ROLE_X_PY] = "x.py",
	[ROLE_BUILD_SCRIPT] = "build-script",
	[ROLE_LINK] = "link",
	[ROLE_CC] = "cc",
	[ROLE_AR] = "ar",
	[ROLE_CMAKE] = "cmake",
	[ROLE_PROBE] = "probe",
};

const char *role_name(enum role role)
{
	return (unsigned)role < ROLE_COUNT ? role_names[role] : role_names[ROLE_OTHER];
}

bool role_parse(const char *name, enum role *role)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (!strcmp(name, role_names[i])) {
			*role = (enum role)i;
			return true;
		}
	return false;
}

void tag_release(struct tag *tag)
{
	free(tag->crate);
	free(tag->crate_type);
	free(tag->part);
	free(tag->target);
	*tag = (struct tag)TAG_INIT;
}

void tag_copy(struct tag *to, const struct tag *from)
{
	struct tag copy = *from;

	copy.crate = xstrdup_or_null(from->crate);
	copy.crate_type = xstrdup_or_null(from->crate_type);
	copy.part = xstrdup_or_null(from->part);
	copy.target = xstrdup_or_null(from->target);
	tag_release(to);
	*to = copy;
}

void tag_rules_add(struct tag_rules *rules, enum role role, const char *glob)
{
	ARRAY_ADD(rules->v, rules->nr, rules->alloc, (struct tag_rule){ role, xstrdup(glob) });
}

void tag_rules_release(struct tag_rules *rules)
{
	for (size_t i = 0; i < rules->nr; i++)
		free(rules->v[i].glob);
	free(rules->v);
	*rules = (struct tag_rules)TAG_RULES_INIT;
}
