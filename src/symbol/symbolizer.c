#include "symbol/symbolizer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "platform/helper.h"
#include "platform/program.h"
#include "platform/thread.h"
#include "symbol/demangle.h"
#include "symbol/elf/elf_module.h"
#include "symbol/file_places.h"
#include "symbol/kernel_symbols.h"
#include "symbol/module_map.h"
#include "symbol/symbol_file.h"
#include "symbol/symbol_reasons.h"
#include "util/array.h"
#include "util/compare.h"
#include "util/text.h"
#include "util/utf8.h"

#define NOTES_MAX     (INT64_C(1) << 20)
#define NAMED_MAX     3  /* maximum of modules that a message names */
#define EXPLAINED_MAX 10 /* of lines for one module each */

enum traced_kernel {
	KERNEL_NOT_ASKED,
	KERNEL_NOT_KNOWN,
	KERNEL_RUNNING,
	KERNEL_OTHER,
};

struct symbolizer {
	struct symbolizer_options options;
	struct module_map keys;
	struct symbol_file *files; /* as in `keys`: one for each module that was needed */
	size_t files_nr, files_alloc;
	struct module_map places; /* what the paths of ELF files lead to: fs_identity() */
	size_t *firsts;           /* as in `places`: the first of `files` there */
	size_t firsts_nr, firsts_alloc;
	enum traced_kernel traced_kernel;
	struct kernel_symbols *kernel;
	char *kernel_why; /* why there are no kernel symbols; NULL: not read yet, or there are */
	struct file_places *file_places;
	struct unwinder *unwinder;
	struct unwound_listener listener; /* `take` NULL: none */
	struct symbol_reasons recorded;
};

struct symbolizer *symbolizer_new(const struct symbolizer_options *options)
{
	struct symbolizer *symbolizer = xcalloc(1, sizeof(*symbolizer));

	symbolizer->options = *options;
	symbolizer->file_places = file_places_new(&options->places);
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	unwinder_free(symbolizer->unwinder);
	for (size_t i = 0; i < symbolizer->files_nr; i++) {
		struct symbol_file *file = &symbolizer->files[i];

		if (file->ops && !file->shared)
			file->ops->close(file->data);
		free(file->why);
		free(file->from);
	}
	free(symbolizer->files);
	file_places_free(symbolizer->file_places);
	module_map_release(&symbolizer->keys);
	module_map_release(&symbolizer->places);
	free(symbolizer->firsts);
	kernel_symbols_free(symbolizer->kernel);
	free(symbolizer->kernel_why);
	symbol_reasons_release(&symbolizer->recorded);
	free(symbolizer);
}

static bool is_in_store(const struct symbolizer *symbolizer, const struct module *module)
{
	return symbolizer->options.store && symbol_store_has(symbolizer->options.store, module);
}

/* Whether the module may have a file with its names: an ELF file or a PDB. */
static bool has_file(const struct module *module)
{
	return module->kind == MODULE_FILE || module->debug_path;
}

/*
 * Of the files at the place to which a module's path leads, the first, which is `number` if there is none so far. A trace
 * may name one file by any number of paths: its symbols are read once.
 */
static size_t *first_there(struct symbolizer *symbolizer, const struct module *module,
			   size_t number)
{
	char *path = module->debug_path ? NULL : file_places_elf(symbolizer->file_places, module);
	char *place = path ? fs_identity(path) : NULL;
	uint32_t at = place ? module_map_add(&symbolizer->places, place, NULL, 0) : 0;

	free(place);
	free(path);
	if (!at)
		return NULL;
	if (at > symbolizer->firsts_nr)
		ARRAY_ADD(symbolizer->firsts, symbolizer->firsts_nr, symbolizer->firsts_alloc,
			  number);
	return &symbolizer->firsts[at - 1];
}

static void open_file_once(struct symbolizer *symbolizer, const struct module *module,
			   size_t number)
{
	size_t *first = first_there(symbolizer, module, number);
	const struct symbol_file *same = first ? &symbolizer->files[*first] : NULL;

	if (same && !same->ops) {
		*first = number;
		same = NULL;
	}
	file_places_open(symbolizer->file_places, module, is_in_store(symbolizer, module), same,
			 &symbolizer->files[number]);
}

