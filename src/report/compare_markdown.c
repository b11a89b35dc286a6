/*
 * GitHub: a comment of a pull request in its Markdown (github.github.com/gfm), and the workflow commands by which a step of
 * Actions makes annotations (docs.github.com, "Workflow commands for GitHub Actions").
 *
 * Names are untrusted: they are in <code>, where nothing is a mention or a reference, and what Markdown or HTML would read
 * is a character reference.
 */
#include "report/compare_format.h"

#include <string.h>

#include "util/ascii.h"
#include "util/utf8.h"

/* A comment has 65,536 characters at most; rows of hostile names are up to 10,000 long. */
#define LENGTH_MAX          50000
#define ROWS_MAX            50
#define WARNINGS_MAX        10
#define NAME_MAX_CHARACTERS 200

static bool is_plain(const char *text, size_t at)
{
	char c = text[at];

	if (ascii_is_letter_or_digit(c) || c == ' ' || c == '-' || c == ',' || c == '/' ||
	    c == '(' || c == ')' || c == ';' || c == '+' || c == '%')
		return true;
	/* http://... and www... would be links, in <code> too. */
	if (c == ':')
		return text[at + 1] != '/';
	if (c == '.')
		return !at || ascii_lower(text[at - 1]) != 'w';
	/* Within a word an underline is one. */
	return c == '_' && at && ascii_is_letter_or_digit(text[at - 1]) &&
	       ascii_is_letter_or_digit(text[at + 1]);
}

static void add_escaped(struct strbuf *sb, const char *text)
{
	size_t left = strlen(text), at = 0, used, nr = 0;

	for (; left && nr < NAME_MAX_CHARACTERS; at += used, left -= used, nr++) {
		uint32_t c = utf8_next(text + at, left, &used);

		if (c == UTF8_BAD || utf8_is_control(c))
			strbuf_adds(sb, "\xef\xbf\xbd");
		else if (c >= 0x80 || is_plain(text, at))
			strbuf_add(sb, text + at, used);
		else
			strbuf_addf(sb, "&#%u;", c);
	}
	if (left)
		strbuf_adds(sb, "…");
}

static void add_code(struct strbuf *sb, const char *text)
{
	strbuf_adds(sb, "<code>");
	add_escaped(sb, text);
	strbuf_adds(sb, "</code>");
}

static void add_value(struct strbuf *sb, enum measure measure, int64_t value)
{
	strbuf_adds(sb, " | ");
	if (value != MEASURE_UNKNOWN)
		table_add_number(sb, measure_is_bytes(measure) ? COLUMN_BYTES : COLUMN_DURATION,
				 value);
}

static void add_percent(struct strbuf *sb, const struct compare_change *change)
{
	strbuf_adds(sb, " | ");
	if (change->relative)
		compare_add_percent(sb, change->percent);
}

/* The cells of a measure: both values, the change, its percentage, the verdict. */
static void add_cells(struct strbuf *sb, const struct compare_row *row, enum measure measure)
{
	const struct compare_change *change = &row->changes[measure];

	add_value(sb, measure, change->base);
	add_value(sb, measure, change->new);
	strbuf_adds(sb, " | ");
	if (change->delta != MEASURE_UNKNOWN)
		compare_add_change(sb, measure, change->delta);
	add_percent(sb, change);
}

static void add_verdict_cell(struct strbuf *sb, const struct compare_row *row, enum measure measure)
{
	strbuf_adds(sb, " | ");
	if (row->verdicts)
		compare_add_verdict(sb, &row->verdicts[measure]);
}

static void add_build(struct strbuf *sb, const struct compare_report *report)
{
	static const struct {
		enum measure measure;
		const char *label;
	} lines[] = { { MEASURE_OWN_PEAK, "peak" },
		      { MEASURE_SIZE, "size" },
		      { MEASURE_CPU, "cpu" },
		      { MEASURE_WALL, "wall" } };
	struct compare_row row = compare_build_row(report);

	strbuf_adds(sb, "| whole build | base | new | change | % |");
	strbuf_adds(sb, row.verdicts ? " verdict |\n|---|--:|--:|--:|--:|---|\n"
				     : "\n|---|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (row.changes[lines[i].measure].base == MEASURE_UNKNOWN ||
		    row.changes[lines[i].measure].new == MEASURE_UNKNOWN)
			continue;
		strbuf_addf(sb, "| %s", lines[i].label);
		add_cells(sb, &row, lines[i].measure);
		if (row.verdicts)
			add_verdict_cell(sb, &row, lines[i].measure);
		strbuf_adds(sb, " |\n");
	}
	if (report->split) {
		strbuf_adds(sb, "\nOf the peak's change: ");
		compare_add_split(sb, &report->split->bytes);
		if (report->split->runs[SIDE_BASE]) {
			strbuf_adds(sb, ", from ");
			add_code(sb, report->split->runs[SIDE_BASE]);
			strbuf_adds(sb, " to ");
			add_code(sb, report->split->runs[SIDE_NEW]);
			strbuf_adds(sb, ", whose peaks are in the middle");
		}
		strbuf_adds(sb, ".\n");
	}
}

