#!/usr/bin/env python3
"""Compare the queries and phases of a recorded rustc with its own account, -Zself-profile.

    check-self-profile.py PROFILE SAMPLES CLOCK QUERIES PHASES LIMIT [WRONG GROUP]

PROFILE is CRATE-PID.mm_profdata; SAMPLES the text of `perf script --ns -F event,pid,tid,time` of the same recording, of
CLOCK_MONOTONIC; CLOCK what CLOCK_REALTIME was ahead of it when rustc was started, in nanoseconds: the profile has the date of
its start alone, and clocks are set at any time. QUERIES and PHASES are `stagetrace cpu --process PID --format json` by query
and by thread,phase.

A self-profile has times of the wall clock, in which a thread also waits: for others, and for a processor. So each sample of
CPU time is looked up in it: what did the sample's thread do at that time? The shares that result are compared, as those of the
20 queries that have most by either, and as those of groups of activities and phases. Exit code 1: some differ by more
than LIMIT points, or GROUP does not in WRONG, the same view by other rules, which finds that group wrong. The last column is the share of the profile's own times, without activities that only wait.
"""

import collections
import fnmatch
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from self_profile import Profile

TOP = 20
NO_QUERY = "[no query]"
OTHER = "other"
WAIT = "waits"
NOTHING = (NO_QUERY, OTHER)

# Threads are matched by activities of this length, in nanoseconds.
LONG = 10_000_000

# Activities that wait for other threads.
WAITS = {"LLVM_passes", "finish_ongoing_codegen", "join_worker_thread", "run_linker"}

# Group, activities, phases. The innermost activity with a group counts: what else was asked for, was asked for by it.
# Activities are queries, what rustc calls generic activities, and LLVM's passes. The first pattern that matches counts.
PASSES = {
    "instructions": "InstCombine InstSimplify AggressiveInstCombine Reassociate",
    "inline": "Inliner ModuleInliner AlwaysInliner",
    "scalars": "SROA EarlyCSE GVN SCCP IPSCCP MemCpyOpt DSE ADCE BDCE CorrelatedValuePropagation JumpThreading Promote "
    "ConstraintElimination LowerExpectIntrinsic",
    "control flow": "SimplifyCFG TailCallElim",
    "loops": "LoopRotate LoopUnroll LoopFullUnroll LoopIdiomRecognize LoopDeletion LoopSimplify LoopSimplifyCFG LoopInstSimplify "
    "LoopLoadElimination LoopSink LoopDistribute LCSSA LICM IndVarSimplify SimpleLoopUnswitch",
    "vectors": "LoopVectorize SLPVectorizer VectorCombine",
    "module": "GlobalOpt GlobalDCE ArgumentPromotion DeadArgumentElimination PostOrderFunctionAttrs "
    "ReversePostOrderFunctionAttrs MergeFunctions CalledValuePropagation ConstantMerge",
}
GROUPS = [
    ("parse, expand, resolve", "parse_crate macro_expand_crate expand_crate expand_proc_macro AST_validation "
     "pre_AST_expansion_lint_checks resolve_crate resolve_[!bi]* late_resolve_crate finalize_* resolver_for_lowering*",
     ["rustc: parse and expand", "rustc: resolve names"]),
    ("lower to HIR", "hir_crate hir_crate_* drop_ast", ["rustc: lower to HIR"]),
    ("borrow check", "mir_borrowck MIR_borrow_checking polonius_*", ["rustc: borrow check"]),
    ("types and traits", "typeck* check_well_formed evaluate_obligation codegen_select_candidate type_op_* normalize_* "
     "implied_outlives_bounds* dropck_* compare_impl_item specialization_graph_of coherent_trait coherence_checking "
     "opaque_types_defined_by nested_bodies_within is_*_raw explicit_*predicates_of predicates_of type_of fn_sig generics_of "
     "impl_trait_* type_check_crate method_autoderef_steps adt_*",
     ["rustc: type check", "rustc: trait selection", "rustc: inference"]),
    ("MIR, constants", "mir_* thir_* optimized_mir check_match check_unsafety check_liveness eval_to_*",
     ["rustc: MIR build", "rustc: MIR transform", "rustc: MIR dataflow", "rustc: match checking", "rustc: const evaluation"]),
    ("monomorphization", "items_of_instance collect_and_partition_mono_items monomorphization_collector* cgu_partitioning* "
     "check_mono_item fn_abi_of_* resolve_instance* symbol_name size_estimate upstream_*",
     ["rustc: monomorphization", "rustc: layouts and instances", "rustc: symbol names"]),
    ("lints", "check_mod_* live_symbols* lint_mod lint_checking *_lints early_lint_checks effective_visibilities "
     "privacy_checking_modules stability_index get_lang_items misc_checking_*", ["rustc: lints and passes"]),
    ("codegen", "codegen_module codegen_crate compile_first_CGU_batch codegen_fn_attrs write_allocator_module",
     ["rustc: codegen", "main LLVM: *"]),
    ("metadata", "generate_crate_metadata write_crate_metadata metadata_* encode_*", ["rustc: metadata"]),
    ("link", "link_*", ["linking: *"]),
    ("LLVM generate", "LLVM_module_codegen* ThinLTOBitcodeWriterPass BitcodeWriterPass",
     ["LLVM: generate: *", "LLVM: link-time optimization"]),
] + [("LLVM " + name, " ".join(one + "Pass" for one in passes.split()), ["LLVM: optimize: " + name])
     for name, passes in PASSES.items()] + [
    ("LLVM optimize", "LLVM_module_optimize LLVM_*lto* codegen_module_optimize PassManager<* *PassAdaptor DevirtSCCRepeatedPass",
     ["LLVM: optimize: other"]),
]


