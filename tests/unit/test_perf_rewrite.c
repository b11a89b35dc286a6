#include <zstd.h>

#include "perf_reader_fixture.h"
#include "trace/perf/perf_rewrite.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_compressor.h"
#include "trace/perf/perf_walk.h"

#define S UINT64_C(1000000000)

/* Chains for the copies of a trace: one each of three origins in turn, and none for every fourth copy. */
struct chosen {
	struct perf_chains *chains;
	size_t nr;
};

static void add_chain(struct chosen *chosen, const struct trace_stack *stack)
{
	static const enum stack_origin origins[] = { STACK_UNWOUND, STACK_JOINED, STACK_TRUNCATED };
	const uint64_t addresses[] = { 0x1000 + chosen->nr, 0x2002, 0x3003 };

	if (!stack->copy)
		return;
	if (chosen->nr % 4 < 3)
		perf_chains_add(chosen->chains, stack->copy->id, addresses, 3,
				origins[chosen->nr % 4]);
	chosen->nr++;
}

/* Choose a chain for each copy of a file, in the order of the events. */
static void choose(struct chosen *chosen, const struct strbuf *bytes)
{
	struct reading reading;
	const struct trace_event *events;
	struct perf_reader *reader;
	struct trace_input input;
	size_t nr;

	*chosen = (struct chosen){ perf_chains_new(), 0 };
	reading_init(&reading);
	trace_input_memory(&input, bytes->buf, bytes->len);
	assert_int_equal(perf_reader_open(&input, "x", &reading.options, &reading.limits,
					  &reading.facts, &reader, &reading.err),
			 0);
	while (perf_reader_next(reader, &events, &nr, &reading.err) > 0) {
		for (size_t i = 0; i < nr; i++) {
			if (events[i].kind == TRACE_CPU)
				add_chain(chosen, &events[i].cpu_sample.stack);
			else if (events[i].kind == TRACE_MEMORY)
				add_chain(chosen, &events[i].memory.stack);
			else if (events[i].kind == TRACE_TOUCH)
				add_chain(chosen, &events[i].touch.stack);
		}
	}
	perf_reader_free(reader);
	reading_release(&reading);
}

/* Distill a file in memory; `out` is to be freed. */
static int distill_with(const struct strbuf *bytes, struct perf_chains *chains,
			struct perf_code *code, char **out, size_t *out_nr,
			struct perf_rewrite_result *result, struct err *err)
{
	struct trace_input input;
	FILE *file = tmpfile();
	const struct perf_rewrite_job job = { .input = &input,
					      .from = "in",
					      .out = file,
					      .to = "out",
					      .chains = chains,
					      .code = code };
	int rc;

	assert_non_null(file);
	trace_input_memory(&input, bytes->buf, bytes->len);
	rc = perf_rewrite(&job, result, err);
	fseek(file, 0, SEEK_END);
	*out_nr = (size_t)ftell(file);
	*out = xmalloc(*out_nr + 1);
	rewind(file);
	assert_int_equal(fread(*out, 1, *out_nr, file), *out_nr);
	fclose(file);
	return rc;
}

static int distill(const struct strbuf *bytes, struct perf_chains *chains, char **out,
		   size_t *out_nr, struct perf_rewrite_result *result, struct err *err)
{
	struct perf_code *code = code_everywhere();
	int rc = distill_with(bytes, chains, code, out, out_nr, result, err);

	perf_code_free(code);
	return rc;
}

/* Distill the writer's file with chosen chains, and read the result. The writer is freed. */
/* Returns the distilled bytes, which the caller frees. */
static char *choose_and_distill(const struct strbuf *bytes, size_t *nr,
				struct perf_rewrite_result *result)
{
	struct chosen chosen;
	struct err err = ERR_INIT;
	char *out;

	choose(&chosen, bytes);
	assert_int_equal(distill(bytes, chosen.chains, &out, nr, result, &err), 0);
	perf_chains_free(chosen.chains);
	return out;
}

static void distill_and_read(struct perf_writer *writer, struct reading *reading,
			     struct perf_rewrite_result *result)
{
	size_t nr;
	char *out = choose_and_distill(perf_writer_finish(writer), &nr, result);

	reading_init(reading);
	assert_int_equal(read_bytes(reading, out, nr), 0);
	assert_string_equal(reading->facts.first_damage.buf, "");
	free(out);
	perf_writer_free(writer);
}

