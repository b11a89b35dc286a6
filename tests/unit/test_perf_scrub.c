#include "trace/perf/perf_scrub.h"

#include "perf_reader_fixture.h"
#include "trace/perf/perf_format.h"
#include "trace/perf/perf_rewrite.h"
#include "util/array.h"

#define S UINT64_C(1000000000)

enum { OF_BUILD = 10, CHILD = 11, OTHER = 20 };

/* What the last scrub_file() says of what was left out, a line each. */
static struct strbuf removed = STRBUF_INIT;

static void keep_removed(const struct scrub *scrub)
{
	size_t nr;
	const struct scrub_removed *list = scrub_list(scrub, &nr);

	strbuf_clear(&removed);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&removed, "%d %s\n", (int)list[i].count, list[i].what);
}

/* Scrub the writer's file, of which OF_BUILD is a process of the build, and read the result. */
static int scrub_file(const struct strbuf *bytes, struct reading *reading, struct err *err)
{
	struct scrub *scrub = scrub_new();
	struct perf_scrub *perf = perf_scrub_new(scrub);
	struct perf_rewrite_result result;
	struct trace_input input;
	FILE *file = tmpfile();
	const struct perf_rewrite_job job = { .input = &input,
					      .from = "in",
					      .out = file,
					      .to = "out",
					      .code = perf_code_new(),
					      .scrub = perf };
	int rc;

	assert_non_null(file);
	reading_init(reading);
	scrub_add_user(scrub, "alice");
	scrub_add_host(scrub, "build7");
	perf_scrub_add_process(perf, OF_BUILD);
	trace_input_memory(&input, bytes->buf, bytes->len);
	rc = perf_scrub_read(perf, &input, "in", job.code, NULL, err);
	if (!rc)
		rc = perf_rewrite(&job, &result, err);
	if (!rc) {
		size_t nr;
		char *out;

		fseek(file, 0, SEEK_END);
		nr = (size_t)ftell(file);
		out = xmalloc(nr + 1);
		rewind(file);
		assert_int_equal(fread(out, 1, nr, file), nr);
		assert_int_equal(read_bytes(reading, out, nr), 0);
		assert_string_equal(reading->facts.first_damage.buf, "");
		free(out);
	}
	fclose(file);
	keep_removed(scrub);
	perf_code_free(job.code);
	perf_scrub_free(perf);
	scrub_free(scrub);
	return rc;
}

static void scrub_writer(struct perf_writer *writer, struct reading *reading)
{
	struct err err = ERR_INIT;

	if (scrub_file(perf_writer_finish(writer), reading, &err))
		fail_msg("%s", err.msg);
	perf_writer_free(writer);
}

static void has(const struct reading *reading, const char *text)
{
	if (!strstr(reading->text.buf, text))
		fail_msg("there is no '%s' in\n%s", text, reading->text.buf);
}

static void has_not(const struct reading *reading, const char *text)
{
	if (strstr(reading->text.buf, text))
		fail_msg("there is '%s' in\n%s", text, reading->text.buf);
}

static void map(struct perf_writer *writer, uint64_t time, const char *path)
{
	const struct perf_writer_map map = {
		0x1000 * time / S, 0x1000, 0, path, { 0 }, 0, false, false
	};

	perf_writer_map(writer, time, &map);
}

static void perf_scrub__processes_of_the_build__keep_scrubbed_texts(void **state)
{
	(void)state;
	for (int compressed = 0; compressed < 2; compressed++) {
		struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
		struct reading reading;

		perf_writer_cpu_clock(writer, 1000);
		if (compressed)
			perf_writer_compress(writer, PERF_WRITER_COMPRESS, 100);
		perf_writer_on(writer, OF_BUILD, OF_BUILD, 0);
		perf_writer_exec(writer, S, "alice-build7");
		map(writer, 2 * S, "/home/alice/a-rather-long-directory/lib.so");
		map(writer, 3 * S, "/home/bob/x");
		perf_writer_cpu(writer, 4 * S, 0x3000);
		perf_writer_fork(writer, 5 * S, CHILD);
		perf_writer_on(writer, CHILD, CHILD, 0);
		perf_writer_name(writer, 6 * S, "child");
		perf_writer_round(writer);
		scrub_writer(writer, &reading);
		has(&reading, "user-host");
		has(&reading, "/home/user/a-rather-long-directory/lib.so");
		has(&reading, "/home/user2/x");
		has(&reading, "child");
		has_not(&reading, "alice");
		has_not(&reading, "bob");
		reading_release(&reading);
	}
}

