#include "platform/traced_path.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/posix/automounts.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define MOUNTS_MAX (INT64_C(64) << 20)

static struct strvec automounts = STRVEC_INIT;

/* The escapes are three octal digits: of a space, a tab, a line break or a backslash. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* "ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [FIELD...] - TYPE SOURCE OPTIONS" */
static void parse_line(const char *line, size_t len, struct strvec *places)
{
	char *copy = xstrndup(line, len), *type = strstr(copy, " - "), *place = copy;

	if (type && text_starts_with(type + 3, "autofs ")) {
		for (int i = 0; i < 4 && place; i++) {
			place = strchr(place, ' ');
			place += place != NULL;
		}
		if (place) {
			place[strcspn(place, " ")] = '\0';
			unescape(place);
			strvec_push(places, place);
		}
	}
	free(copy);
}

void automounts_parse(const char *text, struct strvec *places)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		parse_line(text, len, places);
		text += len + (text[len] == '\n');
	}
}

static bool is_below(const char *path, const char *place)
{
	size_t len = strlen(place);

	return !strncmp(path, place, len) && (!path[len] || path[len] == '/');
}

/* "." and ".." could lead anywhere, and "//" could hide a place. */
static bool is_clean(const char *path)
{
	if (path[0] != '/' || strstr(path, "//"))
		return false;
	for (const char *part = path; part; part = strchr(part, '/')) {
		size_t len = strcspn(++part, "/");

		if ((len == 1 && part[0] == '.') || (len == 2 && part[0] == '.' && part[1] == '.'))
			return false;
	}
	return true;
}

bool automounts_allow(const struct strvec *places, const char *path)
{
	static const char *const of_kernel[] = { "/proc", "/sys", "/dev" };

	if (!is_clean(path))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(of_kernel); i++) {
		if (is_below(path, of_kernel[i]))
			return false;
	}
	for (size_t i = 0; i < places->nr; i++) {
		if (is_below(path, places->v[i]))
			return false;
	}
	return true;
}

static void read_automounts(void)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (fs_read("/proc/self/mountinfo", MOUNTS_MAX, &text, &err))
		err_clear(&err);
	else
		automounts_parse(text.buf, &automounts);
	strbuf_release(&text);
}

bool traced_path_is_plain(const char *path)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_automounts);
	return automounts_allow(&automounts, path);
}
