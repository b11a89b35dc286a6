/*
 * Makes payloads of kernel events: 64-bit, as Windows 10 writes them.
 */
#ifndef TESTS_UNIT_ETL_KERNEL_FIXTURE_H
#define TESTS_UNIT_ETL_KERNEL_FIXTURE_H

#include "etl_record_fixture.h"
#include "trace/etl/etl_kernel.h"

#define ETL_PROCESS_VERSION 4
#define ETL_THREAD_VERSION  4
#define ETL_IMAGE_VERSION   3
#define ETL_RSDS_VERSION    2

static inline void put_process(struct strbuf *sb, uint32_t pid, uint32_t ppid, uint32_t status,
			       const char *image, const char *command_line)
{
	put64(sb, 0xffffc00100000000 + pid);
	put32(sb, pid);
	put32(sb, ppid);
	put32(sb, 1);
	put32(sb, status);
	put64(sb, 0x1000);
	put32(sb, 0);
	put32(sb, 0); /* no SID */
	put_text(sb, image);
	put_wide(sb, command_line);
	put_wide(sb, "");
	put_wide(sb, "");
}

static inline void put_thread(struct strbuf *sb, uint32_t pid, uint32_t tid, const char *name)
{
	put32(sb, pid);
	put32(sb, tid);
	for (int i = 0; i < 7; i++)
		put64(sb, 0);
	put32(sb, 0);
	put32(sb, 0);
	put_wide(sb, name);
}

static inline void put_image(struct strbuf *sb, uint32_t pid, uint64_t base, uint64_t size,
			     const char *path)
{
	put64(sb, base);
	put64(sb, size);
	put32(sb, pid);
	put32(sb, 0);
	put32(sb, 0);
	put32(sb, 0);
	put64(sb, base);
	put64(sb, 0);
	put64(sb, 0);
	put_wide(sb, path);
}

/* All bytes of the GUID are `guid`. */
static inline void put_rsds(struct strbuf *sb, uint32_t pid, uint64_t base, char guid, uint32_t age,
			    const char *pdb)
{
	put64(sb, base);
	put32(sb, pid);
	strbuf_pad(sb, guid, sb->len + 16);
	put32(sb, age);
	put_text(sb, pdb);
}

static inline void put_volume(struct strbuf *sb, const char *device, const char *drive)
{
	put_wide(sb, device);
	put_wide(sb, drive);
}

static inline void put_sample(struct strbuf *sb, uint64_t ip, uint32_t tid, uint32_t flags)
{
	put64(sb, ip);
	put32(sb, tid);
	put16(sb, 1);
	put16(sb, flags);
}

static inline void put_virtual(struct strbuf *sb, uint64_t base, uint64_t size, uint32_t pid,
			       uint32_t flags)
{
	put64(sb, base);
	put64(sb, size);
	put32(sb, pid);
	put32(sb, flags);
}

static inline void put_stack(struct strbuf *sb, uint64_t time, uint32_t pid, uint32_t tid,
			     const uint64_t *frames, size_t nr)
{
	put64(sb, time);
	put32(sb, pid);
	put32(sb, tid);
	for (size_t i = 0; i < nr; i++)
		put64(sb, frames[i]);
}

static inline void put_key(struct strbuf *sb, uint64_t time, uint32_t pid, uint32_t tid,
			   uint64_t key)
{
	put_stack(sb, time, pid, tid, &key, 1);
}

static inline void put_definition(struct strbuf *sb, uint64_t key, const uint64_t *frames,
				  size_t nr)
{
	put64(sb, key);
	for (size_t i = 0; i < nr; i++)
		put64(sb, frames[i]);
}

#endif
