#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/query_name.h"
#include "util/array.h"

/* Names of functions of real compilers, the versions that have them, and their query. */
static const struct {
	const char *function, *query;
} names[] = {
	/* 1.63 to 1.70 */
	{ "<rustc_query_impl::Queries as rustc_middle::ty::query::QueryEngine>::typeck", "typeck" },
	{ "<rustc_query_impl[7b]::Queries as rustc_middle[1]::ty::query::QueryEngine[2]>::typeck",
	  "typeck" },
	{ "rustc_query_system::query::plumbing::get_query::<rustc_query_impl::queries::typeck, "
	  "rustc_query_impl::plumbing::QueryCtxt>",
	  "typeck" },
	{ "rustc_query_impl::query_callbacks::typeck::force_from_dep_node", "typeck" },
	{ "rustc_query_impl::query_callbacks::typeck", NULL },
	/* nightlies of 1.71 */
	{ "rustc_query_impl::get_query::mir_borrowck", "mir_borrowck" },
	{ "rustc_query_impl::dynamic_query::mir_borrowck::{closure#2}", "mir_borrowck" },
	/* 1.72 to 1.94 */
	{ "rustc_query_impl::query_impl::typeck::get_query_non_incr::__rust_end_short_backtrace",
	  "typeck" },
	{ "rustc_query_impl::plumbing::__rust_begin_short_backtrace::<rustc_query_impl::query_impl:"
	  ":"
	  "typeck::dynamic_query::{closure#2}::{closure#0}, "
	  "rustc_middle::query::erase::Erased<[u8; "
	  "8]>>",
	  "typeck" },
	{ "<rustc_query_impl::query_impl::typeck::dynamic_query::{closure#2} as "
	  "core::ops::function::"
	  "FnOnce<(rustc_middle::ty::context::TyCtxt, rustc_span::def_id::LocalDefId)>>::call_once",
	  "typeck" },
	{ "rustc_query_impl[1f]::query_impl[2]::typeck[3]::get_query_incr::x", "typeck" },
	{ "rustc_query_impl::query_impl::typeck::dynamic_query", NULL },
	{ "rustc_query_impl::query_impl::typeck::alloc_self_profile_query_strings", NULL },
	{ "rustc_query_impl::plumbing::query_key_hash_verify::<rustc_query_impl::query_impl::"
	  "typeck::"
	  "QueryType>",
	  NULL },
	{ "rustc_query_impl::plumbing::query_callback::<rustc_query_impl::query_impl::typeck::"
	  "QueryType>::{closure#0}",
	  "typeck" },
	{ "rustc_query_impl::query_impl::typeck::try_collect_active_jobs", NULL },
	{ "rustc_query_impl::query_impl::typeck::describe", NULL },
	{ "rustc_query_impl::query_impl::typeck::describe_all", "typeck" },
	/* 1.95 and later */
	{ "rustc_query_impl::query_impl::typeck::execute_query_non_incr::__rust_end_short_"
	  "backtrace",
	  "typeck" },
	{ "rustc_query_impl::query_impl::eval_to_allocation_raw::invoke_provider_fn::"
	  "__rust_begin_short_backtrace",
	  "eval_to_allocation_raw" },
	{ "rustc_query_impl::query_vtables::typeck::execute_query_incr::__rust_end_short_backtrace",
	  "typeck" },
	{ "rustc_query_impl::query_impl::typeck::make_query_vtable", NULL },
	{ "rustc_query_impl::query_impl::typeck::make_query_vtable::{closure#6}", "typeck" },
	/* PDBs of Windows */
	{ "rustc_query_impl::query_impl::typeck::dynamic_query::closure$2::closure$0", "typeck" },
	{ "rustc_query_impl::plumbing::__rust_begin_short_backtrace<rustc_query_impl::query_impl::"
	  "typeck::dynamic_query::closure$2::closure_env$0,rustc_middle::query::erase::Erased<"
	  "array$<u8,8> > >",
	  "typeck" },
	{ "core::ops::function::FnOnce::call_once<rustc_query_impl::query_impl::mir_borrowck::"
	  "dynamic_query::closure_env$2,tuple$<rustc_middle::ty::context::TyCtxt> >",
	  "mir_borrowck" },
	{ "rustc_query_impl::query_impl::typeck::get_query_non_incr::__rust_end_short_backtrace",
	  "typeck" },
	{ "rustc_query_impl::query_impl::typeck::make_query_vtable::closure$6", "typeck" },
	{ "rustc_query_impl::query_impl::typeck::dynamic_query<closure$2>", NULL },
	{ "rustc_query_impl::query_impl::typeck::describe::closure$0", NULL },
	/* others */
	{ "rustc_query_impl::plumbing::encode_all_query_results", NULL },
	{ "rustc_query_impl::query_impl", NULL },
	{ "rustc_query_impl::query_impl::", NULL },
	{ "rustc_query_impl[", NULL },
	{ "QueryEngine", NULL },
	{ "QueryEngine>::", NULL },
	{ "rustc_hir_typeck::typeck", NULL },
	{ "", NULL },
};

static void query_name__versions__each_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *query;
		size_t len = 0;

		query = query_name(names[i].function, &len);
		if (!query != !names[i].query ||
		    (query &&
		     (len != strlen(names[i].query) || strncmp(query, names[i].query, len) != 0)))
			fail_msg("%s: %.*s", names[i].function, (int)len, query ? query : "none");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(query_name__versions__each_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
