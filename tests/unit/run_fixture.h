/*
 * A small run directory for tests, with correct hashes.
 */
#ifndef TESTS_UNIT_RUN_FIXTURE_H
#define TESTS_UNIT_RUN_FIXTURE_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "rundir/hash.h"
#include "rundir/manifest.h"
#include "util/alloc.h"

#define RUN_NAME "rustc-stage2-20260131T120000Z"

struct fixture {
	char *temp; /* the directory of everything else */
	char *run;  /* the run directory */
	char *zip;  /* path for a bundle */
	struct manifest manifest;
};

static inline char *fixture_path(const struct fixture *fixture, const char *member)
{
	return fs_join(fixture->run, member);
}

/* Add a file to the run that is not in its manifest. */
static inline void fixture_put(struct fixture *fixture, const char *member, const void *data,
			       size_t len)
{
	struct err err = ERR_INIT;
	char *path = fixture_path(fixture, member), *dir = fs_dirname(path);

	if (fs_mkdir_all(dir, &err) || fs_write_atomic(path, data, len, &err))
		abort();
	free(dir);
	free(path);
}

/* Add a file to the run and its manifest. */
static inline void fixture_add(struct fixture *fixture, const char *member, const char *text)
{
	char sha256[HASH_TEXT_SIZE];

	fixture_put(fixture, member, text, strlen(text));
	hash_bytes(text, strlen(text), sha256);
	manifest_add_file(&fixture->manifest, member, (int64_t)strlen(text), sha256);
}

static inline void fixture_write_manifest(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	if (manifest_write(&fixture->manifest, fixture->run, &err))
		abort();
}

static inline void fixture_init(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	fixture->temp = fs_temp_dir(&err);
	fixture->run = fs_join(fixture->temp, RUN_NAME);
	fixture->zip = fs_join(fixture->temp, "run.zip");
	if (!fixture->temp || fs_mkdir(fixture->run, &err))
		abort();
	manifest_init(&fixture->manifest);
	fixture->manifest.name = xstrdup(RUN_NAME);
	fixture->manifest.state = RUN_DONE;
	manifest_add_host(&fixture->manifest, "hostname", "build7");
	fixture_add(fixture, "trace.perf.data", "PERFILE2 /home/alice/rust build7");
	fixture_add(fixture, "processes.jsonl",
		    "{\"pid\":2,\"start_ns\":7}\n{\"pid\":1,\"start_ns\":5}\n{\"pi");
	fixture_add(fixture, "logs/stage1.log", "stage 1\n");
	fixture_add(fixture, "symbols/0.sym", "symbols\n");
	fixture_add(fixture, "open.sh", "#!/bin/sh\n");
	fixture_write_manifest(fixture);
}

static inline void fixture_release(struct fixture *fixture)
{
	struct err err = ERR_INIT;

	if (fs_remove_tree(fixture->temp, &err))
		abort();
	manifest_release(&fixture->manifest);
	free(fixture->temp);
	free(fixture->run);
	free(fixture->zip);
}

/* For cmocka: the test finds the fixture in *state. */
static inline int fixture_setup(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture_init(fixture);
	*state = fixture;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	fixture_release(*state);
	free(*state);
	return 0;
}

#endif
