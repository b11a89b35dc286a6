#include "report/module_labels.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

#define ID_BYTES    4
#define HASH_DIGITS 4
#define HASH_MAX    16

/* The length of a file name without ".so" and what follows. */
static size_t cut_version(const char *name)
{
	const char *so = strstr(name, ".so");

	for (; so; so = strstr(so + 1, ".so")) {
		if (so > name && (!so[3] || so[3] == '.'))
			return (size_t)(so - name);
	}
	return strlen(name);
}

/* The same for the hash in file names of crates: "-6108105cd7e839cf". */
static size_t cut_hash(const char *name, size_t len)
{
	size_t hash = len;

	while (hash && len - hash <= HASH_MAX && strchr("0123456789abcdef", name[hash - 1]))
		hash--;
	return len - hash == HASH_MAX && hash > 1 && name[hash - 1] == '-' ? hash - 1 : len;
}

size_t module_brief_length(const char *name)
{
	return cut_hash(name, cut_version(name));
}

static int rank(const char *path, size_t i)
{
	unsigned char c = i ? (unsigned char)path[i - 1] : 0;

	return !i ? 0 : c == '/' || c == '\\' ? 1 : c + 2;
}

/* By the path, from its end: modules with equal names are next to each other, the most similar ones adjacent. */
static int by_end(const void *a, const void *b)
{
	const struct module *const *x = a, *const *y = b;
	size_t i = strlen((*x)->path), j = strlen((*y)->path);

	while (i && j &&
	       ((*x)->path[i - 1] == (*y)->path[j - 1] ||
		rank((*x)->path, i) == rank((*y)->path, j))) {
		i--;
		j--;
	}
	return rank((*x)->path, i) - rank((*y)->path, j);
}

/* The number of equal parts at the end of two paths. */
static size_t count_common(const char *a, const char *b)
{
	size_t i = strlen(a), j = strlen(b), nr = 0;

	for (;;) {
		int at = rank(a, i), other = rank(b, j);

		if (at <= 1 && other <= 1)
			nr++;
		if (at != other || !at)
			return nr;
		i--;
		j--;
	}
}

/* The last `nr` parts of the path, or all. */
static const char *find_tail(const char *path, size_t nr)
{
	size_t i = strlen(path);

	while (i && (rank(path, i) != 1 || --nr))
		i--;
	return path + i;
}

static char *label_by_id(const struct module *module)
{
	struct strbuf label = STRBUF_INIT;

	strbuf_addf(&label, module->id_length ? "%s " : "%s", module->name);
	text_add_hex(&label, module->id,
		     module->id_length < ID_BYTES ? module->id_length : ID_BYTES);
	return strbuf_detach(&label);
}

/* `before` and `after` are the neighbours in the sorted list; may be NULL. */
static char *make_label(const struct module *module, const struct module *before,
			const struct module *after)
{
	const struct module *neighbours[] = { before, after };
	size_t common = 0;

	for (size_t i = 0; i < ARRAY_SIZE(neighbours); i++) {
		size_t nr = neighbours[i] ? count_common(module->path, neighbours[i]->path) : 0;

		if (neighbours[i] && !strcmp(module->path, neighbours[i]->path))
			return label_by_id(module);
		common = nr > common ? nr : common;
	}
	return common ? xstrdup(find_tail(module->path, common + 1)) : NULL;
}

static int by_brief(const void *a, const void *b)
{
	const struct module *const *x = a, *const *y = b;
	size_t i = module_brief_length((*x)->name), j = module_brief_length((*y)->name);
	int order = strncmp((*x)->name, (*y)->name, i < j ? i : j);

	return order ? order : (i > j) - (i < j);
}

/* The name with the start of its hash; without a hash the whole name. */
static char *make_brief(const struct module *module)
{
	size_t len = module_brief_length(module->name);

	return len < cut_version(module->name) ? xstrndup(module->name, len + 1 + HASH_DIGITS)
					       : xstrdup(module->name);
}

static void make_briefs(struct module_labels *labels, const struct module_table *modules,
			const struct module **sorted, size_t nr)
{
	qsort(sorted, nr, sizeof(*sorted), by_brief);
	for (size_t i = 0; i < nr; i++) {
		if ((i && !by_brief(&sorted[i - 1], &sorted[i])) ||
		    (i + 1 < nr && !by_brief(&sorted[i], &sorted[i + 1])))
			labels->briefs[sorted[i] - modules->v] = make_brief(sorted[i]);
	}
}

void module_labels_make(struct module_labels *labels, const struct module_table *modules)
{
	const struct module **sorted = xcalloc(modules->nr + 1, sizeof(*sorted));
	size_t nr = 0;

	labels->nr = modules->nr;
	labels->v = xcalloc(modules->nr + 1, sizeof(*labels->v));
	labels->briefs = xcalloc(modules->nr + 1, sizeof(*labels->briefs));
	for (size_t i = 0; i < modules->nr; i++) {
		if (modules->v[i].kind == MODULE_FILE)
			sorted[nr++] = &modules->v[i];
	}
	qsort(sorted, nr, sizeof(*sorted), by_end);
	for (size_t i = 0; i < nr; i++)
		labels->v[sorted[i] - modules->v] = make_label(sorted[i], i ? sorted[i - 1] : NULL,
							       i + 1 < nr ? sorted[i + 1] : NULL);
	make_briefs(labels, modules, sorted, nr);
	free(sorted);
}

void module_labels_release(struct module_labels *labels)
{
	for (size_t i = 0; i < labels->nr; i++) {
		free(labels->v[i]);
		free(labels->briefs[i]);
	}
	free(labels->v);
	free(labels->briefs);
	*labels = (struct module_labels)MODULE_LABELS_INIT;
}

const char *module_labels_get(const struct module_labels *labels, size_t module)
{
	return module < labels->nr ? labels->v[module] : NULL;
}

const char *module_labels_brief(const struct module_labels *labels, size_t module)
{
	return module < labels->nr ? labels->briefs[module] : NULL;
}
