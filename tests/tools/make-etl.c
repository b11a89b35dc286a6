/*
 * Writes an ETL file of any size, for measuring: make-etl [OPTION]... FILE
 *
 *     -m MILLIONS   events (1)
 *     -p CPUS       processors (4)
 *     -c            XPRESS, -C XPRESS with Huffman codes
 *     -k            stacks by key
 *     -n            no stacks
 *     -s SEED       of the random numbers (1): the same options give the same bytes
 *
 * A build like that of rustc: compilers one after the other on each processor, with threads and libraries; samples, commits
 * and frees, each with a stack.
 *
 * Stacks are walks along calls from the start of a thread. Usually a function makes its usual call, once in DETOURS another
 * one. The frequency of these, and of the addresses in the leaf, falls with their rank (Zipf's law). So stacks share their
 * outer frames, some are frequent, and there are always new ones. The parameters were chosen to resemble a recording by
 * perf of a real stage 2 of rustc, compared by address (stagetrace convert, then export --format folded of both):
 *
 *     CPU samples  different stacks  with all that lead to them  different frames  mean depth
 *  real    42,031            35,456                     271,427            45,305        38.0
 *         173,949           123,921                     813,395           103,530        36.8
 *         706,308           339,821                   2,160,802           212,194        32.4
 *  made  150,117            79,179                     780,410            99,743        31.8
 *         749,380           306,795                   3,278,975           276,054        31.9
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert/etl_events.h"
#include "convert/etl_output.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define SECOND     UINT64_C(10000000)
#define CODE       UINT64_C(0x7ff600000000)
#define CODE_STEP  UINT64_C(0x10000000)
#define HEAP       UINT64_C(0x20000000000)
#define PAGE       4096
#define FRAMES_MAX 192 /* as ETW has it */
#define DEPTH      32  /* mean */
#define IMAGES     8
#define BLOCKS     512   /* commits that a process has at most at once */
#define LIFE       20000 /* events of a process */
#define KEYS       64
#define FUNCTIONS  16000
#define LEAF_BITS  10 /* bytes of a function */
#define CALLS_BITS 5
#define DETOURS    48

struct options {
	uint64_t events;
	uint32_t cpus;
	enum etl_compression compression;
	bool keys, stacks;
	uint64_t seed;
	const char *path;
};

struct block {
	uint64_t address, length;
};

struct stack {
	uint64_t frames[FRAMES_MAX]; /* leaf first */
	unsigned nr;
};

/* What runs on a processor now. */
struct runner {
	uint32_t pid, threads;
	uint64_t left; /* events until it ends */
	uint64_t next; /* address of its next commit */
	struct block blocks[BLOCKS];
	unsigned blocks_nr;
};

struct making {
	const struct options *options;
	struct etl_writer *writer;
	struct runner *runners;
	uint64_t random, tick, events;
	uint32_t next_id;
	struct stack stack; /* of the event at hand */
	struct stack keys[KEYS];
	unsigned slot; /* of the next key */
};

/* xorshift64* */
static uint64_t pick(struct making *making, uint64_t below)
{
	making->random ^= making->random >> 12;
	making->random ^= making->random << 25;
	making->random ^= making->random >> 27;
	return (making->random * UINT64_C(2685821657736338717) >> 16) % below;
}

static void load_images(struct making *making, uint32_t pid)
{
	for (unsigned i = 0; i < IMAGES; i++) {
		char path[128], name[32];
		uint8_t guid[16] = { (uint8_t)i, 1 };
		const struct etl_writer_image image = {
			.base = CODE + i * CODE_STEP,
			.size = CODE_STEP,
			.pid = pid,
			.timestamp = 0x60000000 + i,
			.path = path,
		};

		snprintf(name, sizeof(name), i ? "module%u.dll" : "rustc.exe", i);
		snprintf(path, sizeof(path), "\\Device\\HarddiskVolume3\\rust\\bin\\%s", name);
		etl_write_image(making->writer, ETL_EVENT_LOAD, &image);
		snprintf(name, sizeof(name), "module%u.pdb", i);
		etl_write_pdb(making->writer, image.base, pid, guid, 1, name);
		making->events += 2;
	}
}