static const char *outcome_name(enum gate_outcome outcome)
{
	return outcome == GATE_TRIPPED  ? "Gate tripped"
	       : outcome == GATE_PASSED ? "Gate passed"
					: "Gate undecided";
}

static void add_warnings(struct strbuf *sb, const struct strvec *warnings)
{
	for (size_t i = 0; i < warnings->nr && i < WARNINGS_MAX; i++) {
		strbuf_adds(sb, "- **Warning**: ");
		add_escaped(sb, warnings->v[i]);
		strbuf_adds(sb, "\n");
	}
	if (warnings->nr > WARNINGS_MAX)
		strbuf_addf(sb, "- **%zu more warnings**\n", warnings->nr - WARNINGS_MAX);
	if (warnings->nr)
		strbuf_adds(sb, "\n");
}

static void add_gates(struct strbuf *sb, const struct compare_report *report)
{
	for (size_t i = 0; i < report->gates_nr; i++) {
		struct strbuf said = STRBUF_INIT;

		compare_add_gate(&said, &report->gates[i]);
		strbuf_addf(sb, "- **%s**: ", outcome_name(report->gates[i].result.outcome));
		add_code(sb, report->gates[i].gate->text);
		strbuf_adds(sb, ": ");
		add_escaped(sb, said.buf);
		strbuf_adds(sb, "\n");
		strbuf_release(&said);
	}
	if (report->gates_nr)
		strbuf_adds(sb, "\n");
}

static void add_heading(struct strbuf *sb, const struct compare_report *report,
			const struct compare_labels *labels, bool verdicts)
{
	strbuf_adds(sb, "\n|");
	for (size_t i = 0; i < labels->nr; i++)
		strbuf_addf(sb, " %s |", labels->v[i].key);
	strbuf_addf(sb, " %s base | new | change | %% |%s\n|", measure_names[report->measure],
		    verdicts ? " verdict |" : "");
	for (size_t i = 0; i < labels->nr; i++)
		strbuf_adds(sb, "---|");
	strbuf_addf(sb, "--:|--:|--:|--:|%s\n", verdicts ? "---|" : "");
}

static void add_row(struct strbuf *sb, const struct compare_report *report,
		    const struct compare_row *row, bool first)
{
	struct compare_labels labels;

	compare_labels_init(&labels, row);
	if (first)
		add_heading(sb, report, &labels, row->verdicts);
	strbuf_adds(sb, "|");
	for (size_t i = 0; i < labels.nr; i++) {
		strbuf_adds(sb, i ? " | " : " ");
		if (labels.v[i].text)
			add_code(sb, labels.v[i].text);
	}
	add_cells(sb, row, report->measure);
	if (row->verdicts)
		add_verdict_cell(sb, row, report->measure);
	strbuf_adds(sb, " |\n");
	compare_labels_release(&labels);
}

static void add_rows(struct strbuf *sb, const struct compare_report *report)
{
	const struct compare_rows *rows = report->rows;
	size_t nr = 0, more;

	for (; nr < rows->nr && nr < ROWS_MAX && sb->len < LENGTH_MAX; nr++)
		add_row(sb, report, rows->pointers[nr], !nr);
	more = report->left_out + rows->nr - nr;
	if (!nr)
		strbuf_adds(sb, "\nNo row changed by as much as is worth showing.\n");
	else if (more)
		strbuf_addf(sb, "\nand %zu that changed less, or by nothing\n", more);
}

static void write_markdown(const struct compare_report *report, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, "### ");
	add_code(&sb, report->base);
	strbuf_adds(&sb, " → ");
	add_code(&sb, report->new);
	strbuf_adds(&sb, "\n\n");
	add_warnings(&sb, report->warnings);
	add_gates(&sb, report);
	add_build(&sb, report);
	add_rows(&sb, report);
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

/* More annotations of a kind than these are not shown. */
#define ANNOTATIONS_MAX 10

