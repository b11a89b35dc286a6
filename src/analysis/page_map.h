/*
 * The private memory of one process: which pages are reserved or committed, and for which key they are counted.
 *
 * Addresses are not trusted: parts of a range that are at or above PAGE_MAP_END, or wrap around, are ignored.
 */
#ifndef ANALYSIS_PAGE_MAP_H
#define ANALYSIS_PAGE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/trace_event.h"

/* The largest address space of a process: 56 bits (x86-64, 5 levels of page tables), 52 (arm64), 47 (Windows). */
#define PAGE_MAP_END (UINT64_C(1) << 57)

/*
 * For which key committed bytes are counted, and how (not a `struct account` of report/account.h). Adjacent ranges with
 * equal values are merged.
 */
struct page_account {
	uint32_t key; /* of a site (sites.h), or GROUP_NONE */
	/* Number of events that its event stands for, see trace_memory; 0: not sampled. */
	uint32_t weight;
	uint32_t life; /* of the event that committed it (lifetime.h); 0: it does not matter */
	/* A filter leaves out its stack, but not memory without a sampled one: only the surplus of its weight counts. */
	bool rest;
	bool inside;    /* committed inside the range of time */
	bool inherited; /* shared with the parent (copy on write), and counted there */
};

/* Called for each part that changes, from `start` on: bytes > 0 were committed, < 0 freed. */
typedef void page_change_fn(void *data, const struct page_account *account, uint64_t start,
			    int64_t bytes);

struct page_map;

struct page_map *page_map_new(void);
void page_map_free(struct page_map *map);

/*
 * The map of a forked process: all committed ranges are inherited. This is cheap: both maps share the ranges until
 * one changes.
 */
struct page_map *page_map_copy(const struct page_map *from);

/* Reserve or commit a range. Its previous contents are released. */
void page_map_reserve(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data);
void page_map_commit(struct page_map *map, uint64_t start, uint64_t length,
		     const struct page_account *account, page_change_fn *change, void *data);
/* Commit the parts of a range that are reserved. */
void page_map_commit_reserved(struct page_map *map, uint64_t start, uint64_t length,
			      const struct page_account *account, page_change_fn *change,
			      void *data);
/* Commit the parts of a range that are not committed. */
void page_map_commit_uncommitted(struct page_map *map, uint64_t start, uint64_t length,
				 const struct page_account *account, page_change_fn *change,
				 void *data);
/* Reserve the parts of a range that are committed. */
void page_map_decommit(struct page_map *map, uint64_t start, uint64_t length,
		       page_change_fn *change, void *data);
void page_map_release(struct page_map *map, uint64_t start, uint64_t length, page_change_fn *change,
		      void *data);

/*
 * mremap: release the contents of the target, and move the parts of the old range there with their accounts. If the range
 * shrinks, its end is released. If it grows, the new end is like the last page: committed with `account`, reserved,
 * or neither. The ranges may overlap. With `keep` (MREMAP_DONTUNMAP) the old range stays mapped too, and what was
 * committed there is committed again with `account`, as the kernel charges both (mm/mremap.c of Linux).
 */
void page_map_move(struct page_map *map, uint64_t from, uint64_t from_length, uint64_t to,
		   uint64_t to_length, bool keep, const struct page_account *account,
		   page_change_fn *change, void *data);

/* The operation of a memory event; MEMORY_PURGE changes nothing. `account` is that of bytes that it commits. */
void page_map_apply(struct page_map *map, const struct trace_memory *event,
		    const struct page_account *account, page_change_fn *change, void *data);

void page_map_release_all(struct page_map *map, page_change_fn *change, void *data);

/* A part of the map; `account` NULL: it is reserved. */
typedef void page_part_fn(void *data, uint64_t start, uint64_t end,
			  const struct page_account *account);

/* Call `part` for the parts of a range, by address. */
void page_map_each(struct page_map *map, uint64_t start, uint64_t length, page_part_fn *part,
		   void *data);

/* Committed bytes in a range, without inherited ones. */
int64_t page_map_committed_in(struct page_map *map, uint64_t start, uint64_t length);

/* The number of ranges in the map. */
size_t page_map_ranges(const struct page_map *map);

/* Number of ranges copied from the parent; 0 after page_map_release_all(). */
size_t page_map_copied(const struct page_map *map);

/*
 * What the map has cost since the last call: the number of ranges, and of skipped chunks of ranges, that the operations
 * went through. An operation of a real trace visits a few ranges; one of a malicious file may visit all ranges of a large
 * map.
 */
uint64_t page_map_take_steps(struct page_map *map);

#endif
