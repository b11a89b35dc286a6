/*
 * Writes an ETL file of a compiler whose images have PDBs: make-pdb-etl [--snapshot] FILE PID (IMAGE DEBUG-PATH PDB)...
 *
 * rustc.exe, the process PID, begins now and loads each IMAGE, a path; the trace says that its PDB was written to
 * DEBUG-PATH, and has the GUID and age of the file PDB. There are samples and commits in the first KB of its code, at
 * 0x1000: of the first image 400 and 4, of the second 200 and 2, and so on. With --snapshot there is a heap snapshot of it
 * instead, and nothing that has a stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/etl_events.h"
#include "convert/etl_output.h"
#include "platform/clock.h"
#include "symbol/pdb/pdb_file.h"
#include "util/little_endian.h"

enum { CODE = 0x1000, SIZE = 0x10000 };

#define BASE UINT64_C(0x7ff600000000)
#define HEAP UINT64_C(0x20000000000)

static void write_events(struct etl_writer *writer, uint64_t *tick, uint32_t pid, size_t image,
			 uint32_t samples)
{
	uint64_t base = BASE + image * 0x1000000;

	for (uint32_t i = 0; i < samples; i++) {
		uint64_t address = base + CODE + i * 7 % 1024;

		*tick += 1000;
		etl_writer_at(writer, *tick, 0);
		etl_write_sample(writer, address, pid);
		etl_write_stack(writer, *tick, pid, pid, &address, 1);
		if (i % 100)
			continue;
		etl_writer_at(writer, ++*tick, 0);
		etl_write_virtual(writer, HEAP + (uint64_t)*tick * 0x10000, 0x10000, pid,
				  ETL_CALL_COMMIT | ETL_CALL_RESERVE);
		etl_write_stack(writer, *tick, pid, pid, &address, 1);
	}
}

/* Event 200 of Microsoft-Windows-Heap-Snapshot, which ends a snapshot, here of no bytes. */
static void write_snapshot(struct etl_writer *writer, uint64_t *tick, uint32_t pid)
{
	static const uint8_t guid[] = { 0xfa, 0x2a, 0x1d, 0x90, 0xf6, 0x4f, 0xd7, 0x46,
					0x8d, 0x0e, 0x53, 0x64, 0x5e, 0x1a, 0x47, 0xf5 };
	uint8_t event[88] = { sizeof(event), 0, 19, 0xc0 };

	le_put32(event + 8, pid);
	le_put32(event + 12, pid);
	le_put64(event + 16, ++*tick);
	memcpy(event + 24, guid, sizeof(guid));
	event[40] = 200;
	event[42] = 1;
	event[80] = 1;
	etl_writer_at(writer, *tick, 0);
	etl_writer_copy(writer, event, sizeof(event));
}

static int load_image(struct etl_writer *writer, uint32_t pid, size_t image, char **names)
{
	struct etl_writer_image row = {
		.base = BASE + image * 0x1000000, .size = SIZE, .pid = pid, .path = names[0]
	};
	struct err err = ERR_INIT;
	struct pdb_file *pdb;

	if (pdb_file_open(names[2], &pdb, &err)) {
		fprintf(stderr, "make-pdb-etl: %s: %s\n", names[2], err.msg);
		err_clear(&err);
		return 1;
	}
	etl_write_image(writer, ETL_EVENT_LOAD, &row);
	etl_write_pdb(writer, row.base, pid, pdb->id, le_get32(pdb->id + 16), names[1]);
	pdb_file_free(pdb);
	return 0;
}

static int make(struct etl_sink *sink, bool snapshot, uint32_t pid, char **names, int nr)
{
	const struct etl_writer_options options = { .cpus = 1,
						    .build = 22621,
						    .frequency = 10000000,
						    .first_tick = (uint64_t)clock_now() / 100,
						    .start_time = INT64_C(133800000000000000),
						    .session = "Relogger",
						    .file = "[multiple files]" };
	const struct etl_writer_process process = { .pid = pid,
						    .parent = 4,
						    .image = "rustc.exe",
						    .command_line = "rustc --crate-name demo" };
	struct etl_writer *writer = etl_writer_new(&options, sink);
	uint64_t tick = options.first_tick;
	int rc = 0;

	etl_writer_at(writer, ++tick, 0);
	etl_write_interval(writer, ETL_EVENT_INTERVAL_START, 10000, 10000);
	etl_write_process(writer, ETL_EVENT_START, &process);
	etl_write_thread(writer, ETL_EVENT_START, pid, pid, "");
	for (int i = 0; i + 2 < nr; i += 3)
		rc |= load_image(writer, pid, (size_t)i / 3, names + i);
	if (snapshot)
		write_snapshot(writer, &tick, pid);
	for (int i = 0; i + 2 < nr && !snapshot; i += 3)
		write_events(writer, &tick, pid, (size_t)i / 3, 400u >> i / 3);
	etl_writer_at(writer, ++tick, 0);
	etl_write_thread(writer, ETL_EVENT_END, pid, pid, "");
	etl_write_process(writer, ETL_EVENT_END, &process);
	etl_writer_finish(writer);
	etl_writer_free(writer);
	return rc;
}

int main(int argc, char **argv)
{
	struct etl_output *output;
	struct etl_sink sink;
	struct err err = ERR_INIT;
	bool snapshot = argc > 1 && !strcmp(argv[1], "--snapshot");
	int rc = 1;

	argv += snapshot;
	argc -= snapshot;
	if (argc < 6 || argc % 3) {
		fprintf(stderr,
			"usage: make-pdb-etl [--snapshot] FILE PID (IMAGE DEBUG-PATH PDB)...\n");
		return 2;
	}
	if (!etl_output_open(argv[1], true, &output, &err)) {
		sink = etl_output_sink(output);
		rc = make(&sink, snapshot, (uint32_t)strtoul(argv[2], NULL, 10), argv + 3,
			  argc - 3);
		rc |= etl_output_finish(output, &err);
		etl_output_free(output);
	}
	if (rc)
		fprintf(stderr, "make-pdb-etl: %s\n", err.msg ? err.msg : "failed");
	err_clear(&err);
	return rc ? 1 : 0;
}
