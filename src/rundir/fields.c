#include "rundir/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/json.h"
#include "util/strbuf.h"
#include "util/strvec.h"
#include "util/text.h"
#include "util/utf8.h"

#define PRETTY_WIDTH 140
#define VALUES_MAX   1000000 /* of one object with all that is in it */

static json_t *owned(json_t *value)
{
	if (!value)
		alloc_fail();
	return value;
}

static void put_text(json_t *object, const char *key, const void *at)
{
	json_put_bytes(object, key, *(char *const *)at);
}

static int get_text(const json_t *object, const char *key, void *at, struct err *err)
{
	return json_get_bytes(object, key, at, err);
}

static void put_text_if_any(json_t *object, const char *key, const void *at)
{
	if (*(char *const *)at)
		put_text(object, key, at);
}

const struct field_kind field_text = { .put = put_text, .get = get_text };
const struct field_kind field_text_if_any = { .put = put_text_if_any, .get = get_text };

static void put_strings(json_t *object, const char *key, const void *at)
{
	json_put_strings(object, key, at);
}

static int get_strings(const json_t *object, const char *key, void *at, struct err *err)
{
	return json_get_strings(object, key, at, err);
}

const struct field_kind field_strings = { .put = put_strings, .get = get_strings };

/* Can `name` be a JSON key? It must be UTF-8, and not look like the exact form of another value ("NAME_hex"). */
static bool is_key(const char *name, size_t len, const json_t *object)
{
	char *key = xstrndup(name, len);
	bool good = len && utf8_valid(name, len) && !text_ends_with(key, "_hex") &&
		    !json_object_get(object, key);

	free(key);
	return good;
}

/* Variables whose names cannot be keys are stored as NAME=value in the array "<key>_other". */
static void put_env(json_t *object, const char *key, const void *at)
{
	const struct strvec *env = at;
	struct strvec other = STRVEC_INIT;
	json_t *members = fields_add_object(object, key);

	for (size_t i = 0; i < env->nr; i++) {
		const char *end = strchr(env->v[i], '=');

		if (end && is_key(env->v[i], (size_t)(end - env->v[i]), members)) {
			char *name = xstrndup(env->v[i], (size_t)(end - env->v[i]));

			json_put_bytes(members, name, end + 1);
			free(name);
		} else {
			strvec_push(&other, env->v[i]);
		}
	}
	if (other.nr) {
		char *other_key = xasprintf("%s_other", key);

		json_put_strings(object, other_key, &other);
		free(other_key);
	}
	strvec_release(&other);
}

static int get_env_members(const json_t *members, struct strvec *env, struct err *err)
{
	const char *name;
	json_t *member;

	json_object_foreach((json_t *)members, name, member)
	{
		char *value = NULL;

		if (text_ends_with(name, "_hex"))
			continue;
		if (json_get_bytes(members, name, &value, err))
			return -1;
		if (!*name || strchr(name, '=') || !value) {
			free(value);
			return err_set(err, ERR_CORRUPT, "'%s' is not a variable with a value",
				       name);
		}
		strvec_pushf(env, "%s=%s", name, value);
		free(value);
	}
	return 0;
}

static int get_env(const json_t *object, const char *key, void *at, struct err *err)
{
	json_t *members = json_object_get(object, key);
	char *other_key;
	int ret;

	if (members && !json_is_null(members) && !json_is_object(members))
		return err_set(err, ERR_CORRUPT, "'%s' is not an object", key);
	if (get_env_members(members, at, err))
		return err_wrap(err, "'%s'", key);
	other_key = xasprintf("%s_other", key);
	ret = json_get_strings(object, other_key, at, err);
	free(other_key);
	return ret;
}

const struct field_kind field_env = { .put = put_env, .get = get_env };

static void put_number(json_t *object, const char *key, const void *at)
{
	json_put_int(object, key, *(const int64_t *)at);
}

static void put_known(json_t *object, const char *key, const void *at)
{
	if (*(const int64_t *)at == -1)
		json_object_set_new(object, key, json_null());
	else
		put_number(object, key, at);
}

static void put_if_known(json_t *object, const char *key, const void *at)
{
	if (*(const int64_t *)at != -1)
		put_number(object, key, at);
}

static int get_within(const json_t *object, const char *key, int64_t min, int64_t *value,
		      struct err *err)
{
	int64_t read = min;

	if (json_get_int(object, key, &read, err))
		return -1;
	if (read < min || read > FIELD_NUMBER_MAX)
		return err_set(err, ERR_CORRUPT, "'%s' is out of range: %" PRId64, key, read);
	if (json_is_integer(json_object_get(object, key)))
		*value = read;
	return 0;
}

