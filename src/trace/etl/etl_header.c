#include "trace/etl/etl_header.h"

#include <inttypes.h>
#include <stdlib.h>

#include "trace/etl/etl_clock.h"
#include "trace/etl/etl_payload.h"

/* Offsets in the payload; those from BOOT_TIME on are from its place, which depends on the size of pointers. */
enum {
	BUFFER_SIZE = 0,
	OS_MAJOR = 4,
	OS_MINOR = 5,
	BUILD = 8,
	CPUS = 12,
	END_TIME = 16,
	MODE = 32,
	BUFFERS_WRITTEN = 36,
	POINTER_SIZE = 44,
	EVENTS_LOST = 48,
	CPU_MHZ = 52,
	NAMES = 56, /* two pointers, then the time zone */

	TAIL32 = 0xf0,
	TAIL64 = 0xf8,
	BOOT_TIME = 0,
	FREQUENCY = 8,
	START_TIME = 16,
	CLOCK = 24,
	BUFFERS_LOST = 28,
	TAIL_SIZE = 32,
};

#define FILETIME_FREQUENCY UINT64_C(10000000)

static uint64_t ticks_a_second(const struct etl_header *header, uint64_t told)
{
	if (header->clock == ETL_CLOCK_SYSTEM)
		return FILETIME_FREQUENCY;
	if (header->clock == ETL_CLOCK_CYCLES && header->cpu_mhz)
		return header->cpu_mhz * UINT64_C(1000000);
	return told;
}

static char *take_text(struct etl_payload *payload)
{
	struct etl_text text = etl_take_wide(payload);
	struct strbuf sb = STRBUF_INIT;

	etl_text_add(&text, &sb);
	return strbuf_detach(&sb);
}

static void read_start(struct etl_header *header, const unsigned char *s)
{
	header->buffer_size = le_get32(s + BUFFER_SIZE);
	header->os_major = s[OS_MAJOR];
	header->os_minor = s[OS_MINOR];
	header->build = le_get32(s + BUILD);
	header->cpus = le_get32(s + CPUS);
	header->end_time = (int64_t)le_get64(s + END_TIME);
	header->mode = le_get32(s + MODE);
	header->buffers_written = le_get32(s + BUFFERS_WRITTEN);
	header->pointer_size = le_get32(s + POINTER_SIZE);
	header->events_lost = le_get32(s + EVENTS_LOST);
	header->cpu_mhz = le_get32(s + CPU_MHZ);
}

static void read_tail(struct etl_header *header, const unsigned char *s)
{
	uint32_t clock = le_get32(s + CLOCK);

	header->boot_time = (int64_t)le_get64(s + BOOT_TIME);
	header->start_time = (int64_t)le_get64(s + START_TIME);
	header->buffers_lost = le_get32(s + BUFFERS_LOST);
	header->clock = clock <= ETL_CLOCK_CYCLES ? (enum etl_clock)clock : ETL_CLOCK_UNSPECIFIED;
	header->frequency = ticks_a_second(header, le_get64(s + FREQUENCY));
}

int etl_header_read(struct etl_header *header, const struct etl_record *record, struct err *err)
{
	struct etl_payload payload = etl_payload_of(record);
	size_t tail = record->pointer == 4 ? TAIL32 : TAIL64;

	*header = (struct etl_header){ 0 };
	if (record->kind != ETL_SYSTEM || record->provider != ETL_EVENT_TRACE || record->opcode)
		return err_set(err, ERR_CORRUPT, "it does not begin with the header event");
	if (record->payload_nr < tail + TAIL_SIZE)
		return err_set(err, ERR_CORRUPT, "its header event has only %" PRIu32 " bytes",
			       record->payload_nr);
	read_start(header, record->payload);
	header->timezone_bias = (int32_t)le_get32(record->payload + NAMES + 2 * record->pointer);
	read_tail(header, record->payload + tail);
	header->first_tick = record->time;
	if (!header->frequency || header->frequency > ETL_CLOCK_FREQUENCY_MAX)
		return err_set(err, ERR_CORRUPT, "its clock has %" PRIu64 " ticks a second",
			       header->frequency);
	etl_take(&payload, tail + TAIL_SIZE);
	header->session_name = take_text(&payload);
	header->file_name = take_text(&payload);
	return 0;
}

void etl_header_release(struct etl_header *header)
{
	free(header->session_name);
	free(header->file_name);
	*header = (struct etl_header){ 0 };
}
