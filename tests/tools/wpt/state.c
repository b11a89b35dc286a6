#include "tools/wpt/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/wpt/port.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static char *unescape(const char *s)
{
	struct strbuf sb = STRBUF_INIT;

	for (; *s; s++) {
		if (*s != '\\' || !s[1]) {
			strbuf_addc(&sb, *s);
			continue;
		}
		s++;
		strbuf_addc(&sb, *s == 'n' ? '\n' : *s == 'r' ? '\r' : *s);
	}
	return strbuf_detach(&sb);
}

static void write_escaped(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", f);
		else if (*s == '\r')
			fputs("\\r", f);
		else if (*s == '\\')
			fputs("\\\\", f);
		else
			fputc(*s, f);
	}
}

static void take_line(struct state *state, char *line)
{
	size_t len = strlen(line);
	char *equals;

	if (line[0] == '[' && line[len - 1] == ']') {
		line[len - 1] = '\0';
		state_add(state, line + 1);
		return;
	}
	equals = strchr(line, '=');
	if (!equals || !state->nr)
		return;
	*equals = '\0';
	strvec_push(&state->v[state->nr - 1].keys, line);
	strvec_push_nodup(&state->v[state->nr - 1].values, unescape(equals + 1));
}

static void read_file(struct state *state, const char *path)
{
	struct strbuf line = STRBUF_INIT;
	FILE *f = port_open(path, "rb");
	int c;

	if (!f)
		return;
	while ((c = fgetc(f)) != EOF) {
		if (c != '\n') {
			strbuf_addc(&line, (char)c);
			continue;
		}
		if (line.len)
			take_line(state, line.buf);
		strbuf_clear(&line);
	}
	strbuf_release(&line);
	fclose(f);
}

void state_open(struct state *state, const char *dir)
{
	char *lock = xasprintf("%s%clock", dir, PORT_SEPARATOR);
	char *path = xasprintf("%s%cstate", dir, PORT_SEPARATOR);

	*state = (struct state){ .dir = xstrdup(dir) };
	port_make_dir(dir);
	state->lock = port_lock(lock);
	read_file(state, path);
	free(path);
	free(lock);
}

static void release_record(struct record *record)
{
	free(record->kind);
	strvec_release(&record->keys);
	strvec_release(&record->values);
}

void state_close(struct state *state)
{
	for (size_t i = 0; i < state->nr; i++)
		release_record(&state->v[i]);
	free(state->v);
	free(state->dir);
	port_unlock(state->lock);
	*state = (struct state){ 0 };
}

static void write_record(FILE *f, const struct record *record)
{
	fprintf(f, "[%s]\n", record->kind);
	for (size_t i = 0; i < record->keys.nr; i++) {
		fprintf(f, "%s=", record->keys.v[i]);
		write_escaped(f, record->values.v[i]);
		fputc('\n', f);
	}
	fputc('\n', f);
}

int state_save(struct state *state)
{
	char *path = xasprintf("%s%cstate", state->dir, PORT_SEPARATOR);
	char *next = xasprintf("%s.new", path);
	FILE *f = port_open(next, "wb");
	bool bad = !f;

	for (size_t i = 0; f && i < state->nr; i++)
		write_record(f, &state->v[i]);
	if (f)
		bad = ferror(f) || fclose(f) != 0;
	bad = bad || port_rename(next, path) != 0;
	free(next);
	free(path);
	state_close(state);
	return bad ? -1 : 0;
}

struct record *state_add(struct state *state, const char *kind)
{
	ARRAY_GROW(state->v, state->nr + 1, state->alloc);
	state->v[state->nr] = (struct record){ .kind = xstrdup(kind),
					       .keys = STRVEC_INIT,
					       .values = STRVEC_INIT };
	return &state->v[state->nr++];
}

struct record *state_find(const struct state *state, const char *kind, const char *key,
			  const char *value)
{
	for (size_t i = 0; i < state->nr; i++)
		if (!strcmp(state->v[i].kind, kind) &&
		    (!key || text_equal_fold(record_get(&state->v[i], key), value)))
			return &state->v[i];
	return NULL;
}

void state_drop(struct state *state, struct record *record)
{
	size_t at = (size_t)(record - state->v);

	release_record(record);
	memmove(record, record + 1, (state->nr - at - 1) * sizeof(*record));
	state->nr--;
}

size_t state_count(const struct state *state, const char *kind)
{
	size_t count = 0;

	for (size_t i = 0; i < state->nr; i++)
		count += !strcmp(state->v[i].kind, kind);
	return count;
}

static size_t find_key(const struct record *record, const char *key)
{
	size_t i = 0;

	while (i < record->keys.nr && strcmp(record->keys.v[i], key) != 0)
		i++;
	return i;
}

const char *record_get(const struct record *record, const char *key)
{
	size_t at = find_key(record, key);

	return at < record->keys.nr ? record->values.v[at] : "";
}

int64_t record_number(const struct record *record, const char *key)
{
	return strtoll(record_get(record, key), NULL, 10);
}

void record_set(struct record *record, const char *key, const char *value)
{
	size_t at = find_key(record, key);

	if (at == record->keys.nr) {
		record_add(record, key, value);
		return;
	}
	free(record->values.v[at]);
	record->values.v[at] = xstrdup(value);
}

void record_set_number(struct record *record, const char *key, int64_t value)
{
	char *text = xasprintf("%lld", (long long)value);

	record_set(record, key, text);
	free(text);
}

void record_add(struct record *record, const char *key, const char *value)
{
	strvec_push(&record->keys, key);
	strvec_push(&record->values, value);
}
