/*
 * Any answers of symbol servers, as they come over the wire: a file gets its name only if it is whole and has the id, and
 * of one that was cut no more stays than was sent. The first byte chooses between a PDB and a debug file; then follows
 * for each answer its length in two bytes, and what it is. libcurl and libmspack are not instrumented.
 *
 * The answers are those of a proxy, so that no redirection leads to another machine.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/fs.h"
#include "symbol/id_file.h"
#include "symbol/symbol_fetch.h"
#include "util/alloc.h"
#include "util/little_endian.h"
#include "util/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUEST_MAX 8192

/* The ids of tests/fuzz/corpus/pdb and elf_symbols. */
static const uint8_t pdb_id[] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99,
				  0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x01, 0x00, 0x00, 0x00 };
static const uint8_t elf_id[] = { 0xd0, 0x77, 0x7a, 0x78, 0x01, 0x13, 0x8e, 0x99, 0xe6, 0xba,
				  0x27, 0x95, 0xae, 0xd9, 0xdf, 0xf4, 0xe4, 0x8f, 0xc6, 0xd9 };

struct server {
	int socket;
	pthread_mutex_t mutex; /* of the following */
	const uint8_t *data;   /* the answers that are left */
	size_t size;
	uint64_t sent;
};

/* Into a copy, as the input may be gone before it is sent. */
static size_t take_answer(struct server *server, uint8_t *bytes)
{
	size_t nr = 0;

	pthread_mutex_lock(&server->mutex);
	if (server->size >= 2) {
		nr = le_get16(server->data);
		nr = nr < server->size - 2 ? nr : server->size - 2;
		memcpy(bytes, server->data + 2, nr);
		server->data += 2 + nr;
		server->size -= 2 + nr;
		server->sent += nr;
	}
	pthread_mutex_unlock(&server->mutex);
	return nr;
}

static bool read_request(int client)
{
	char text[REQUEST_MAX + 1];
	size_t nr = 0;
	ssize_t got;

	while (nr < REQUEST_MAX && (got = recv(client, text + nr, REQUEST_MAX - nr, 0)) > 0) {
		nr += (size_t)got;
		text[nr] = '\0';
		if (strstr(text, "\r\n\r\n"))
			return true;
	}
	return false;
}

/* One answer for each connection. */
static void *serve(void *data)
{
	static uint8_t bytes[UINT16_MAX];
	struct server *server = data;

	for (;;) {
		int client = accept(server->socket, NULL, NULL);
		size_t nr = client >= 0 && read_request(client) ? take_answer(server, bytes) : 0;
		ssize_t sent;

		for (size_t at = 0; at < nr; at += (size_t)sent) {
			sent = send(client, bytes + at, nr - at, MSG_NOSIGNAL);
			if (sent <= 0)
				break;
		}
		if (client >= 0)
			close(client);
	}
	return NULL;
}

static struct server *start_server(void)
{
	static struct server server = { .mutex = PTHREAD_MUTEX_INITIALIZER };
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	pthread_t thread;
	char proxy[64];

	server.socket = socket(AF_INET, SOCK_STREAM, 0);
	if (server.socket < 0 || bind(server.socket, (struct sockaddr *)&address, len) ||
	    listen(server.socket, 16) ||
	    getsockname(server.socket, (struct sockaddr *)&address, &len) ||
	    pthread_create(&thread, NULL, serve, &server))
		abort();
	snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%u", ntohs(address.sin_port));
	setenv("http_proxy", proxy, 1);
	setenv("https_proxy", proxy, 1);
	unsetenv("no_proxy");
	unsetenv("NO_PROXY");
	return &server;
}

static char place[32]; /* a directory, of all inputs */

static void remove_place(void)
{
	struct err err = ERR_INIT;

	fs_remove_tree(place, &err);
	err_clear(&err);
}