def group_by(column):
    """A function from a name to its group, by that column of GROUPS; None: it has none."""
    patterns = [(group[0], re.compile(fnmatch.translate(pattern)))
                for group in GROUPS for pattern in (group[1].split() if column == 1 else group[2])]
    known = {}

    def find(name):
        if name not in known:
            known[name] = next((group for group, pattern in patterns if pattern.match(name)), None)
        return known[name]

    return find


def read_samples(path, pid):
    """The times of the process's samples by thread, without those that are recorded for their stack copies alone."""
    line = re.compile(r"\s*%d/(\d+)\s+(\d+)\.(\d{9}):\s+cpu-clock" % pid)
    times = collections.defaultdict(list)
    with open(path) as file:
        for match in filter(None, map(line.match, file)):
            times[int(match[1])].append(int(match[2] + match[3]))
    return {tid: sorted(of_thread) for tid, of_thread in times.items()}


class Activities:
    """A thread's activities, each with its start, end and key. Each may have others within it."""

    def __init__(self, intervals, find):
        # As they ended; of those with the same times the outer one ended last.
        intervals.reverse()
        intervals.sort(key=lambda one: (one[2], -one[3]))
        self._all, stack = [], [(1 << 62, NOTHING)]
        for kind, label, start, end in intervals:
            while stack[-1][0] <= start:
                stack.pop()
            stack.append((end, key_within(stack[-1][1], kind, label, find)))
            self._all.append((start, *stack[-1]))

    def at(self, times, shortest=0):
        """The key of each of the sorted times, by activities that are not shorter."""
        stack, following = [(1 << 62, NOTHING)], iter([*self._all, (1 << 62, 1 << 62, NOTHING)])
        start, end, key = next(following)
        for now in times:
            while start <= now:
                if end - start >= shortest:
                    while stack[-1][0] <= start:
                        stack.pop()
                    stack.append((end, key))
                start, end, key = next(following)
            while stack[-1][0] <= now:
                stack.pop()
            yield stack[-1][1]

    def self_times(self):
        """(key, ns) of each activity, without those within it."""
        stack = []
        for start, end, key in self._all:
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack:
                yield stack[-1][1], start - end
            stack.append((end, key))
            yield key, end - start


def key_within(outer, kind, label, find):
    """The query and the group of an activity within another one."""
    # A query is its provider, or the load of its result from the incremental cache.
    query = label if kind in ("Query", "IncrementalLoadResult") else outer[0]
    if label in WAITS or kind == "QueryBlocked":
        return query, WAIT
    return query, find(label) or outer[1]


