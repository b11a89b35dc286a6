#include "platform/cabinet_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "platform/fs.h"
#include "platform/shared_library.h"

#define LIBRARY "libmspack.so.0"

/* The part of libmspack's interface (mspack.h, 0.11; unchanged since 0.5) that is used. */
struct mspack_file;

struct mspack_system {
	struct mspack_file *(*open)(struct mspack_system *system, const char *name, int mode);
	void (*close)(struct mspack_file *file);
	int (*read)(struct mspack_file *file, void *to, int nr);
	int (*write)(struct mspack_file *file, void *from, int nr);
	int (*seek)(struct mspack_file *file, off_t offset, int whence);
	off_t (*tell)(struct mspack_file *file);
	void (*message)(struct mspack_file *file, const char *format, ...);
	void *(*alloc)(struct mspack_system *system, size_t nr);
	void (*free)(void *memory);
	void (*copy)(void *from, void *to, size_t nr);
	void *end; /* NULL */
};

struct cab_file; /* its first member is that of a list: the next one */

/* The beginning of what describes a cabinet. */
struct cab {
	struct cab *next;
	const char *name;
	off_t base;
	unsigned length;
	struct cab *previous_part, *next_part;
	char *previous_name, *next_name, *previous_info, *next_info;
	struct cab_file *files;
};

struct cab_decoder {
	struct cab *(*open)(struct cab_decoder *decoder, const char *name);
	void (*close)(struct cab_decoder *decoder, struct cab *cab);
	struct cab *(*search)(struct cab_decoder *decoder, const char *name);
	int (*append)(struct cab_decoder *decoder, struct cab *cab, struct cab *next);
	int (*prepend)(struct cab_decoder *decoder, struct cab *cab, struct cab *previous);
	int (*extract)(struct cab_decoder *decoder, struct cab_file *file, const char *name);
	int (*set_param)(struct cab_decoder *decoder, int param, int value);
	int (*last_error)(struct cab_decoder *decoder);
};

enum { OPEN_READ = 0, OPEN_WRITE = 1 };
enum { SEEK_START = 0, SEEK_CURRENT = 1 };
enum { ERROR_MEMORY = 6, ERROR_CHECKSUM = 9 };

struct library {
	int (*self_test)(int off_t_size);
	struct cab_decoder *(*create)(struct mspack_system *system);
	void (*destroy)(struct cab_decoder *decoder);
};

/* All that the functions of a system get. */
struct unpacking {
	struct mspack_system system; /* first: the library knows it alone */
	struct cabinet_output *output;
};

/* A file of the library: the cabinet, which is read, or the output, which is written. */
struct mspack_file {
	FILE *from; /* NULL: the output */
	struct cabinet_output *to;
	off_t written;
};

static int load(struct library *library, struct err *err)
{
	static const char *const files[] = { LIBRARY, NULL };
	const struct library_function functions[] = {
		{ "mspack_sys_selftest_internal", &library->self_test },
		{ "mspack_create_cab_decompressor", &library->create },
		{ "mspack_destroy_cab_decompressor", &library->destroy },
		{ NULL, NULL },
	};
	const struct shared_library shared = { "libmspack, which unpacks cabinets",
					       "Debian: the package libmspack0", files, functions };

	if (shared_library_load(&shared, err))
		return -1;
	if (library->self_test((int)sizeof(off_t)))
		return err_set(err, ERR_UNSUPPORTED,
			       "this libmspack was built for other sizes of files");
	return 0;
}

int cabinet_source_check(struct err *err)
{
	struct library library;

	return load(&library, err);
}

static struct mspack_file *open_file(struct mspack_system *system, const char *name, int mode)
{
	const struct unpacking *unpacking = (const struct unpacking *)system;
	struct mspack_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->to = unpacking->output;
	if (mode == OPEN_READ)
		file->from = fs_open(name, "rb");
	if (file->from || mode == OPEN_WRITE)
		return file;
	free(file);
	return NULL;
}

static void close_file(struct mspack_file *file)
{
	if (file && file->from)
		fclose(file->from);
	free(file);
}

static int read_file(struct mspack_file *file, void *to, int nr)
{
	if (!file->from || nr < 0)
		return -1;
	nr = (int)fread(to, 1, (size_t)nr, file->from);
	return ferror(file->from) ? -1 : nr;
}

static int write_file(struct mspack_file *file, void *from, int nr)
{
	if (file->from || nr < 0 || !cabinet_output_write(file->to, from, (size_t)nr))
		return -1;
	file->written += nr;
	return nr;
}

static int seek_file(struct mspack_file *file, off_t offset, int whence)
{
	int how = whence == SEEK_START ? SEEK_SET : whence == SEEK_CURRENT ? SEEK_CUR : SEEK_END;

	return file->from ? fs_seek(file->from, offset, how) : -1;
}

static off_t tell_file(struct mspack_file *file)
{
	return file->from ? (off_t)fs_tell(file->from) : file->written;
}

/* The result says enough. */
static void ignore_message(struct mspack_file *file, const char *format, ...)
{
	(void)file;
	(void)format;
}

static void *get_memory(struct mspack_system *system, size_t nr)
{
	(void)system;
	return malloc(nr);
}

static void copy_memory(void *from, void *to, size_t nr)
{
	memcpy(to, from, nr);
}

static int explain(int result, struct err *err)
{
	if (result == ERROR_MEMORY)
		return err_set(err, ERR_FAILED, "there is not enough memory to unpack it");
	return err_set(err, ERR_CORRUPT, "it is a damaged cabinet%s",
		       result == ERROR_CHECKSUM ? ": a sum of it is wrong" : "");
}

int cabinet_source_unpack(const char *path, struct cabinet_output *output)
{
	struct unpacking unpacking = { { open_file, close_file, read_file, write_file, seek_file,
					 tell_file, ignore_message, get_memory, free, copy_memory,
					 NULL },
				       output };
	struct cab_decoder *decoder;
	struct library library;
	struct cab *cab;
	int rc;

	if (load(&library, output->err))
		return -1;
	decoder = library.create(&unpacking.system);
	if (!decoder)
		return err_set(output->err, ERR_FAILED, "libmspack cannot be used");
	cab = decoder->open(decoder, path);
	rc = cab && cab->files && !decoder->extract(decoder, cab->files, path) ? 0 : -1;
	if (rc && !output->stopped)
		explain(decoder->last_error(decoder), output->err);
	if (cab)
		decoder->close(decoder, cab);
	library.destroy(decoder);
	return rc;
}
