#include "watch_log.h"

#include "platform/fs.h"
#include "platform/windows/command_line.h"
#include "platform/windows/wide.h"
#include "record/tracker.h"

#define CHILDREN      19
#define GRANDCHILDREN 10
#define NODES         (1 + CHILDREN + CHILDREN * GRANDCHILDREN)

#define TRUTH  "STAGETRACE_TREE_TRUTH" /* a directory */
#define PARENT "STAGETRACE_TREE_PARENT"
#define TEST   "STAGETRACE_TREE_TEST"

#define SEEN_MS 20000

/* As NOT_STARTED: exit codes of a node that could not do its part, with the system's error. */
#define NO_EVENT    0xe1000000
#define NO_TRUTH    0xe2000000
#define NO_RESPONSE 0xe3000000

static void add_line(struct strbuf *line, int64_t pid, int64_t ppid, const struct strvec *argv)
{
	strbuf_addf(line, "%lld %lld ", (long long)pid, (long long)ppid);
	for (size_t i = 0; i < argv->nr; i++)
		strbuf_addf(line, "|%s", argv->v[i]);
}

/* Every other leaf is as short as the shortest compile. */
static bool is_short(int number)
{
	return number > 9999 && number % 2 == 0;
}

/* Set when the watch has reported node `number`; of one run of the test. */
static HANDLE seen_event(int number)
{
	wchar_t name[128], test[16] = L"";
	HANDLE event;

	GetEnvironmentVariableW(L"" TEST, test, ARRAY_SIZE(test));
	swprintf(name, ARRAY_SIZE(name), L"stagetrace-tree-%ls-%d", test, number);
	event = CreateEventW(NULL, TRUE, FALSE, name);
	if (!event)
		ExitProcess(NO_EVENT | GetLastError());
	return event;
}

static bool is_on_wine(void)
{
	return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version");
}

/* Wine shows a command line only a while after the start: too late for one that has ended, on a busy machine. */
static bool may_lose_arguments(void)
{
	return is_on_wine();
}

/* What a process of the tree gives back: all of 32 bits. */
static DWORD tree_exit_code(int number)
{
	return (DWORD)number * 2654435761U % 0xfffffff1U + 2;
}

/* Some of its arguments are as long as those of a linker. */
static size_t tree_padding(int number)
{
	return (size_t)(number * 7919 % 30000);
}

static void add_padding(wchar_t *line, size_t count)
{
	size_t len = wcslen(line);

	line[len++] = L' ';
	for (size_t i = 0; i < count + 1; i++)
		line[len + i] = (wchar_t)(L'a' + i % 26);
	line[len + count + 1] = L'\0';
}

static wchar_t *response_path(int number)
{
	static wchar_t path[MAX_PATH + 32];
	wchar_t temp[MAX_PATH];

	GetTempPathW(MAX_PATH, temp);
	swprintf(path, ARRAY_SIZE(path), L"%lsstagetrace-%lu-%d.rsp", temp, GetCurrentProcessId(),
		 number);
	return path;
}

/* What rustc writes for link.exe: UTF-16 with a mark, deleted when the linker has ended. */
static void write_response(int number)
{
	FILE *file = _wfopen(response_path(number), L"wb");

	if (!file)
		ExitProcess(NO_RESPONSE | GetLastError());
	fprintf(file, "%s%c%c", "\xff\xfe", 'n', 0);
	for (const char *c = "\xe4"; *c; c++)
		fprintf(file, "%c%c", *c, 0);
	fclose(file);
}

static void name_parent(void)
{
	wchar_t number[16];

	swprintf(number, ARRAY_SIZE(number), L"%lu", GetCurrentProcessId());
	SetEnvironmentVariableW(L"" PARENT, number);
}

static PROCESS_INFORMATION start_node(int number, int children)
{
	static wchar_t line[32768];
	PROCESS_INFORMATION info;

	swprintf(line, ARRAY_SIZE(line), L"tree %d %d", number, children);
	if (!children) {
		write_response(number);
		swprintf(line + wcslen(line), 512, L" \"@%ls\"", response_path(number));
	}
	add_padding(line, tree_padding(number));
	name_parent();
	info = start_held(line, 0);
	resume(&info);
	return info;
}

/* Its exit code where that is not what it should be, else 0. */
static DWORD end_node(const PROCESS_INFORMATION *info, int number, bool has_response)
{
	DWORD code = wait_for(info);

	if (has_response)
		DeleteFileW(response_path(number));
	return code == tree_exit_code(number) ? 0 : code;
}

