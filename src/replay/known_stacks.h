/*
 * The file RUN_TRACE_STACKS: the stack of each CPU sample of a run's trace, with its callers completed. Views could find
 * them in the trace too, but this takes longer than all the rest.
 *
 * All numbers are little-endian:
 *
 *   "stacks\n\0"
 *   u32 KNOWN_STACKS_VERSION
 *   char[64] SHA-256 of the trace's size and of samples of its bytes, in hexadecimal
 *   u64 number of frames, of stacks, of CPU samples
 *   one zstd frame, in which each line is all values of a kind:
 *     u32 module of a frame: its number in the order in which the trace names modules
 *     u64 offset of a frame in its module
 *     u32 number of a stack less that of its caller's
 *     u32 frame of a stack
 *     u32 KNOWN_STACK() of a sample, in the order of time
 *
 * Frames that stand for others (model/stack.h) and the empty stack are not in the file, but have numbers. It has no names,
 * so that it holds nothing that the trace does not.
 */
#ifndef REPLAY_KNOWN_STACKS_H
#define REPLAY_KNOWN_STACKS_H

#include <stddef.h>

#include "model/machine.h"
#include "rundir/hash.h"
#include "util/err.h"
#include "util/strbuf.h"

/* To be raised whenever a trace gets other stacks, frames or numbers of modules than before. */
#define KNOWN_STACKS_VERSION 1

/* By which a trace is recognized. */
struct trace_fingerprint {
	char hash[HASH_TEXT_SIZE];
};

int trace_fingerprint_read(const char *path, struct trace_fingerprint *fingerprint,
			   struct err *err);

/* Append the file for the stacks of a machine, with those of the samples of its trace. */
int known_stacks_add_text(const struct machine *machine,
			  const struct trace_fingerprint *fingerprint, struct strbuf *text,
			  struct err *err);

/*
 * Give a fresh machine the stacks of a file. 1: it is of another trace or another version, and the machine is left as it
 * is, as after an error.
 */
int known_stacks_parse(const char *text, size_t len, const struct trace_fingerprint *fingerprint,
		       struct machine *machine, struct err *err);

#endif