static void perf_scrub__other_processes__have_no_texts(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_on(writer, OTHER, OTHER, 0);
	perf_writer_name(writer, S, "secret-name");
	map(writer, 2 * S, "/opt/secret/one");
	map(writer, 3 * S, "/opt/secret/two");
	map(writer, 4 * S, "/lib/libc.so");
	perf_writer_cpu(writer, 5 * S, 0x3000);
	perf_writer_on(writer, OF_BUILD, OF_BUILD, 0);
	map(writer, 6 * S, "/lib/libc.so");
	perf_writer_round(writer);
	scrub_writer(writer, &reading);
	has_not(&reading, "secret");
	has(&reading, "other");
	has(&reading, "/other/1");
	has(&reading, "/other/2");
	has(&reading, "/lib/libc.so");
	reading_release(&reading);
}

static void perf_scrub__words_of_memory__are_replaced(void **state)
{
	const uint64_t text = UINT64_C(0x3d54455243455354);
	const uint64_t chain[] = { PERF_WRITER_USER, 0x2010, text };
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_on(writer, OF_BUILD, OF_BUILD, 0);
	map(writer, 2 * S, "/lib/a.so");
	perf_writer_sample(writer, 3 * S,
			   &(struct perf_writer_sample){
				   .ip = 0x2010, .period = 5, .chain = chain, .chain_nr = 3 });
	perf_writer_round(writer);
	scrub_writer(writer, &reading);
	has(&reading, "u:2010 1\n");
	has_not(&reading, "3d54455243455354");
	reading_release(&reading);
}

static void perf_scrub__features__are_scrubbed_or_left_out(void **state)
{
	const char topology[] = "\x05\0\0\0secret";
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_feature(writer, PERF_FEATURE_HOSTNAME, "build7");
	perf_writer_feature(writer, PERF_FEATURE_OSRELEASE, "6.1-alice");
	perf_writer_feature_bytes(writer, 25, topology, sizeof(topology));
	perf_writer_cpu(writer, S, 0x3000);
	scrub_writer(writer, &reading);
	assert_string_equal(reading.facts.hostname, "host");
	assert_string_equal(reading.facts.os_release, "6.1-user");
	reading_release(&reading);
}

static void perf_scrub__unknown_records__are_left_out(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_cpu(writer, S, 0x3000);
	perf_writer_record(writer, 30, 0, "alice\0\0", 8);
	perf_writer_record(writer, 90, 0, "alice\0\0", 8);
	scrub_writer(writer, &reading);
	assert_int_equal(reading.facts.counters.unknown, 0);
	assert_int_equal(reading.events, 1);
	reading_release(&reading);
}

static void refuses(struct perf_writer *writer, const char *message)
{
	struct err err = ERR_INIT;
	struct reading reading;

	assert_int_equal(scrub_file(perf_writer_finish(writer), &reading, &err), -1);
	if (!strstr(err.msg, message))
		fail_msg("'%s' is not in '%s'", message, err.msg);
	err_clear(&err);
	reading_release(&reading);
	perf_writer_free(writer);
}

static void perf_scrub__what_cannot_be_scrubbed__is_refused(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_PIPE);
	unsigned event;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_cpu(writer, S, 0x3000);
	refuses(writer, "through a pipe");

	writer = perf_writer_new(PERF_WRITER_FILE);
	event = perf_writer_cpu_clock(writer, 1000);
	perf_writer_event_at(writer, event)->sample_type |= 1 << 20; /* AUX */
	perf_writer_cpu(writer, S, 0x3000);
	refuses(writer, "hold memory or registers");

	writer = perf_writer_new(PERF_WRITER_FILE);
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_cpu(writer, S, 0x3000);
	perf_writer_record(writer, PERF_SAMPLE, 0, "", 0);
	refuses(writer, "a sample lacks fields");

	writer = perf_writer_new(PERF_WRITER_FILE);
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_cpu(writer, S, 0x3000);
	perf_writer_record(writer, PERF_COMM, 0, "\x0a\0\0\0\x0a\0\0\0alicealice", 18);
	refuses(writer, "a record of type 3 lacks fields");
}

