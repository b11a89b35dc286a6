#include "symbol/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "util/alloc.h"
#include "util/strbuf.h"

/*
 * Names may come from hostile files. libiberty needs stack space in proportion to the length of a name, which is therefore
 * limited. Its output may grow exponentially by back references: the name is not demangled then.
 */
#define NAME_MAX_BYTES 8192
#define TEXT_MAX_BYTES 65536

struct output {
	struct strbuf text;
	jmp_buf too_long;
};

static void take_text(const char *text, size_t len, void *data)
{
	struct output *output = data;

	if (output->text.len + len > TEXT_MAX_BYTES)
		longjmp(output->too_long, 1);
	strbuf_add(&output->text, text, len);
}

static bool is_mangled(const char *name)
{
	return !strncmp(name, "_R", 2) || !strncmp(name, "_Z", 2) || !strncmp(name, "__Z", 3) ||
	       !strncmp(name, "__R", 3);
}

static bool print_name(const char *name, struct output *output)
{
	if (setjmp(output->too_long))
		return false;
	if (rust_demangle_callback(name, DMGL_RUST, take_text, output))
		return true;
	strbuf_clear(&output->text);
	return cplus_demangle_v3_callback(name, DMGL_GNU_V3 | DMGL_NO_RECURSE_LIMIT, take_text,
					  output) != 0;
}

/* Remove the symbol version. Names of C and C++ have no other '@'. */
static char *cut_version(const char *name)
{
	const char *at = strchr(name, '@');

	return at && at > name ? xstrndup(name, (size_t)(at - name)) : NULL;
}

char *demangle_name(const char *name)
{
	struct output output = { .text = STRBUF_INIT };
	char *plain, *shown = NULL;

	if (strlen(name) > NAME_MAX_BYTES)
		return NULL;
	plain = cut_version(name);
	if (is_mangled(name) && print_name(plain ? plain : name, &output) && output.text.len)
		shown = strbuf_detach(&output.text);
	strbuf_release(&output.text);
	if (!shown)
		return plain;
	free(plain);
	return shown;
}