static void start_process(struct making *making, struct runner *runner)
{
	char line[128];
	struct etl_writer_process process = { .parent = 4, .image = "rustc.exe" };

	*runner = (struct runner){ .pid = making->next_id += 4, .threads = 4 };
	runner->left = LIFE / 2 + pick(making, LIFE);
	runner->next = HEAP;
	snprintf(line, sizeof(line),
		 "C:\\rust\\bin\\rustc.exe --crate-name crate_%u --edition=2021",
		 runner->pid / 4 % 200);
	process.pid = runner->pid;
	process.command_line = line;
	etl_write_process(making->writer, ETL_EVENT_START, &process);
	for (uint32_t i = 1; i <= runner->threads; i++)
		etl_write_thread(making->writer, ETL_EVENT_START, runner->pid, making->next_id += 4,
				 "");
	making->events += 1 + runner->threads;
	load_images(making, runner->pid);
}

static void end_process(struct making *making, const struct runner *runner)
{
	const struct etl_writer_process process = {
		.pid = runner->pid, .parent = 4, .image = "rustc.exe", .command_line = ""
	};

	for (uint32_t i = 1; i <= runner->threads; i++)
		etl_write_thread(making->writer, ETL_EVENT_END, runner->pid, runner->pid + 4 * i,
				 "");
	etl_write_process(making->writer, ETL_EVENT_END, &process);
	making->events += 1 + runner->threads;
}

/* By Zipf's law in steps: 0 once in `bits`, 1 and 2 together as often, 3 to 6, ... */
static uint64_t pick_rank(struct making *making, unsigned bits)
{
	uint64_t span = UINT64_C(1) << pick(making, bits);

	return span - 1 + pick(making, span);
}

/* Of splitmix64. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t address_of(uint64_t function)
{
	return CODE + function % IMAGES * CODE_STEP + 0x1000 + (function / IMAGES << LEAF_BITS);
}

/* A sample is anywhere in its function, else the leaf is a call too. */
static void pick_stack(struct making *making, bool sample)
{
	struct stack *stack = &making->stack;
	uint64_t function = 0;

	for (stack->nr = 1; stack->nr < FRAMES_MAX && pick(making, DEPTH); stack->nr++)
		;
	for (unsigned i = stack->nr; i--;) {
		uint64_t call = pick(making, DETOURS) ? 0 : pick_rank(making, CALLS_BITS);

		stack->frames[i] = address_of(function) + 8 * (1 + call);
		if (i == 0 && sample)
			stack->frames[0] = address_of(function) + pick_rank(making, LEAF_BITS);
		function = mix(mix(function + 1) + call) % FUNCTIONS;
	}
}

/* The definition of a key is written when the key is reused: a reference means the next definition. */
static void free_key(struct making *making)
{
	unsigned slot = making->slot = (unsigned)pick(making, KEYS);

	if (making->options->keys && making->keys[slot].nr) {
		etl_write_stack_definition(making->writer, ETL_EVENT_KEY_DELETED, 0x1000 + slot,
					   making->keys[slot].frames, making->keys[slot].nr);
		making->events++;
	}
}

static void write_key(struct making *making, const struct runner *runner, uint32_t tid)
{
	unsigned slot = making->slot;

	making->keys[slot] = making->stack;
	etl_write_stack_key(making->writer, ETL_EVENT_USER_KEY, making->tick, runner->pid, tid,
			    0x1000 + slot);
	making->events++;
}

static void write_stack(struct making *making, struct runner *runner, uint32_t tid)
{
	if (!making->options->stacks)
		return;
	if (making->options->keys) {
		write_key(making, runner, tid);
		return;
	}
	etl_write_stack(making->writer, making->tick, runner->pid, tid, making->stack.frames,
			making->stack.nr);
	making->events++;
}

static void commit(struct making *making, struct runner *runner)
{
	struct block *block = &runner->blocks[runner->blocks_nr++];

	block->length = (1 + pick(making, 64)) * PAGE;
	block->address = runner->next;
	runner->next += block->length;
	etl_write_virtual(making->writer, block->address, block->length, runner->pid,
			  ETL_CALL_COMMIT | ETL_CALL_RESERVE);
	making->events++;
}

/* All of it, or its first half. */
static void release(struct making *making, struct runner *runner)
{
	unsigned i = (unsigned)pick(making, runner->blocks_nr);
	struct block *block = &runner->blocks[i];
	uint64_t part = block->length;

	if (part > 2 * PAGE && pick(making, 4) == 0)
		part = part / 2 / PAGE * PAGE;
	etl_write_virtual(making->writer, block->address, part, runner->pid,
			  part < block->length ? ETL_CALL_DECOMMIT : ETL_CALL_RELEASE);
	block->address += part;
	block->length -= part;
	if (!block->length)
		*block = runner->blocks[--runner->blocks_nr];
	making->events++;
}