static int get_number(const json_t *object, const char *key, void *at, struct err *err)
{
	return get_within(object, key, -FIELD_NUMBER_MAX, at, err);
}

static int get_count(const json_t *object, const char *key, void *at, struct err *err)
{
	return get_within(object, key, 0, at, err);
}

const struct field_kind field_number = { .put = put_number, .get = get_number };
const struct field_kind field_count = { .put = put_known, .get = get_count };
const struct field_kind field_count_if_known = { .put = put_if_known, .get = get_count };
const struct field_kind field_time = { .put = put_known, .get = get_number };

static void put_bool(json_t *object, const char *key, const void *at)
{
	json_put_bool(object, key, *(const bool *)at);
}

static void put_if_true(json_t *object, const char *key, const void *at)
{
	if (*(const bool *)at)
		json_put_bool(object, key, true);
}

static int get_bool(const json_t *object, const char *key, void *at, struct err *err)
{
	return json_get_bool(object, key, at, err);
}

const struct field_kind field_bool = { .put = put_bool, .get = get_bool };
const struct field_kind field_bool_if_true = { .put = put_if_true, .get = get_bool };

static void put_array(json_t *object, const struct field *field, const char *base)
{
	const struct field_kind *kind = field->kind;
	size_t nr = *(const size_t *)(base + kind->nr);
	json_t *array, *element;
	const char *v;

	if (!nr && kind->if_any)
		return;
	memcpy(&v, base + field->offset, sizeof(v));
	array = owned(json_array());
	json_object_set_new(object, field->key, array);
	for (size_t i = 0; i < nr; i++) {
		element = fields_to_json(kind->fields, v + i * kind->size);
		json_array_append_new(array, element);
	}
}

void fields_put(json_t *object, const struct field *fields, const void *base)
{
	for (; fields->key; fields++) {
		if (fields->fields)
			fields_put(fields_add_object(object, fields->key), fields->fields, base);
		else if (fields->kind->fields)
			put_array(object, fields, base);
		else
			fields->kind->put(object, fields->key, (const char *)base + fields->offset);
	}
}

json_t *fields_to_json(const struct field *fields, const void *base)
{
	json_t *object = owned(json_object());

	fields_put(object, fields, base);
	return object;
}

static int get_object(const json_t *object, const struct field *field, void *base, struct err *err)
{
	json_t *member = json_object_get(object, field->key);

	if (!member || json_is_null(member))
		return 0;
	if (!json_is_object(member))
		return err_set(err, ERR_CORRUPT, "'%s' is not an object", field->key);
	if (fields_get(member, field->fields, base, err))
		return err_wrap(err, "'%s'", field->key);
	return 0;
}

static int get_element(const json_t *element, const struct field_kind *kind, void *base,
		       struct err *err)
{
	void *added = kind->add(base);

	if (fields_get(element, kind->fields, added, err))
		return -1;
	return kind->check ? kind->check(added, err) : 0;
}

static int get_array(const json_t *object, const struct field *field, void *base, struct err *err)
{
	json_t *array = json_object_get(object, field->key);
	const char *key = field->key;

	if (!array || json_is_null(array))
		return 0;
	if (!json_is_array(array))
		return err_set(err, ERR_CORRUPT, "'%s' is not an array", key);
	if (json_array_size(array) > field->kind->limit)
		return err_set(err, ERR_CORRUPT, "'%s' has more than %zu elements", key,
			       field->kind->limit);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *element = json_array_get(array, i);

		if (!json_is_object(element))
			return err_set(err, ERR_CORRUPT, "'%s[%zu]' is not an object", key, i);
		if (get_element(element, field->kind, base, err))
			return err_wrap(err, "'%s[%zu]'", key, i);
	}
	return 0;
}

int fields_get(const json_t *object, const struct field *fields, void *base, struct err *err)
{
	int ret = 0;

	for (; fields->key && !ret; fields++) {
		if (fields->fields)
			ret = get_object(object, fields, base, err);
		else if (fields->kind->fields)
			ret = get_array(object, fields, base, err);
		else if (fields->kind->get)
			ret = fields->kind->get(object, fields->key, (char *)base + fields->offset,
						err);
	}
	return ret;
}

json_t *fields_add_object(json_t *object, const char *key)
{
	json_t *child = owned(json_object());

	json_object_set_new(object, key, child);
	return child;
}