/* cpu-clock with stack copies, and the memory events. */
static struct perf_writer *new_writer(enum perf_writer_form form, unsigned *cpu)
{
	struct perf_writer *writer = perf_writer_new(form);

	*cpu = perf_writer_cpu_clock(writer, 1000);
	perf_writer_event_at(writer, *cpu)->sample_type |=
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	perf_writer_event_at(writer, *cpu)->flags |= PERF_ATTR_EXCLUDE_CALLCHAIN_USER;
	perf_writer_event_at(writer, *cpu)->regs_user = 0x1ff;
	perf_writer_event_at(writer, *cpu)->stack_user = 64;
	perf_writer_memory(writer);
	return writer;
}

static void add_sample(struct perf_writer *writer, unsigned cpu, uint64_t time, const char *stack)
{
	const uint64_t chain[] = { PERF_WRITER_KERNEL, 0xffffffff81000000, 0xffffffff81000100 };
	const struct perf_writer_sample sample = {
		.event = cpu,
		.ip = chain[1],
		.period = 5,
		.kernel = true,
		.chain = chain,
		.chain_nr = 3,
		.stack = stack,
		.stack_nr = stack ? 64 : 0,
	};

	perf_writer_sample(writer, time, &sample);
}

static const char secret[64] = "SECRET=value";

static void perf_rewrite__cpu_samples__have_the_chains_of_their_copies(void **state)
{
	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		struct perf_rewrite_result result;
		struct perf_writer *writer;
		struct reading reading;
		unsigned cpu;

		writer = new_writer(PERF_WRITER_FILE, &cpu);
		if (compressed)
			perf_writer_compress(writer, PERF_WRITER_COMPRESS, 300);
		for (uint64_t i = 0; i < 4; i++)
			add_sample(writer, cpu, S + i, secret);
		add_sample(writer, cpu, S + 4, NULL); /* a thread of the kernel */
		perf_writer_round(writer);
		distill_and_read(writer, &reading, &result);
		assert_string_equal(
			reading.text.buf,
			"0 10/10@0 cpu 5ns k:ffffffff81000000 ffffffff81000100 u:1000 2002 "
			"3003 unwound\n"
			"1 10/10@0 cpu 5ns k:ffffffff81000000 ffffffff81000100 u:1001 2002 "
			"3003 joined\n"
			"2 10/10@0 cpu 5ns k:ffffffff81000000 ffffffff81000100 u:1002 2002 "
			"3003 truncated\n"
			"3 10/10@0 cpu 5ns k:ffffffff81000000 ffffffff81000100 truncated\n"
			"4 10/10@0 cpu 5ns k:ffffffff81000000 ffffffff81000100\n");
		assert_int_equal(result.copies, 4);
		assert_int_equal(result.without_frames, 1);
		reading_release(&reading);
	}
}

/* What a sample has counts, not the room for it in the attr. */
static void perf_rewrite__copies_of_an_attr_without_room__are_replaced(void **state)
{
	struct perf_rewrite_result result;
	struct perf_writer *writer;
	struct reading reading;
	unsigned cpu;

	(void)state;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	perf_writer_event_at(writer, cpu)->stack_user = 0;
	add_sample(writer, cpu, S, secret);
	distill_and_read(writer, &reading, &result);
	assert_non_null(strstr(reading.text.buf, "u:1000 2002 3003 unwound\n"));
	assert_int_equal(result.copies, 1);
	reading_release(&reading);
}

/* A duplicate of a call gives the stack, as its copy did, and the same calls have a stack. */
static void perf_rewrite__memory_events__have_the_chains_of_their_copies(void **state)
{
	struct perf_rewrite_result result;
	struct perf_writer *writer;
	struct reading reading;
	unsigned cpu, copying;

	(void)state;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	copying = perf_writer_tracepoint(writer, "sys_enter_munmap", true);
	for (uint64_t i = 0; i < 6; i++) {
		const uint64_t args[] = { (i + 1) << 20, 0x1000 };

		perf_writer_call(writer, S + i * 10000, 3, args, 2);
		if (i != 4)
			perf_writer_call(writer, S + i * 10000 + 1, copying, args, 2);
	}
	distill_and_read(writer, &reading, &result);
	assert_non_null(strstr(reading.text.buf,
			       "release 100000+1000 weight 1 u:1000 2002 3003 unwound\n"));
	assert_non_null(
		strstr(reading.text.buf, "release 200000+1000 weight 1 u:1001 2002 3003 joined\n"));
	assert_non_null(strstr(reading.text.buf,
			       "release 300000+1000 weight 1 u:1002 2002 3003 truncated\n"));
	assert_null(strstr(reading.text.buf, "copy"));
	assert_int_equal(reading.facts.counters.stack_copies, 5);
	assert_int_equal(reading.facts.counters.stack_copies_unmatched, 0);
	assert_true(reading.facts.sampled_stacks);
	reading_release(&reading);
}