def match_threads(activities, samples):
    """The profile numbers threads in its own way: each is the thread that has samples while it did something."""
    pairs = []
    for number, thread in activities.items():
        for tid, times in samples.items():
            busy = sum(key not in (NOTHING, (NO_QUERY, WAIT)) for key in thread.at(times, LONG))
            pairs.append((busy, number, tid))
    number_of, numbers = {}, set()
    for busy, number, tid in sorted(pairs, reverse=True):
        if busy and tid not in number_of and number not in numbers:
            number_of[tid] = number
            numbers.add(number)
    return number_of


def shares(sums):
    total = sum(sums.values())
    return collections.defaultdict(float, {name: 100 * value / total for name, value in sums.items()})


def read_profile(profile, samples, find):
    """How many samples each key has, and how much of the profile's own times."""
    by_thread = collections.defaultdict(list)
    for thread, *one in profile.intervals():
        by_thread[thread].append(one)
    activities = {thread: Activities(intervals, find) for thread, intervals in by_thread.items()}
    number_of = match_threads(activities, samples)
    by_samples, by_wall = collections.Counter(), collections.Counter()
    for tid, times in samples.items():
        by_samples.update(activities[number_of[tid]].at(times) if tid in number_of else [NOTHING] * len(times))
    for thread in activities.values():
        for key, ns in thread.self_times():
            if key[1] != WAIT:
                by_wall[key] += ns
    return by_samples, by_wall


def read_rows(path, name):
    sums = collections.Counter()
    with open(path) as file:
        for row in json.load(file):
            sums[name(row)] += row["self_ns"]
    return sums


def phase_group(row, find):
    # On its main thread rustc calls LLVM to build what other threads compile.
    main = "main " if row["thread"] == "rustc" and row["phase"].startswith("LLVM: ") else ""
    return find(main + row["phase"]) or (find(row["phase"]) if not main else None) or OTHER


def compare(what, ours, by_samples, by_wall, limit, names):
    print("%-42s %9s %9s %7s %9s" % (what, "stagetrace", "profile", "points", "by wall"))
    wrong = []
    for name in names:
        points = ours[name] - by_samples[name]
        if abs(points) > limit and name != OTHER:
            wrong.append("%s: %.1f %%, by the self-profile %.1f %%" % (name, ours[name], by_samples[name]))
        print("%-42s %8.1f%% %8.1f%% %+7.1f %8.1f%%" % (name, ours[name], by_samples[name], points, by_wall[name]))
    return wrong


def compare_all(tables, by_samples, by_wall, limit):
    """`tables` are (what, which of the keys, our sums)."""
    wrong = []
    for what, at, ours in tables:
        tables = [ours, collections.Counter(), collections.Counter()]
        for table, source in zip(tables[1:], (by_samples, by_wall)):
            for keys, value in source.items():
                table[keys[at]] += value
        ours, truth, wall = map(shares, tables)
        keys = sorted({*ours, *truth}, key=lambda key: max(ours[key], truth[key]), reverse=True)
        wrong += compare(what, ours, truth, wall, limit, keys[:TOP] if at == 0 else keys)
        print()
    return wrong


def main():
    path, samples, clock, queries, phases, limit, *other = sys.argv[1:]
    profile = Profile(path)
    samples = read_samples(samples, profile.metadata["process_id"])
    start = profile.metadata["start_time"] - int(clock)
    samples = {tid: [at - start for at in times] for tid, times in samples.items()}
    labels, names = group_by(1), group_by(2)
    by_samples, by_wall = read_profile(profile, samples, labels)

    def phases_of(path):
        return "phases", 1, read_rows(path, lambda row: phase_group(row, names))

    wrong = compare_all([("query", 0, read_rows(queries, lambda row: row["query"])), phases_of(phases)], by_samples, by_wall, float(limit))
    print("%d samples, %d of them at a known activity" %
          (sum(map(len, samples.values())), sum(n for (query, group), n in by_samples.items() if group != OTHER)))
    if wrong:
        sys.exit("more than %s points apart: %s" % (limit, "; ".join(wrong)))
    if other:
        found = compare_all([phases_of(other[0])], by_samples, by_wall, float(limit))
        if not any(one.startswith(other[1] + ": ") for one in found):
            sys.exit("by other rules %s is not more than %s points apart" % (other[1], limit))


if __name__ == "__main__":
    main()