/* A file in the directory of truth. */
static void write_truth(const char *name, const char *text)
{
	char *dir = wide_getenv(TRUTH), *path = fs_join(dir, name);
	FILE *file = fs_open(path, "wb");

	if (!file || fwrite(text, strlen(text), 1, file) != 1 || fclose(file))
		ExitProcess(NO_TRUTH | GetLastError());
	free(path);
	free(dir);
}

/* What the watch must find, reported by each process in a file: its number, its parent's, its arguments. */
static void report_truth(const char *word, const char *number)
{
	char *parent = wide_getenv(PARENT), *name = xasprintf("%s-%s", word, number);
	struct strvec argv = STRVEC_INIT;
	struct strbuf line = STRBUF_INIT;

	command_line_split(GetCommandLineW(), &argv);
	add_line(&line, GetCurrentProcessId(), atoll(parent), &argv);
	write_truth(name, line.buf);
	strbuf_release(&line);
	strvec_release(&argv);
	free(name);
	free(parent);
}

/* Over before anybody can look twice, and nobody waits for it. */
static void start_brief(int number)
{
	PROCESS_INFORMATION info;
	wchar_t line[32];

	swprintf(line, ARRAY_SIZE(line), L"brief %d", number);
	name_parent();
	info = start_held(line, 0);
	resume(&info);
	CloseHandle(info.hProcess);
}

/* Wait until the watch has reported it, however busy the machine is. */
static void wait_to_be_seen(int number)
{
	WaitForSingleObject(seen_event(number), SEEN_MS);
}

/* Node `number` has nodes number * 100 + 1 and on, so many of them at a time. */
static int run_tree(int number, int children)
{
	PROCESS_INFORMATION started[CHILDREN];
	int below = number == 1 ? GRANDCHILDREN : 0, at_once = number == 1 ? 4 : 2, ended = 0;
	DWORD wrong = 0;

	if (number > 1 && children)
		start_brief(number);
	if (!children && is_short(number))
		Sleep(30);
	else if (!children)
		wait_to_be_seen(number);
	for (int i = 0; i < children && !wrong; i++) {
		if (i - ended == at_once) {
			wrong = end_node(&started[ended], number * 100 + ended + 1, !below);
			ended++;
		}
		started[i] = start_node(number * 100 + i + 1, below);
	}
	for (; ended < children && !wrong; ended++)
		wrong = end_node(&started[ended], number * 100 + ended + 1, !below);
	/* So that the test says what went wrong. */
	if (wrong)
		return (int)wrong;
	return (int)tree_exit_code(number);
}

static const struct proc_event *find_node(const struct log *log, int number)
{
	char word[16];

	snprintf(word, sizeof(word), "%d", number);
	for (size_t i = 0; i < log->nr; i++) {
		const struct proc_event *event = &log->events[i];

		if (event->kind == PROC_EXEC && event->argv.nr > 3 &&
		    !strcmp(event->argv.v[1], "tree") && !strcmp(event->argv.v[2], word))
			return event;
	}
	if (!is_short(number) || !may_lose_arguments())
		fail_msg("process %d of the tree was not seen, or not its command line", number);
	return NULL;
}

/* The nearest event of the same process: its number may be another's before and after it. */
static const struct proc_event *must_find_near(const struct log *log, const struct proc_event *exec,
					       enum proc_event_kind kind)
{
	size_t at = (size_t)(exec - log->events);

	/* Beyond either end is no index. */
	while (at < log->nr && (log->events[at].pid != exec->pid || log->events[at].kind != kind))
		at += kind == PROC_FORK ? (size_t)-1 : 1;
	if (at >= log->nr)
		fail_msg("no event %d of process %lld", kind, (long long)exec->pid);
	return &log->events[at];
}

/* The file is gone with the process. */
static void check_responses(const struct proc_event *exec, int number, int children)
{
	if (!exec->responses.nr && is_short(number) && may_lose_arguments())
		return;
	assert_int_equal(exec->responses.nr, children ? 0 : 2);
	if (children)
		return;
	assert_string_equal(exec->responses.v[0], exec->argv.v[4] + 1);
	assert_string_equal(exec->responses.v[1], "n\xc3\xa4");
}