/* All other records stay as they are, in their order: the events are equal but for the stacks. */
static void perf_rewrite__other_records__stay(void **state)
{
	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		const struct perf_writer_map map = { 0x400000, 0x1000, 0,     "/bin/a",
						     { 1, 2 }, 2,      false, false };
		struct reading before, after;
		struct perf_rewrite_result result;
		struct perf_writer *writer;
		const struct strbuf *bytes;
		unsigned cpu;

		writer = new_writer(PERF_WRITER_FILE, &cpu);
		perf_writer_feature(writer, PERF_FEATURE_HOSTNAME, "here");
		if (compressed)
			perf_writer_compress(writer, PERF_WRITER_COMPRESS, 100);
		perf_writer_exec(writer, S, "a");
		perf_writer_map(writer, S + 1, &map);
		perf_writer_mmap(writer, S + 20000, 0x100000, 0x2000);
		perf_writer_round(writer);
		perf_writer_fork(writer, S + 30000, 11);
		perf_writer_thread(writer, S + 40000, 12);
		perf_writer_lost(writer, 7);
		perf_writer_munmap(writer, S + 50000, 0x100000, 0x1000);
		perf_writer_exit(writer, S + 60000);
		perf_writer_round(writer);
		bytes = perf_writer_finish(writer);
		reading_init(&before);
		assert_int_equal(read_bytes(&before, bytes->buf, bytes->len), 0);
		distill_and_read(writer, &after, &result);
		assert_string_equal(after.text.buf, before.text.buf);
		assert_string_equal(after.facts.hostname, "here");
		assert_int_equal(after.facts.counters.lost, 7);
		assert_int_equal(result.copies, 0);
		reading_release(&before);
		reading_release(&after);
	}
}

/* The outer frames for which a record has no room are left out, and the stack is truncated. */
static void perf_rewrite__chain_longer_than_a_record__is_truncated(void **state)
{
	struct perf_chains *chains = perf_chains_new();
	uint64_t *addresses = xcalloc(9000, sizeof(*addresses));
	struct perf_rewrite_result result;
	const struct strbuf *bytes;
	struct perf_writer *writer;
	struct reading reading;
	struct err err = ERR_INIT;
	uint64_t at;
	unsigned cpu;
	char *out;
	size_t nr;

	(void)state;
	for (size_t i = 0; i < 9000; i++)
		addresses[i] = 0x1000 + i;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	at = perf_writer_place(writer);
	add_sample(writer, cpu, S, secret);
	bytes = perf_writer_finish(writer);
	perf_chains_add(chains, at, addresses, 9000, STACK_UNWOUND);
	assert_int_equal(distill(bytes, chains, &out, &nr, &result, &err), 0);
	reading_init(&reading);
	assert_int_equal(read_bytes(&reading, out, nr), 0);
	assert_int_equal(result.without_frames, 0);
	assert_int_equal(reading.events, 1);
	assert_non_null(strstr(reading.text.buf, "u:1000 1001 "));
	assert_non_null(strstr(reading.text.buf, " 2f00 "));
	assert_string_equal(reading.text.buf + reading.text.len - strlen(" truncated\n"),
			    " truncated\n");
	reading_release(&reading);
	free(out);
	free(addresses);
	perf_chains_free(chains);
	perf_writer_free(writer);
}

static void perf_rewrite__killed_recording__is_still_truncated(void **state)
{
	struct perf_rewrite_result result;
	struct perf_writer *writer;
	struct reading reading;
	unsigned cpu;

	(void)state;
	writer = new_writer(PERF_WRITER_KILLED, &cpu);
	add_sample(writer, cpu, S, secret);
	distill_and_read(writer, &reading, &result);
	assert_true(reading.facts.counters.truncated);
	assert_int_equal(reading.events, 1);
	reading_release(&reading);
}