/* Of ten, three samples and seven of memory, as a stage 2 of rustc has them. */
static void step(struct making *making, uint32_t cpu)
{
	struct runner *runner = &making->runners[cpu];
	uint64_t before = making->events;
	uint32_t tid;
	bool sample;

	making->tick += 1 + pick(making, 2000);
	etl_writer_at(making->writer, making->tick++, cpu);
	free_key(making);
	etl_writer_at(making->writer, making->tick, cpu);
	if (!runner->left) {
		end_process(making, runner);
		start_process(making, runner);
		return;
	}
	tid = runner->pid + 4 * (1 + (uint32_t)pick(making, runner->threads));
	sample = pick(making, 10) < 3;
	pick_stack(making, sample);
	if (sample) {
		etl_write_sample(making->writer, making->stack.frames[0], tid);
		making->events++;
	} else if (runner->blocks_nr < BLOCKS && (runner->blocks_nr < 2 || pick(making, 2))) {
		commit(making, runner);
	} else {
		release(making, runner);
	}
	write_stack(making, runner, tid);
	before = making->events - before;
	runner->left -= before < runner->left ? before : runner->left;
}

static void make(const struct options *options, const struct etl_sink *sink)
{
	struct etl_writer_options how = { .cpus = options->cpus,
					  .build = 19045,
					  .frequency = SECOND,
					  .first_tick = SECOND,
					  .start_time = INT64_C(133800000000000000),
					  .compression = options->compression,
					  .masks = { 0x4007, 0, 2 },
					  .session = "Relogger",
					  .file = "[multiple files]" };
	struct making making = {
		.options = options, .random = mix(options->seed), .tick = SECOND, .next_id = 1000
	};

	making.runners = xcalloc(options->cpus, sizeof(*making.runners));
	making.writer = etl_writer_new(&how, sink);
	etl_write_interval(making.writer, ETL_EVENT_INTERVAL_START, 10000, 10000);
	for (uint32_t cpu = 0; cpu < options->cpus; cpu++) {
		etl_writer_at(making.writer, making.tick, cpu);
		start_process(&making, &making.runners[cpu]);
	}
	while (making.events < options->events)
		step(&making, (uint32_t)pick(&making, options->cpus));
	for (unsigned i = 0; i < KEYS; i++)
		if (making.keys[i].nr)
			etl_write_stack_definition(making.writer, ETL_EVENT_KEY_RUNDOWN, 0x1000 + i,
						   making.keys[i].frames, making.keys[i].nr);
	etl_writer_finish(making.writer);
	etl_writer_free(making.writer);
	free(making.runners);
	printf("%llu events\n", (unsigned long long)making.events);
}

static bool parse(char **argv, struct options *options)
{
	int64_t number;

	for (; *argv; argv++) {
		if (!strcmp(*argv, "-c"))
			options->compression = ETL_COMPRESSED_XPRESS;
		else if (!strcmp(*argv, "-C"))
			options->compression = ETL_COMPRESSED_HUFFMAN;
		else if (!strcmp(*argv, "-k"))
			options->keys = true;
		else if (!strcmp(*argv, "-n"))
			options->stacks = false;
		else if (!strcmp(*argv, "-m") && argv[1] &&
			 text_parse_int(*++argv, 1, 100000, &number))
			options->events = (uint64_t)number * 1000000;
		else if (!strcmp(*argv, "-p") && argv[1] &&
			 text_parse_int(*++argv, 1, 256, &number))
			options->cpus = (uint32_t)number;
		else if (!strcmp(*argv, "-s") && argv[1] &&
			 text_parse_int(*++argv, 1, INT64_MAX, &number))
			options->seed = (uint64_t)number;
		else if (**argv != '-' && !options->path)
			options->path = *argv;
		else
			return false;
	}
	return options->path;
}

int main(int argc, char **argv)
{
	struct options options = { .events = 1000000, .cpus = 4, .stacks = true, .seed = 1 };
	struct etl_output *output;
	struct err err = ERR_INIT;
	struct etl_sink sink;
	int rc;

	(void)argc;
	if (!parse(argv + 1, &options)) {
		fprintf(stderr,
			"make-etl [-m MILLIONS] [-p CPUS] [-c | -C] [-k | -n] [-s SEED] FILE\n");
		return 2;
	}
	rc = etl_output_open(options.path, true, &output, &err);
	if (!rc) {
		sink = etl_output_sink(output);
		make(&options, &sink);
		rc = etl_output_finish(output, &err);
		etl_output_free(output);
	}
	if (rc)
		fprintf(stderr, "make-etl: %s\n", err.msg);
	err_clear(&err);
	return rc ? 1 : 0;
}
