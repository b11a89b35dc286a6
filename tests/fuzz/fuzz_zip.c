/*
 * Any bytes as a zip: of ETL traces, as PerfView makes them, or a bundle. What it holds is unpacked to as many bytes as it
 * says, within the limits. libzip is not instrumented.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/cost.h"
#include "platform/fs.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "trace/trace_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define UNPACKED_MAX (INT64_C(4) << 20) /* more takes too long */

static void check_error(int rc, struct err *err)
{
	if ((rc < 0) != (err->code != ERR_NONE))
		abort();
	err_clear(err);
}

/* As views do. */
static void open_trace(const struct strvec *paths)
{
	const struct trace_options options = { .base_ns = TRACE_BASE_FIRST, .threads = 1 };
	struct trace_reader *reader = NULL;
	struct err err = ERR_INIT;

	check_error(trace_reader_open(paths, &options, &reader, &err), &err);
	trace_reader_free(reader);
}

static void unpack_traces(struct run_source *source, const struct strvec *members)
{
	struct strvec paths = STRVEC_INIT;
	uint64_t bytes = 0;

	if (!members->nr || members->nr > 64)
		abort();
	for (size_t i = 0; i < members->nr; i++)
		bytes += (uint64_t)run_source_size(source, members->v[i]);
	if (bytes > cost_decompressed_max(run_source_bundle_bytes(source)))
		abort();
	for (size_t i = 0; i < members->nr; i++) {
		int64_t size = run_source_size(source, members->v[i]);
		struct err err = ERR_INIT;
		char *path = NULL;

		if (size < 0)
			abort();
		if (size > UNPACKED_MAX)
			continue;
		path = run_source_file(source, members->v[i], &err);
		check_error(path ? 0 : -1, &err);
		if (path && fs_size(path) != size)
			abort();
		if (path)
			strvec_push_nodup(&paths, path);
	}
	if (paths.nr)
		open_trace(&paths);
	strvec_release(&paths);
}

static void read_traces(const char *path)
{
	struct strvec members = STRVEC_INIT;
	struct run_source *source = NULL;
	struct err err = ERR_INIT;
	int rc = run_source_open_traces(path, &source, &members, &err);

	check_error(rc, &err);
	if (!rc) {
		unpack_traces(source, &members);
		run_source_free(source);
	}
	strvec_release(&members);
}

static void read_members(struct run_source *source)
{
	static const char *const names[] = {
		RUN_MANIFEST,      RUN_PROCESSES, RUN_CONFIG, RUN_ETL, RUN_SYMBOLS "/functions.txt",
		"../" RUN_MANIFEST
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int64_t size = run_source_size(source, names[i]);
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;
		int rc = run_source_read(source, names[i], UNPACKED_MAX, &text, &err);

		if (!rc && (size < 0 || (uint64_t)size != text.len || size > UNPACKED_MAX))
			abort();
		check_error(rc, &err);
		strbuf_release(&text);
	}
}

static void read_bundle(const char *path)
{
	struct process_list processes = PROCESS_LIST_INIT;
	struct run_source *source = NULL;
	struct manifest manifest;
	struct err err = ERR_INIT;
	int64_t damaged = 0;
	int rc = run_source_open(path, &source, &err);

	check_error(rc, &err);
	if (rc)
		return;
	read_members(source);
	check_error(run_source_manifest(source, &manifest, &err), &err);
	manifest_release(&manifest);
	check_error(run_source_processes(source, &processes, &damaged, NULL, &err), &err);
	process_list_release(&processes);
	run_source_free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int descriptor = -1;
	char path[64];

	if (descriptor < 0) {
		descriptor = memfd_create("zip", 0);
		setenv("TMPDIR", "/dev/shm", 0);
	}
	if (descriptor < 0 || ftruncate(descriptor, 0) ||
	    pwrite(descriptor, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	read_traces(path);
	read_bundle(path);
	return 0;
}
