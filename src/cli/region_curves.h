/*
 * The memory curves of the processes of a run (compare/curves.h), from the regions of an account that counts by process.
 */
#ifndef CLI_REGION_CURVES_H
#define CLI_REGION_CURVES_H

#include "compare/curves.h"
#include "report/account.h"

/* A sink of all regions, for the request of the account. */
struct region_sink region_curves_sink(struct curves *curves);

/*
 * Once the account has finished: changes have keys of its grouping, make them places of processes in a list. Those that are
 * no rows have UINT32_MAX.
 */
void region_curves_place(struct curves *curves, const struct results *results,
			 const struct intmap *places);

#endif
