#include "report/page_processes.h"

#include "util/array.h"
#include "util/quote.h"

#define NUMBER(name, value) \
	static int64_t get_##name(const struct process *process, \
				  const struct ledger_entry *memory) \
	{ \
		(void)memory; \
		return value; \
	}

#define MEMORY(name, member) \
	static int64_t get_##name(const struct process *process, \
				  const struct ledger_entry *memory) \
	{ \
		(void)process; \
		return memory ? memory->member : PROCESS_UNKNOWN; \
	}

NUMBER(pid, process->pid)
NUMBER(ppid, process->ppid)
NUMBER(start, process->start_ns)
NUMBER(end, process->end_ns)
NUMBER(exit, process->exit_code)
NUMBER(stage, process->tag.built_by)
NUMBER(cpu, process->cpu_ns)
NUMBER(rss, process->peak_rss_bytes)
MEMORY(peak, peak)
MEMORY(at_peak, at_peak)

static const struct {
	const char *name;
	int64_t (*get)(const struct process *process, const struct ledger_entry *memory);
} numbers[] = {
	{ "process.pid", get_pid },         { "process.ppid", get_ppid },
	{ "process.start_ns", get_start },  { "process.end_ns", get_end },
	{ "process.exit_code", get_exit },  { "process.built_by", get_stage },
	{ "process.cpu_ns", get_cpu },      { "process.peak_rss_bytes", get_rss },
	{ "process.peak_bytes", get_peak }, { "process.at_peak_bytes", get_at_peak },
};

static const char *get_role(const struct process *process)
{
	return role_name(process->tag.role);
}

static const char *get_crate(const struct process *process)
{
	return process->tag.crate;
}

static const char *get_part(const struct process *process)
{
	return process->tag.part;
}

static const struct {
	const char *name;
	const char *(*get)(const struct process *process);
} texts[] = {
	{ "process.image", process_image },
	{ "process.role", get_role },
	{ "process.crate", get_crate },
	{ "process.part", get_part },
};

static void add_command_lines(struct page_columns *columns, const struct process_list *list)
{
	struct strbuf text = STRBUF_INIT;

	page_columns_begin(columns);
	for (size_t i = 0; i < list->nr; i++) {
		strbuf_clear(&text);
		quote_add_shell(&text, &list->v[i]->argv);
		page_columns_add(columns, page_columns_text(columns, text.buf));
	}
	page_columns_end(columns, "process.command_line", list->nr, PAGE_PLAIN);
	strbuf_release(&text);
}

void page_processes_add(struct page_columns *columns, const struct process_list *list,
			const struct ledger_entry *memory)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		page_columns_begin(columns);
		for (size_t k = 0; k < list->nr; k++)
			page_columns_add_signed(
				columns, numbers[i].get(list->v[k], memory ? &memory[k] : NULL));
		page_columns_end(columns, numbers[i].name, list->nr, PAGE_SIGNED);
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		page_columns_begin(columns);
		for (size_t k = 0; k < list->nr; k++)
			page_columns_add(columns,
					 page_columns_text(columns, texts[i].get(list->v[k])));
		page_columns_end(columns, texts[i].name, list->nr, PAGE_PLAIN);
	}
	add_command_lines(columns, list);
}
