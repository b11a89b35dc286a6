#include "platform/windows/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <windows.h>

#include "platform/windows/wide.h"
#include "util/array.h"

struct pairs {
	wchar_t **v;
	size_t nr, alloc;
};

/* "=C:" is a name too: the directory on a drive. */
static int name_length(const wchar_t *pair)
{
	return *pair ? 1 + (int)wcscspn(pair + 1, L"=") : 0;
}

static int by_name(const void *a, const void *b)
{
	const wchar_t *x = *(wchar_t *const *)a, *y = *(wchar_t *const *)b;

	return CompareStringOrdinal(x, name_length(x), y, name_length(y), TRUE) - CSTR_EQUAL;
}

static void put(struct pairs *pairs, const wchar_t *pair)
{
	for (size_t i = 0; i < pairs->nr; i++) {
		if (!by_name(&pairs->v[i], &pair)) {
			free(pairs->v[i]);
			pairs->v[i] = _wcsdup(pair);
			return;
		}
	}
	ARRAY_GROW(pairs->v, pairs->nr + 1, pairs->alloc);
	pairs->v[pairs->nr++] = _wcsdup(pair);
}

wchar_t *environment_with(const struct strvec *changes)
{
	wchar_t *ours = GetEnvironmentStringsW();
	struct wide_buf block = WIDE_BUF_INIT;
	struct pairs pairs = { NULL, 0, 0 };

	for (const wchar_t *pair = ours; pair && *pair; pair += wcslen(pair) + 1)
		put(&pairs, pair);
	if (ours)
		FreeEnvironmentStringsW(ours);
	for (size_t i = 0; changes && i < changes->nr; i++) {
		wchar_t *pair = wide_from_utf8(changes->v[i]);

		put(&pairs, pair);
		free(pair);
	}
	if (pairs.nr)
		qsort(pairs.v, pairs.nr, sizeof(*pairs.v), by_name);
	for (size_t i = 0; i < pairs.nr; i++) {
		wide_buf_add(&block, pairs.v[i], wcslen(pairs.v[i]) + 1);
		free(pairs.v[i]);
	}
	free(pairs.v);
	wide_buf_addc(&block, L'\0');
	return block.v;
}
