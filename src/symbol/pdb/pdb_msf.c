#include "symbol/pdb/pdb_msf.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platform/cost.h"
#include "platform/file.h"
#include "platform/fs.h"
#include "util/alloc.h"

#define PAGE_MIN 512u
#define PAGE_MAX 65536u
/* After the header is the list of the pages that list the directory's pages. */
#define HEADER_BYTES 52u
#define NIL_SIZE     UINT32_MAX
#define MSF_7 \
	"Microsoft C/C++ MSF 7.00\r\n\x1a" \
	"DS\0\0"
#define MSF_2 \
	"Microsoft C/C++ program database 2.00\r\n\x1a" \
	"JG\0"
#define NET "BSJB"

struct place {
	uint32_t directory; /* offset of its page list in the directory */
	uint32_t size;
};

struct pdb_msf {
	struct file_at *file;
	uint64_t file_size;
	uint32_t page_size, pages_nr;
	struct pdb_stream directory;
	struct place *streams;
	uint32_t streams_nr;
};

static uint32_t count_pages(const struct pdb_msf *msf, uint32_t size)
{
	return (uint32_t)(((uint64_t)size + msf->page_size - 1) / msf->page_size);
}

static int read_file(const struct pdb_msf *msf, uint64_t offset, void *to, size_t nr,
		     struct err *err)
{
	int64_t got = file_at_read(msf->file, offset, to, nr, err);

	if (got < 0)
		return -1;
	if ((uint64_t)got < nr)
		return err_set(err, ERR_CORRUPT, "a page is beyond the end of the file");
	return 0;
}

/* Pages that are adjacent in the file are read at once. */
int pdb_stream_read(const struct pdb_stream *stream, uint64_t offset, void *to, size_t nr,
		    struct err *err)
{
	const struct pdb_msf *msf = stream->msf;
	unsigned char *next = to;

	if (offset > stream->size || nr > stream->size - offset)
		return err_set(err, ERR_CORRUPT, "a stream ends early");
	while (nr) {
		size_t page = (size_t)(offset / msf->page_size), last = page;
		size_t begin = (size_t)(offset % msf->page_size), some = msf->page_size - begin;

		while (some < nr && stream->pages[last + 1] == stream->pages[last] + 1) {
			last++;
			some += msf->page_size;
		}
		if (some > nr)
			some = nr;
		if (read_file(msf, (uint64_t)stream->pages[page] * msf->page_size + begin, next,
			      some, err))
			return -1;
		next += some;
		offset += some;
		nr -= some;
	}
	return 0;
}

unsigned char *pdb_stream_load(const struct pdb_stream *stream, uint64_t offset, size_t nr,
			       struct err *err)
{
	unsigned char *bytes;

	if (offset > stream->size || nr > stream->size - offset) {
		err_set(err, ERR_CORRUPT, "a stream ends early");
		return NULL;
	}
	bytes = xmalloc(nr + 1);
	bytes[nr] = 0;
	if (pdb_stream_read(stream, offset, bytes, nr, err)) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Decode page numbers, and check that the pages are in the file. */
static int take_pages(const struct pdb_msf *msf, const unsigned char *bytes, uint32_t *pages,
		      uint32_t nr, struct err *err)
{
	for (uint32_t i = 0; i < nr; i++) {
		pages[i] = le_get32(bytes + (size_t)i * 4);
		if (pages[i] >= msf->pages_nr)
			return err_set(err, ERR_CORRUPT, "a stream has an invalid page number");
	}
	return 0;
}

/* Open a stream whose page list is in the stream `list`. */
static int open_listed(const struct pdb_stream *list, uint64_t offset, uint32_t size,
		       struct pdb_stream *stream, struct err *err)
{
	uint32_t nr = count_pages(list->msf, size);
	unsigned char *bytes = pdb_stream_load(list, offset, (size_t)nr * 4, err);
	int rc = -1;

