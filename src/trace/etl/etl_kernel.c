#include "trace/etl/etl_kernel.h"

#define PAGE UINT64_C(4096)

#define SID_HEAD 8 /* revision, count, authority */

/* The size of the SID at `v` in bytes; 0: there is none. */
static size_t sid_size(const unsigned char *v, size_t nr)
{
	size_t size;

	if (nr < SID_HEAD || v[0] != 1 || v[1] > 15)
		return 0;
	size = SID_HEAD + 4u * v[1];
	return size <= nr ? size : 0;
}

/* Decode the fields after the SID. */
static void take_texts(struct etl_payload *payload, const struct etl_record *record,
		       struct etl_process *process)
{
	process->image = etl_take_text(payload);
	process->command_line = process->package = process->application =
		(struct etl_text){ payload->v, 0, true };
	if (record->version >= 2)
		process->command_line = etl_take_wide(payload);
	if (record->version >= 4) {
		process->package = etl_take_wide(payload);
		process->application = etl_take_wide(payload);
	}
	/* Other events of version 5 have a zero here. */
	if (record->version >= 5 && payload->nr >= 8)
		process->exit_time = etl_take64(payload);
}

/* A TOKEN_USER of two pointers and the SID. */
static bool take_sid(struct etl_payload *payload, struct etl_process *process)
{
	size_t head = 2u * payload->pointer, size;

	if (payload->nr < head)
		return false;
	size = sid_size(payload->v + head, payload->nr - head);
	if (!size)
		return false;
	process->sid = payload->v + head;
	process->sid_nr = size;
	etl_take(payload, head + size);
	return true;
}

/*
 * A first word of zero means no SID, and is followed by the next field. But some writers put a zero pointer before a SID:
 * it is taken for one if the remaining payload then fits exactly.
 */
static void take_sid_and_texts(struct etl_payload *payload, const struct etl_record *record,
			       struct etl_process *process)
{
	struct etl_payload with = *payload;
	bool zero = payload->nr >= 4 && !le_get32(payload->v);

	if (take_sid(&with, process)) {
		take_texts(&with, record, process);
		if (!zero || (!with.truncated && !with.nr)) {
			*payload = with;
			return;
		}
	}
	process->sid = NULL;
	process->sid_nr = 0;
	process->exit_time = 0;
	if (zero)
		etl_take(payload, 4);
	else
		payload->truncated = true;
	take_texts(payload, record, process);
}

/* Whether a payload fits its fields. */
enum fit {
	TOO_SHORT,
	LOOSE, /* bytes are left after the fields */
	EXACT,
};

static enum fit fit_of(const struct etl_payload *payload)
{
	return payload->truncated ? TOO_SHORT : payload->nr ? LOOSE : EXACT;
}

static struct etl_payload payload_as(const struct etl_record *record, uint8_t pointer)
{
	return (struct etl_payload){ record->payload, record->payload_nr, pointer, false };
}

/* A 32-bit program may write events of 64-bit processes, but the header has its own pointer size. */
static uint8_t other_pointer(const struct etl_record *record)
{
	return record->pointer == 4 ? 8 : 4;
}

static enum fit decode_process(const struct etl_record *record, uint8_t pointer,
			       struct etl_process *process)
{
	struct etl_payload payload = payload_as(record, pointer);

	*process = (struct etl_process){ .session = UINT32_MAX };
	if (record->version == 0) {
		process->pid = (uint32_t)etl_take_pointer(&payload);
		process->ppid = (uint32_t)etl_take_pointer(&payload);
	} else {
		process->key = etl_take_pointer(&payload);
		process->pid = etl_take32(&payload);
		process->ppid = etl_take32(&payload);
		process->session = etl_take32(&payload);
		process->status = etl_take32(&payload);
		process->has_status = true;
	}
	if (record->version == 1) {
		process->directory = process->key;
		process->key = 0;
	}
	if (record->version >= 3)
		process->directory = etl_take_pointer(&payload);
	if (record->version >= 4)
		process->flags = etl_take32(&payload);
	if (payload.truncated)
		return TOO_SHORT;
	take_sid_and_texts(&payload, record, process);
	return fit_of(&payload);
}

bool etl_decode_process(const struct etl_record *record, struct etl_process *process)
{
	enum fit fit = decode_process(record, record->pointer, process);
	struct etl_process other;

	if (fit != EXACT && decode_process(record, other_pointer(record), &other) == EXACT) {
		*process = other;
		return true;
	}
	return fit != TOO_SHORT;
}

/* After the pids: two stacks, start addresses and, from version 2 on, more. */
static void take_thread_rest(struct etl_payload *payload, const struct etl_record *record,
			     struct etl_thread *thread)
{
	etl_take(payload, 5u * payload->pointer);
	thread->start = etl_take_pointer(payload);
	if (record->version < 3)
		return;
	etl_take(payload, payload->pointer + 8u);
	if (payload->nr >= 2)
		thread->name = etl_take_wide(payload);
}

