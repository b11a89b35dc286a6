/*
 * Synthetic perf.data files: scenarios as calls, in the order of the file, bytes as perf would write them.
 *
 * By default every record has IP, TID, TIME, CPU, PERIOD and IDENTIFIER, samples have a call chain, and
 * tracepoints their raw data. Times are nanoseconds on the trace's clock; 0 is what perf makes up itself.
 */
#ifndef TESTS_SUPPORT_PERF_WRITER_H
#define TESTS_SUPPORT_PERF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

struct perf_writer;

enum perf_writer_form {
	PERF_WRITER_FILE,
	PERF_WRITER_PIPE,
	PERF_WRITER_KILLED, /* a file whose end was never written */
};

enum { PERF_WRITER_PACK_NOT, PERF_WRITER_PACK = 81, PERF_WRITER_PACK2 = 83 };

struct perf_writer *perf_writer_new(enum perf_writer_form form);
void perf_writer_free(struct perf_writer *writer);

/* From now on records are packed, in pieces of about `piece` bytes, up to the next round's end. */
void perf_writer_pack(struct perf_writer *writer, int type, size_t piece);

/* What struct perf_event_attr has; the writer fills `id`. */
struct perf_writer_event {
	const char *name; /* "syscalls:sys_enter_mmap"; borrowed */
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags;
	uint64_t branch_type, regs_user;
	uint32_t stack_user;
	uint32_t attr_size; /* 0: 128 */
	uint64_t id;
};

/* The index of the event. All come before the first record. */
unsigned perf_writer_event(struct perf_writer *writer, const struct perf_writer_event *event);

/* Sampled so many times a second. */
unsigned perf_writer_cpu_clock(struct perf_writer *writer, uint64_t frequency);

/* `name` is one of the memory system calls': "sys_enter_mmap"; with copies of registers and stack. */
unsigned perf_writer_tracepoint(struct perf_writer *writer, const char *name, bool copies);

/* To change it, before the first record: a frequency, the size of its copies of stacks (4096). */
struct perf_writer_event *perf_writer_event_at(struct perf_writer *writer, unsigned event);

/* All that the accounting needs, without copies. */
void perf_writer_memory(struct perf_writer *writer);

/* A feature that holds a string, by its number. */
void perf_writer_feature(struct perf_writer *writer, unsigned feature, const char *text);
void perf_writer_feature_bytes(struct perf_writer *writer, unsigned feature, const void *bytes,
			       size_t nr);

/* Who the records after it are of. */
void perf_writer_on(struct perf_writer *writer, int32_t pid, int32_t tid, uint32_t cpu);

void perf_writer_fork(struct perf_writer *writer, uint64_t time, int32_t child);
void perf_writer_thread(struct perf_writer *writer, uint64_t time, int32_t tid);
void perf_writer_exec(struct perf_writer *writer, uint64_t time, const char *name);
void perf_writer_name(struct perf_writer *writer, uint64_t time, const char *name);
void perf_writer_exit(struct perf_writer *writer, uint64_t time);

struct perf_writer_map {
	uint64_t address, length, offset;
	const char *path;
	uint8_t id[20];
	uint8_t id_length; /* 0: none */
	bool kernel, data;
};

void perf_writer_map(struct perf_writer *writer, uint64_t time, const struct perf_writer_map *map);

/* A sample; the chain has its marks (PERF_CONTEXT_*), `raw` is of a tracepoint. */
struct perf_writer_sample {
	unsigned event;
	uint64_t ip, period;
	bool kernel; /* where it was taken */
	const uint64_t *chain;
	size_t chain_nr;
	const void *raw;
	size_t raw_nr;
	const void *stack; /* bytes; the registers are 1, 2, 3, ... */
	size_t stack_nr;
};

#define PERF_WRITER_KERNEL ((uint64_t)-128)
#define PERF_WRITER_USER   ((uint64_t)-512)

void perf_writer_sample(struct perf_writer *writer, uint64_t time,
			const struct perf_writer_sample *sample);

/* A CPU sample of the first event with one frame of the kernel and two of the process: ip, ip + 0x100. */
void perf_writer_cpu(struct perf_writer *writer, uint64_t time, uint64_t ip);

/* A hit of a memory tracepoint by its event; arguments or the result. Its stack's bytes: "stack at TIME". */
void perf_writer_call(struct perf_writer *writer, uint64_t time, unsigned event,
		      const uint64_t *args, size_t nr);

/* As perf_writer_memory() records them: an anonymous writable mapping, and its end. */
void perf_writer_mmap(struct perf_writer *writer, uint64_t time, uint64_t address, uint64_t length);
void perf_writer_munmap(struct perf_writer *writer, uint64_t time, uint64_t address,
			uint64_t length);

void perf_writer_lost(struct perf_writer *writer, uint64_t nr);         /* LOST */
void perf_writer_lost_samples(struct perf_writer *writer, uint64_t nr); /* LOST_SAMPLES */
void perf_writer_round(struct perf_writer *writer);                     /* FINISHED_ROUND */

/* Any record, its bytes behind the header; packed as others are. */
void perf_writer_record(struct perf_writer *writer, uint32_t type, uint16_t misc, const void *bytes,
			size_t nr);

/* Any bytes among the records, as they are. */
void perf_writer_bytes(struct perf_writer *writer, const void *bytes, size_t nr);

/* The offset in the file of the record that comes next; not of packed ones. */
uint64_t perf_writer_place(const struct perf_writer *writer);

/* The file's bytes; the writer is at its end. Borrowed. */
const struct strbuf *perf_writer_finish(struct perf_writer *writer);

#endif