/* Records of 0 bytes in all are those of a file that perf still writes: no features would be read. */
static void perf_rewrite__no_records__is_no_file_still_written(void **state)
{
	struct perf_rewrite_result result;
	struct reading reading;
	unsigned cpu;

	(void)state;
	distill_and_read(new_writer(PERF_WRITER_KILLED, &cpu), &reading, &result);
	assert_true(reading.facts.counters.truncated);
	assert_int_equal(reading.events, 0);
	reading_release(&reading);
}

/* perf may leave out the end of what it has compressed last. The distilled file shows that where the original did. */
static void perf_rewrite__incomplete_compressed_record__is_truncated_at_its_end(void **state)
{
	/* A record of 32 bytes: a zstd frame with a block of 15 bytes as they are, the first ones of a sample of 64. */
	static const unsigned char last[] = {
		81, 0, 0, 0, 0, 0, 32, 0,  0x28, 0xb5, 0x2f, 0xfd, 0x20, 15, 15 << 3 | 1, 0,
		0,  9, 0, 0, 0, 2, 0,  64, 0,    0,    0,    0,    0,    0,  0,           0,
	};
	const struct strbuf *bytes;
	struct perf_rewrite_result result;
	struct perf_writer *writer;
	struct perf_reader *reader;
	struct trace_input input;
	struct reading reading;
	struct err err = ERR_INIT;
	unsigned cpu;
	char *out;
	size_t nr;

	(void)state;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	add_sample(writer, cpu, S, secret);
	perf_writer_bytes(writer, last, sizeof(last));
	bytes = perf_writer_finish(writer);
	out = choose_and_distill(bytes, &nr, &result);
	for (int i = 0; i < 2; i++) {
		reading_init(&reading);
		trace_input_memory(&input, i ? out : bytes->buf, i ? nr : bytes->len);
		assert_int_equal(perf_reader_open(&input, "x", &reading.options, &reading.limits,
						  &reading.facts, &reader, &err),
				 0);
		assert_false(reading.facts.counters.truncated);
		perf_reader_free(reader);
		reading_release(&reading);
		reading_init(&reading);
		assert_int_equal(read_bytes(&reading, i ? out : bytes->buf, i ? nr : bytes->len),
				 0);
		assert_true(reading.facts.counters.truncated);
		assert_int_equal(reading.events, 1);
		reading_release(&reading);
	}
	free(out);
	perf_writer_free(writer);
}

static void perf_rewrite__distilled__is_left(void **state)
{
	struct perf_rewrite_result result;
	struct perf_writer *writer;
	struct strbuf distilled = STRBUF_INIT;
	struct chosen chosen;
	struct err err = ERR_INIT;
	unsigned cpu;
	char *out;
	size_t nr;

	(void)state;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	add_sample(writer, cpu, S, secret);
	choose(&chosen, perf_writer_finish(writer));
	assert_int_equal(
		distill(perf_writer_finish(writer), chosen.chains, &out, &nr, &result, &err), 0);
	assert_false(result.already);
	strbuf_add(&distilled, out, nr);
	free(out);
	assert_int_equal(distill(&distilled, chosen.chains, &out, &nr, &result, &err), 0);
	assert_true(result.already);
	assert_int_equal(nr, 0);
	free(out);
	strbuf_release(&distilled);
	perf_chains_free(chosen.chains);
	perf_writer_free(writer);
}

/* Views report the damage of the original; of the new file they could not. */
static void perf_rewrite__damaged_feature__is_an_error(void **state)
{
	struct perf_rewrite_result result;
	struct perf_chains *chains = perf_chains_new();
	struct perf_writer *writer;
	struct strbuf cut = STRBUF_INIT;
	struct err err = ERR_INIT;
	unsigned cpu;
	char *out;
	size_t nr;

	(void)state;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	add_sample(writer, cpu, S, secret);
	strbuf_add(&cut, perf_writer_finish(writer)->buf, perf_writer_finish(writer)->len - 8);
	assert_int_equal(distill(&cut, chains, &out, &nr, &result, &err), -1);
	assert_int_equal(err.code, ERR_CORRUPT);
	assert_non_null(strstr(err.msg, "is damaged"));
	assert_int_equal(nr, 0);
	err_clear(&err);
	free(out);
	strbuf_release(&cut);
	perf_chains_free(chains);
	perf_writer_free(writer);
}

