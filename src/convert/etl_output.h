/*
 * The output file of an ETL writer: a private one of platform/output.h.
 */
#ifndef CONVERT_ETL_OUTPUT_H
#define CONVERT_ETL_OUTPUT_H

#include "convert/etl_writer.h"
#include "util/err.h"

struct etl_output;

int etl_output_open(const char *path, bool replace, struct etl_output **output, struct err *err);

/* Valid until etl_output_free(). */
struct etl_sink etl_output_sink(struct etl_output *output);

/* Check for errors so far. -1: an earlier write has failed. */
int etl_output_check(const struct etl_output *output, struct err *err);

/* Give the file its name. -1: failed. After a failure, or without this call, etl_output_free() removes the file. */
int etl_output_finish(struct etl_output *output, struct err *err);
void etl_output_free(struct etl_output *output);

#endif
