/*
 * Formats of the memory system calls as Linux 6.18 on x86-64 gives them, and samples with raw data in them.
 */
#ifndef TESTS_UNIT_LINUX_CALLS_FIXTURE_H
#define TESTS_UNIT_LINUX_CALLS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/perf/perf_decode.h"
#include "trace/perf/perf_tracing.h"
#include "util/alloc.h"
#include "util/array.h"

#define CALL_RAW_BYTES 68 /* six arguments and the padding that perf adds */
#define CALL_ARGS_AT   16
#define CALL_ARGS_MAX  6

#define FORMAT_HEAD(name, id) \
	"name: " name "\nID: " id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
#define FORMAT_FIELD(declaration, at) \
	"\tfield:" declaration ";\toffset:" at ";\tsize:8;\tsigned:0;\n"
#define FORMAT_RESULT "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"

static const char *const call_formats[] = {
	FORMAT_HEAD("sys_enter_mmap", "174") FORMAT_FIELD("unsigned long addr", "16")
		FORMAT_FIELD("unsigned long len", "24") FORMAT_FIELD("unsigned long prot", "32")
			FORMAT_FIELD("unsigned long flags", "40")
				FORMAT_FIELD("unsigned long fd", "48")
					FORMAT_FIELD("unsigned long off", "56"),
	FORMAT_HEAD("sys_exit_mmap", "173") FORMAT_RESULT,
	FORMAT_HEAD("sys_enter_munmap", "693") FORMAT_FIELD("unsigned long addr", "16")
		FORMAT_FIELD("size_t len", "24"),
	FORMAT_HEAD("sys_exit_munmap", "692") FORMAT_RESULT,
	FORMAT_HEAD("sys_enter_mremap", "707") FORMAT_FIELD("unsigned long addr", "16")
		FORMAT_FIELD("unsigned long old_len", "24")
			FORMAT_FIELD("unsigned long new_len", "32")
				FORMAT_FIELD("unsigned long flags", "40")
					FORMAT_FIELD("unsigned long new_addr", "48"),
	FORMAT_HEAD("sys_exit_mremap", "706") FORMAT_RESULT,
	FORMAT_HEAD("sys_enter_brk", "695") FORMAT_FIELD("unsigned long brk", "16"),
	FORMAT_HEAD("sys_exit_brk", "694") FORMAT_RESULT,
	FORMAT_HEAD("sys_enter_mprotect", "705") FORMAT_FIELD("unsigned long start", "16")
		FORMAT_FIELD("size_t len", "24") FORMAT_FIELD("unsigned long prot", "32"),
	FORMAT_HEAD("sys_enter_pkey_mprotect", "703") FORMAT_FIELD("unsigned long start", "16")
		FORMAT_FIELD("size_t len", "24") FORMAT_FIELD("unsigned long prot", "32")
			FORMAT_FIELD("int pkey", "40"),
	FORMAT_HEAD("sys_enter_madvise", "726") FORMAT_FIELD("unsigned long start", "16")
		FORMAT_FIELD("size_t len_in", "24") FORMAT_FIELD("int behavior", "32"),
};

#define CALL_FORMATS ARRAY_SIZE(call_formats)

static inline void call_formats_parse(struct tracepoint_format formats[CALL_FORMATS])
{
	struct err err = ERR_INIT;

	for (size_t i = 0; i < CALL_FORMATS; i++)
		assert_int_equal(tracepoint_format_parse(call_formats[i], strlen(call_formats[i]),
							 &formats[i], &err),
				 0);
}

static inline void call_formats_release(struct tracepoint_format formats[CALL_FORMATS])
{
	for (size_t i = 0; i < CALL_FORMATS; i++)
		tracepoint_format_release(&formats[i]);
}

/* Find a format by name; NULL: none. */
static inline const struct tracepoint_format *call_format(
	const struct tracepoint_format formats[CALL_FORMATS], const char *name)
{
	for (size_t i = 0; i < CALL_FORMATS; i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

/* Raw data, aligned as in a file: 4 bytes after a multiple of 8. The caller frees it. */
static inline unsigned char *call_raw_new(int32_t tid, const uint64_t *args)
{
	unsigned char *memory = xcalloc(1, CALL_RAW_BYTES + 4);

	memcpy(memory + 4 + 4, &tid, sizeof(tid));
	memcpy(memory + 4 + CALL_ARGS_AT, args, CALL_ARGS_MAX * sizeof(*args));
	return memory;
}

#endif
