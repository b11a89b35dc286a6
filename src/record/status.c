#include "record/status.h"

#include "platform/clock.h"
#include "platform/terminal.h"
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

static void add_roles(const struct tracker_live *live, struct strbuf *sb)
{
	static const enum role shown[] = { ROLE_RUSTC, ROLE_LINK, ROLE_BUILD_SCRIPT, ROLE_CC,
					   ROLE_CARGO };
	bool any = false;

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		if (!live->by_role[shown[i]])
			continue;
		strbuf_addf(sb, "%s%s %zu", any ? ", " : "  ", role_name(shown[i]),
			    live->by_role[shown[i]]);
		any = true;
	}
	if (!any)
		strbuf_addf(sb, "  processes %zu", live->total);
}

static void add_memory(const struct tracker_live *live, struct strbuf *sb)
{
	if (live->biggest) {
		const struct process *process = live->biggest;

		strbuf_adds(sb, "  biggest ");
		utf8_add_printable(sb, process->tag.crate ? process->tag.crate
							  : process_image(process));
		strbuf_addc(sb, ' ');
		text_add_bytes(sb, live->biggest_bytes);
	}
	strbuf_adds(sb, "  build ");
	text_add_bytes(sb, live->resident_bytes);
	strbuf_adds(sb, " (most ");
	text_add_bytes(sb, live->peak_resident_bytes);
	strbuf_addc(sb, ')');
}

void status_add_line(const struct status_facts *facts, struct strbuf *sb)
{
	strbuf_addf(sb, "%s  ", facts->what);
	/* Whole seconds: the line is no measurement. */
	if (facts->elapsed_ns < 100 * NS_PER_S)
		strbuf_addf(sb, "%lld s", (long long)(facts->elapsed_ns / NS_PER_S));
	else
		text_add_duration(sb, facts->elapsed_ns / NS_PER_S * NS_PER_S);
	if (facts->trace_bytes >= 0) {
		strbuf_adds(sb, "  trace ");
		text_add_bytes(sb, facts->trace_bytes);
	}
	if (facts->live) {
		add_roles(facts->live, sb);
		add_memory(facts->live, sb);
	}
	if (facts->lost >= 0)
		strbuf_addf(sb, "  lost %lld", (long long)facts->lost);
}

void status_show(struct status *status, const struct status_facts *facts)
{
	struct strbuf line = STRBUF_INIT;
	int width = terminal_width(status->out);

	status_add_line(facts, &line);
	if (status->tty) {
		if (width > 1 && utf8_length(line.buf) >= (size_t)width)
			strbuf_set_len(&line, utf8_prefix(line.buf, (size_t)width - 1));
		fprintf(status->out, "\r\033[K%s", line.buf);
		status->shown = true;
	} else {
		fprintf(status->out, "%s\n", line.buf);
	}
	fflush(status->out);
	strbuf_release(&line);
	status->next_ns = clock_now() + (status->tty ? TTY_INTERVAL : PLAIN_INTERVAL);
}

void status_wipe(struct status *status)
{
	if (status->shown) {
		fputs("\r\033[K", status->out);
		fflush(status->out);
	}
	status->shown = false;
}
