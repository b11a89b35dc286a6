#include "profiler/finding.h"

#include <stdarg.h>
#include <stdlib.h>

#include "util/array.h"
#include "util/strbuf.h"

struct finding *finding_add(struct finding_list *list, enum finding_level level, const char *why,
			    const char *remedy, const char *what, ...)
{
	struct strbuf text = STRBUF_INIT;
	struct finding *finding;
	va_list ap;

	va_start(ap, what);
	strbuf_addvf(&text, what, ap);
	va_end(ap);
	ARRAY_GROW(list->v, list->nr + 1, list->alloc);
	finding = &list->v[list->nr++];
	finding->level = level;
	finding->what = strbuf_detach(&text);
	finding->why = xstrdup_or_null(why);
	finding->remedy = xstrdup_or_null(remedy);
	return finding;
}

bool finding_has(const struct finding_list *list, enum finding_level level)
{
	for (size_t i = 0; i < list->nr; i++) {
		if (list->v[i].level == level)
			return true;
	}
	return false;
}

void finding_list_release(struct finding_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		free(list->v[i].what);
		free(list->v[i].why);
		free(list->v[i].remedy);
	}
	free(list->v);
	*list = (struct finding_list)FINDING_LIST_INIT;
}