static const struct module *find_traced_kernel(const struct symbolizer *symbolizer)
{
	const struct module_table *modules = symbolizer->options.modules;

	for (size_t i = 0; modules && i < modules->nr; i++) {
		if (modules->v[i].kind == MODULE_KERNEL && modules->v[i].id_length &&
		    kernel_symbols_is_main(&modules->v[i]))
			return &modules->v[i];
	}
	return NULL;
}

/* Whether the trace is of the running kernel, by the build id, which is read once. */
static enum traced_kernel traced_kernel(struct symbolizer *symbolizer)
{
	const struct module *module;
	struct strbuf notes = STRBUF_INIT;
	struct err err = ERR_INIT;
	uint8_t id[MODULE_ID_MAX];
	size_t nr = 0;

	if (symbolizer->traced_kernel != KERNEL_NOT_ASKED)
		return symbolizer->traced_kernel;
	module = find_traced_kernel(symbolizer);
	if (module && !fs_read(KERNEL_NOTES_PATH, NOTES_MAX, &notes, &err))
		nr = kernel_notes_id(notes.buf, notes.len, id);
	if (!nr)
		symbolizer->traced_kernel = KERNEL_NOT_KNOWN;
	else if (module_id_equal(id, nr, module->id, module->id_length))
		symbolizer->traced_kernel = KERNEL_RUNNING;
	else
		symbolizer->traced_kernel = KERNEL_OTHER;
	err_clear(&err);
	strbuf_release(&notes);
	return symbolizer->traced_kernel;
}

/* The vdso is part of the kernel, and perf.data often has no build id of it. */
static void open_vdso(struct symbolizer *symbolizer, struct symbol_file *file,
		      const struct module *module)
{
	bool same = !module->id_length && traced_kernel(symbolizer) == KERNEL_RUNNING;
	size_t size = 0;
	const void *image = vdso_image(&size);

	elf_module_open_vdso(module, image, size, same, file);
}

/* The index of a module in `files`. `*is_new`: it was added, and must be opened. */
static size_t add_file(struct symbolizer *symbolizer, const struct module *module, bool *is_new)
{
	uint32_t number =
		module_map_add(&symbolizer->keys, module->path, module->id, module->id_length);

	*is_new = number > symbolizer->files_nr;
	if (*is_new) {
		ARRAY_GROW(symbolizer->files, symbolizer->files_nr + 1, symbolizer->files_alloc);
		symbolizer->files[symbolizer->files_nr++] = (struct symbol_file){ .ops = NULL };
	}
	return number - 1;
}

/* Where the names of a run are kept, of the files of this machine only those are used that were fetched for it. */
static void open_without_files(struct symbolizer *symbolizer, const struct module *module,
			       size_t number)
{
	struct symbol_file *file = &symbolizer->files[number];
	bool kept = is_in_store(symbolizer, module);

	if (has_file(module) &&
	    (file_places_open_kept(symbolizer->file_places, module, kept, file) || kept))
		return;
	if (kept)
		return;
	file->flaw = SYMBOL_NOT_KEPT;
	file->why = xstrdup("not among the symbols of the run");
}

/* The file of a module, opened when it is first asked for. */
static const struct symbol_file *module_file(struct symbolizer *symbolizer,
					     const struct module *module)
{
	bool is_new;
	size_t number = add_file(symbolizer, module, &is_new);
	struct symbol_file *file = &symbolizer->files[number];

	if (!is_new)
		return file;
	if (!symbolizer->options.use_files) {
		open_without_files(symbolizer, module, number);
		return file;
	}
	if (module->kind == MODULE_VDSO)
		open_vdso(symbolizer, file, module);
	else if (has_file(module))
		open_file_once(symbolizer, module, number);
	return file;
}

static bool is_kernel(const struct module *module)
{
	return module->kind == MODULE_KERNEL && !has_file(module);
}

