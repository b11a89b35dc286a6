#include "recorder/wpr_calls.h"

#include <stdlib.h>

#include "platform/fs.h"
#include "recorder/etw_codes.h"
#include "recorder/etw_files.h"

/* -skipPdbGen is there since 10.0.18955 */
#define SKIP_PDB_SINCE 10, 0, 18955

void wpr_add_instance(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-instancename");
	strvec_push(argv, context->instance);
}

void wpr_add_file_mode(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-filemode");
	strvec_push(argv, "-recordtempto");
	strvec_push(argv, context->tool_folder);
	wpr_add_instance(context, argv);
}

void wpr_add_mark(const struct etw_context *context, const char *text, struct strvec *argv)
{
	strvec_push(argv, "-marker");
	strvec_push(argv, text);
	wpr_add_instance(context, argv);
}

void wpr_add_status(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-status");
	strvec_push(argv, "profiles");
	strvec_push(argv, "collectors");
	strvec_push(argv, "details");
	wpr_add_instance(context, argv);
}

void wpr_add_stop(const struct etw_context *context, bool plain, const char *description,
		  struct strvec *argv)
{
	char *file = fs_join(context->folder, ETW_FILE), *path = etw_tool_path(file);
	bool known = context->tool.version_text != NULL;

	strvec_push(argv, "-stop");
	strvec_push(argv, path);
	if (!plain) {
		strvec_push(argv, description);
		/* There is no .NET code of interest, and its symbols take long. */
		if (!known || etw_tool_is_at_least(&context->tool, SKIP_PDB_SINCE))
			strvec_push(argv, "-skipPdbGen");
	}
	wpr_add_instance(context, argv);
	free(path);
	free(file);
}

void wpr_add_cancel(const struct etw_context *context, struct strvec *argv)
{
	strvec_push(argv, "-cancel");
	wpr_add_instance(context, argv);
}

void wpr_add_set_interval(int64_t interval, struct strvec *argv)
{
	strvec_push(argv, interval ? "-setprofint" : "-resetprofint");
	if (interval)
		strvec_pushf(argv, "%lld", (long long)interval);
}

void wpr_add_ask_interval(struct strvec *argv)
{
	strvec_push(argv, "-profint");
}

enum etw_state wpr_read_state(const struct etw_context *context, const struct etw_result *result)
{
	(void)context;
	return etw_status_state(result->code, result->output.buf);
}

void wpr_check_idle(const struct etw_context *context, struct finding_list *findings)
{
	struct etw_result result = ETW_RESULT_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	enum etw_state state = ETW_UNKNOWN;

	strvec_push(&argv, context->tool.path);
	strvec_push(&argv, "-status");
	if (!etw_tool_ask(&argv, &result, &err))
		state = etw_status_state(result.code, result.output.buf);
	if (state == ETW_RECORDING)
		finding_add(findings, FINDING_ERROR,
			    "it is somebody else's, and is left alone; both would lose events",
			    "'wpr -status profiles' shows it: wait for its end, or end it yourself "
			    "with wpr -stop or wpr -cancel",
			    "wpr records already");
	else if (state == ETW_UNKNOWN)
		finding_add(findings, FINDING_WARNING,
			    "a recording may be in progress, and this one would not start",
			    "run 'wpr -status' yourself", "wpr does not tell its state: %s",
			    err.msg ? err.msg : "wpr -status failed");
	err_clear(&err);
	strbuf_release(&result.output);
	strvec_release(&argv);
}
