/*
 * Blocks of a trace's bytes, read by a thread of its own before they are asked for, as long as they are asked for in
 * their order.
 */
#ifndef TRACE_READ_AHEAD_H
#define TRACE_READ_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace_input.h"
#include "util/err.h"

struct read_ahead;

/* Blocks of `size` bytes, up to the byte `end`; `input` is borrowed. */
struct read_ahead *read_ahead_new(const struct trace_input *input, size_t size, uint64_t end);
void read_ahead_free(struct read_ahead *ahead);

/*
 * Block `number`, from 0 on: `*data`, a block from malloc(), may be exchanged for another one. Its bytes, fewer where
 * the input ends before; -1.
 */
int64_t read_ahead_block(struct read_ahead *ahead, uint64_t number, unsigned char **data,
			 struct err *err);

#endif
