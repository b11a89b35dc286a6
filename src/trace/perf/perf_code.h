/*
 * Where the programs of a trace have code: the mappings of all processes together, at any time.
 *
 * The kernel finds callers by frame pointers. In a program without them it takes any 8 bytes of memory for an address, so
 * that a call chain may end in text, of the environment too. What is not in code is no address.
 */
#ifndef TRACE_PERF_CODE_H
#define TRACE_PERF_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/trace_event.h"

struct perf_code;

struct perf_code *perf_code_new(void);
void perf_code_free(struct perf_code *code);

/* Add what an event maps. Events of all kinds can be given. */
void perf_code_see(struct perf_code *code, const struct trace_event *event);

/* Whether an address is in code, or just after it, as the return address of a call at its end is. */
bool perf_code_has(struct perf_code *code, uint64_t address);

/* The lowest address above 0 for which perf_code_has() is false. */
uint64_t perf_code_free_address(const struct perf_code *code);

#endif
