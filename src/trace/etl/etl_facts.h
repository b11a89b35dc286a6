/*
 * What an ETL trace tells of itself as a whole: the facts, from the first look at it and the headers of its files.
 */
#ifndef TRACE_ETL_FACTS_H
#define TRACE_ETL_FACTS_H

#include <stddef.h>

#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_prelude.h"
#include "trace/trace_reader.h"

/* All but times, once. `nr` files, at least one. */
void etl_facts_tell(const struct etl_prelude *prelude, struct etl_file *const *files, size_t nr,
		    struct trace_facts *facts);

/* Times, from `base` on; again where another one is asked for. */
void etl_facts_tell_times(const struct etl_prelude *prelude, const struct etl_clock_base *base,
			  struct trace_facts *facts);

#endif
