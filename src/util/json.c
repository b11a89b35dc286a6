#include "util/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"
#include "util/utf8.h"

/* jansson fails only for invalid UTF-8, which callers exclude, and if it is out of memory. */
static void put(json_t *object, const char *key, json_t *value)
{
	if (!value || json_object_set_new(object, key, value))
		alloc_fail();
}

static json_t *clean_string(const char *s)
{
	struct strbuf sb = STRBUF_INIT;
	json_t *string;

	utf8_add_clean(&sb, s, strlen(s));
	string = json_stringn(sb.buf, sb.len);
	strbuf_release(&sb);
	return string;
}

static json_t *hex_string(const char *s)
{
	struct strbuf sb = STRBUF_INIT;
	json_t *string;

	text_add_hex(&sb, s, strlen(s));
	string = json_stringn(sb.buf, sb.len);
	strbuf_release(&sb);
	return string;
}

/* `value` NULL: the text needs no hexadecimal; that of a previous value is removed. */
static void put_hex(json_t *object, const char *key, json_t *value)
{
	char *hex_key = xasprintf("%s_hex", key);

	if (value)
		put(object, hex_key, value);
	else
		json_object_del(object, hex_key);
	free(hex_key);
}

static json_t *get_hex(const json_t *object, const char *key)
{
	char *hex_key = xasprintf("%s_hex", key);
	json_t *value = json_object_get(object, hex_key);

	free(hex_key);
	return value;
}

void json_put_bytes(json_t *object, const char *key, const char *s)
{
	bool bad = s && !utf8_valid(s, strlen(s));

	put(object, key, s ? clean_string(s) : json_null());
	put_hex(object, key, bad ? hex_string(s) : NULL);
}

void json_put_strings(json_t *object, const char *key, const struct strvec *strings)
{
	json_t *clean = json_array(), *hex = json_array();
	bool bad = false;

	for (size_t i = 0; i < strings->nr; i++) {
		bool valid = utf8_valid(strings->v[i], strlen(strings->v[i]));

		json_array_append_new(clean, clean_string(strings->v[i]));
		json_array_append_new(hex, valid ? json_null() : hex_string(strings->v[i]));
		bad |= !valid;
	}
	put(object, key, clean);
	put_hex(object, key, bad ? hex : NULL);
	if (!bad)
		json_decref(hex);
}

void json_put_int(json_t *object, const char *key, int64_t value)
{
	put(object, key, json_integer(value));
}

void json_put_bool(json_t *object, const char *key, bool value)
{
	put(object, key, json_boolean(value));
}

/* The bytes of hexadecimal text; NULL if it is not hexadecimal or has a NUL byte. */
static char *decode_hex(const char *hex)
{
	size_t max = strlen(hex) / 2, len;
	char *s = xmalloc(max + 1);

	if (!text_parse_hex(hex, s, max, &len) || memchr(s, '\0', len)) {
		free(s);
		return NULL;
	}
	s[len] = '\0';
	return s;
}

static int wrong_type(const char *key, const char *wanted, struct err *err)
{
	return err_set(err, ERR_CORRUPT, "'%s' is not %s", key, wanted);
}

int json_get_bytes(const json_t *object, const char *key, char **s, struct err *err)
{
	json_t *value = json_object_get(object, key), *hex = get_hex(object, key);
	char *bytes;

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return wrong_type(key, "a string", err);
	if (json_is_string(hex))
		bytes = decode_hex(json_string_value(hex));
	else
		bytes = xstrdup(json_string_value(value));
	if (!bytes)
		return err_set(err, ERR_CORRUPT, "'%s_hex' is not hexadecimal text", key);
	free(*s);
	*s = bytes;
	return 0;
}

int json_get_strings(const json_t *object, const char *key, struct strvec *strings, struct err *err)
{
	json_t *array = json_object_get(object, key), *hex = get_hex(object, key);

	if (!array || json_is_null(array))
		return 0;
	if (!json_is_array(array))
		return wrong_type(key, "an array", err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *clean = json_string_value(json_array_get(array, i));
		const char *exact = json_string_value(json_array_get(hex, i));
		char *bytes = exact ? decode_hex(exact) : clean ? xstrdup(clean) : NULL;

		if (!bytes)
			return wrong_type(key, "an array of strings", err);
		strvec_push_nodup(strings, bytes);
	}
	return 0;
}

int json_get_int(const json_t *object, const char *key, int64_t *value, struct err *err)
{
	json_t *member = json_object_get(object, key);

	if (!member || json_is_null(member))
		return 0;
	if (!json_is_integer(member))
		return wrong_type(key, "a whole number", err);
	*value = json_integer_value(member);
	return 0;
}

int json_get_bool(const json_t *object, const char *key, bool *value, struct err *err)
{
	json_t *member = json_object_get(object, key);

	if (!member || json_is_null(member))
		return 0;
	if (!json_is_boolean(member))
		return wrong_type(key, "true or false", err);
	*value = json_boolean_value(member);
	return 0;
}

/* jansson escapes only ASCII's control characters. Others are in strings alone, where an escape is the same. */
static char *escape_controls(char *line)
{
	struct strbuf sb = STRBUF_INIT;
	size_t left = strlen(line), used;

	for (const char *s = line; left; s += used, left -= used) {
		uint32_t c = utf8_next(s, left, &used);

		if (utf8_is_control(c) && c < 0x10000)
			strbuf_addf(&sb, "\\u%04X", (unsigned int)c);
		else if (utf8_is_control(c))
			strbuf_addf(&sb, "\\u%04X\\u%04X", 0xd7c0 + (unsigned int)(c >> 10),
				    0xdc00 | (unsigned int)(c & 0x3ff));
		else
			strbuf_add(&sb, s, used);
	}
	free(line);
	return strbuf_detach(&sb);
}

static bool is_plain(const char *line)
{
	while (*line >= 0x20 && *line < 0x7f)
		line++;
	return !*line;
}

char *json_line(const json_t *value)
{
	char *line = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	if (!line)
		alloc_fail();
	return is_plain(line) ? line : escape_controls(line);
}
