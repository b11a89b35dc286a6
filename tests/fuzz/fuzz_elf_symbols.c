/*
 * Any bytes as an ELF file: a symbol that is found covers the requested offset, and its name can be demangled safely.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"
#include "symbol/elf/elf_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct elf_symbols *symbols, uint64_t offset)
{
	struct symbol symbol;
	uint64_t address;

	elf_symbols_address(symbols, offset, &address);
	if (!elf_symbols_find(symbols, offset, &symbol))
		return;
	if (!elf_symbols_nr(symbols) || offset < symbol.start || offset >= symbol.end ||
	    !*symbol.name)
		abort();
	free(demangle_name(symbol.name));
	for (size_t i = 0; i < symbol.also_nr; i++)
		free(demangle_name(symbol.also[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_symbols *symbols;
	struct err err = ERR_INIT;
	const uint8_t *id;
	const char *link;
	uint32_t crc;
	size_t nr;

	if (elf_symbols_open_image(data, size, &symbols, &err)) {
		err_clear(&err);
		return 0;
	}
	for (uint64_t offset = 0; offset < size && offset < 65536; offset += 16)
		ask(symbols, offset);
	ask(symbols, UINT64_MAX);
	elf_symbols_id(symbols, &id, &nr);
	if (nr && (id[0] ^ id[nr - 1]) > 0xff)
		abort();
	link = elf_symbols_debuglink(symbols, &crc);
	if (link && (!*link || strchr(link, '/')))
		abort();
	elf_symbols_free(symbols);
	return 0;
}