/* Whether the symbols of the running kernel must be read for this module. */
static bool wants_kernel(const struct symbolizer *symbolizer, const struct module *module)
{
	return !symbolizer->kernel && !symbolizer->kernel_why && !is_in_store(symbolizer, module);
}

static void open_kernel(struct symbolizer *symbolizer)
{
	struct err err = ERR_INIT;

	if (!symbolizer->options.use_files || !symbolizer->options.same_machine_kernel)
		symbolizer->kernel_why = xstrdup("not the running kernel");
	else if (traced_kernel(symbolizer) == KERNEL_OTHER)
		symbolizer->kernel_why =
			xstrdup("its build id differs from that of the running kernel");
	else if (kernel_symbols_read(KERNEL_SYMBOLS_PATH, &symbolizer->kernel, &err))
		symbolizer->kernel_why = xstrdup(err.msg);
	err_clear(&err);
}

/* Files that two threads open: each takes the next file of the list. Those that are the same files are opened later. */
struct opening {
	struct symbolizer *symbolizer;
	const struct module **modules;
	size_t *files;    /* indices in the symbolizer's list; KERNEL_FILE: the kernel's symbols */
	size_t nr, later; /* those to be opened later are at `later` and after it */
	atomic_size_t next;
};

#define KERNEL_FILE SIZE_MAX

static void open_next_files(void *data)
{
	struct opening *opening = data;
	struct symbolizer *symbolizer = opening->symbolizer;
	size_t i;

	while ((i = atomic_fetch_add(&opening->next, 1)) < opening->nr) {
		if (opening->files[i] == KERNEL_FILE)
			open_kernel(symbolizer);
		else
			file_places_open(symbolizer->file_places, opening->modules[i],
					 is_in_store(symbolizer, opening->modules[i]), NULL,
					 &symbolizer->files[opening->files[i]]);
	}
}

/* Each file is opened once; the kernel's names are read once for all its modules. */
static void add_opening(struct opening *opening, const struct module *module, bool *kernel)
{
	struct symbolizer *symbolizer = opening->symbolizer;
	bool is_new = false;

	opening->modules[opening->nr] = module;
	if (has_file(module)) {
		size_t number = add_file(symbolizer, module, &is_new);
		const size_t *first = is_new ? first_there(symbolizer, module, number) : NULL;

		if (first && *first != number) {
			opening->later--;
			opening->modules[opening->later] = module;
			opening->files[opening->later] = number;
			return;
		}
		opening->files[opening->nr] = number;
	} else if (is_kernel(module) && !*kernel && wants_kernel(symbolizer, module)) {
		opening->files[opening->nr] = KERNEL_FILE;
		*kernel = is_new = true;
	}
	opening->nr += is_new;
}

void symbolizer_open_files(struct symbolizer *symbolizer, const struct module *const *modules,
			   size_t nr)
{
	struct opening opening = { .symbolizer = symbolizer, .later = nr + 1 };
	struct helper *helper;
	bool kernel = false;

	opening.modules = xcalloc(nr + 1, sizeof(*opening.modules));
	opening.files = xcalloc(nr + 1, sizeof(*opening.files));
	for (size_t i = 0; i < nr && symbolizer->options.use_files; i++) {
		/* Nothing is fetched for a module whose names are all known: it is opened when one is not. */
		if (!symbolizer->options.places.fetcher || !is_in_store(symbolizer, modules[i]))
			add_opening(&opening, modules[i], &kernel);
	}
	helper = helper_new(opening.nr > 1 ? symbolizer->options.threads : 1);
	helper_add(helper, open_next_files, &opening);
	open_next_files(&opening);
	helper_withdraw(helper, &opening);
	helper_free(helper);
	for (size_t i = opening.later; i <= nr; i++)
		open_file_once(symbolizer, opening.modules[i], opening.files[i]);
	free(opening.modules);
	free(opening.files);
}

static bool find_kernel(struct symbolizer *symbolizer, const struct module *module, uint64_t offset,
			struct symbol *symbol)
{
	if (wants_kernel(symbolizer, module))
		open_kernel(symbolizer);
	return symbolizer->kernel &&
	       kernel_symbols_find(symbolizer->kernel, module, offset, symbol);
}

