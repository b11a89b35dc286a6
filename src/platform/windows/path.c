#include "platform/windows/path.h"

#include <ctype.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

bool path_is_separator(char c)
{
	return c == '/' || c == '\\';
}

static size_t skip_component(const char *path, size_t at)
{
	while (path[at] && !path_is_separator(path[at]))
		at++;
	while (path_is_separator(path[at]))
		at++;
	return at;
}

static size_t drive_length(const char *path)
{
	return isalpha((unsigned char)path[0]) && path[1] == ':' ? 2 : 0;
}

size_t path_root_length(const char *path)
{
	size_t at = drive_length(path);

	if (!at && path_is_separator(path[0]) && path_is_separator(path[1]) && path[2] &&
	    !path_is_separator(path[2])) {
		at = skip_component(path, 2);
		if ((path[2] == '?' || path[2] == '.') && at == 4) {
			if (drive_length(path + at))
				at += 2;
			else if (text_starts_with(path + at, "UNC\\"))
				at = skip_component(path, skip_component(path, at + 4));
		} else {
			at = skip_component(path, at);
		}
	}
	while (path_is_separator(path[at]))
		at++;
	return at;
}

static bool ends_in_one_of(const char *path, const char *const *endings, size_t count)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < count; i++) {
		if (len > strlen(endings[i]) &&
		    text_equal_fold(path + len - strlen(endings[i]), endings[i]))
			return true;
	}
	return false;
}

bool path_is_program(const char *path)
{
	static const char *const endings[] = { ".exe", ".com", ".bat", ".cmd" };

	return ends_in_one_of(path, endings, ARRAY_SIZE(endings));
}

bool path_is_batch(const char *path)
{
	static const char *const endings[] = { ".bat", ".cmd" };

	return ends_in_one_of(path, endings, ARRAY_SIZE(endings));
}