static void perf_rewrite__not_to_be_written__is_an_error(void **state)
{
	static const struct {
		enum perf_writer_form form;
		uint32_t type; /* of a record; 0: none */
		uint64_t word; /* its first */
		uint64_t regs; /* mask of the registers of a stack copy */
		enum err_code code;
		const char *why;
	} cases[] = {
		{ PERF_WRITER_PIPE, 0, 0, 0x1ff, ERR_UNSUPPORTED,
		  "cannot distill 'in': it was recorded through a pipe" },
		{ PERF_WRITER_FILE, PERF_AUXTRACE, 0, 0x1ff, ERR_UNSUPPORTED,
		  "cannot distill 'in': it has a record of type 71" },
		{ PERF_WRITER_FILE, PERF_COMPRESSED2, 4000, 0x1ff, ERR_CORRUPT,
		  "cannot distill 'in': compressed records are damaged" },
		{ PERF_WRITER_FILE, PERF_SAMPLE, 4000, 0x1ff, ERR_CORRUPT,
		  "cannot distill 'in': a sample of an unknown event at 0x" },
		{ PERF_WRITER_FILE, 0, 0, 0, ERR_UNSUPPORTED,
		  "cannot distill 'in': its event 0 has stack bytes without registers" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint64_t payload[5] = { cases[i].word };
		struct perf_rewrite_result result;
		struct perf_chains *chains = perf_chains_new();
		struct perf_writer *writer;
		struct err err = ERR_INIT;
		unsigned cpu;
		char *out;
		size_t nr;

		writer = new_writer(cases[i].form, &cpu);
		perf_writer_event_at(writer, cpu)->regs_user = cases[i].regs;
		if (cases[i].type)
			perf_writer_record(writer, cases[i].type, 0, payload, sizeof(payload));
		assert_int_equal(
			distill(perf_writer_finish(writer), chains, &out, &nr, &result, &err), -1);
		assert_int_equal(err.code, cases[i].code);
		if (strncmp(err.msg, cases[i].why, strlen(cases[i].why)))
			assert_string_equal(err.msg, cases[i].why);
		err_clear(&err);
		free(out);
		perf_chains_free(chains);
		perf_writer_free(writer);
	}
}

/* The next record of a distilled file: its type and bytes. */
static uint32_t next_record(const unsigned char **at, const unsigned char **bytes, size_t *nr)
{
	const unsigned char *record = *at;

	*bytes = record + PERF_RECORD_HEADER;
	*nr = (size_t)le_get16(record + 6) - PERF_RECORD_HEADER;
	*at += le_get16(record + 6);
	return le_get32(record);
}

/* Decompress the records of one frame, from its first record on, and append the bytes. */
static void decompress_frame(const unsigned char *at, const unsigned char *end, struct strbuf *to)
{
	ZSTD_DCtx *context = ZSTD_createDCtx();
	static char bytes[1 << 16];
	size_t left = 1;

	while (left && at < end) {
		const unsigned char *compressed;
		size_t nr, had = to->len;
		ZSTD_inBuffer in;

		if (next_record(&at, &compressed, &nr) != PERF_COMPRESSED)
			continue;
		in = (ZSTD_inBuffer){ compressed, nr, 0 };
		while (in.pos < in.size) {
			ZSTD_outBuffer out = { bytes, sizeof(bytes), 0 };

			left = ZSTD_decompressStream(context, &out, &in);
			assert_false(ZSTD_isError(left));
			strbuf_add(to, bytes, out.pos);
		}
		assert_in_range(to->len - had, 1, PERF_COMPRESSED_BYTES);
	}
	ZSTD_freeDCtx(context);
}

/* The bytes are whole records. */
static void assert_are_records(const struct strbuf *bytes)
{
	const unsigned char *at = (const unsigned char *)bytes->buf, *end = at + bytes->len;

	while (at < end) {
		assert_in_range(end - at, PERF_RECORD_HEADER, SIZE_MAX);
		assert_in_range(le_get32(at), PERF_MMAP, PERF_HEADER_ATTR - 1);
		assert_in_range(le_get16(at + 6), PERF_RECORD_HEADER, end - at);
		at += le_get16(at + 6);
	}
}

/* Invalid frame pointers lead to memory, of which any 8 bytes are taken for an address. */
static void perf_rewrite__words_of_memory__are_replaced(void **state)
{
	const uint64_t text = UINT64_C(0x3d54455243455354); /* "TSECRET=" */
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL,
				   UINT64_C(0xffffffff81000000),
				   (uint64_t)PERF_CONTEXT_USER,
				   0x40010,
				   0x41000,
				   text,
				   0x7fff0000,
				   (uint64_t)PERF_CONTEXT_KERNEL,
				   text };
	const uint64_t addresses[] = { 0x40020, text, 0x41000 };
	const struct perf_writer_map map = { 0x40000, 0x1000, 0, "/bin/a", { 0 }, 0, false, false };
	struct perf_chains *chains = perf_chains_new();
	struct perf_code *code = perf_code_new();
	struct perf_rewrite_result result;
	const struct strbuf *bytes;
	struct perf_writer *writer;
	struct reading reading;
	struct err err = ERR_INIT;
	struct strbuf records = STRBUF_INIT;
	const unsigned char *data;
	unsigned copies;
	uint64_t at;
	char *out;
	size_t nr;

	(void)state;
	perf_code_see(code,
		      &(struct trace_event){
			      .kind = TRACE_MAP,
			      .map = { .address = 0x40000, .length = 0x1000, .code = true } });
	writer = new_writer(PERF_WRITER_FILE, &copies);
	perf_writer_map(writer, S, &map);
	at = perf_writer_place(writer);
	add_sample(writer, copies, 2 * S, secret);
	perf_writer_sample(writer, 3 * S,
			   &(struct perf_writer_sample){ .event = copies,
							 .ip = 0x40010,
							 .chain = chain,
							 .chain_nr = ARRAY_SIZE(chain) });
	bytes = perf_writer_finish(writer);
	perf_chains_add(chains, at, addresses, ARRAY_SIZE(addresses), STACK_UNWOUND);
	assert_int_equal(distill_with(bytes, chains, code, &out, &nr, &result, &err), 0);
	reading_init(&reading);
	assert_int_equal(read_bytes(&reading, out, nr), 0);
	data = (const unsigned char *)out;
	at = le_get64(data + PERF_HEADER_DATA);
	decompress_frame(data + at, data + at + le_get64(data + PERF_HEADER_DATA + 8), &records);
	assert_are_records(&records);
	for (size_t i = 0; i + 8 <= records.len; i++)
		assert_memory_not_equal(records.buf + i, &text, 8);
	assert_non_null(strstr(reading.text.buf, "u:40020 1 41000"));
	assert_non_null(strstr(reading.text.buf, "k:ffffffff81000000 u:40010 41000 1 1"));
	strbuf_release(&records);
	reading_release(&reading);
	free(out);
	perf_code_free(code);
	perf_chains_free(chains);
	perf_writer_free(writer);
}

