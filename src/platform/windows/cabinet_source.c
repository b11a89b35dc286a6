#include "platform/cabinet_source.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include <fdi.h>

#include "platform/fs.h"
#include "platform/windows/library.h"
#include "util/alloc.h"
#include "util/array.h"

struct library {
	__typeof__(&FDICreate) create;
	__typeof__(&FDICopy) copy;
	__typeof__(&FDIDestroy) destroy;
};

struct unpacking {
	const char *path;
	struct cabinet_output *output;
};

/* A file of the library: the cabinet, which is read, or the output, which is written. */
struct stream {
	FILE *from; /* NULL: the output */
	struct cabinet_output *to;
};

static int load(struct library *library, struct err *err)
{
	const struct {
		const char *name;
		void *function;
	} wanted[] = {
		{ "FDICreate", &library->create },
		{ "FDICopy", &library->copy },
		{ "FDIDestroy", &library->destroy },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!library_function(L"cabinet.dll", wanted[i].name, wanted[i].function,
				      sizeof(library->create)))
			return err_set(err, ERR_UNSUPPORTED, "there is no cabinet.dll");
	}
	return 0;
}

int cabinet_source_check(struct err *err)
{
	struct library library;

	return load(&library, err);
}

static void *DIAMONDAPI get_memory(ULONG nr)
{
	return malloc(nr);
}

static void DIAMONDAPI free_memory(void *memory)
{
	free(memory);
}

/* The name is where the unpacking is: nothing else of the caller comes here. */
static INT_PTR DIAMONDAPI open_file(char *name, int flags, int mode)
{
	const struct unpacking *unpacking = NULL;
	struct stream *stream;
	void *at = NULL;

	(void)mode;
	if (flags & (_O_WRONLY | _O_RDWR | _O_CREAT) || sscanf(name, "%p", &at) != 1 || !at)
		return -1;
	unpacking = at;
	stream = calloc(1, sizeof(*stream));
	if (stream)
		stream->from = fs_open(unpacking->path, "rb");
	if (stream && stream->from)
		return (INT_PTR)stream;
	free(stream);
	return -1;
}

static int DIAMONDAPI close_file(INT_PTR handle)
{
	struct stream *stream = (struct stream *)handle;

	if (stream->from)
		fclose(stream->from);
	free(stream);
	return 0;
}

static UINT DIAMONDAPI read_file(INT_PTR handle, void *to, UINT nr)
{
	const struct stream *stream = (const struct stream *)handle;

	if (!stream->from)
		return (UINT)-1;
	nr = (UINT)fread(to, 1, nr, stream->from);
	return ferror(stream->from) ? (UINT)-1 : nr;
}

static UINT DIAMONDAPI write_file(INT_PTR handle, void *from, UINT nr)
{
	const struct stream *stream = (const struct stream *)handle;

	return !stream->from && cabinet_output_write(stream->to, from, nr) ? nr : (UINT)-1;
}

static LONG DIAMONDAPI seek_file(INT_PTR handle, LONG offset, int whence)
{
	const struct stream *stream = (const struct stream *)handle;

	if (!stream->from || fs_seek(stream->from, offset, whence))
		return -1;
	return (LONG)fs_tell(stream->from);
}

/* What is in the cabinet: its only file is taken, wherever it wants to be. */
static INT_PTR DIAMONDAPI take(FDINOTIFICATIONTYPE type, FDINOTIFICATION *what)
{
	const struct unpacking *unpacking = what->pv;
	struct stream *stream;

	switch (type) {
	case fdintCOPY_FILE:
		stream = calloc(1, sizeof(*stream));
		if (!stream)
			return -1;
		stream->to = unpacking->output;
		return (INT_PTR)stream;
	case fdintCLOSE_FILE_INFO:
		close_file(what->hf);
		return TRUE;
	case fdintCABINET_INFO:
	case fdintENUMERATE:
		return 0;
	default: /* of a set */
		return -1;
	}
}

static int explain(int result, struct err *err)
{
	if (result == FDIERROR_ALLOC_FAIL)
		return err_set(err, ERR_FAILED, "there is not enough memory to unpack it");
	return err_set(err, ERR_CORRUPT, "it is a damaged cabinet");
}

int cabinet_source_unpack(const char *path, struct cabinet_output *output)
{
	struct unpacking unpacking = { path, output };
	struct library library;
	char name[32], nowhere[] = "";
	ERF result = { 0 };
	HFDI decoder;
	bool done;

	if (load(&library, output->err))
		return -1;
	decoder = library.create(get_memory, free_memory, open_file, read_file, write_file,
				 close_file, seek_file, cpuUNKNOWN, &result);
	if (!decoder)
		return err_set(output->err, ERR_FAILED, "cabinet.dll cannot be used");
	snprintf(name, sizeof(name), "%p", (void *)&unpacking);
	done = library.copy(decoder, name, nowhere, 0, take, NULL, &unpacking);
	if (!done && !output->stopped)
		explain(result.erfOper, output->err);
	library.destroy(decoder);
	return done ? 0 : -1;
}
