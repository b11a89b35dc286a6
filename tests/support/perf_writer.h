/*
 * Writes synthetic perf.data files: each call adds a record, with the bytes that perf would write.
 *
 * By default every record has IP, TID, TIME, CPU, PERIOD and IDENTIFIER, samples have a call chain, and
 * tracepoints their raw data. Times are nanoseconds on the trace's clock; 0 for records that perf synthesizes.
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
	PERF_WRITER_KILLED, /* a file without its end: perf was killed */
};

enum { PERF_WRITER_COMPRESS_NOT, PERF_WRITER_COMPRESS = 81, PERF_WRITER_COMPRESS2 = 83 };

struct perf_writer *perf_writer_new(enum perf_writer_form form);
void perf_writer_free(struct perf_writer *writer);

/* Compress the following records, in pieces of about `piece` bytes, up to the end of the next round. */
void perf_writer_compress(struct perf_writer *writer, int type, size_t piece);

/* Members of struct perf_event_attr; the writer sets `id`. */
struct perf_writer_event {
	const char *name; /* "syscalls:sys_enter_mmap"; borrowed */
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags;
	uint64_t branch_type, regs_user;
	uint32_t stack_user;
	uint32_t attr_size; /* 0: 128 */
	uint64_t id;
};

/* Add an event before the first record; returns its index. */
unsigned perf_writer_event(struct perf_writer *writer, const struct perf_writer_event *event);

/* Add cpu-clock, sampled `frequency` times a second. */
unsigned perf_writer_cpu_clock(struct perf_writer *writer, uint64_t frequency);

/*
 * Add a tracepoint of a memory system call, "sys_enter_mmap", or of page faults, "page_fault_user"; `copies`: with
 * registers and stack bytes.
 */
unsigned perf_writer_tracepoint(struct perf_writer *writer, const char *name, bool copies);

/* An event, to change it before the first record: its frequency, the size of its stack copies (4096). */
struct perf_writer_event *perf_writer_event_at(struct perf_writer *writer, unsigned event);

/* Add all events that the accounting needs, without copies. */
void perf_writer_memory(struct perf_writer *writer);

/* Add a feature with a string, by its number. */
void perf_writer_feature(struct perf_writer *writer, unsigned feature, const char *text);
void perf_writer_feature_bytes(struct perf_writer *writer, unsigned feature, const void *bytes,
			       size_t nr);

/* Set process, thread and CPU of the following records. */
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

/* A sample. The chain has markers (PERF_CONTEXT_*); `raw` is the data of a tracepoint. */
struct perf_writer_sample {
	unsigned event;
	uint64_t ip, period;
	bool kernel; /* it was taken in the kernel */
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

/* A CPU sample of the first event, with one kernel frame and two user frames: ip, ip + 0x100. */
void perf_writer_cpu(struct perf_writer *writer, uint64_t time, uint64_t ip);

/*
 * A sample of a tracepoint; `args` are the arguments or the result; of a fault address, instruction, error code. Its stack
 * bytes are "stack at TIME".
 */
void perf_writer_call(struct perf_writer *writer, uint64_t time, unsigned event,
		      const uint64_t *args, size_t nr);

/* With the events of perf_writer_memory(): an anonymous writable mapping, and its end. */
void perf_writer_mmap(struct perf_writer *writer, uint64_t time, uint64_t address, uint64_t length);
void perf_writer_munmap(struct perf_writer *writer, uint64_t time, uint64_t address,
			uint64_t length);

void perf_writer_lost(struct perf_writer *writer, uint64_t nr); /* LOST */
/* LOST_SAMPLES; the event is one with IDENTIFIER. */
void perf_writer_lost_samples(struct perf_writer *writer, unsigned event, uint64_t nr);

void perf_writer_round(struct perf_writer *writer); /* FINISHED_ROUND */

/* Any record; `bytes` follow its header. Compressed if others are. */
void perf_writer_record(struct perf_writer *writer, uint32_t type, uint16_t misc, const void *bytes,
			size_t nr);

/* Add any bytes between the records, never compressed. */
void perf_writer_bytes(struct perf_writer *writer, const void *bytes, size_t nr);

/* The offset in the file of the next record, if it is not compressed. */
uint64_t perf_writer_place(const struct perf_writer *writer);

/* Complete the file, and return its bytes. Borrowed. */
const struct strbuf *perf_writer_finish(struct perf_writer *writer);

#endif
