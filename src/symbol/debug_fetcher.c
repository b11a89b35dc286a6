#include "symbol/debug_fetcher.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platform/debug_server.h"
#include "platform/thread.h"
#include "symbol/elf/elf_module.h"
#include "symbol/module_map.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

#define NAMED_MAX  3  /* maximum of modules that a message names */
#define FAULTS_MAX 10 /* maximum of messages about bad files */

struct debug_fetcher {
	struct monitor *monitor; /* protects all */
	struct debug_server *server;
	bool failed;           /* the server: nothing more is asked */
	struct module_map ids; /* all that was asked for */
	char **paths;          /* as in `ids`; NULL: there is no such file */
	size_t paths_nr, paths_alloc;
	struct strbuf lacking; /* some of the modules without a file on the server */
	size_t lacking_nr;
	struct strbuf faults; /* lines */
	size_t faults_nr;
	size_t more_faults; /* that have no line */
};

int debug_fetcher_new(const struct progress *progress, struct debug_fetcher **fetcher,
		      struct err *err)
{
	struct debug_server *server;

	if (debug_server_open(progress, &server, err))
		return -1;
	*fetcher = xmalloc(sizeof(**fetcher));
	**fetcher = (struct debug_fetcher){ .monitor = monitor_new(),
					    .server = server,
					    .lacking = STRBUF_INIT,
					    .faults = STRBUF_INIT };
	return 0;
}

void debug_fetcher_free(struct debug_fetcher *fetcher)
{
	if (!fetcher)
		return;
	debug_server_close(fetcher->server);
	monitor_free(fetcher->monitor);
	module_map_release(&fetcher->ids);
	for (size_t i = 0; i < fetcher->paths_nr; i++)
		free(fetcher->paths[i]);
	free(fetcher->paths);
	strbuf_release(&fetcher->lacking);
	strbuf_release(&fetcher->faults);
	free(fetcher);
}

static void add_lacking(struct debug_fetcher *fetcher, const char *module)
{
	if (fetcher->lacking_nr++ >= NAMED_MAX)
		return;
	strbuf_adds(&fetcher->lacking, fetcher->lacking_nr > 1 ? ", " : "");
	utf8_add_printable(&fetcher->lacking, text_file_name(module));
}

/* `cached`: the file, which is bad; NULL: there is none. */
static void add_fault(struct debug_fetcher *fetcher, const char *module, const char *why,
		      const char *cached)
{
	struct strbuf *faults = &fetcher->faults;

	if (fetcher->faults_nr >= FAULTS_MAX && !fetcher->failed) {
		fetcher->more_faults++;
		return;
	}
	fetcher->faults_nr++;
	strbuf_adds(faults, "no debug file of '");
	utf8_add_printable(faults, module);
	strbuf_adds(faults, "' from ");
	debug_server_name(fetcher->server, faults);
	strbuf_addf(faults, ": %s", why);
	if (cached) {
		strbuf_adds(faults, "; remove '");
		utf8_add_printable(faults, cached);
		strbuf_adds(faults, "' to ask for it again");
	}
	if (fetcher->failed)
		strbuf_adds(faults, "; nothing more is asked");
	strbuf_addc(faults, '\n');
}

/* The path of the file, which the caller frees; NULL: there is none. */
static char *fetch(struct debug_fetcher *fetcher, const char *module, const uint8_t *id, size_t nr)
{
	struct err err = ERR_INIT;
	char *path = NULL;

	if (debug_server_fetch(fetcher->server, id, nr, &path, &err)) {
		fetcher->failed = err.code == ERR_FAILED;
		if (err.code == ERR_NOT_FOUND)
			add_lacking(fetcher, module);
		else
			add_fault(fetcher, module, err.msg, NULL);
	} else if (elf_check_debug_file(path, id, nr, &err)) {
		add_fault(fetcher, module, err.msg, path);
		free(path);
		path = NULL;
	}
	err_clear(&err);
	return path;
}

const char *debug_fetcher_find(struct debug_fetcher *fetcher, const char *module, const uint8_t *id,
			       size_t nr)
{
	char *path = NULL;
	uint32_t number;

	if (nr < 2 || nr > MODULE_ID_MAX)
		return NULL;
	monitor_enter(fetcher->monitor);
	number = module_map_add(&fetcher->ids, module, id, nr);
	if (number <= fetcher->paths_nr) {
		path = fetcher->paths[number - 1];
	} else {
		if (!fetcher->failed)
			path = fetch(fetcher, module, id, nr);
		ARRAY_ADD(fetcher->paths, fetcher->paths_nr, fetcher->paths_alloc, path);
	}
	monitor_leave(fetcher->monitor);
	return path;
}

void debug_fetcher_explain(const struct debug_fetcher *fetcher, struct strbuf *notes,
			   struct strbuf *warnings)
{
	if (fetcher->lacking_nr) {
		debug_server_name(fetcher->server, notes);
		strbuf_addf(notes, " has no debug files of %zu module%s (%s%s)\n",
			    fetcher->lacking_nr, fetcher->lacking_nr == 1 ? "" : "s",
			    fetcher->lacking.buf, fetcher->lacking_nr > NAMED_MAX ? ", ..." : "");
	}
	if (fetcher->faults_nr)
		strbuf_adds(warnings, fetcher->faults.buf);
	if (fetcher->more_faults)
		strbuf_addf(warnings, "the same holds for debug files of %zu more module%s\n",
			    fetcher->more_faults, fetcher->more_faults == 1 ? "" : "s");
}