bool etl_decode_thread(const struct etl_record *record, struct etl_thread *thread)
{
	struct etl_payload payload = etl_payload_of(record);

	*thread = (struct etl_thread){ .name = { record->payload, 0, true } };
	thread->pid = etl_take32(&payload);
	thread->tid = etl_take32(&payload);
	if (payload.truncated)
		return false;
	if (record->opcode == ETL_THREAD_SET_NAME) {
		thread->name = etl_take_wide(&payload);
		return true;
	}
	if (record->version == 0) {
		uint32_t tid = thread->pid;

		thread->pid = thread->tid;
		thread->tid = tid;
	} else if (payload.nr) {
		take_thread_rest(&payload, record, thread);
	}
	return !payload.truncated;
}

/* Between the ids and the state are priorities, quanta or the C-state, wait reason and mode, of a byte each. */
bool etl_decode_switch(const struct etl_record *record, struct etl_switch *change)
{
	struct etl_payload payload = etl_payload_of(record);

	change->next = etl_take32(&payload);
	change->previous = etl_take32(&payload);
	etl_take(&payload, 6);
	change->state = etl_take8(&payload);
	return !payload.truncated;
}

bool etl_decode_ready(const struct etl_record *record, uint32_t *tid)
{
	struct etl_payload payload = etl_payload_of(record);

	*tid = etl_take32(&payload);
	return !payload.truncated;
}

static enum fit decode_image(const struct etl_record *record, uint8_t pointer,
			     struct etl_image *image)
{
	struct etl_payload payload = payload_as(record, pointer);

	*image = (struct etl_image){ .pid = ETL_NO_PROCESS };
	image->base = etl_take_pointer(&payload);
	image->size = record->version ? etl_take_pointer(&payload) : etl_take32(&payload);
	if (record->version >= 1)
		image->pid = etl_take32(&payload);
	if (record->version >= 2) {
		image->checksum = etl_take32(&payload);
		image->stamp = etl_take32(&payload);
		etl_take(&payload, 4);
		image->default_base = etl_take_pointer(&payload);
		etl_take(&payload, 16);
	}
	image->path = etl_take_wide(&payload);
	return fit_of(&payload);
}

bool etl_decode_image(const struct etl_record *record, struct etl_image *image)
{
	enum fit fit = decode_image(record, record->pointer, image);
	struct etl_image other;

	if (fit != EXACT && decode_image(record, other_pointer(record), &other) == EXACT) {
		*image = other;
		return true;
	}
	return fit != TOO_SHORT;
}

bool etl_decode_sample(const struct etl_record *record, struct etl_sample *sample)
{
	struct etl_payload payload = etl_payload_of(record);
	uint8_t flags;

	sample->ip = etl_take_pointer(&payload);
	sample->tid = etl_take32(&payload);
	sample->count = etl_take16(&payload);
	flags = payload.nr ? etl_take8(&payload) : 0;
	sample->dpc = flags & 1;
	sample->isr = flags & 2;
	return !payload.truncated;
}

bool etl_decode_interval(const struct etl_record *record, struct etl_interval *interval)
{
	struct etl_payload payload = etl_payload_of(record);

	interval->source = etl_take32(&payload);
	interval->now = etl_take32(&payload);
	interval->old = etl_take32(&payload);
	if (payload.truncated)
		return false;
	interval->name = (struct etl_text){ payload.v, 0, true };
	if (record->version >= 3)
		interval->name = etl_take_wide(&payload);
	return true;
}

bool etl_decode_mark(const struct etl_record *record, struct etl_text *text)
{
	struct etl_payload payload = etl_payload_of(record);

	*text = etl_take_text(&payload);
	return record->payload_nr > 0;
}

static void take_frames(struct etl_payload *payload, struct etl_stack *stack)
{
	stack->pointer = payload->pointer;
	stack->frames = payload->v;
	stack->nr = payload->nr / payload->pointer;
}

bool etl_decode_stack(const struct etl_record *record, struct etl_stack *stack)
{
	struct etl_payload payload = etl_payload_of(record);

	*stack = (struct etl_stack){ .time = etl_take64(&payload) };
	stack->pid = etl_take32(&payload);
	stack->tid = etl_take32(&payload);
	if (record->opcode == ETL_STACK)
		take_frames(&payload, stack);
	else
		stack->key = etl_take_pointer(&payload);
	return !payload.truncated;
}

bool etl_decode_stack_key(const struct etl_record *record, struct etl_stack *stack)
{
	struct etl_payload payload = etl_payload_of(record);

	*stack = (struct etl_stack){ .key = etl_take_pointer(&payload) };
	take_frames(&payload, stack);
	return !payload.truncated;
}

size_t etl_stack_kernel_nr(const struct etl_stack *stack)
{
	size_t nr = 0;

	while (nr < stack->nr && etl_is_kernel(etl_stack_frame(stack, nr), stack->pointer))
		nr++;
	return nr;
}

bool etl_decode_virtual(const struct etl_record *record, struct etl_virtual *call)
{
	struct etl_payload payload = etl_payload_of(record);

	call->base = etl_take_pointer(&payload);
	call->size = etl_take_pointer(&payload);
	call->pid = etl_take32(&payload);
	call->flags = etl_take32(&payload);
	return !payload.truncated;
}

