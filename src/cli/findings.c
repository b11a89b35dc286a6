#include "cli/findings.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "util/alloc.h"

static const char *const level_names[] = {
	[FINDING_OK] = "ok",
	[FINDING_NOTE] = "note",
	[FINDING_WARNING] = "warning",
	[FINDING_ERROR] = "error",
};

/* Later lines of a remedy stand below its first. */
static void print_indented(const char *label, const char *text, FILE *out)
{
	fprintf(out, "         %s", label);
	for (; *text; text++) {
		fputc(*text, out);
		if (*text == '\n')
			fprintf(out, "         %*s", (int)strlen(label), "");
	}
	fputc('\n', out);
}

static void print_finding(const struct finding *finding, FILE *out)
{
	fprintf(out, "%-8s %s\n", level_names[finding->level], finding->what);
	if (finding->why)
		print_indented("why: ", finding->why, out);
	if (finding->remedy)
		print_indented("do:  ", finding->remedy, out);
}

void findings_print(const struct finding_list *findings, bool all, FILE *out)
{
	for (int level = all ? FINDING_OK : FINDING_WARNING; level <= FINDING_ERROR; level++) {
		for (size_t i = 0; i < findings->nr; i++) {
			if ((int)findings->v[i].level == level)
				print_finding(&findings->v[i], out);
		}
	}
	fflush(out);
}

/* A path as the INI reader must see it: it takes relative ones from the INI's directory. */
static char *from_working_directory(const char *path)
{
	char *here = fs_absolute("."), *full = here ? fs_join(here, path) : xstrdup(path);

	free(here);
	return full;
}

/* `text` NULL: the configuration is in the file `path`. */
static int load(const char *path, const char *text, const struct strvec *set, const char *out,
		struct config *config, struct err *err)
{
	struct strvec overrides = STRVEC_INIT;
	int rc;

	if (out && !*out)
		return err_set(err, ERR_USAGE, "--out names no folder");
	strvec_push_all(&overrides, set);
	if (out) {
		char *full = from_working_directory(out);

		strvec_pushf(&overrides, "run.output=%s", full);
		free(full);
	}
	if (text)
		rc = config_load_text(path, text, strlen(text), &overrides, config, err);
	else
		rc = config_load(path, &overrides, config, err);
	if (rc)
		err->code = err->code == ERR_USAGE ? ERR_CONFIG : ERR_USAGE;
	strvec_release(&overrides);
	return rc;
}

int findings_load_config(const char *path, const struct strvec *set, const char *out,
			 struct config *config, struct err *err)
{
	return load(path, NULL, set, out, config, err);
}

int findings_load_empty(const char *name, const struct strvec *set, const char *out,
			struct config *config, struct err *err)
{
	return load(name, "", set, out, config, err);
}
