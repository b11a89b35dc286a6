#include "record/compiler_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

#define MIN_FUNCTIONS 50

/* The path of the compiler's program; NULL: there is none. */
static char *find_rustc(const char *stage1)
{
	char *path = fs_join(stage1, "bin"), *rustc = fs_join(path, "rustc");
	char *found = fs_find_program(rustc);

	free(rustc);
	free(path);
	return found;
}

/* The first build/<host>/stage1 that has a bin/rustc, of any host; NULL: there is none. */
static char *find_stage1(const char *build_dir)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *found = NULL;

	if (!fs_is_dir(build_dir) || fs_list(build_dir, &names, &err))
		err_clear(&err);
	for (size_t i = 0; i < names.nr && !found; i++) {
		char *host = fs_join(build_dir, names.v[i]), *stage1 = fs_join(host, "stage1");
		char *rustc = find_rustc(stage1);

		if (strcmp(names.v[i], "host") && rustc) {
			found = stage1;
			stage1 = NULL;
		}
		free(rustc);
		free(stage1);
		free(host);
	}
	strvec_release(&names);
	return found;
}

static bool is_driver(const char *name)
{
	return (text_starts_with(name, "librustc_driver-") && text_ends_with(name, ".so")) ||
	       (text_starts_with(name, "rustc_driver-") && text_ends_with(name, ".dll"));
}

/* Links are skipped: they may lead to the driver of another compiler. */
static char *find_driver_in(const char *stage1, const char *subdir)
{
	char *dir = fs_join(stage1, subdir), *found = NULL;
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	if (!fs_is_dir(dir) || fs_list(dir, &names, &err))
		err_clear(&err);
	for (size_t i = 0; i < names.nr; i++) {
		char *path = fs_join(dir, names.v[i]);

		if (is_driver(names.v[i]) && (!found || fs_is_link(found))) {
			free(found);
			found = path;
		} else {
			free(path);
		}
	}
	strvec_release(&names);
	free(dir);
	return found;
}

/* Nearly all of the compiler is in its driver, a library; a wrapper has only its own file. */
static char *find_driver(const char *stage1)
{
	char *found = find_driver_in(stage1, "lib");

	if (!found)
		found = find_driver_in(stage1, "bin");
	return found ? found : find_rustc(stage1);
}

static void report_compiler(const char *path, const struct compiler_file *file,
			    struct finding_list *findings)
{
	if (!file->symbols)
		finding_add(
			findings, FINDING_WARNING, "its functions will have no names",
			"build stage 1 again with rust.debuginfo-level = 1 and without stripping",
			"the stage 1 compiler has no symbols: %s", path);
	else if (!file->lines)
		finding_add(findings, FINDING_WARNING,
			    "stacks will have no lines and no inlined functions",
			    "build stage 1 again with rust.debuginfo-level = 1",
			    "the stage 1 compiler has no line information: %s", path);
	if (file->functions >= MIN_FUNCTIONS && file->with_frame_pointer * 2 < file->functions)
		finding_add(findings, FINDING_WARNING, "most stacks will stop after a few frames",
			    "build stage 1 again with rust.frame-pointers = true, or set "
			    "cpu-stacks = dwarf",
			    "only %zu of %zu sampled functions of the stage 1 compiler set up a "
			    "frame pointer: %s",
			    file->with_frame_pointer, file->functions, path);
	else if (file->symbols && file->lines)
		finding_add(findings, FINDING_OK, NULL, NULL, "the stage 1 compiler has %s",
			    file->good);
}

void compiler_check(const char *build_dir, struct finding_list *findings)
{
	char *stage1 = find_stage1(build_dir);
	struct compiler_file file;

	if (!stage1) {
		finding_add(findings, FINDING_ERROR, "stage 2 is built by it",
			    "leave out --skip-stage1", "there is no stage 1 compiler below %s",
			    build_dir);
	} else {
		char *driver = find_driver(stage1);

		if (driver && compiler_file_read(driver, &file))
			report_compiler(driver, &file, findings);
		else
			finding_add(findings, FINDING_WARNING, "its stacks may have no names",
				    "build stage 1 again",
				    "the stage 1 compiler cannot be read: %s",
				    driver ? driver : stage1);
		free(driver);
	}
	free(stage1);
}
