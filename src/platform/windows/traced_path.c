#include "platform/traced_path.h"

#include "util/text.h"

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

static bool is_absolute(const char *path)
{
	return is_separator(path[0]) || (path[0] && path[1] == ':' && is_separator(path[2]));
}

bool traced_path_is_plain(const char *path)
{
	return is_absolute(path) && text_is_local_path(path);
}