/* Of a property ':' and ',' too. */
static void add_command_text(struct strbuf *sb, const char *text, bool property)
{
	size_t left = strlen(text), used;

	for (; left; text += used, left -= used) {
		uint32_t c = utf8_next(text, left, &used);

		if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
			strbuf_addf(sb, "%%%02X", c);
		else if (c == UTF8_BAD || utf8_is_control(c))
			strbuf_adds(sb, "\xef\xbf\xbd");
		else
			strbuf_add(sb, text, used);
	}
}

static void add_annotation(struct strbuf *sb, const char *kind, const char *title, const char *said)
{
	strbuf_addf(sb, "::%s title=", kind);
	add_command_text(sb, title, true);
	strbuf_adds(sb, "::");
	add_command_text(sb, said, false);
	strbuf_adds(sb, "\n");
}

/* Tripped gates are errors, undecided ones warnings. Returns how many warnings there are. */
static size_t annotate_gates(struct strbuf *sb, const struct compare_report *report)
{
	size_t nr[2] = { 0, 0 };

	for (size_t i = 0; i < report->gates_nr; i++) {
		const struct compare_gate *gate = &report->gates[i];
		bool tripped = gate->result.outcome == GATE_TRIPPED;
		struct strbuf title = STRBUF_INIT, said = STRBUF_INIT;

		if (gate->result.outcome == GATE_PASSED || nr[tripped]++ >= ANNOTATIONS_MAX)
			continue;
		strbuf_addf(&title, "%s: %s", outcome_name(gate->result.outcome), gate->gate->text);
		compare_add_gate(&said, gate);
		add_annotation(sb, tripped ? "error" : "warning", title.buf, said.buf);
		strbuf_release(&title);
		strbuf_release(&said);
	}
	return nr[false];
}

/* `nr`: so many were given. */
static void annotate_warnings(struct strbuf *sb, const struct strvec *warnings, size_t nr)
{
	for (size_t i = 0; i < warnings->nr && nr < ANNOTATIONS_MAX; i++, nr++)
		add_annotation(sb, "warning", "stagetrace compare", warnings->v[i]);
}

static void add_title(struct strbuf *sb, const struct compare_row *row, enum measure measure)
{
	struct compare_labels labels;

	compare_labels_init(&labels, row);
	for (size_t i = 0; i < labels.nr; i++)
		strbuf_addf(sb, "%s ", labels.v[i].text ? labels.v[i].text : "-");
	strbuf_adds(sb, measure_names[measure]);
	compare_labels_release(&labels);
}

/* Changes that are real. Without verdicts all are: of one run a side some values have one, and others not. */
static bool is_notice(const struct compare_row *row, enum verdict verdict)
{
	if (verdict == VERDICT_NONE)
		return !row->verdicts || (comparison_runs(row->comparison, SIDE_BASE) == 1 &&
					  comparison_runs(row->comparison, SIDE_NEW) == 1);
	return verdict == VERDICT_GREW || verdict == VERDICT_SHRANK;
}

static void annotate_rows(struct strbuf *sb, const struct compare_report *report)
{
	size_t nr = 0;

	for (size_t i = 0; i < report->rows->nr && nr < ANNOTATIONS_MAX; i++) {
		const struct compare_row *row = report->rows->pointers[i];
		enum verdict verdict =
			row->verdicts ? row->verdicts[report->measure].verdict : VERDICT_NONE;
		struct strbuf title = STRBUF_INIT, said = STRBUF_INIT;

		if (!is_notice(row, verdict))
			continue;
		nr++;
		add_title(&title, row, report->measure);
		compare_add_values(&said, report->measure, &row->changes[report->measure]);
		if (verdict != VERDICT_NONE)
			strbuf_addf(&said, ": %s", verdict_names[verdict]);
		add_annotation(sb, "notice", title.buf, said.buf);
		strbuf_release(&title);
		strbuf_release(&said);
	}
}

static void write_github(const struct compare_report *report, FILE *out)
{
	struct strbuf sb = STRBUF_INIT;

	annotate_warnings(&sb, report->warnings, annotate_gates(&sb, report));
	annotate_rows(&sb, report);
	fwrite(sb.buf, 1, sb.len, out);
	strbuf_release(&sb);
}

const struct compare_format compare_markdown = {
	.name = "markdown",
	.ending = ".md",
	.help = "a comment for a pull request",
	.changes = true,
	.splits = true,
	.write = write_markdown,
};

const struct compare_format compare_github = {
	.name = "github",
	.ending = ".github.txt",
	.help = "annotations of GitHub Actions; the comment is added to its step summary",
	.changes = true,
	.splits = true,
	.write = write_github,
};
