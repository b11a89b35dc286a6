#include "symbol/pdb/pdb_msf.h"

#include "pdb_fixture.h"

/* Different bytes at each place. */
static void fill(struct strbuf *to, size_t nr, uint32_t seed)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addc(to, (char)((seed + i) * UINT32_C(2654435761) >> 24));
}

static void expect_bytes(const struct pdb_msf *msf, uint32_t number, const struct strbuf *expected)
{
	struct pdb_stream stream;
	struct err err = ERR_INIT;
	unsigned char *bytes;

	assert_int_equal(pdb_msf_size(msf, number), expected->len);
	if (!expected->len) {
		assert_int_equal(pdb_stream_open(msf, number, &stream, &err), -1);
		assert_int_equal(err.code, ERR_NOT_FOUND);
		err_clear(&err);
		return;
	}
	assert_int_equal(pdb_stream_open(msf, number, &stream, &err), 0);
	bytes = pdb_stream_load(&stream, 0, stream.size, &err);
	assert_non_null(bytes);
	assert_memory_equal(bytes, expected->buf, expected->len);
	free(bytes);
	for (size_t at = 0; at < expected->len; at += 1 + expected->len / 7) {
		size_t nr = expected->len - at < 700 ? expected->len - at : 700;

		bytes = pdb_stream_load(&stream, at, nr, &err);
		assert_non_null(bytes);
		assert_memory_equal(bytes, expected->buf + at, nr);
		free(bytes);
	}
	assert_null(pdb_stream_load(&stream, 1, stream.size, &err));
	assert_int_equal(err.code, ERR_CORRUPT);
	err_clear(&err);
	pdb_stream_close(&stream);
}

/* Streams of all kinds of sizes; with many the directory and the list of its pages have several pages too. */
static void check_file(const char *path, uint32_t page_size, bool scatter, size_t nr)
{
	struct strbuf *streams = xcalloc(nr, sizeof(*streams)), file = STRBUF_INIT;
	const size_t sizes[] = { 0, 1, page_size - 1, page_size, page_size + 1, 9 * page_size + 5 };
	struct pdb_msf *msf;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < nr; i++) {
		streams[i] = (struct strbuf)STRBUF_INIT;
		fill(&streams[i], sizes[i % ARRAY_SIZE(sizes)], (uint32_t)i * 1000);
	}
	msf_write(streams, nr, page_size, scatter, &file);
	pdb_place_put(path, &file);
	assert_int_equal(pdb_msf_open(path, &msf, &err), 0);
	assert_int_equal(pdb_msf_file_size(msf), file.len);
	for (size_t i = 0; i < nr; i++)
		expect_bytes(msf, (uint32_t)i, &streams[i]);
	assert_int_equal(pdb_msf_size(msf, (uint32_t)nr), 0);
	assert_int_equal(pdb_msf_size(msf, UINT32_MAX), 0);
	pdb_msf_close(msf);
	for (size_t i = 0; i < nr; i++)
		strbuf_release(&streams[i]);
	strbuf_release(&file);
	free(streams);
}

static void pdb_msf_open__page_sizes__all_bytes_of_all_streams(void **state)
{
	static const uint32_t sizes[] = { 512, 1024, 4096, 32768, 65536 };
	const struct pdb_place *place = *state;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		check_file(place->path, sizes[i], false, 12);
		check_file(place->path, sizes[i], true, 12);
	}
}

/* 2,000 streams of 512 bytes and more: 30 KB of directory, whose pages fill a list of one page; 12,000: of three. */
static void pdb_msf_open__large_directory__is_followed(void **state)
{
	const struct pdb_place *place = *state;

	check_file(place->path, 512, false, 2000);
	check_file(place->path, 512, true, 12000);
}

static void expect_refused(const char *path, const struct strbuf *bytes, enum err_code code,
			   const char *message)
{
	struct pdb_msf *msf;
	struct err err = ERR_INIT;

	pdb_place_put(path, bytes);
	assert_int_equal(pdb_msf_open(path, &msf, &err), -1);
	assert_int_equal(err.code, code);
	assert_string_equal(err.msg, message);
	err_clear(&err);
}