static bool find_symbol(void *data, const struct module *module, uint64_t offset,
			struct symbol *symbol)
{
	struct symbolizer *symbolizer = data;
	const struct symbol_file *file;

	if (module->kind == MODULE_ANON || module->kind == MODULE_UNKNOWN)
		return false;
	if (symbolizer->options.store &&
	    symbol_store_find(symbolizer->options.store, module, offset, symbol))
		return true;
	if (is_kernel(module))
		return find_kernel(symbolizer, module, offset, symbol);
	file = module_file(symbolizer, module);
	return file->ops && file->ops->find(file->data, offset, symbol);
}

static char *demangle(void *data, const char *name)
{
	(void)data;
	return demangle_name(name);
}

struct symbol_source symbolizer_source(struct symbolizer *symbolizer)
{
	struct symbol_source source = { symbolizer, find_symbol, demangle };

	if (symbolizer->options.mangled)
		source.demangle = NULL;
	return source;
}

static const char *path_of(void *data, const struct module *module)
{
	const struct symbol_file *file;

	if (module->kind != MODULE_FILE)
		return NULL;
	file = module_file(data, module);
	return file->elf_path;
}

static struct unwinder *unwinder_of(struct symbolizer *symbolizer)
{
	if (!symbolizer->unwinder)
		symbolizer->unwinder = unwinder_new((struct module_files){ symbolizer, path_of });
	return symbolizer->unwinder;
}

static enum stack_origin origin_of(enum unwind_end end)
{
	return end == UNWIND_COMPLETE ? STACK_UNWOUND
	       : end == UNWIND_JOINED ? STACK_JOINED
				      : STACK_TRUNCATED;
}

void symbolizer_set_listener(struct symbolizer *symbolizer, struct unwound_listener listener)
{
	symbolizer->listener = listener;
}

static uint32_t unwind(struct symbolizer *symbolizer, struct machine *machine,
		       struct trace_process *process, const struct trace_thread *thread,
		       const struct trace_stack *stack, bool *complete)
{
	enum unwind_end end;
	const uint64_t *addresses = NULL;
	uint32_t id = STACK_EMPTY;
	size_t nr = 0;

	end = unwinder_unwind(unwinder_of(symbolizer), machine, process, thread, stack, &addresses,
			      &nr);
	*complete = end == UNWIND_COMPLETE || end == UNWIND_JOINED;
	if (nr && symbolizer->listener.take)
		symbolizer->listener.take(symbolizer->listener.data, stack->copy->id, addresses, nr,
					  origin_of(end));
	while (nr--)
		id = stack_table_push(
			&machine->stacks, id,
			machine_frame(machine, process, addresses[nr], false, nr > 0));
	return id;
}

static uint32_t find_stack(void *data, struct machine *machine, struct trace_process *process,
			   const struct trace_thread *thread, const struct trace_stack *stack,
			   bool *complete)
{
	struct symbolizer *symbolizer = data;
	uint32_t id = STACK_EMPTY;

	*complete = false;
	if (!stack->copy)
		return STACK_EMPTY;
	if (symbolizer->options.store)
		id = symbol_store_stack(symbolizer->options.store, machine, stack->copy->id,
					complete);
	if (id == STACK_EMPTY && symbolizer->options.use_files)
		id = unwind(symbolizer, machine, process, thread, stack, complete);
	return id;
}

static void forget_stack(void *data, const struct trace_thread *thread)
{
	const struct symbolizer *symbolizer = data;

	if (symbolizer->unwinder)
		unwinder_forget(symbolizer->unwinder, thread);
}

void symbolizer_see_chain(struct symbolizer *symbolizer, const struct trace_thread *thread,
			  const struct trace_stack *stack)
{
	if (thread && symbolizer->options.use_files)
		unwinder_see_chain(unwinder_of(symbolizer), thread, stack->user, stack->user_nr);
}

struct unwind_loss symbolizer_loss(const struct symbolizer *symbolizer)
{
	if (!symbolizer->unwinder)
		return (struct unwind_loss){ .module = MODULE_ID_UNKNOWN };
	return unwinder_loss(symbolizer->unwinder);
}