static void make_place(void)
{
	strcpy(place, "/dev/shm/fuzz-XXXXXX");
	if (!mkdtemp(place)) {
		strcpy(place, "/tmp/fuzz-XXXXXX");
		if (!mkdtemp(place))
			abort();
	}
	atexit(remove_place);
}

static uint64_t sent_by(struct server *server)
{
	uint64_t sent;

	pthread_mutex_lock(&server->mutex);
	sent = server->sent;
	pthread_mutex_unlock(&server->mutex);
	return sent;
}

/* What the cache has. */
static void check_files(const char *path, bool found, uint64_t sent)
{
	char *dir = fs_dirname(path);
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	if (fs_list(dir, &names, &err))
		abort();
	for (size_t i = 0; i < names.nr; i++) {
		char *other = fs_join(dir, names.v[i]);

		/* Nothing but parts, which are no longer than what was sent. */
		if (strcmp(other, path) != 0 &&
		    (found || !text_ends_with(other, ".part") || fs_size(other) < 0 ||
		     (uint64_t)fs_size(other) > sent))
			abort();
		free(other);
	}
	strvec_release(&names);
	free(dir);
}

/* Returns whether the file is there. */
static bool get(struct symbol_fetch *fetch, struct server *server, const struct module *module,
		const char *path, bool before)
{
	struct strbuf from = STRBUF_INIT;
	struct err err = ERR_INIT;
	uint64_t sent = sent_by(server);
	int rc = symbol_fetch_get(fetch, module, &from, &err);

	if ((rc < 0) != (err.code != ERR_NONE) || (rc >= 0) != fs_exists(path) ||
	    (rc == 1) != before || (rc == 0) != (from.len > 0) ||
	    (rc == 1 && sent != sent_by(server)))
		abort();
	err_clear(&err);
	if (rc >= 0 && id_file_check(path, module, &err))
		abort();
	check_files(path, rc >= 0, sent_by(server));
	strbuf_release(&from);
	return rc >= 0;
}

static struct module make_module(bool elf)
{
	static char path[] = "/b/librustc_driver.so", image[] = "C:\\b\\rustc_driver.dll",
		    debug_path[] = "C:\\b\\rustc_driver.pdb";
	struct module module = { .kind = MODULE_FILE, .path = elf ? path : image };

	_Static_assert(sizeof(pdb_id) == sizeof(elf_id), "both have 20 bytes");
	module.debug_path = elf ? NULL : debug_path;
	module.id_length = sizeof(pdb_id);
	memcpy(module.id, elf ? elf_id : pdb_id, sizeof(pdb_id));
	return module;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct server *server;
	struct symbol_fetch_options options = { .answer_ns = 5 * NS_PER_S,
						.whole_ns = 20 * NS_PER_S };
	struct symbol_fetch *fetch;
	struct module module;
	struct err err = ERR_INIT;
	char *cache, *url, *name, *path;
	bool found;

	if (!size)
		return 0;
	if (!server) {
		server = start_server();
		make_place();
	}
	module = make_module(data[0] & 1);
	cache = fs_join(place, "cache");
	url = xasprintf("srv*%s*http://symbols.example/", cache);
	name = id_file_name(&module);
	path = fs_join(cache, name);
	pthread_mutex_lock(&server->mutex);
	server->data = data + 1;
	server->size = size - 1;
	server->sent = 0;
	pthread_mutex_unlock(&server->mutex);
	options.server = url;
	if (symbol_fetch_new(&options, &fetch, &err))
		abort();
	/* And with what is left of the answers, as the next command does. */
	found = get(fetch, server, &module, path, false);
	symbol_fetch_free(fetch);
	if (symbol_fetch_new(&options, &fetch, &err))
		abort();
	get(fetch, server, &module, path, found);
	symbol_fetch_free(fetch);
	if (fs_remove_tree(cache, &err))
		abort();
	free(path);
	free(name);
	free(url);
	free(cache);
	return 0;
}
