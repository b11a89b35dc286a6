#include "symbol/file_places.h"

#include "pdb_fixture.h"

static char image[] = "C:\\build\\example.dll", debug[] = "C:\\build\\example.pdb";

#define STORED "example.pdb/33221100554477668899AABBCCDDEEFF2/example.pdb"

static struct module traced(uint8_t age)
{
	struct module module = { .kind = MODULE_FILE,
				 .path = image,
				 .debug_path = debug,
				 .name = image,
				 .id_length = PDB_ID_BYTES };

	for (uint8_t i = 0; i < 16; i++)
		module.id[i] = (uint8_t)(i * 17);
	module.id[16] = age;
	return module;
}

static void write_pdb(const char *dir, const char *name, uint32_t age)
{
	char *path = fs_join(dir, name), *parent = fs_dirname(path);
	struct err err = ERR_INIT;
	struct pdb_writer writer;

	assert_int_equal(fs_mkdir_all(parent, &err), 0);
	pdb_writer_init(&writer);
	pdb_writer_example(&writer);
	writer.age = age;
	pdb_place_write(path, &writer);
	free(parent);
	free(path);
}

/* The files of a run, in a directory, and what was asked for. */
struct run {
	char *dir;
	struct strvec asked;
};

static char *find_in_run(void *data, const char *name)
{
	struct run *run = data;
	char *path = fs_join(run->dir, name);

	strvec_push(&run->asked, name);
	if (fs_exists(path) && !fs_is_dir(path))
		return path;
	free(path);
	return NULL;
}

static void expect(struct file_places *places, const struct module *module, bool kept, bool machine,
		   const char *from)
{
	struct symbol_file file = { .ops = NULL };

	if (machine)
		file_places_open(places, module, kept, NULL, &file);
	else
		assert_int_equal(file_places_open_kept(places, module, kept, &file), from != NULL);
	assert_int_equal(file.ops != NULL, from != NULL);
	if (from)
		expect_path(file.from, from);
	if (file.ops)
		file.ops->close(file.data);
	free(file.why);
	free(file.from);
}

/* A run's own file comes first; one with another age is none, and neither is asked for where names are kept. */
static void file_places__pdb_of_a_run__is_first(void **state)
{
	const struct pdb_place *place = *state;
	struct run run = { fs_join(place->dir, "symbols"), STRVEC_INIT };
	char *cache = fs_join(place->dir, "cache"), *cached = fs_join(cache, STORED);
	struct module module = traced(2), older = traced(1);
	struct strvec caches = STRVEC_INIT;
	const struct place_options options = { .run = { &run, find_in_run },
					       .dirs = &caches,
					       .caches = &caches };
	struct file_places *places;

	strvec_push(&caches, cache);
	places = file_places_new(&options);
	expect(places, &module, false, true, NULL);
	assert_int_equal(run.asked.nr, 3);
	assert_string_equal(run.asked.v[0], "pdb/" STORED);
	write_pdb(cache, STORED, 2);
	expect(places, &module, false, true, cached);
	expect(places, &module, false, false, cached);
	write_pdb(run.dir, "pdb/" STORED, 2);
	expect(places, &module, false, true, "run");
	expect(places, &module, false, false, "run");
	expect(places, &older, false, true, NULL);
	strvec_release(&run.asked);
	expect(places, &module, true, true, cached);
	expect(places, &module, true, false, cached);
	assert_int_equal(run.asked.nr, 0);
	/* The id is another in spite of the place. */
	write_pdb(run.dir, "pdb/" STORED, 3);
	write_pdb(cache, STORED, 3);
	expect(places, &module, false, true, NULL);
	expect(places, &module, false, false, NULL);
	file_places_free(places);
	strvec_release(&caches);
	strvec_release(&run.asked);
	free(cached);
	free(cache);
	free(run.dir);
}

/* As versions before symbols/pdb looked for them. */
static void file_places__pdb_beside_the_names__is_found(void **state)
{
	const struct pdb_place *place = *state;
	struct run run = { place->dir, STRVEC_INIT };
	const struct place_options options = { .run = { &run, find_in_run } };
	struct file_places *places = file_places_new(&options);
	struct module module = traced(2);

	write_pdb(place->dir, "example.pdb", 2);
	expect(places, &module, false, false, "run");
	file_places_free(places);
	strvec_release(&run.asked);
}

/* A name of the trace that is no file's is asked for nowhere. */
static void file_places__hostile_name__is_not_asked_for(void **state)
{
	const struct pdb_place *place = *state;
	struct run run = { place->dir, STRVEC_INIT };
	const struct place_options options = { .run = { &run, find_in_run } };
	struct file_places *places = file_places_new(&options);
	char hostile[] = "C:\\build\\..";
	struct module module = traced(2);

	module.debug_path = hostile;
	expect(places, &module, false, false, NULL);
	assert_int_equal(run.asked.nr, 0);
	file_places_free(places);
	strvec_release(&run.asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_places__pdb_of_a_run__is_first,
						pdb_place_setup, pdb_place_teardown),
		cmocka_unit_test_setup_teardown(file_places__pdb_beside_the_names__is_found,
						pdb_place_setup, pdb_place_teardown),
		cmocka_unit_test_setup_teardown(file_places__hostile_name__is_not_asked_for,
						pdb_place_setup, pdb_place_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
