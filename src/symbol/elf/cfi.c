#include "symbol/elf/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/elf/elf_file.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/key_hash.h"

#define OPS_LIMIT      64
#define SEGMENTS_LIMIT 4096

/*
 * The code that a process starts in may have no rules: the dynamic linker's is 48 bytes of assembly on x86-64
 * (glibc, sysdeps/x86_64/dl-machine.h, RTLD_START).
 */
#define START_SIZE 64

/* A segment of the file and its address. */
struct segment {
	uint64_t offset, size, address;
};

struct cfi {
	struct elf_file file;
	Dwarf *dwarf;
	Dwarf_CFI *eh_frame;    /* NULL: none */
	Dwarf_CFI *debug_frame; /* of `dwarf`; NULL: none, or not opened yet */
	bool debug_frame_tried;
	const struct unwind_arch *arch;
	uint64_t entry; /* address of the entry point */
	struct segment *segments;
	size_t segments_nr;
	struct cfi_rule **rules;
	size_t rules_nr, rules_alloc;
	struct cfi_rule *work;   /* RULE_SIZE_MAX bytes */
	struct hash_index index; /* of the rules, by their content */
};

#define RULE_SIZE_MAX (sizeof(struct cfi_rule) + UNWIND_REGS * sizeof(struct cfi_value))

static const struct cfi_rule no_rule;
static const struct cfi_rule start_rule = {
	.cfa = { .kind = CFI_PLUS },
	.outermost = true,
};

static void read_segments(struct cfi *cfi)
{
	size_t nr;

	if (elf_getphdrnum(cfi->file.elf, &nr))
		return;
	if (nr > SEGMENTS_LIMIT)
		nr = SEGMENTS_LIMIT;
	cfi->segments = xcalloc(nr + 1, sizeof(*cfi->segments));
	for (size_t i = 0; i < nr; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(cfi->file.elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		cfi->segments[cfi->segments_nr++] =
			(struct segment){ header.p_offset, header.p_filesz, header.p_vaddr };
	}
}

static int read_headers(struct cfi *cfi, const char *path, struct err *err)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(cfi->file.elf, &header))
		return err_set(err, ERR_CORRUPT, "'%s' is not an ELF file", path);
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    !unwind_arch_find(header.e_machine))
		return err_set(err, ERR_UNSUPPORTED, "'%s' is neither for x86-64 nor for arm64",
			       path);
	cfi->arch = unwind_arch_find(header.e_machine);
	cfi->entry = header.e_entry;
	read_segments(cfi);
	cfi->eh_frame = dwarf_getcfi_elf(cfi->file.elf);
	return 0;
}

int cfi_open(const char *path, struct cfi **cfi, struct err *err)
{
	struct cfi *new = xcalloc(1, sizeof(*new));

	new->work = xmalloc(RULE_SIZE_MAX);
	if (elf_file_open(path, &new->file, err) || read_headers(new, path, err)) {
		cfi_free(new);
		return -1;
	}
	*cfi = new;
	return 0;
}

void cfi_free(struct cfi *cfi)
{
	if (!cfi)
		return;
	for (size_t i = 0; i < cfi->rules_nr; i++)
		free(cfi->rules[i]);
	free(cfi->rules);
	hash_index_release(&cfi->index);
	free(cfi->work);
	free(cfi->segments);
	if (cfi->eh_frame)
		dwarf_cfi_end(cfi->eh_frame);
	dwarf_end(cfi->dwarf);
	elf_file_close(&cfi->file);
	free(cfi);
}

const struct unwind_arch *cfi_arch(const struct cfi *cfi)
{
	return cfi->arch;
}