static bool find_op(uint8_t opcode, uint32_t flags, enum memory_op *op)
{
	if (opcode == ETL_VIRTUAL_FREE) {
		*op = flags & ETL_MEM_RELEASE ? MEMORY_RELEASE : MEMORY_DECOMMIT;
		return flags & (ETL_MEM_RELEASE | ETL_MEM_DECOMMIT);
	}
	*op = flags & ETL_MEM_COMMIT    ? MEMORY_COMMIT_UNCOMMITTED
	      : flags & ETL_MEM_RESERVE ? MEMORY_RESERVE
					: MEMORY_PURGE;
	return flags & (ETL_MEM_COMMIT | ETL_MEM_RESERVE | ETL_MEM_RESET);
}

bool etl_pages_of(uint8_t opcode, const struct etl_virtual *call, struct etl_pages *pages)
{
	uint64_t end = call->base + call->size;

	if (end < call->base || end > UINT64_MAX - PAGE)
		end = UINT64_MAX - PAGE + 1;
	pages->address = call->base & ~(PAGE - 1);
	pages->length = ((end + PAGE - 1) & ~(PAGE - 1)) - pages->address;
	return call->size && find_op(opcode, call->flags, &pages->op);
}

/* SystemConfig_CPU's char16 ComputerName[256], DomainName[134]. */
#define COMPUTER_BYTES 512
#define DOMAIN_BYTES   268

bool etl_decode_extension(const struct etl_record *record, struct etl_extension *extension)
{
	struct etl_payload payload = etl_payload_of(record);

	for (size_t i = 0; i < 8; i++)
		extension->masks[i] = etl_take32(&payload);
	return !payload.truncated;
}

bool etl_decode_cpu(const struct etl_record *record, struct etl_cpu *cpu)
{
	struct etl_payload payload = etl_payload_of(record);

	*cpu = (struct etl_cpu){ .architecture = ETL_ARCHITECTURE_UNKNOWN };
	cpu->mhz = etl_take32(&payload);
	cpu->cpus = etl_take32(&payload);
	cpu->memory_mb = etl_take32(&payload);
	cpu->page_size = etl_take32(&payload);
	etl_take32(&payload); /* granularity of allocations */
	cpu->computer = etl_take_wide_field(&payload, COMPUTER_BYTES);
	cpu->domain = etl_take_wide_field(&payload, DOMAIN_BYTES);
	etl_take_pointer(&payload); /* hyper-threading */
	if (payload.truncated)
		return false;
	if (record->version < 3)
		return true;
	etl_take_pointer(&payload); /* highest user address */
	cpu->architecture = etl_take16(&payload);
	cpu->level = etl_take16(&payload);
	cpu->revision = etl_take16(&payload);
	return !payload.truncated;
}

bool etl_decode_device(const struct etl_record *record, struct etl_device *device)
{
	struct etl_payload payload = etl_payload_of(record);

	if (record->version < 5)
		return false;
	device->class_guid = etl_take(&payload, 16);
	etl_take(&payload, 16); /* counts of filters, status, problem */
	if (payload.truncated)
		return false;
	device->id = etl_take_wide(&payload);
	device->description = etl_take_wide(&payload);
	device->name = etl_take_wide(&payload);
	return true;
}

bool etl_decode_build(const struct etl_record *record, struct etl_build *build)
{
	struct etl_payload payload = etl_payload_of(record);

	build->installed = etl_take64(&payload);
	if (payload.truncated)
		return false;
	build->lab = etl_take_wide(&payload);
	build->product = etl_take_wide(&payload);
	return true;
}

bool etl_decode_system_paths(const struct etl_record *record, struct etl_system_paths *paths)
{
	struct etl_payload payload = etl_payload_of(record);

	paths->system = etl_take_wide(&payload);
	paths->windows = etl_take_wide(&payload);
	return !payload.truncated;
}

bool etl_decode_volume(const struct etl_record *record, struct etl_volume *volume)
{
	struct etl_payload payload = etl_payload_of(record);

	volume->device = etl_take_wide(&payload);
	volume->drive = etl_take_wide(&payload);
	return volume->device.nr > 0;
}

bool etl_decode_image_info(const struct etl_record *record, struct etl_image_info *info)
{
	struct etl_payload payload = etl_payload_of(record);

	info->base = etl_take_pointer(&payload);
	info->size = etl_take_pointer(&payload);
	info->pid = etl_take32(&payload);
	info->stamp = etl_take32(&payload);
	if (payload.truncated)
		return false;
	info->name = etl_take_wide(&payload);
	return true;
}

bool etl_decode_rsds(const struct etl_record *record, struct etl_rsds *rsds)
{
	struct etl_payload payload = etl_payload_of(record);

	rsds->base = etl_take_pointer(&payload);
	rsds->pid = etl_take32(&payload);
	rsds->guid = etl_take(&payload, 16);
	rsds->age = etl_take32(&payload);
	if (payload.truncated)
		return false;
	rsds->pdb = etl_take_text(&payload);
	return true;
}