void symbolizer_end_unwinding(struct symbolizer *symbolizer)
{
	unwinder_free(symbolizer->unwinder);
	symbolizer->unwinder = NULL;
}

struct stack_source symbolizer_stacks(struct symbolizer *symbolizer)
{
	return (struct stack_source){ symbolizer, find_stack, forget_stack };
}

/* Modules whose offsets are looked up, those with the most first. */
struct search {
	struct module_places *v;
	size_t begin, end; /* the modules that no thread has taken yet */
	struct symbolizer *symbolizer;
	struct symbol_store *store;
	struct monitor *monitor; /* protects both */
};

/* The state of looking up one of these modules. */
struct taking {
	const struct search *search;
	const struct module_places *places;
};

static void add_lines(void *data, size_t index, const struct symbol_line *lines, size_t nr)
{
	const struct taking *taking = data;

	monitor_enter(taking->search->monitor);
	symbol_store_add_lines(taking->search->store, taking->places->module,
			       taking->places->offsets[index], lines, nr);
	monitor_leave(taking->search->monitor);
}

static int compare_offsets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return compare_u64(*x, *y);
}

/* Thread-safe for different modules. */
static void find_module_lines(const struct search *search, struct module_places *places,
			      struct helper *helper)
{
	struct taking taking = { search, places };
	struct symbol_file file;

	monitor_enter(search->monitor);
	file = *module_file(search->symbolizer, places->module);
	monitor_leave(search->monitor);
	if (!file.ops || file.names_only)
		return;
	qsort(places->offsets, places->nr, sizeof(*places->offsets), compare_offsets);
	file.ops->find_lines(file.data, places->offsets, places->nr, helper,
			     (struct line_sink){ &taking, add_lines });
}

/* Take the remaining module with the most offsets, or with the fewest; NULL: none is left. */
static struct module_places *next_module(struct search *search, bool most)
{
	struct module_places *next = NULL;

	monitor_enter(search->monitor);
	if (search->begin < search->end)
		next = most ? &search->v[search->begin++] : &search->v[--search->end];
	monitor_leave(search->monitor);
	return next;
}

static void find_smallest(void *data)
{
	struct search *search = data;
	struct module_places *next;

	while ((next = next_module(search, false)))
		find_module_lines(search, next, NULL);
}

/* One or two modules have most of the offsets: the helper does the small ones, then a part of the large ones. */
static void find_all(struct search *search)
{
	struct helper *helper = helper_new(search->symbolizer->options.threads);
	struct module_places *next;

	helper_add(helper, find_smallest, search);
	while ((next = next_module(search, true)))
		find_module_lines(search, next, helper);
	helper_withdraw(helper, search);
	helper_free(helper);
}

static int compare_sizes(const void *a, const void *b)
{
	const struct module_places *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return (x->module > y->module) - (x->module < y->module);
}

void symbolizer_add_lines(struct symbolizer *symbolizer, struct module_places *places, size_t nr,
			  struct symbol_store *store)
{
	struct search search = { .v = places, .symbolizer = symbolizer, .store = store };

	if (!nr || !symbolizer->options.use_files)
		return;
	for (size_t i = 0; i < nr; i++) {
		if (!has_file(places[i].module))
			places[i].nr = 0;
	}
	qsort(places, nr, sizeof(*places), compare_sizes);
	search.end = nr;
	while (search.end && !places[search.end - 1].nr)
		search.end--;
	search.monitor = monitor_new();
	find_all(&search);
	monitor_free(search.monitor);
}

void symbolizer_add_reason(struct symbolizer *symbolizer, const char *path, const char *id,
			   const char *word, const char *why)
{
	symbol_reasons_add(&symbolizer->recorded, path, id, word, why);
}

static void use_recorded(const struct symbolizer *symbolizer, const struct module *module,
			 struct module_names *names)
{
	const struct symbol_reason *reason;

	if (symbolizer->options.use_files || names->from)
		return;
	reason = symbol_reasons_find(&symbolizer->recorded, module);
	if (!reason)
		return;
	names->flaw = reason->flaw;
	names->why = reason->why;
	names->recorded = true;
}

