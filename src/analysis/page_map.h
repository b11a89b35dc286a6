/*
 * The private memory of one process: which pages are reserved or committed, and on whose account.
 *
 * Addresses may be anything: what lies at or behind PAGE_MAP_END, or wraps around, is cut off.
 */
#ifndef ANALYSIS_PAGE_MAP_H
#define ANALYSIS_PAGE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No system gives a process more: 56 bits (x86-64, 5 levels of page tables), 52 (arm64), 47 (Windows). */
#define PAGE_MAP_END (UINT64_C(1) << 57)

/* On whose account committed bytes are. Ranges side by side with equal accounts become one. */
struct page_account {
	uint32_t key;
	uint32_t weight; /* for how many events it stands, see trace_memory; 0: none was sampled */
	bool inside;     /* committed inside the range of time */
	bool inherited;  /* the parent's: shared copy on write, counted there */
};

/* Called for each part that changes, from `start` on: bytes > 0 committed, < 0 released, on the account. */
typedef void page_change_fn(void *data, const struct page_account *account, uint64_t start,
			    int64_t bytes);

struct page_map;

struct page_map *page_map_new(void);
void page_map_free(struct page_map *map);

/* A fork: all that is committed becomes inherited. Cheap: what neither changes is kept once. */
struct page_map *page_map_copy(const struct page_map *from);

/* What was there is released. */
void page_map_reserve(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data);
void page_map_commit(struct page_map *map, uint64_t start, uint64_t length,
		     const struct page_account *account, page_change_fn *change, void *data);
/* The parts that are reserved become committed. */
void page_map_allow(struct page_map *map, uint64_t start, uint64_t length,
		    const struct page_account *account, page_change_fn *change, void *data);
/* The parts that are not committed become committed. */
void page_map_fill(struct page_map *map, uint64_t start, uint64_t length,
		   const struct page_account *account, page_change_fn *change, void *data);
/* The parts that are committed become reserved. */
void page_map_decommit(struct page_map *map, uint64_t start, uint64_t length,
		       page_change_fn *change, void *data);
void page_map_release(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data);

/*
 * mremap: what was at the target is released, the parts of the old range move with their accounts, and what
 * it grows by is as its last page was: committed on `account`, reserved, or neither. What it shrinks by is
 * released. Ranges may overlap. With `keep` the old range stays as it was, what is committed there anew on
 * `account`: the kernel charges both (MREMAP_DONTUNMAP, mm/mremap.c of Linux).
 */
void page_map_move(struct page_map *map, uint64_t from, uint64_t from_length, uint64_t to,
		   uint64_t to_length, bool keep, const struct page_account *account,
		   page_change_fn *change, void *data);

void page_map_release_all(struct page_map *map, page_change_fn *change, void *data);

/* A part of the map; `account` NULL: it is reserved. */
typedef void page_part_fn(void *data, uint64_t start, uint64_t end,
			  const struct page_account *account);

/* What the map has in a range, by address. */
void page_map_each(const struct page_map *map, uint64_t start, uint64_t length, page_part_fn *part,
		   void *data);

/* Committed bytes, without inherited ones; ranges kept. */
int64_t page_map_committed(const struct page_map *map);
size_t page_map_ranges(const struct page_map *map);

/* How many ranges it had of its parent, until page_map_release_all(). */
size_t page_map_copied(const struct page_map *map);

#endif