static void check_node(const struct log *log, int number, int children, int64_t parent)
{
	const struct proc_event *exec = find_node(log, number), *start, *end;

	if (!exec)
		return;
	start = must_find_near(log, exec, PROC_FORK);
	end = must_find_near(log, exec, PROC_EXIT);
	assert_false(exec->argv_lost);
	assert_int_equal(strlen(exec->argv.v[exec->argv.nr - 1]), tree_padding(number) + 1);
	assert_int_equal(start->ppid, parent);
	assert_int_equal(exec->ppid, parent);
	assert_int_equal(end->exit_code, tree_exit_code(number));
	assert_true(end->time_ns >= start->time_ns);
	must_find_near(log, exec, PROC_USAGE);
	check_responses(exec, number, children);
	for (int i = 0; i < children; i++)
		check_node(log, number * 100 + i + 1, number == 1 ? GRANDCHILDREN : 0, exec->pid);
}

/* As the row of a process that was seen, but whose command line was not. */
static void drop_arguments(char *line)
{
	line[strcspn(line, "|")] = '\0';
}

/*
 * The same of the truth. A brief one is held by nobody: where it is gone before the message of it is read, there is none
 * to ask for its parent, which is 0 then. Any other number must be right.
 */
static void drop_what_is_lost(const char *row, char *truth)
{
	char *parent = strchr(truth, ' ') + 1;
	bool brief = strstr(truth, "|brief|");

	drop_arguments(truth);
	if (brief && text_ends_with(row, " 0 "))
		strcpy(parent, "0 ");
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct strvec *lines)
{
	qsort(lines->v, lines->nr, sizeof(*lines->v), compare);
}

static void read_truth(const char *dir, struct strvec *lines)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_list(dir, &names, &err), 0);
	for (size_t i = 0; i < names.nr; i++) {
		struct strbuf line = STRBUF_INIT;
		char *path = fs_join(dir, names.v[i]);

		assert_int_equal(fs_read(path, 1 << 20, &line, &err), 0);
		strvec_push_nodup(lines, strbuf_detach(&line));
		free(path);
	}
	strvec_release(&names);
}

/* The rows that the tracker makes of all events; returns how many have no command line. */
static size_t make_rows(const struct log *log, struct strvec *lines)
{
	static const struct tag_rules no_rules = TAG_RULES_INIT;
	struct tracker_options options = { .rules = &no_rules };
	struct tracker *tracker = tracker_new(&options);
	const struct process_list *rows;
	const struct process *build;
	size_t lost = 0;

	for (size_t i = 0; i < log->nr; i++)
		tracker_event(tracker, &log->events[i]);
	rows = tracker_finish(tracker, &build);
	for (size_t i = 0; i < rows->nr; i++) {
		const struct process *row = rows->v[i];
		struct strbuf line = STRBUF_INIT;

		assert_true(row->end_ns >= row->start_ns);
		add_line(&line, row->pid, row->ppid, &row->argv);
		if (row->argv_lost)
			drop_arguments(line.buf);
		lost += row->argv_lost;
		strvec_push_nodup(lines, strbuf_detach(&line));
	}
	tracker_free(tracker);
	return lost;
}

static bool is_of_a_short_one(const char *line)
{
	const char *number = strstr(line, "|tree|");

	return !number || is_short(atoi(number + strlen("|tree|")));
}

/* By what the lines begin with. */
static int compare_pids(const char *a, const char *b)
{
	size_t na = strcspn(a, " "), nb = strcspn(b, " ");
	int way = strncmp(a, b, na < nb ? na : nb);

	return way ? way : (na > nb) - (na < nb);
}

/* Print rows that are nobody's and processes without a row. Both lists are in order. */
static void print_unmatched(const struct strvec *rows, const struct strvec *truth)
{
	size_t at = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		while (at < truth->nr && compare_pids(truth->v[at], rows->v[i]) < 0)
			print_error("no row: '%.200s'\n", truth->v[at++]);
		if (at < truth->nr && !compare_pids(truth->v[at], rows->v[i]))
			at++;
		else
			print_error("row of none: '%.200s'\n", rows->v[i]);
	}
	while (at < truth->nr)
		print_error("no row: '%.200s'\n", truth->v[at++]);
}