/* The number of values, or more in damaged text: each but the first comes after one of these. */
static size_t count_values(const char *text, size_t len)
{
	bool in_string = false;
	size_t nr = 1;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (in_string)
			i += c == '\\';
		else
			nr += c == ',' || c == '[' || c == '{';
		in_string ^= c == '"';
	}
	return nr;
}

json_t *fields_load(const char *text, size_t len, int *line, struct err *err)
{
	json_error_t why = { .line = 1 };
	json_t *object = NULL;

	/* Before any is made: three bytes become one that takes a hundred times as many. */
	if (count_values(text, len) > VALUES_MAX)
		err_set(err, ERR_CORRUPT, "more than %d values, and no recording has so many",
			VALUES_MAX);
	else if (!(object = json_loadb(text, len, 0, &why)))
		err_set(err, ERR_CORRUPT, "%s", *why.text ? why.text : "no memory is left");
	*line = !object && why.line > 0 ? why.line : 1;
	if (!object || json_is_object(object))
		return object;
	json_decref(object);
	err_set(err, ERR_CORRUPT, "not a JSON object");
	return NULL;
}

json_t *fields_parse(const char *text, size_t len, struct err *err)
{
	int line;
	json_t *object = fields_load(text, len, &line, err);

	if (!object)
		err_wrap(err, "%d", line);
	return object;
}

static void add_pretty(struct strbuf *sb, const json_t *value, size_t depth, size_t used);

static void add_break(struct strbuf *sb, size_t depth)
{
	strbuf_addc(sb, '\n');
	strbuf_pad(sb, ' ', sb->len + 2 * depth);
}

static void add_members(struct strbuf *sb, const json_t *object, size_t depth)
{
	const char *separator = "";
	const char *key;
	json_t *member;

	json_object_foreach((json_t *)object, key, member)
	{
		json_t *name = owned(json_string(key));
		char *quoted = json_dumps(name, JSON_ENCODE_ANY);

		strbuf_adds(sb, separator);
		add_break(sb, depth + 1);
		strbuf_addf(sb, "%s: ", quoted);
		add_pretty(sb, member, depth + 1, strlen(quoted) + 2);
		separator = ",";
		free(quoted);
		json_decref(name);
	}
}

static bool is_plain(const json_t *value)
{
	return !json_is_object(value) && !json_is_array(value);
}

/* Number of columns in the last line of `sb`. */
static size_t line_length(const struct strbuf *sb)
{
	size_t len = 0;

	while (len < sb->len && sb->buf[sb->len - 1 - len] != '\n')
		len++;
	return len;
}

/* An array of words, wrapped to the width. */
static void add_words(struct strbuf *sb, const json_t *array, size_t depth)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		char *word = json_dumps(json_array_get(array, i), JSON_ENCODE_ANY);

		strbuf_adds(sb, i ? "," : "");
		if (!i || line_length(sb) + strlen(word) + 2 > PRETTY_WIDTH)
			add_break(sb, depth + 1);
		else
			strbuf_addc(sb, ' ');
		strbuf_adds(sb, word);
		free(word);
	}
}

static bool is_of_words(const json_t *value)
{
	for (size_t i = 0; i < json_array_size(value); i++) {
		if (!is_plain(json_array_get(value, i)))
			return false;
	}
	return json_is_array(value);
}

static void add_elements(struct strbuf *sb, const json_t *array, size_t depth)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		strbuf_adds(sb, i ? "," : "");
		add_break(sb, depth + 1);
		add_pretty(sb, json_array_get(array, i), depth + 1, 0);
	}
}

/* `used`: columns before the value, after the indentation. */
static void add_pretty(struct strbuf *sb, const json_t *value, size_t depth, size_t used)
{
	char *line = json_dumps(value, JSON_ENCODE_ANY);
	bool is_object = json_is_object(value);

	/* The top level always has one member per line. */
	if (is_plain(value) || (depth && 2 * depth + used + strlen(line) < PRETTY_WIDTH)) {
		strbuf_adds(sb, line);
		free(line);
		return;
	}
	free(line);
	strbuf_addc(sb, is_object ? '{' : '[');
	if (is_object)
		add_members(sb, value, depth);
	else if (is_of_words(value))
		add_words(sb, value, depth);
	else
		add_elements(sb, value, depth);
	add_break(sb, depth);
	strbuf_addc(sb, is_object ? '}' : ']');
}

char *fields_pretty(const json_t *value)
{
	struct strbuf sb = STRBUF_INIT;

	add_pretty(&sb, value, 0, 0);
	strbuf_addc(&sb, '\n');
	return strbuf_detach(&sb);
}
