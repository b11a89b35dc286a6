/*
 * Any registers and any bytes as a stack, in an address space of this program's own code. The first byte is
 * the number of registers, the second selects the leaf; words that look like small numbers become addresses
 * of code or of the stack, so that walks go far.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/stack_joiner.h"
#include "symbol/unwinder.h"
#include "util/alloc.h"
#include "util/array.h"

#define STACK UINT64_C(0x7ffc00000000)
#define WORDS 512

struct target {
	struct module modules[64];
	struct machine machine;
	struct trace_process process;
	struct trace_thread thread;
	struct unwinder *unwinder;
};

static const char *find_path(void *data, const struct module *module)
{
	(void)data;
	return module->path;
}

static void add_mapping(struct target *target, struct mapping mapping, const char *path)
{
	struct module_table *table = &target->machine.modules;

	mapping.module = (uint32_t)table->nr - 1;
	if (table->nr == 1 || strcmp(table->v[mapping.module].path, path)) {
		if (table->nr == ARRAY_SIZE(target->modules))
			return;
		mapping.module = (uint32_t)table->nr++;
		table->v[mapping.module].path = xstrdup(path);
	}
	address_space_map(&target->process.space, &mapping);
}

static struct target *make_target(void)
{
	struct target *target = xcalloc(1, sizeof(*target));
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4096];

	target->modules[0].path = xstrdup("?");
	target->machine.modules.v = target->modules;
	target->machine.modules.nr = 1;
	address_space_init(&target->process.space);
	while (file && fgets(line, sizeof(line), file)) {
		unsigned long start, end, offset;
		char permissions[8] = "", path[2048] = "";

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %2047[^\n]", &start, &end, permissions,
			   &offset, path) == 5 &&
		    permissions[2] == 'x')
			add_mapping(target, (struct mapping){ start, end, offset, 0 }, path);
	}
	if (file)
		fclose(file);
	target->thread.alive = true;
	target->unwinder = unwinder_new((struct module_files){ NULL, find_path });
	return target;
}

static const struct mapping *pick_mapping(const struct address_space *space, uint64_t any)
{
	const struct mapping *at = address_space_seek(space, 0);

	for (uint64_t i = any % space->ranges.nr; i > 0; i--)
		at = address_space_seek(space, at->end);
	return at;
}

/* Small numbers pick code, larger ones the stack; the rest is as it is. */
static uint64_t make_word(const struct target *target, uint64_t word)
{
	const struct address_space *space = &target->process.space;
	const struct mapping *mapping = pick_mapping(space, word);

	if (word < UINT64_C(1) << 32)
		return mapping->start + word / space->ranges.nr % (mapping->end - mapping->start);
	if (word < UINT64_C(1) << 40)
		return STACK + word % (WORDS * 8);
	return word;
}

/* Only a call chain may have a caller at 0. */
static void unwind(struct target *target, const struct trace_stack *stack, bool chain)
{
	const uint64_t *v;
	size_t nr;

	unwinder_unwind(target->unwinder, &target->machine, &target->process, &target->thread,
			stack, &v, &nr);
	for (size_t i = 1; i < nr; i++) {
		if (!v[i] && !chain)
			abort();
	}
	if (nr > STACK_JOINER_MAX + stack->user_nr)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct target *target;
	uint64_t words[WORDS] = { 0 }, values[64] = { 0 };
	struct trace_stack_copy copy = { .values = values };
	struct trace_stack stack = { .copy = &copy };

	if (size < 2)
		return 0;
	if (!target)
		target = make_target();
	copy.mask = data[0] & 1   ? UINT64_C(0xff0fff)
		    : data[0] & 2 ? UINT64_C(0x1ffffffff)
				  : data[1];
	for (size_t i = 0; i < ARRAY_SIZE(words) && (i + 1) * 8 + 2 <= size; i++) {
		memcpy(&words[i], data + 2 + i * 8, 8);
		words[i] = make_word(target, words[i]);
	}
	memcpy(values, words, sizeof(values));
	values[data[0] & 1 ? 7 : 31] = STACK;
	copy.bytes = (const unsigned char *)words;
	copy.bytes_nr = size - 2 < sizeof(words) ? size - 2 : sizeof(words);
	stack.user = words;
	stack.user_nr = (uint32_t)(data[1] < copy.bytes_nr / 8 ? data[1] : copy.bytes_nr / 8);
	unwind(target, &stack, stack.user_nr);
	/* Once more with fewer bytes: joined to what is known now. */
	unwinder_see_chain(target->unwinder, &target->thread, words, stack.user_nr);
	stack.user_nr = 0;
	copy.bytes_nr /= 2;
	unwind(target, &stack, true);
	unwind(target, &stack, true);
	unwinder_forget(target->unwinder, &target->thread);
	return 0;
}