/* EVENT_UPDATE of a kind that is not known, CGROUP, and what only a later kernel has. */
static void perf_scrub__records_left_out__are_named(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_cpu(writer, S, 0x3000);
	perf_writer_record(writer, PERF_EVENT_UPDATE, 0, "\x63\0\0\0\0\0\0\0alice\0\0", 16);
	perf_writer_record(writer, 19, 0, "\0\0\0\0\0\0\0\0/alice\0", 16);
	perf_writer_record(writer, 19, 0, "\0\0\0\0\0\0\0\0/alice\0", 16);
	perf_writer_record(writer, 40, 0, "alicealice", 16);
	scrub_writer(writer, &reading);
	assert_string_equal(removed.buf, "1 records EVENT_UPDATE of the trace\n"
					 "2 records CGROUP of the trace\n"
					 "1 records of unknown types of the trace\n"
					 "2 words of memory in call chains\n");
	reading_release(&reading);
}

static void add_sized(struct strbuf *sb, const char *text)
{
	uint64_t nr = strlen(text);

	strbuf_add(sb, &nr, sizeof(nr));
	strbuf_adds(sb, text);
}

static void add_count(struct strbuf *sb, uint32_t nr)
{
	strbuf_add(sb, &nr, sizeof(nr));
}

#define FORMAT(name, id) \
	"name: " name "\nID: " id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:2;\tsize:4;\tsigned:1;\n" \
	"\tfield:char comm[16];\toffset:6;\tsize:16;\tsigned:0;\n" \
	"\tfield:__data_loc char[] filename;\toffset:22;\tsize:4;\tsigned:0;\n" \
	"\tfield:u8 bytes[4];\toffset:26;\tsize:4;\tsigned:0;\n" \
	"\tfield:pid_t pid;\toffset:30;\tsize:4;\tsigned:1;\n" \
	"\tfield:char next_comm[8];\toffset:34;\tsize:8;\tsigned:0;\n" \
	"\tfield:pid_t next_pid;\toffset:42;\tsize:4;\tsigned:1;\n" \
	"\tfield:char no_owner[8];\toffset:46;\tsize:8;\tsigned:0;\n"

/* Formats of a tracepoint that every kernel has, and of one that a user defined. */
static void make_tracing(struct strbuf *sb)
{
	strbuf_add(sb, "\x17\x08\x44tracing0.6\0\0\x08\0\x10\0\0header_page\0", 32);
	add_sized(sb, "");
	strbuf_add(sb, "header_event", 13);
	add_sized(sb, "");
	add_count(sb, 0);
	add_count(sb, 2);
	strbuf_add(sb, "sched", 6);
	add_count(sb, 1);
	add_sized(sb, FORMAT("sched_process_exec", "5"));
	strbuf_add(sb, "probe_alice", 12);
	add_count(sb, 1);
	add_sized(sb, FORMAT("probe", "6"));
	add_count(sb, 7);
	strbuf_adds(sb, "secrets");
}

/* Of the threads that the ids are of, and of the sample's own thread as the machine numbers it. */
struct raw_ids {
	int32_t common, own, next;
};

static const char raw_data[] = "\x05\x00"
			       "...."
			       "alice\0secretword"
			       "\x36\x00\x0e\x00"
			       "abcd"
			       "...."
			       "next\0..."
			       "...."
			       "owner\0.."
			       "/home/alice/x\0";

static void scrub_raw(struct perf_scrub *perf, const struct perf_tracing *tracing, int64_t pid,
		      uint64_t id, const struct raw_ids *ids, struct strbuf *to)
{
	const struct perf_event event = { .type = PERF_TYPE_TRACEPOINT, .config = id };
	unsigned char raw[sizeof(raw_data)];
	const struct perf_sample sample = {
		.pid = (int32_t)pid, .tid = (int32_t)pid, .raw = raw, .raw_nr = sizeof(raw) - 1
	};

	memcpy(raw, raw_data, sizeof(raw));
	le_put32(raw + 2, (uint32_t)ids->common);
	le_put32(raw + 30, (uint32_t)ids->own);
	le_put32(raw + 42, (uint32_t)ids->next);
	strbuf_clear(to);
	perf_scrub_raw(perf, tracing, &event, &sample, to);
	assert_int_equal(to->len % 8, 0);
	assert_int_equal(le_get32((const unsigned char *)to->buf), to->len - 4);
}