static void pdb_msf_open__other_kinds__says_which(void **state)
{
	static const char old[] = "Microsoft C/C++ program database 2.00\r\n\x1aJG\0";
	const struct pdb_place *place = *state;
	struct strbuf bytes = STRBUF_INIT;
	struct pdb_msf *msf;
	struct err err = ERR_INIT;

	assert_int_equal(pdb_msf_open(place->path, &msf, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	expect_refused(place->path, &bytes, ERR_CORRUPT, "not a PDB");
	strbuf_adds(&bytes, "BSJB\1");
	expect_refused(place->path, &bytes, ERR_UNSUPPORTED, "a PDB of .NET, which is not read");
	strbuf_clear(&bytes);
	strbuf_add(&bytes, old, sizeof(old));
	strbuf_pad(&bytes, 'x', 1000);
	expect_refused(place->path, &bytes, ERR_UNSUPPORTED,
		       "a PDB of before 2002 (MSF 2.00), which is not read");
	strbuf_clear(&bytes);
	strbuf_pad(&bytes, 'M', 1000);
	expect_refused(place->path, &bytes, ERR_CORRUPT, "not a PDB");
	strbuf_release(&bytes);
}

static void set_number(struct strbuf *bytes, size_t at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		bytes->buf[at++] = (char)(value >> 8 * i);
}

/* What the head says is never taken for more than the file has. */
static void pdb_msf_open__damaged_head__is_refused(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *message;
	} cases[] = {
		{ 32, 0, "pages of 0 bytes" },
		{ 32, 256, "pages of 256 bytes" },
		{ 32, 768, "pages of 768 bytes" },
		{ 32, 1u << 31, "pages of 2147483648 bytes" },
		{ 40, 0, "a stream has an invalid page number" },
		{ 44, 0, "a directory of 0 bytes" },
		{ 44, UINT32_MAX, "a directory of 4294967295 bytes" },
		{ 52, UINT32_MAX, "a stream has an invalid page number" },
	};
	const struct pdb_place *place = *state;
	struct strbuf streams[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }, bytes = STRBUF_INIT;

	fill(&streams[1], 2000, 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		msf_write(streams, 3, 512, false, &bytes);
		set_number(&bytes, cases[i].at, cases[i].value);
		expect_refused(place->path, &bytes, ERR_CORRUPT, cases[i].message);
	}
	strbuf_release(&streams[1]);
	strbuf_release(&bytes);
}

/* The directory is in page 8, behind the streams' own. */
static void pdb_stream_open__damaged_directory__only_that_stream_fails(void **state)
{
	const struct pdb_place *place = *state;
	struct strbuf streams[3] = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT }, bytes = STRBUF_INIT;
	struct pdb_stream stream;
	struct pdb_msf *msf;
	struct err err = ERR_INIT;

	fill(&streams[0], 2000, 1);
	fill(&streams[1], 100, 2);
	msf_write(streams, 3, 512, false, &bytes);
	assert_int_equal(bytes.buf[8 * 512], 3); /* streams */
	set_number(&bytes, 8 * 512 + 4 + 12 + 4, 1000000);
	pdb_place_put(place->path, &bytes);
	assert_int_equal(pdb_msf_open(place->path, &msf, &err), 0);
	assert_int_equal(pdb_stream_open(msf, 0, &stream, &err), -1);
	assert_string_equal(err.msg, "a stream has an invalid page number");
	err_clear(&err);
	expect_bytes(msf, 1, &streams[1]);
	pdb_msf_close(msf);
	/* A size that the pages of the file cannot hold. */
	msf_write(streams, 3, 512, false, &bytes);
	set_number(&bytes, 8 * 512 + 4 + 4, 1u << 30);
	pdb_place_put(place->path, &bytes);
	assert_int_equal(pdb_msf_open(place->path, &msf, &err), 0);
	assert_int_equal(pdb_stream_open(msf, 1, &stream, &err), -1);
	assert_string_equal(err.msg, "stream 1 is larger than the file");
	err_clear(&err);
	expect_bytes(msf, 0, &streams[0]);
	pdb_msf_close(msf);
	for (size_t i = 0; i < 3; i++)
		strbuf_release(&streams[i]);
	strbuf_release(&bytes);
}

static void pdb_reader_peek__larger_than_its_window__all_records(void **state)
{
	const struct pdb_place *place = *state;
	struct strbuf streams[1] = { STRBUF_INIT }, bytes = STRBUF_INIT;
	const size_t nr = 3 * PDB_READER_MAX + 77;
	struct pdb_reader reader;
	struct pdb_stream stream;
	struct pdb_msf *msf;
	struct err err = ERR_INIT;
	size_t at = 10;

	fill(&streams[0], nr, 5);
	msf_write(streams, 1, 4096, false, &bytes);
	pdb_place_put(place->path, &bytes);
	assert_int_equal(pdb_msf_open(place->path, &msf, &err), 0);
	assert_int_equal(pdb_stream_open(msf, 0, &stream, &err), 0);
	pdb_reader_init(&reader, &stream, at, UINT64_MAX);
	for (size_t step = 1; at + step <= nr; step = step * 3 % 65521) {
		const unsigned char *peeked = pdb_reader_peek(&reader, step);

		assert_non_null(peeked);
		assert_memory_equal(peeked, streams[0].buf + at, step);
		pdb_reader_skip(&reader, step);
		at += step;
	}
	assert_non_null(pdb_reader_peek(&reader, nr - at));
	assert_null(pdb_reader_peek(&reader, nr - at + 1));
	pdb_reader_skip(&reader, UINT64_MAX);
	assert_null(pdb_reader_peek(&reader, 1));
	pdb_reader_release(&reader);
	pdb_stream_close(&stream);
	pdb_msf_close(msf);
	strbuf_release(&streams[0]);
	strbuf_release(&bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, pdb_place_setup, pdb_place_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pdb_msf_open__page_sizes__all_bytes_of_all_streams),
		TEST(pdb_msf_open__large_directory__is_followed),
		TEST(pdb_msf_open__other_kinds__says_which),
		TEST(pdb_msf_open__damaged_head__is_refused),
		TEST(pdb_stream_open__damaged_directory__only_that_stream_fails),
		TEST(pdb_reader_peek__larger_than_its_window__all_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
