#include "platform/traced_path.h"

#include "util/text.h"

bool traced_path_is_plain(const char *path)
{
	return text_is_local_path(path);
}