	*stream = (struct pdb_stream){ list->msf, NULL, size };
	if (bytes) {
		stream->pages = xcalloc(nr + 1, sizeof(*stream->pages));
		rc = take_pages(list->msf, bytes, stream->pages, nr, err);
	}
	free(bytes);
	if (rc)
		pdb_stream_close(stream);
	return rc;
}

/* Open the directory. Its page list is itself in pages, which are listed in the first page of the file. */
static int open_directory(struct pdb_msf *msf, uint32_t size, struct err *err)
{
	uint32_t list_size = count_pages(msf, size) * 4, nr = count_pages(msf, list_size);
	struct pdb_stream list = { msf, NULL, list_size };
	unsigned char *bytes;
	int rc = -1;

	if (nr > (msf->page_size - HEADER_BYTES) / 4)
		return err_set(err, ERR_CORRUPT, "its directory is too large");
	bytes = xmalloc((size_t)nr * 4 + 1);
	list.pages = xcalloc(nr + 1, sizeof(*list.pages));
	if (!read_file(msf, HEADER_BYTES, bytes, (size_t)nr * 4, err) &&
	    !take_pages(msf, bytes, list.pages, nr, err))
		rc = open_listed(&list, 0, size, &msf->directory, err);
	free(bytes);
	pdb_stream_close(&list);
	return rc;
}

int pdb_msf_refuse(const void *head, size_t nr, struct err *err)
{
	if (nr >= sizeof(MSF_2) - 1 && !memcmp(head, MSF_2, sizeof(MSF_2) - 1))
		return err_set(err, ERR_UNSUPPORTED,
			       "a PDB of before 2002 (MSF 2.00), which is not read");
	if (nr >= sizeof(NET) - 1 && !memcmp(head, NET, sizeof(NET) - 1))
		return err_set(err, ERR_UNSUPPORTED, "a PDB of .NET, which is not read");
	return err_set(err, ERR_CORRUPT, "not a PDB");
}

int64_t pdb_msf_head_size(const void *head)
{
	const unsigned char *bytes = head;

	if (memcmp(bytes, MSF_7, sizeof(MSF_7) - 1))
		return -1;
	return (int64_t)((uint64_t)le_get32(bytes + 32) * le_get32(bytes + 40));
}

static int read_header(struct pdb_msf *msf, uint32_t *directory_size, struct err *err)
{
	unsigned char head[HEADER_BYTES];
	int64_t got = file_at_read(msf->file, 0, head, sizeof(head), err);
	uint64_t whole;

	if (got < 0)
		return -1;
	if (got < (int64_t)sizeof(head) || memcmp(head, MSF_7, sizeof(MSF_7) - 1))
		return pdb_msf_refuse(head, (size_t)got, err);
	msf->page_size = le_get32(head + 32);
	msf->pages_nr = le_get32(head + 40);
	*directory_size = le_get32(head + 44);
	if (msf->page_size < PAGE_MIN || msf->page_size > PAGE_MAX ||
	    (msf->page_size & (msf->page_size - 1)))
		return err_set(err, ERR_CORRUPT, "pages of %u bytes", msf->page_size);
	/* In a truncated file those streams can be read whose pages are there. */
	whole = (msf->file_size + msf->page_size - 1) / msf->page_size;
	if (msf->pages_nr > whole)
		msf->pages_nr = (uint32_t)whole;
	if (*directory_size < 4 || *directory_size > msf->file_size)
		return err_set(err, ERR_CORRUPT, "a directory of %u bytes", *directory_size);
	return 0;
}

/* The directory has the sizes of all streams, then their page lists. */
static int read_directory(struct pdb_msf *msf, uint32_t size, struct err *err)
{
	unsigned char *bytes = NULL;
	unsigned char count[4];
	uint64_t offset;
	int rc;

	if (open_directory(msf, size, err))
		return -1;
	rc = pdb_stream_read(&msf->directory, 0, count, sizeof(count), err);
	if (!rc && le_get32(count) > (size - 4) / 4)
		rc = err_set(err, ERR_CORRUPT, "%u streams", le_get32(count));
	if (!rc) {
		msf->streams_nr = le_get32(count);
		bytes = pdb_stream_load(&msf->directory, 4, (size_t)msf->streams_nr * 4, err);
		rc = bytes ? 0 : -1;
	}
	msf->streams = xcalloc((size_t)msf->streams_nr + 1, sizeof(*msf->streams));
	offset = 4 + (uint64_t)msf->streams_nr * 4;
	for (uint32_t i = 0; !rc && i < msf->streams_nr; i++) {
		struct place *place = &msf->streams[i];

		place->size = le_get32(bytes + (size_t)i * 4);
		if (place->size == NIL_SIZE || offset > size)
			place->size = 0;
		place->directory = (uint32_t)(offset > size ? size : offset);
		offset += (uint64_t)count_pages(msf, place->size) * 4;
	}
	free(bytes);
	return rc;
}

int pdb_msf_open(const char *path, struct pdb_msf **msf, struct err *err)
{
	struct pdb_msf *opened;
	struct file_at *file;
	uint32_t directory_size = 0;

	if (!fs_exists(path))
		return err_set(err, ERR_NOT_FOUND, "no such file '%s'", path);
	if (file_at_open(path, &file, err))
		return -1;
	opened = xcalloc(1, sizeof(*opened));
	opened->file = file;
	opened->file_size = (uint64_t)file_at_size(file);
	cost_allow_file(path);
	if (read_header(opened, &directory_size, err) ||
	    read_directory(opened, directory_size, err)) {
		pdb_msf_close(opened);
		return -1;
	}
	*msf = opened;
	return 0;
}

void pdb_msf_close(struct pdb_msf *msf)
{
	if (!msf)
		return;
	pdb_stream_close(&msf->directory);
	file_at_close(msf->file);
	free(msf->streams);
	free(msf);
}

uint64_t pdb_msf_file_size(const struct pdb_msf *msf)
{
	return msf->file_size;
}

uint32_t pdb_msf_size(const struct pdb_msf *msf, uint32_t number)
{
	return number < msf->streams_nr ? msf->streams[number].size : 0;
}

int pdb_stream_open(const struct pdb_msf *msf, uint32_t number, struct pdb_stream *stream,
		    struct err *err)
{
	uint32_t size = pdb_msf_size(msf, number);

