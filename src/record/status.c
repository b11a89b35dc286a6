#include "record/status.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "platform/clock.h"
#include "platform/program.h"
#include "platform/terminal.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/print.h"
#include "util/text.h"
#include "util/utf8.h"

#define TTY_INTERVAL   (NS_PER_S / 2)
#define PLAIN_INTERVAL (30 * NS_PER_S)

void status_init(struct status *status, FILE *out)
{
	*status = (struct status){ .out = out, .tty = terminal_is_tty(out) };
	if (!status->tty)
		status->next_ns = clock_now() + PLAIN_INTERVAL;
}

bool status_due(const struct status *status)
{
	return clock_now() >= status->next_ns;
}

enum part { PART_WHAT, PART_TRACE, PART_ROLES, PART_BIGGEST, PART_MEMORY, PART_LOST, PART_COUNT };

/* Parts left out, in this order, if the terminal is too narrow. */
static const enum part dispensable[] = { PART_ROLES, PART_TRACE, PART_BIGGEST, PART_LOST,
					 PART_MEMORY };

static void add_what(const struct status_facts *facts, struct strbuf *sb)
{
	strbuf_addf(sb, "%s  ", facts->what);
	/* Whole seconds: the line is not a measurement. */
	if (facts->elapsed_ns < 100 * NS_PER_S)
		strbuf_addf(sb, "%lld s", (long long)(facts->elapsed_ns / NS_PER_S));
	else
		text_add_duration(sb, facts->elapsed_ns / NS_PER_S * NS_PER_S);
}

static void add_roles(const struct tracker_live *live, struct strbuf *sb)
{
	static const enum role shown[] = { ROLE_RUSTC, ROLE_LINK, ROLE_BUILD_SCRIPT, ROLE_CC,
					   ROLE_CARGO };
	size_t start = sb->len;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		if (live->by_role[shown[i]])
			strbuf_addf(sb, "%s%s %zu", sb->len > start ? ", " : "  ",
				    role_name(shown[i]), live->by_role[shown[i]]);
	}
	if (sb->len == start)
		strbuf_addf(sb, "  processes %zu", live->total);
}

static void add_biggest(const struct tracker_live *live, struct strbuf *sb)
{
	const struct process *process = live->biggest;

	if (!process)
		return;
	strbuf_adds(sb, "  biggest ");
	utf8_add_printable(sb, process->tag.crate ? process->tag.crate : process_image(process));
	strbuf_addc(sb, ' ');
	text_add_bytes(sb, live->biggest_bytes);
}

static void add_memory(const struct tracker_live *live, struct strbuf *sb)
{
	strbuf_adds(sb, "  build ");
	text_add_bytes(sb, live->resident_bytes);
	strbuf_adds(sb, " (most ");
	text_add_bytes(sb, live->peak_resident_bytes);
	strbuf_addc(sb, ')');
}

static void add_part(const struct status_facts *facts, enum part part, struct strbuf *sb)
{
	if (part == PART_WHAT)
		add_what(facts, sb);
	else if (part == PART_TRACE && facts->trace_bytes >= 0) {
		strbuf_adds(sb, "  trace ");
		text_add_bytes(sb, facts->trace_bytes);
	} else if (part == PART_LOST && facts->lost >= 0)
		strbuf_addf(sb, "  lost %lld", (long long)facts->lost);
	else if (part == PART_ROLES && facts->live)
		add_roles(facts->live, sb);
	else if (part == PART_BIGGEST && facts->live)
		add_biggest(facts->live, sb);
	else if (part == PART_MEMORY && facts->live)
		add_memory(facts->live, sb);
}

void status_add_line(const struct status_facts *facts, size_t width, struct strbuf *sb)
{
	bool without[PART_COUNT] = { false };
	size_t start = sb->len;

	for (size_t dropped = 0; dropped <= ARRAY_SIZE(dispensable); dropped++) {
		strbuf_set_len(sb, start);
		for (int part = 0; part < PART_COUNT; part++) {
			if (!without[part])
				add_part(facts, (enum part)part, sb);
		}
		if (!width || utf8_length(sb->buf + start) <= width ||
		    dropped == ARRAY_SIZE(dispensable))
			break;
		without[dispensable[dropped]] = true;
	}
}

void status_show(struct status *status, const struct status_facts *facts)
{
	struct strbuf line = STRBUF_INIT;
	int width = terminal_width(status->out);

	status_add_line(facts, status->tty && width > 1 ? (size_t)width - 1 : 0, &line);
	if (status->tty) {
		fputs("\r\033[K", status->out);
		print_text(status->out, line.buf);
		status->shown = true;
	} else {
		print_textf(status->out, "%s\n", line.buf);
	}
	fflush(status->out);
	strbuf_release(&line);
	status->next_ns = clock_now() + (status->tty ? TTY_INTERVAL : PLAIN_INTERVAL);
}

/* The numbers may be those of a damaged trace. */
static int percent(int64_t done, int64_t total)
{
	if (done <= 0 || total <= 0)
		return 0;
	return done >= total ? 100 : (int)(100.0 * (double)done / (double)total);
}

void status_begin_steps(struct status *status)
{
	status->interrupts = interrupt_count();
}

static void show_step(struct status *status, const char *step, int64_t done, int64_t total)
{
	bool begun = status->step && !strcmp(step, status->step);
	char *what;

	if (!status->tty || (begun && !status_due(status)))
		return;
	if (!begun)
		status->step_ns = clock_now();
	status->step = step;
	what = xasprintf("%s: %d %%", step, percent(done, total));
	status_show(status, &(struct status_facts){ .what = what,
						    .elapsed_ns = clock_now() - status->step_ns,
						    .trace_bytes = -1,
						    .lost = -1 });
	free(what);
}

bool status_step(void *data, const char *step, int64_t done, int64_t total)
{
	struct status *status = data;

	show_step(status, step, done, total);
	return interrupt_count() == status->interrupts;
}

void status_wipe(struct status *status)
{
	if (status->shown) {
		fputs("\r\033[K", status->out);
		fflush(status->out);
	}
	status->shown = false;
}

void status_warn(struct status *status, struct strvec *warnings, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&text, fmt, ap);
	va_end(ap);
	status_wipe(status);
	print_line(status->out, "warning: ", "%s", text.buf);
	strvec_push_nodup(warnings, strbuf_detach(&text));
}
