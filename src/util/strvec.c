#include "util/strvec.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/strbuf.h"

char *strvec_empty[1];

void strvec_release(struct strvec *sv)
{
	strvec_clear(sv);
	if (sv->alloc)
		free(sv->v);
	*sv = (struct strvec)STRVEC_INIT;
}

void strvec_clear(struct strvec *sv)
{
	for (size_t i = 0; sv->alloc && i < sv->nr; i++)
		free(sv->v[i]);
	strvec_forget(sv);
}

void strvec_forget(struct strvec *sv)
{
	if (!sv->alloc) {
		*sv = (struct strvec)STRVEC_INIT;
		return;
	}
	sv->nr = 0;
	sv->v[0] = NULL;
}

/* For `nr` more, and the NULL. */
static void make_room(struct strvec *sv, size_t nr)
{
	if (sv->nr + nr + 1 <= sv->alloc)
		return;
	sv->alloc = sv->alloc ? sv->alloc : 8;
	while (sv->alloc < sv->nr + nr + 1)
		sv->alloc *= 2;
	sv->v = xreallocarray(sv->v == strvec_empty ? NULL : sv->v, sv->alloc, sizeof(*sv->v));
}

void strvec_push_nodup(struct strvec *sv, char *s)
{
	make_room(sv, 1);
	sv->v[sv->nr++] = s;
	sv->v[sv->nr] = NULL;
}

char **strvec_add_room(struct strvec *sv, size_t nr)
{
	char **first;

	make_room(sv, nr);
	first = sv->v + sv->nr;
	sv->nr += nr;
	sv->v[sv->nr] = NULL;
	return first;
}

void strvec_push(struct strvec *sv, const char *s)
{
	strvec_push_nodup(sv, xstrdup(s));
}

void strvec_pushf(struct strvec *sv, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&sb, fmt, ap);
	va_end(ap);
	strvec_push_nodup(sv, strbuf_detach(&sb));
}

void strvec_push_all(struct strvec *sv, const struct strvec *from)
{
	assert(sv != from);
	for (size_t i = 0; i < from->nr; i++)
		strvec_push(sv, from->v[i]);
}

void strvec_remove(struct strvec *sv, size_t at)
{
	assert(at < sv->nr);
	free(sv->v[at]);
	memmove(sv->v + at, sv->v + at + 1, (sv->nr - at) * sizeof(*sv->v));
	sv->nr--;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strvec_sort(struct strvec *sv)
{
	if (sv->nr)
		qsort(sv->v, sv->nr, sizeof(*sv->v), by_bytes);
}