static bool find_address(const struct cfi *cfi, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < cfi->segments_nr; i++) {
		const struct segment *segment = &cfi->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*address = segment->address + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

static Dwarf_Frame *find_frame(struct cfi *cfi, uint64_t address)
{
	Dwarf_Frame *frame = NULL;

	if (cfi->eh_frame && !dwarf_cfi_addrframe(cfi->eh_frame, address, &frame))
		return frame;
	if (!cfi->debug_frame_tried) {
		cfi->debug_frame_tried = true;
		cfi->dwarf = dwarf_begin_elf(cfi->file.elf, DWARF_C_READ, NULL);
		cfi->debug_frame = cfi->dwarf ? dwarf_getcfi(cfi->dwarf) : NULL;
	}
	if (cfi->debug_frame && !dwarf_cfi_addrframe(cfi->debug_frame, address, &frame))
		return frame;
	return NULL;
}

static bool set_expression(struct cfi_value *value, enum cfi_kind kind, const Dwarf_Op *ops,
			   size_t nr)
{
	if (nr > OPS_LIMIT)
		return false;
	value->kind = (uint8_t)kind;
	value->ops_nr = (uint32_t)nr;
	value->ops = ops;
	return true;
}

/* Whether it is one of the 32 operations from `first` on, or the general one with a register number. */
static bool is_register(const Dwarf_Op *op, unsigned first, unsigned numbered, uint64_t *reg)
{
	if (op->atom == numbered)
		*reg = op->number;
	else if (op->atom >= first && op->atom < first + 32)
		*reg = op->atom - first;
	else
		return false;
	return true;
}

static bool translate_cfa(const Dwarf_Op *ops, size_t nr, struct cfi_value *cfa)
{
	uint64_t base;

	if (nr == 1 && is_register(ops, DW_OP_breg0, DW_OP_bregx, &base)) {
		cfa->base = (uint16_t)base;
		cfa->offset = (int64_t)(ops->atom == DW_OP_bregx ? ops->number2 : ops->number);
		cfa->kind = CFI_PLUS;
		return base < UNWIND_REGS;
	}
	return nr && set_expression(cfa, CFI_EXPRESSION, ops, nr);
}

/*
 * Convert the operations that libdw returns for a register: one operation if the value is in another register; else an
 * expression for an address or, if it ends with DW_OP_stack_value, for a value. Most are the CFA and an offset.
 */
static bool translate_saved(const Dwarf_Op *ops, size_t nr, struct cfi_value *value)
{
	bool is_value = nr && ops[nr - 1].atom == DW_OP_stack_value;
	size_t rest = is_value ? nr - 1 : nr;
	uint64_t base;

	if (nr == 1 && is_register(ops, DW_OP_reg0, DW_OP_regx, &base)) {
		value->kind = CFI_PLUS;
		value->base = (uint16_t)base;
		return base < UNWIND_REGS;
	}
	if (rest && rest <= 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	    (rest == 1 || ops[1].atom == DW_OP_plus_uconst)) {
		value->kind = is_value ? CFI_PLUS : CFI_AT;
		value->base = CFI_BASE_CFA;
		value->offset = rest == 2 ? (int64_t)ops[1].number : 0;
		return true;
	}
	return set_expression(value, is_value ? CFI_EXPRESSION : CFI_AT_EXPRESSION, ops, rest);
}

static bool translate_register(Dwarf_Frame *frame, unsigned reg, struct cfi_rule *rule)
{
	struct cfi_value value;
	Dwarf_Op memory[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, (int)reg, memory, &ops, &nr))
		return false;
	if (!nr) {
		if (ops) /* undefined; else the same value */
			rule->undefined |= UINT64_C(1) << reg;
		return true;
	}
	memset(&value, 0, sizeof(value));
	value.reg = (uint8_t)reg;
	if (!translate_saved(ops, nr, &value))
		return false;
	rule->saved[rule->saved_nr++] = value;
	return true;
}

/* Padding is zero: equal rules have equal bytes. */
static bool translate(const struct cfi *cfi, Dwarf_Frame *frame, struct cfi_rule *rule)
{
	bool is_signal = false;
	int return_reg = dwarf_frame_info(frame, NULL, NULL, &is_signal);
	Dwarf_Op *ops;
	size_t nr;

	memset(rule, 0, RULE_SIZE_MAX);
	if (return_reg < 0 || return_reg >= UNWIND_REGS || dwarf_frame_cfa(frame, &ops, &nr) ||
	    !translate_cfa(ops, nr, &rule->cfa))
		return false;
	rule->return_reg = (uint8_t)return_reg;
	rule->signal = is_signal;
	for (unsigned reg = 0; reg < UNWIND_REGS; reg++) {
		if (!translate_register(frame, reg, rule))
			return false;
	}
	/* A preserved register without a rule keeps its value; libdw 0.188 wrongly reports x86-64's rbx as undefined. */
	rule->undefined &= ~cfi->arch->preserved;
	rule->outermost = rule->undefined >> rule->return_reg & 1;
	return true;
}

static size_t rule_size(const struct cfi_rule *rule)
{
	return sizeof(*rule) + rule->saved_nr * sizeof(rule->saved[0]);
}

static bool is_equal(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->saved_nr == b->saved_nr && !memcmp(a, b, rule_size(a));
}

static const struct cfi_rule *intern(struct cfi *cfi, const struct cfi_rule *rule)
{
	uint64_t hash = key_hash_add(key_hash_first(), rule, rule_size(rule));
	struct cfi_rule *copy;
	uint32_t at;

	HASH_INDEX_FIND(at, &cfi->index, hash, i, is_equal(cfi->rules[i], rule));
	if (at != HASH_INDEX_NONE)
		return cfi->rules[at];
	hash_index_add(&cfi->index, hash, (uint32_t)cfi->rules_nr);
	copy = xmalloc(rule_size(rule));
	memcpy(copy, rule, rule_size(rule));
	ARRAY_GROW(cfi->rules, cfi->rules_nr + 1, cfi->rules_alloc);
	return cfi->rules[cfi->rules_nr++] = copy;
}

const struct cfi_rule *cfi_find(struct cfi *cfi, uint64_t offset)
{
	const struct cfi_rule *rule = &no_rule;
	Dwarf_Frame *frame;
	uint64_t address;

	if (!find_address(cfi, offset, &address))
		return &no_rule;
	frame = find_frame(cfi, address);
	if (!frame)
		return cfi->entry && address - cfi->entry < START_SIZE ? &start_rule : &no_rule;
	if (translate(cfi, frame, cfi->work))
		rule = intern(cfi, cfi->work);
	free(frame);
	return rule;
}
