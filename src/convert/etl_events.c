#include "convert/etl_events.h"

enum {
	GROUP_PAGE_FAULT = 2,
	GROUP_PROCESS = 3,
	GROUP_THREAD = 5,
	GROUP_PERFINFO = 15,
	GROUP_IMAGE = 20,
	GROUP_STACK_WALK = 24,
};

enum { THREAD_SET_NAME = 72 };
enum { PERFINFO_MARK = 34, PERFINFO_SAMPLE = 46 };
enum { IMAGE_ID_INFO = 0, IMAGE_ID_RSDS = 36 };
enum { STACK_WALK_STACK = 32 };
enum { VIRTUAL_ALLOC = 98, VIRTUAL_FREE = 99 };
enum { SYSTEM_BUILD = 32, SYSTEM_VOLUME = 35 };

#define STATUS_PENDING 0x103

/* ce1dbfb4-137e-4da6-87b0-3f59aa102cbc */
static const unsigned char perfinfo_guid[16] = { 0xb4, 0xbf, 0x1d, 0xce, 0x7e, 0x13, 0xa6, 0x4d,
						 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc };
/* b3e675d7-2554-4f18-830b-2762732560de */
static const unsigned char image_id_guid[16] = { 0xd7, 0x75, 0xe6, 0xb3, 0x54, 0x25, 0x18, 0x4f,
						 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde };
/* 9b79ee91-b5fd-41c0-a243-4248e266e9d0 */
static const unsigned char system_guid[16] = { 0x91, 0xee, 0x79, 0x9b, 0xfd, 0xb5, 0xc0, 0x41,
					       0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 };

static void add_zeros(struct etl_writer *writer, unsigned bytes)
{
	for (; bytes; bytes -= 4)
		etl_writer_add(writer, 0, 4);
}

/* Rundown events have a header without a thread. */
static void begin_life(struct etl_writer *writer, unsigned group, enum etl_event_life life,
		       unsigned version, uint32_t pid, uint32_t tid)
{
	if (life == ETL_EVENT_DC_START || life == ETL_EVENT_DC_END)
		etl_writer_perfinfo(writer, group, life, version);
	else
		etl_writer_system(writer, group, life, version, pid, tid);
}

bool etl_write_process(struct etl_writer *writer, enum etl_event_life life,
		       const struct etl_writer_process *process)
{
	/* S-1-5-18; a TOKEN_USER with a meaningless pointer precedes it. */
	static const unsigned char sid[] = { 0x01, 0x01, 0, 0, 0, 0, 0, 0x05, 0x12, 0, 0, 0 };
	bool truncated;

	begin_life(writer, GROUP_PROCESS, life, 4,
		   life == ETL_EVENT_END ? process->pid : process->parent, 0);
	etl_writer_add(writer, UINT64_C(0xffff8000) << 32 | process->pid, 8); /* key */
	etl_writer_add(writer, process->pid, 4);
	etl_writer_add(writer, process->parent, 4);
	etl_writer_add(writer, process->session, 4);
	etl_writer_add(writer, life == ETL_EVENT_END ? process->exit_status : STATUS_PENDING, 4);
	etl_writer_add(writer, 0x1000, 8); /* directory table */
	etl_writer_add(writer, 0, 4);      /* flags */
	etl_writer_add(writer, 1, 8);
	etl_writer_add(writer, 0, 8);
	etl_writer_add_bytes(writer, sid, sizeof(sid));
	etl_writer_add_text(writer, process->image);
	truncated = etl_writer_add_wide(writer, process->command_line, etl_writer_room(writer) - 4);
	etl_writer_add(writer, 0, 2); /* package */
	etl_writer_add(writer, 0, 2); /* application */
	etl_writer_end(writer);
	return truncated;
}

void etl_write_thread(struct etl_writer *writer, enum etl_event_life life, uint32_t pid,
		      uint32_t tid, const char *name)
{
	begin_life(writer, GROUP_THREAD, life, 3, pid, tid);
	etl_writer_add(writer, pid, 4);
	etl_writer_add(writer, tid, 4);
	add_zeros(writer, 32);                 /* stacks of kernel and process */
	etl_writer_add(writer, 1, 8);          /* affinity */
	add_zeros(writer, 16);                 /* start address, TEB */
	etl_writer_add(writer, 0, 4);          /* service */
	etl_writer_add(writer, 0x00020808, 4); /* priorities: base, pages, I/O; flags */
	etl_writer_add_wide(writer, name, etl_writer_room(writer));
	etl_writer_end(writer);
}

void etl_write_thread_name(struct etl_writer *writer, uint32_t pid, uint32_t tid, const char *name)
{
	etl_writer_perfinfo(writer, GROUP_THREAD, THREAD_SET_NAME, 2);
	etl_writer_add(writer, pid, 4);
	etl_writer_add(writer, tid, 4);
	etl_writer_add_wide(writer, name, etl_writer_room(writer));
	etl_writer_end(writer);
}

void etl_write_image(struct etl_writer *writer, enum etl_event_life life,
		     const struct etl_writer_image *image)
{
	begin_life(writer, life == ETL_EVENT_LOAD ? GROUP_PROCESS : GROUP_IMAGE, life, 3,
		   image->pid, 0);
	etl_writer_add(writer, image->base, 8);
	etl_writer_add(writer, image->size, 8);
	etl_writer_add(writer, image->pid, 4);
	etl_writer_add(writer, image->checksum, 4);
	etl_writer_add(writer, image->timestamp, 4);
	etl_writer_add(writer, 0, 4); /* signature */
	etl_writer_add(writer, image->base, 8);
	add_zeros(writer, 16);
	etl_writer_add_wide(writer, image->path, etl_writer_room(writer));
	etl_writer_end(writer);
}

