/*
 * Prints one member of a JSON file, a string as it is and all else as JSON, for tests that ask for it more often than a
 * script's interpreter can start; numbers are exact.
 *
 *     json-member FILE .member.0.member
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static json_t *find(json_t *value, char *path)
{
	for (char *key = strtok(path, "."); key && value; key = strtok(NULL, "."))
		value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
					     : json_object_get(value, key);
	return value;
}

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *file, *value;

	if (argc != 3) {
		fprintf(stderr, "usage: json-member FILE .member.0.member\n");
		return 2;
	}
	file = json_load_file(argv[1], JSON_DECODE_ANY, &error);
	if (!file) {
		fprintf(stderr, "json-member: '%s': %s\n", argv[1], error.text);
		return 1;
	}
	value = find(file, argv[2]);
	if (value && json_is_string(value))
		fputs(json_string_value(value), stdout);
	else if (value)
		json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	if (value)
		putchar('\n');
	else
		fprintf(stderr, "json-member: '%s' lacks that member\n", argv[1]);
	json_decref(file);
	return value ? 0 : 1;
}