static struct module_names find_module_names(struct symbolizer *symbolizer,
					     const struct module *module)
{
	struct module_names names = { .kept = is_in_store(symbolizer, module) };
	const struct symbol_file *file;

	if (module->kind == MODULE_ANON || module->kind == MODULE_UNKNOWN)
		return names;
	if (is_kernel(module)) {
		if (wants_kernel(symbolizer, module))
			open_kernel(symbolizer);
		names.from = symbolizer->kernel ? KERNEL_SYMBOLS_PATH : NULL;
		names.flaw = names.kept || names.from ? SYMBOL_FLAW_NONE : SYMBOL_KERNEL_OTHER;
		names.why = names.flaw ? symbolizer->kernel_why : NULL;
		return names;
	}
	file = module_file(symbolizer, module);
	names.from = file->from;
	names.flaw = file->flaw;
	names.why = file->why;
	return names;
}

struct module_names symbolizer_module_names(struct symbolizer *symbolizer,
					    const struct module *module)
{
	struct module_names names = find_module_names(symbolizer, module);

	use_recorded(symbolizer, module, &names);
	names.word = symbol_flaw_word(names.flaw);
	return names;
}

void symbolizer_explain(const struct symbolizer *symbolizer, struct strbuf *notes)
{
	size_t nr = 0;

	for (size_t i = 0; i < symbolizer->files_nr; i++) {
		if (!symbolizer->files[i].why || ++nr > EXPLAINED_MAX)
			continue;
		utf8_add_printable(notes, symbolizer->keys.v[i].path);
		strbuf_adds(notes, ": ");
		utf8_add_printable(notes, symbolizer->files[i].why);
		strbuf_addc(notes, '\n');
	}
	if (nr > EXPLAINED_MAX)
		strbuf_addf(notes,
			    "and %zu more such file%s: 'stagetrace symbols' lists all modules\n",
			    nr - EXPLAINED_MAX, nr - EXPLAINED_MAX == 1 ? "" : "s");
	if (symbolizer->kernel_why)
		strbuf_addf(notes, "[kernel.kallsyms]: %s\n", symbolizer->kernel_why);
}

/* Append the modules with a flaw, as "2 modules (a.dll, b.dll)". False: there are none. */
static bool add_modules(const struct symbolizer *symbolizer, enum symbol_flaw flaw,
			struct strbuf *notes)
{
	struct strbuf names = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < symbolizer->files_nr; i++) {
		if (symbolizer->files[i].flaw != flaw)
			continue;
		if (nr < NAMED_MAX) {
			strbuf_adds(&names, nr ? ", " : "");
			utf8_add_printable(&names, text_file_name(symbolizer->keys.v[i].path));
		}
		nr++;
	}
	if (nr)
		strbuf_addf(notes, "%zu module%s (%s%s)", nr, nr == 1 ? "" : "s", names.buf,
			    nr > NAMED_MAX ? ", ..." : "");
	strbuf_release(&names);
	return nr;
}

void symbolizer_explain_flaws(const struct symbolizer *symbolizer, struct strbuf *notes)
{
	static const char no_pdb[] =
		", whose functions have no names: 'stagetrace symbols TRACE --fetch' asks servers "
		"for them, or set _NT_SYMBOL_PATH to where PDBs are";
	static const struct {
		enum symbol_flaw flaw;
		const char *what, *meaning;
	} kinds[] = {
		{ SYMBOL_ID_MISSING, "the trace has no build id of ",
		  ": names come from the current files" },
		{ SYMBOL_PDB_MISSING, "no PDB was found for ", no_pdb },
		{ SYMBOL_PDB_OTHER, "only PDBs with another GUID or age were found for ", no_pdb },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t before = notes->len;

		strbuf_adds(notes, kinds[i].what);
		if (add_modules(symbolizer, kinds[i].flaw, notes))
			strbuf_addf(notes, "%s\n", kinds[i].meaning);
		else
			strbuf_set_len(notes, before);
	}
}