/* The texts of the result: "comm filename next_comm no_owner". */
static void has_texts(const struct strbuf *raw, const char *expected)
{
	const unsigned char *at = (const unsigned char *)raw->buf + 4;
	uint32_t where = le_get32(at + 22);
	char texts[100];

	snprintf(texts, sizeof(texts), "%s|%s|%s|%s", (const char *)at + 6,
		 (const char *)at + (where & 0xffff), (const char *)at + 34, (const char *)at + 46);
	assert_string_equal(texts, expected);
	assert_memory_equal(at + 26, "\0\0\0\0", 4);
	assert_true((where & 0xffff) + (where >> 16) <= raw->len - 4);
}

static void perf_scrub_raw__texts__are_scrubbed_or_removed(void **state)
{
	const struct raw_ids build = { OF_BUILD, OF_BUILD, OTHER }, other = { OTHER, OTHER, OTHER },
			     child = { OF_BUILD, OTHER, CHILD },
			     in_namespace = { 999, OF_BUILD, OF_BUILD };
	struct strbuf bytes = STRBUF_INIT, common = STRBUF_INIT, raw = STRBUF_INIT;
	struct scrub *scrub = scrub_new();
	struct perf_scrub *perf = perf_scrub_new(scrub);
	struct perf_tracing tracing;
	struct err err = ERR_INIT;
	uint64_t left_out;

	(void)state;
	scrub_add_user(scrub, "alice");
	perf_scrub_add_process(perf, OF_BUILD);
	perf_scrub_add_process(perf, CHILD);
	make_tracing(&bytes);
	perf_tracing_init(&tracing);
	assert_int_equal(
		perf_tracing_parse(&tracing, (const unsigned char *)bytes.buf, bytes.len, &err), 0);
	scrub_raw(perf, &tracing, OF_BUILD, 5, &build, &raw);
	has_texts(&raw, "user|/home/user/x||");
	scrub_raw(perf, &tracing, OF_BUILD, 5, &child, &raw);
	has_texts(&raw, "||next|");
	scrub_raw(perf, &tracing, OF_BUILD, 5, &in_namespace, &raw);
	has_texts(&raw, "|||");
	scrub_raw(perf, &tracing, OTHER, 5, &other, &raw);
	has_texts(&raw, "|||");
	scrub_raw(perf, &tracing, OF_BUILD, 6, &build, &raw);
	assert_int_equal(raw.len, 8);

	assert_true(perf_tracing_add_common((const unsigned char *)bytes.buf, bytes.len, &common,
					    &left_out));
	assert_int_equal(left_out, 1);
	perf_tracing_release(&tracing);
	perf_tracing_init(&tracing);
	assert_int_equal(
		perf_tracing_parse(&tracing, (const unsigned char *)common.buf, common.len, &err),
		0);
	assert_int_equal(tracing.nr, 1);
	assert_null(memchr(common.buf + common.len - 16, 's', 16));
	perf_tracing_release(&tracing);
	perf_scrub_free(perf);
	scrub_free(scrub);
	strbuf_release(&bytes);
	strbuf_release(&common);
	strbuf_release(&raw);
}

