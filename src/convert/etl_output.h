/*
 * The file that an ETL writer fills: beside its place under another name until it is whole.
 */
#ifndef CONVERT_ETL_OUTPUT_H
#define CONVERT_ETL_OUTPUT_H

#include "convert/etl_writer.h"
#include "util/err.h"

struct etl_output;

/* ERR_UNSUPPORTED where `path` is there already. */
int etl_output_open(const char *path, struct etl_output **output, struct err *err);

/* Good as long as the output is. */
struct etl_sink etl_output_sink(struct etl_output *output);

/* Whether all could be written so far. */
int etl_output_check(const struct etl_output *output, struct err *err);

/* The file comes to its place; -1: there is none. Without it nothing is left. */
int etl_output_finish(struct etl_output *output, struct err *err);
void etl_output_free(struct etl_output *output);

#endif
