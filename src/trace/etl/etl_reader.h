/*
 * Reads ETL files of WPR and xperf as events of the model.
 *
 * The files are read twice: first buffer by buffer (etl_scan.h), then by time; for views without stacks once, if the scan
 * has a digest (etl_digest.h). The reader decodes processes, threads, images with their PDBs, CPU samples, VirtualAlloc,
 * VirtualFree and calls of heaps with their stacks, and facts about the machine. All other events are only counted.
 */
#ifndef TRACE_ETL_READER_H
#define TRACE_ETL_READER_H

#include <stddef.h>

#include "trace/etl/etl_file.h"
#include "trace/trace_format.h"
#include "util/err.h"

struct etl_reader;

/* The reader takes ownership of `files` (of one recording, at least one), also after a failure; `facts` are borrowed. */
int etl_reader_open(struct etl_file *const *files, size_t nr, const struct trace_options *options,
		    struct trace_facts *facts, struct etl_reader **reader, struct err *err);

/* See trace_reader_next(). */
int etl_reader_next(struct etl_reader *reader, const struct trace_event **events, size_t *nr,
		    struct err *err);

/* See trace_reader_again(). */
int etl_reader_again(struct etl_reader *reader, const struct trace_options *options,
		     struct err *err);

void etl_reader_free(struct etl_reader *reader);

extern const struct trace_format etl_format;

#endif