	*stream = (struct pdb_stream){ msf, NULL, 0 };
	if (!size)
		return err_set(err, ERR_NOT_FOUND, "no stream %u", number);
	if (count_pages(msf, size) > msf->pages_nr)
		return err_set(err, ERR_CORRUPT, "stream %u is larger than the file", number);
	return open_listed(&msf->directory, msf->streams[number].directory, size, stream, err);
}

void pdb_stream_close(struct pdb_stream *stream)
{
	free(stream->pages);
	stream->pages = NULL;
	stream->size = 0;
}

void pdb_reader_init(struct pdb_reader *reader, const struct pdb_stream *stream, uint64_t offset,
		     uint64_t end)
{
	*reader = (struct pdb_reader){ .stream = stream,
				       .offset = offset,
				       .end = end < stream->size ? end : stream->size };
}

void pdb_reader_release(struct pdb_reader *reader)
{
	free(reader->window);
	reader->window = NULL;
	reader->window_nr = 0;
}

static bool fill_window(struct pdb_reader *reader)
{
	uint64_t left = reader->end - reader->offset;
	size_t nr = left < PDB_READER_MAX ? (size_t)left : PDB_READER_MAX;
	struct err err = ERR_INIT;

	if (!reader->window)
		reader->window = xmalloc(nr);
	reader->window_nr = 0;
	if (pdb_stream_read(reader->stream, reader->offset, reader->window, nr, &err)) {
		err_clear(&err);
		return false;
	}
	reader->window_offset = reader->offset;
	reader->window_nr = nr;
	return true;
}

const unsigned char *pdb_reader_peek(struct pdb_reader *reader, size_t nr)
{
	size_t at;

	if (reader->offset > reader->end || nr > reader->end - reader->offset ||
	    nr > PDB_READER_MAX)
		return NULL;
	if ((reader->offset < reader->window_offset ||
	     reader->offset + nr > reader->window_offset + reader->window_nr) &&
	    !fill_window(reader))
		return NULL;
	at = (size_t)(reader->offset - reader->window_offset);
	return reader->window + at;
}

void pdb_reader_skip(struct pdb_reader *reader, uint64_t nr)
{
	reader->offset = nr > UINT64_MAX - reader->offset ? UINT64_MAX : reader->offset + nr;
}
