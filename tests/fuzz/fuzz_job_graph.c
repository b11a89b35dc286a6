/* Any bytes as a process list: its jobs wait for earlier ones only, and can be run with any number at a time. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "compare/prediction.h"
#include "rundir/processes.h"
#include "util/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const struct job_graph *graph)
{
	for (size_t i = 0; i < graph->nr; i++) {
		const struct job *job = &graph->jobs[i];

		if (job->end_ns < job->start_ns || job->metadata_ns < job->start_ns ||
		    job->metadata_ns > job->end_ns || job->dependents > graph->nr)
			abort();
		for (size_t k = 0; k < job->waits_nr; k++) {
			if (job->waits[k].job >= i)
				abort();
		}
	}
}

static void predict(const struct job_graph *graph, const struct curves *curves)
{
	struct prediction_input input = { .graph = graph,
					  .curves = curves,
					  .cpu_known = graph->nr % 2,
					  .end_ns = (int64_t)graph->waits_nr,
					  .jobs = 2,
					  .cpus = 2 };
	struct job_cpu *cpu = xcalloc(graph->nr + 1, sizeof(*cpu));
	struct predictor *predictor;
	struct prediction prediction;

	for (size_t i = 0; i < graph->nr; i++)
		cpu[i] = (struct job_cpu){ .front_ns = graph->jobs[i].start_ns,
					   .back_ns = graph->jobs[i].end_ns,
					   .busiest_ns = graph->jobs[i].end_ns / 3,
					   .threads = i,
					   .wait_ns = graph->jobs[i].metadata_ns };
	input.cpu = cpu;
	predictor = predictor_new(&input);
	if (!predictor != !graph->nr)
		abort();
	for (int64_t jobs = 1; predictor && jobs < 10; jobs += 4) {
		predictor_run(predictor, jobs, 2, &prediction);
		if (prediction.peak_low > prediction.peak_high ||
		    prediction.time_low_ns > prediction.time_high_ns)
			abort();
	}
	predictor_free(predictor);
	free(cpu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct curves curves = { 0 };
	struct job_graph graph;
	int64_t *metadata_ns, damaged;

	processes_parse((const char *)data, size, "fuzz", &list, &damaged, NULL);
	metadata_ns = xcalloc(list.nr + 1, sizeof(*metadata_ns));
	for (size_t i = 0; i < list.nr; i++) {
		const struct process *process = list.v[i];

		metadata_ns[i] = process->cpu_ns;
		curves_add(&curves, (uint32_t)i, process->start_ns, process->end_ns,
			   process->peak_rss_bytes);
	}
	job_graph_init(&graph, &list, metadata_ns, list.nr % 2, 1000000000);
	check_graph(&graph);
	predict(&graph, &curves);
	job_graph_release(&graph);
	curves_release(&curves);
	free(metadata_ns);
	process_list_release(&list);
	return 0;
}
