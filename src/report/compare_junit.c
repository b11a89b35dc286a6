/*
 * JUnit XML, which CI systems read as results of tests (the schema of Jenkins' xUnit plugin, junit-10.xsd): a test for
 * each gate, and for each row and measure that was tested. A gate that tripped and a row that grew are failures, a row of
 * which nobody can tell is skipped, an undecided gate is an error. Warnings are <system-err>. GitLab does not show the
 * message of a failure: the text repeats it.
 */
#include "report/compare_format.h"

#include "report/svg.h"

struct counts {
	size_t tests, failures, errors, skipped;
};

enum kind { PASSED, FAILURE, ERROR_KIND, SKIPPED };

static void begin_case(struct strbuf *sb, const char *classname, const char *name)
{
	strbuf_adds(sb, "<testcase classname=\"");
	svg_add_text(sb, classname);
	strbuf_adds(sb, "\" name=\"");
	svg_add_text(sb, name);
	strbuf_adds(sb, "\" time=\"0\"");
}

static void add_case(struct strbuf *sb, struct counts *counts, const char *classname,
		     const char *name, enum kind kind, const char *said)
{
	static const char *const elements[] = { NULL, "failure", "error", "skipped" };

	counts->tests++;
	counts->failures += kind == FAILURE;
	counts->errors += kind == ERROR_KIND;
	counts->skipped += kind == SKIPPED;
	begin_case(sb, classname, name);
	if (kind == PASSED) {
		strbuf_adds(sb, "/>\n");
		return;
	}
	strbuf_addf(sb, "><%s message=\"", elements[kind]);
	svg_add_text(sb, said);
	if (kind == SKIPPED) {
		strbuf_adds(sb, "\"/></testcase>\n");
		return;
	}
	strbuf_addf(sb, "\" type=\"%s\">", kind == FAILURE ? "change" : "undecided");
	svg_add_text(sb, said);
	strbuf_addf(sb, "</%s></testcase>\n", elements[kind]);
}

static void add_gate(struct strbuf *sb, struct counts *counts, const struct compare_gate *gate)
{
	static const enum kind kinds[] = {
		[GATE_PASSED] = PASSED, [GATE_TRIPPED] = FAILURE, [GATE_UNDECIDED] = ERROR_KIND
	};
	struct strbuf said = STRBUF_INIT;

	compare_add_gate(&said, gate);
	add_case(sb, counts, "gate", gate->gate->text, kinds[gate->result.outcome], said.buf);
	strbuf_release(&said);
}

static void add_row(struct strbuf *sb, struct counts *counts, const struct compare_row *row)
{
	struct strbuf name = STRBUF_INIT;

	compare_add_name(&name, row, 1000);
	for (int i = 0; row->verdicts && i < MEASURES; i++) {
		const struct verdict_of *of = &row->verdicts[i];
		struct strbuf said = STRBUF_INIT;

		if (of->verdict == VERDICT_NONE)
			continue;
		compare_add_values(&said, (enum measure)i, &row->changes[i]);
		strbuf_adds(&said, ": ");
		compare_add_verdict(&said, of);
		add_case(sb, counts, name.buf, measure_names[i],
			 of->verdict == VERDICT_GREW        ? FAILURE
			 : of->verdict == VERDICT_UNCERTAIN ? SKIPPED
							    : PASSED,
			 said.buf);
		strbuf_release(&said);
	}
	strbuf_release(&name);
}

/* Warnings are of the whole suite. */
static void add_warnings(struct strbuf *sb, const struct strvec *warnings)
{
	if (!warnings->nr)
		return;
	strbuf_adds(sb, "<system-err>");
	for (size_t i = 0; i < warnings->nr; i++) {
		strbuf_adds(sb, "warning: ");
		svg_add_text(sb, warnings->v[i]);
		strbuf_adds(sb, "\n");
	}
	strbuf_adds(sb, "</system-err>\n");
}

static void write_junit(const struct compare_report *report, FILE *out)
{
	struct compare_row build = compare_build_row(report);
	struct strbuf sb = STRBUF_INIT;
	struct counts counts = { 0 };

	for (size_t i = 0; i < report->gates_nr; i++)
		add_gate(&sb, &counts, &report->gates[i]);
	add_row(&sb, &counts, &build);
	for (size_t i = 0; i < report->rows->nr; i++)
		add_row(&sb, &counts, report->rows->pointers[i]);
	/* A suite without tests is green to who reads it. */
	if (!counts.tests)
		add_case(&sb, &counts, "compare", "verdicts", SKIPPED,
			 "nothing was judged: there is no gate, and no value has a verdict");
	add_warnings(&sb, report->warnings);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"<testsuite name=\"stagetrace compare\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\" skipped=\"%zu\" time=\"0\">\n",
		counts.tests, counts.failures, counts.errors, counts.skipped);
	fwrite(sb.buf, 1, sb.len, out);
	fputs("</testsuite>\n</testsuites>\n", out);
	strbuf_release(&sb);
}

const struct compare_format compare_junit = {
	.name = "junit",
	.ending = ".xml",
	.help = "results of tests for a CI system: gates, and of several runs a side verdicts",
	.write = write_junit,
};