static void perf_scrub_check__memory_and_registers__are_refused(void **state)
{
	static const struct {
		uint64_t type;
		bool chains, refused;
	} cases[] = {
		{ PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW, false, false },
		{ PERF_SAMPLE_IP | UINT64_C(1) << 18, true, true }, /* REGS_INTR */
		{ PERF_SAMPLE_IP | UINT64_C(1) << 20, true, true }, /* AUX */
		{ PERF_SAMPLE_REGS_USER, true, true },
		{ PERF_SAMPLE_STACK_USER, true, true },
		{ PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, false, true },
		{ PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event event = { .name = (char *)"cycles",
					    .sample_type = cases[i].type,
					    .regs_user = 0xff };
		const struct perf_events events = { .v = &event, .nr = 1 };
		struct err err = ERR_INIT;

		assert_int_equal(perf_scrub_check(&events, cases[i].chains, &err),
				 cases[i].refused ? -1 : 0);
		if (cases[i].refused)
			assert_string_equal(err.msg, "samples of 'cycles' hold memory or registers "
						     "of programs");
		err_clear(&err);
	}
}

static void map_with_id(struct perf_writer *writer, uint64_t time, const char *path, uint8_t id)
{
	struct perf_writer_map map = {
		0x1000 * time / S, 0x1000, 0, path, { 0 }, 20, false, false
	};

	memset(map.id, id, sizeof(map.id));
	perf_writer_map(writer, time, &map);
}

static void add_build_id(struct perf_writer *writer, const char *path, int id, uint16_t misc)
{
	unsigned char record[64] = { 67 };

	le_put16(record + 4, misc);
	le_put16(record + 6, sizeof(record));
	memset(record + PERF_BUILD_ID_AT, id, 20);
	record[PERF_BUILD_ID_LENGTH] = 16;
	memcpy(record + PERF_BUILD_ID_PATH, path, strlen(path));
	perf_writer_feature_bytes(writer, PERF_FEATURE_BUILD_ID, record, sizeof(record));
}

/* In the header, where the mappings have none. */
static void perf_scrub__build_ids_in_the_header__become_numbers(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	add_build_id(writer, "/opt/one", 0xa1, PERF_MISC_USER | PERF_MISC_BUILD_ID_SIZE);
	add_build_id(writer, "/opt/two", 0xa2, PERF_MISC_USER);
	add_build_id(writer, "/opt/copy-of-libc.so", 0xb1, PERF_MISC_USER);
	add_build_id(writer, "/lib/libc.so", 0xb1, PERF_MISC_USER);
	perf_writer_on(writer, OTHER, OTHER, 0);
	map(writer, S, "/opt/one");
	map(writer, 2 * S, "/opt/two");
	map(writer, 3 * S, "/opt/copy-of-libc.so");
	perf_writer_on(writer, OF_BUILD, OF_BUILD, 0);
	map(writer, 4 * S, "/lib/libc.so");
	perf_writer_round(writer);
	scrub_writer(writer, &reading);
	has_not(&reading, "a1a1");
	has_not(&reading, "a2a2");
	has(&reading, "/other/1' id 0000000000000000000000000000000000000001");
	has(&reading, "/other/2' id 0000000000000000000000000000000000000002");
	has(&reading, "/other/3' id b1b1");
	has(&reading, "/lib/libc.so' id b1b1");
	reading_release(&reading);
}

static void perf_scrub__build_ids_of_other_files__become_numbers(void **state)
{
	struct perf_writer *writer = perf_writer_new(PERF_WRITER_FILE);
	struct reading reading;

	(void)state;
	perf_writer_cpu_clock(writer, 1000);
	perf_writer_on(writer, OTHER, OTHER, 0);
	map_with_id(writer, S, "/opt/one", 0xa1);
	map_with_id(writer, 2 * S, "/opt/two (deleted)", 0xa2);
	map_with_id(writer, 3 * S, "/opt/again", 0xa1);
	map_with_id(writer, 4 * S, "/opt/copy-of-libc.so", 0xb1);
	perf_writer_cpu(writer, 5 * S, 0x3000);
	perf_writer_on(writer, OF_BUILD, OF_BUILD, 0);
	map_with_id(writer, 6 * S, "/lib/libc.so", 0xb1);
	perf_writer_round(writer);
	scrub_writer(writer, &reading);
	has_not(&reading, "a1a1");
	has_not(&reading, "a2a2");
	has_not(&reading, "deleted");
	has(&reading, "/other/1' id 0000000000000000000000000000000000000001");
	has(&reading, "/other/2' id 0000000000000000000000000000000000000002");
	has(&reading, "/other/3' id 0000000000000000000000000000000000000001");
	has(&reading, "/other/4' id b1b1");
	has(&reading, "/lib/libc.so' id b1b1");
	reading_release(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_scrub__processes_of_the_build__keep_scrubbed_texts),
		cmocka_unit_test(perf_scrub__other_processes__have_no_texts),
		cmocka_unit_test(perf_scrub__words_of_memory__are_replaced),
		cmocka_unit_test(perf_scrub__features__are_scrubbed_or_left_out),
		cmocka_unit_test(perf_scrub__unknown_records__are_left_out),
		cmocka_unit_test(perf_scrub__what_cannot_be_scrubbed__is_refused),
		cmocka_unit_test(perf_scrub_check__memory_and_registers__are_refused),
		cmocka_unit_test(perf_scrub__build_ids_of_other_files__become_numbers),
		cmocka_unit_test(perf_scrub__records_left_out__are_named),
		cmocka_unit_test(perf_scrub__build_ids_in_the_header__become_numbers),
		cmocka_unit_test(perf_scrub_raw__texts__are_scrubbed_or_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