/* The same processes, each with its parent and its arguments. */
static void check_rows(const struct strvec *rows, const struct strvec *truth)
{
	assert_int_equal(rows->nr, truth->nr);
	for (size_t i = 0; i < rows->nr; i++) {
		if (!strchr(rows->v[i], '|') && is_of_a_short_one(truth->v[i]) &&
		    may_lose_arguments())
			drop_what_is_lost(rows->v[i], truth->v[i]);
		if (strcmp(rows->v[i], truth->v[i]))
			fail_msg("row '%.200s', truly '%.200s'", rows->v[i], truth->v[i]);
	}
}

/* Take events until it ends, and let those go on that have been seen. */
static void let_seen_go_on(struct log *log, const PROCESS_INFORMATION *root)
{
	size_t at = 0;

	while (WaitForSingleObject(root->hProcess, 5) == WAIT_TIMEOUT) {
		log_drain(log);
		for (; at < log->nr; at++) {
			const struct proc_event *event = &log->events[at];

			/* The handle stays open: the node may not have looked yet. */
			if (event->kind == PROC_EXEC && event->argv.nr > 3)
				SetEvent(seen_event(atoi(event->argv.v[2])));
		}
	}
}

static void run_root(struct log *log)
{
	PROCESS_INFORMATION root;
	wchar_t line[16384], test[16];

	swprintf(line, ARRAY_SIZE(line), L"tree 1 %d", CHILDREN);
	add_padding(line, tree_padding(1));
	name_parent();
	swprintf(test, ARRAY_SIZE(test), L"%lu", GetCurrentProcessId());
	SetEnvironmentVariableW(L"" TEST, test);
	root = start_held(line, 0);
	proc_watch_add_root(log->watch, root.dwProcessId, true);
	resume(&root);
	let_seen_go_on(log, &root);
	assert_int_equal(wait_for(&root), tree_exit_code(1));
	/* Nobody has waited for the brief ones. */
	clock_sleep(NS_PER_S / 2);
	log_stop(log);
}

/* A tree that was watched. */
struct watched {
	struct log log;
	struct strvec truth; /* the processes that have run */
};

static void watch_tree(struct watched *watched)
{
	struct err err = ERR_INIT;
	char *temp = fs_temp_dir(&err);
	wchar_t *wide = wide_from_utf8(temp);

	*watched = (struct watched){ .truth = STRVEC_INIT };
	SetEnvironmentVariableW(L"" TRUTH, wide);
	log_start(&watched->log);
	run_root(&watched->log);
	read_truth(temp, &watched->truth);
	assert_int_equal(fs_remove_tree(temp, &err), 0);
	free(wide);
	free(temp);
}

static void watched_release(struct watched *watched)
{
	log_release(&watched->log);
	strvec_release(&watched->truth);
}

/* Watch a tree of which all have run. On a busy machine Wine fails to start some, with "partial write". */
static void watch_full_tree(struct watched *watched)
{
	enum { TRIES = 3 };

	watch_tree(watched);
	for (int i = 1; watched->truth.nr < NODES + CHILDREN && is_on_wine() && i < TRIES; i++) {
		print_message("Wine started only %u processes: once more\n",
			      (unsigned)watched->truth.nr);
		watched_release(watched);
		watch_tree(watched);
	}
	assert_int_equal(watched->truth.nr, NODES + CHILDREN);
}

static void proc_watch__tree_of_229_processes__none_is_missed(void **state)
{
	struct strvec rows = STRVEC_INIT;
	struct watched watched;
	const struct log *log = &watched.log;
	size_t lost;

	(void)state;
	watch_full_tree(&watched);
	lost = make_rows(log, &rows);
	sort(&rows);
	sort(&watched.truth);
	print_unmatched(&rows, &watched.truth);
	check_rows(&rows, &watched.truth);
	check_node(log, 1, CHILDREN, GetCurrentProcessId());
	assert_int_equal(log->status.lost_events, 0);
	assert_int_equal(log->status.argv_lost, lost);
	assert_int_equal(log->status.may_have_missed, 0);
	assert_int_equal(log->status.broke_away, 0);
	strvec_release(&rows);
	watched_release(&watched);
}

int main(int argc, char **argv)
{
	/* With a job alone: polling may miss one. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proc_watch__tree_of_229_processes__none_is_missed),
	};

	SetErrorMode(SEM_NOGPFAULTERRORBOX);
	if (argc == 1)
		return cmocka_run_group_tests(tests, NULL, NULL);
	report_truth(argv[1], argv[2]);
	return strcmp(argv[1], "tree") ? 0 : run_tree(atoi(argv[2]), atoi(argv[3]));
}