/* Of a trace without stack copies, in all forms that a chain may have. */
static void perf_rewrite__words_of_plain_chains__are_replaced(void **state)
{
	const uint64_t text = UINT64_C(0x3d54455243455354);
	const uint64_t guest = (uint64_t)-2048;
	static const struct perf_writer_map map = { 0x40000, 0x1000, 0,     "/bin/a",
						    { 0 },   0,      false, false };
	const struct {
		uint64_t chain[5];
		size_t nr, words;
		const char *expected;
	} cases[] = {
		{ { PERF_WRITER_USER, 0x40010, 0x41000, text }, 4, 1, "u:40010 41000 1\n" },
		{ { 0x40010, text, 0x40020 }, 3, 1, "u:40010 1 40020\n" },
		{ { 0x40010, PERF_WRITER_KERNEL, text }, 3, 1, "u:40010\n" },
		{ { guest, text, PERF_WRITER_USER, 0x40010, text }, 5, 2, "u:40010 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
		struct perf_code *code = perf_code_new();
		struct perf_rewrite_result result;
		struct reading reading;
		struct err err = ERR_INIT;
		char *out;
		size_t nr;

		perf_code_see(code, &(struct trace_event){ .kind = TRACE_MAP,
							   .map = { .address = 0x40000,
								    .length = 0x1000,
								    .code = true } });
		perf_writer_cpu_clock(writer, 1000);
		perf_writer_map(writer, S, &map);
		perf_writer_sample(writer, 2 * S,
				   &(struct perf_writer_sample){ .ip = 0x40010,
								 .period = 5,
								 .chain = cases[i].chain,
								 .chain_nr = cases[i].nr });
		assert_int_equal(distill_with(perf_writer_finish(writer), NULL, code, &out, &nr,
					      &result, &err),
				 0);
		assert_int_equal(result.words, cases[i].words);
		reading_init(&reading);
		assert_int_equal(read_bytes(&reading, out, nr), 0);
		if (!strstr(reading.text.buf, cases[i].expected))
			fail_msg("%zu: %s", i, reading.text.buf);
		reading_release(&reading);
		free(out);
		perf_code_free(code);
		perf_writer_free(writer);
	}
}

/* The kernel writes no repeated marker: it is how a distilled trace says that a chain was unwound. */
static void perf_rewrite__repeated_marker_of_a_plain_chain__is_left_out(void **state)
{
	const uint64_t chain[] = { PERF_WRITER_USER, PERF_WRITER_USER, 0x1010, 0x1020 };
	struct perf_rewrite_result result;
	struct perf_writer *writer;
	struct reading reading;
	unsigned cpu;

	(void)state;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	perf_writer_sample(writer, S,
			   &(struct perf_writer_sample){
				   .event = cpu, .ip = 0x1010, .chain = chain, .chain_nr = 4 });
	distill_and_read(writer, &reading, &result);
	assert_non_null(strstr(reading.text.buf, "u:1010 1020\n"));
	reading_release(&reading);
}

/* Each frame has whole records, and needs no other frame. */
static void perf_rewrite__large_file__has_independent_frames(void **state)
{
	struct perf_rewrite_result result;
	struct perf_writer *writer;
	struct perf_chains *chains = perf_chains_new();
	struct err err = ERR_INIT;
	const unsigned char *feature, *data;
	uint64_t frames, last, end;
	unsigned cpu;
	char *out;
	size_t nr;

	(void)state;
	writer = new_writer(PERF_WRITER_FILE, &cpu);
	for (uint64_t i = 0; i < 120000; i++) {
		const uint64_t args[] = { i * i * i, i << 40, 3 };

		perf_writer_call(writer, S + i * 1000, 8, args, 3);
		if (i % 5000 == 0)
			perf_writer_round(writer);
	}
	assert_int_equal(distill(perf_writer_finish(writer), chains, &out, &nr, &result, &err), 0);
	data = (const unsigned char *)out;
	/* The feature is the last one: its section ends with the file. */
	last = end = le_get64(data + PERF_HEADER_DATA) + le_get64(data + PERF_HEADER_DATA + 8);
	while (le_get64(data + last) + le_get64(data + last + 8) != nr)
		last += 16;
	feature = data + le_get64(data + last);
	feature += 20 + 9 * 4; /* of nine events */
	frames = le_get64(feature);
	assert_in_range(frames, 2, 20);
	for (uint64_t i = 0; i < frames; i++) {
		const unsigned char *frame = feature + 8 + i * 16;
		struct strbuf bytes = STRBUF_INIT;

		decompress_frame(data + le_get64(frame), data + end, &bytes);
		if (i + 1 < frames)
			assert_int_equal(bytes.len, le_get64(frame + 24) - le_get64(frame + 8));
		assert_true(bytes.len > 0);
		assert_are_records(&bytes);
		strbuf_release(&bytes);
	}
	free(out);
	perf_chains_free(chains);
	perf_writer_free(writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_rewrite__cpu_samples__have_the_chains_of_their_copies),
		cmocka_unit_test(perf_rewrite__copies_of_an_attr_without_room__are_replaced),
		cmocka_unit_test(perf_rewrite__memory_events__have_the_chains_of_their_copies),
		cmocka_unit_test(perf_rewrite__other_records__stay),
		cmocka_unit_test(perf_rewrite__words_of_memory__are_replaced),
		cmocka_unit_test(perf_rewrite__words_of_plain_chains__are_replaced),
		cmocka_unit_test(perf_rewrite__repeated_marker_of_a_plain_chain__is_left_out),
		cmocka_unit_test(perf_rewrite__chain_longer_than_a_record__is_truncated),
		cmocka_unit_test(perf_rewrite__killed_recording__is_still_truncated),
		cmocka_unit_test(perf_rewrite__no_records__is_no_file_still_written),
		cmocka_unit_test(
			perf_rewrite__incomplete_compressed_record__is_truncated_at_its_end),
		cmocka_unit_test(perf_rewrite__distilled__is_left),
		cmocka_unit_test(perf_rewrite__damaged_feature__is_an_error),
		cmocka_unit_test(perf_rewrite__not_to_be_written__is_an_error),
		cmocka_unit_test(perf_rewrite__large_file__has_independent_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