void etl_write_image_id(struct etl_writer *writer, const struct etl_writer_image *image,
			const char *name)
{
	etl_writer_classic(writer, image_id_guid, IMAGE_ID_INFO, 2);
	etl_writer_add(writer, image->base, 8);
	etl_writer_add(writer, image->size, 8);
	etl_writer_add(writer, image->pid, 4);
	etl_writer_add(writer, image->timestamp, 4);
	etl_writer_add_wide(writer, name, etl_writer_room(writer));
	etl_writer_end(writer);
}

void etl_write_pdb(struct etl_writer *writer, uint64_t base, uint32_t pid, const uint8_t *guid,
		   uint32_t age, const char *name)
{
	etl_writer_classic(writer, image_id_guid, IMAGE_ID_RSDS, 2);
	etl_writer_add(writer, base, 8);
	etl_writer_add(writer, pid, 4);
	etl_writer_add_bytes(writer, guid, 16);
	etl_writer_add(writer, age, 4);
	etl_writer_add_text(writer, name);
	etl_writer_end(writer);
}

void etl_write_sample(struct etl_writer *writer, uint64_t address, uint32_t tid)
{
	etl_writer_perfinfo(writer, GROUP_PERFINFO, PERFINFO_SAMPLE, 2);
	etl_writer_add(writer, address, 8);
	etl_writer_add(writer, tid, 4);
	etl_writer_add(writer, 1, 2);      /* samples */
	etl_writer_add(writer, 8 << 3, 2); /* the thread's priority */
	etl_writer_end(writer);
}

void etl_write_interval(struct etl_writer *writer, enum etl_event_interval what, uint32_t interval,
			uint32_t before)
{
	etl_writer_perfinfo(writer, GROUP_PERFINFO, what, 3);
	etl_writer_add(writer, 0, 4);
	etl_writer_add(writer, interval, 4);
	etl_writer_add(writer, before, 4);
	etl_writer_add_wide(writer, "Timer", etl_writer_room(writer));
	etl_writer_end(writer);
}

/* A stack that is too long loses the frames at its root. */
static void add_addresses(struct etl_writer *writer, const uint64_t *addresses, size_t nr)
{
	size_t most = etl_writer_room(writer) / 8;

	for (size_t i = 0; i < nr && i < most; i++)
		etl_writer_add(writer, addresses[i], 8);
}

static void begin_stack(struct etl_writer *writer, unsigned opcode, uint64_t tick, uint32_t pid,
			uint32_t tid)
{
	etl_writer_perfinfo(writer, GROUP_STACK_WALK, opcode, 2);
	etl_writer_add(writer, tick, 8);
	etl_writer_add(writer, pid, 4);
	etl_writer_add(writer, tid, 4);
}

void etl_write_stack(struct etl_writer *writer, uint64_t tick, uint32_t pid, uint32_t tid,
		     const uint64_t *addresses, size_t nr)
{
	begin_stack(writer, STACK_WALK_STACK, tick, pid, tid);
	add_addresses(writer, addresses, nr);
	etl_writer_end(writer);
}

void etl_write_stack_key(struct etl_writer *writer, enum etl_event_key part, uint64_t tick,
			 uint32_t pid, uint32_t tid, uint64_t key)
{
	begin_stack(writer, part, tick, pid, tid);
	etl_writer_add(writer, key, 8);
	etl_writer_end(writer);
}

void etl_write_stack_definition(struct etl_writer *writer, enum etl_event_definition what,
				uint64_t key, const uint64_t *addresses, size_t nr)
{
	etl_writer_perfinfo(writer, GROUP_STACK_WALK, what, 2);
	etl_writer_add(writer, key, 8);
	add_addresses(writer, addresses, nr);
	etl_writer_end(writer);
}

void etl_write_virtual(struct etl_writer *writer, uint64_t address, uint64_t length, uint32_t pid,
		       uint32_t flags)
{
	bool alloc = !(flags & (ETL_CALL_DECOMMIT | ETL_CALL_RELEASE));

	etl_writer_perfinfo(writer, GROUP_PAGE_FAULT, alloc ? VIRTUAL_ALLOC : VIRTUAL_FREE, 2);
	etl_writer_add(writer, address, 8);
	etl_writer_add(writer, length, 8);
	etl_writer_add(writer, pid, 4);
	etl_writer_add(writer, flags, 4);
	etl_writer_end(writer);
}

void etl_write_mark(struct etl_writer *writer, const char *text)
{
	etl_writer_classic(writer, perfinfo_guid, PERFINFO_MARK, 0);
	etl_writer_add_text(writer, text);
	etl_writer_end(writer);
}

void etl_write_volume(struct etl_writer *writer, const char *device, const char *drive)
{
	etl_writer_classic(writer, system_guid, SYSTEM_VOLUME, 0);
	etl_writer_add_wide(writer, device, etl_writer_room(writer) / 2);
	etl_writer_add_wide(writer, drive, etl_writer_room(writer));
	etl_writer_end(writer);
}

void etl_write_build(struct etl_writer *writer, const char *lab, const char *product)
{
	etl_writer_classic(writer, system_guid, SYSTEM_BUILD, 0);
	etl_writer_add(writer, 0, 8); /* installation time: unknown */
	etl_writer_add_wide(writer, lab, etl_writer_room(writer) / 2);
	etl_writer_add_wide(writer, product, etl_writer_room(writer));
	etl_writer_end(writer);
}
