/* Passes that replay a recorded graph: what stays allocated, what is recorded, and that faults of a replay are seen. */
#include "host_backend.h"
#include "host_measure.h"

#include "result/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static int reset(void **state)
{
	(void)state;
	host_reset();
	return 0;
}

static struct ilab_measure_request a_graph_request(void)
{
	struct ilab_measure_request request = a_request(ILAB_F32);
	request.open.graph = true;
	return request;
}

static void passes_are_replayed(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_graph_request();
	struct run r = run_request(&request, NULL);
	assert_passed(&r);             /* also: poison before each row and the last pass */
	assert_int_equal(host.calls[HOST_GRAPH_BEGIN], 1);
	assert_int_equal(host.calls[HOST_GRAPH_LAUNCH], 1 + 3 + 1);
	assert_int_equal(host.pass, 1 + 1 + 3 + 1);
	end_run(&r);
	request.warmup = 0;
	request.repeats = 1;
	host_reset();
	r = run_request(&request, NULL);
	assert_passed(&r);
	assert_int_equal(host.calls[HOST_GRAPH_LAUNCH], 1 + 1);
	end_run(&r);
}

static void without_it_nothing_is_recorded(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_request(ILAB_F32);
	struct run r = run_request(&request, NULL);
	assert_int_equal(host.calls[HOST_GRAPH_BEGIN], 0);
	assert_false(r.m.configuration.graph);
	end_run(&r);
}

static void the_buffers_of_a_graph_stay(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_graph_request();
	const uint64_t held = ((2 * 64 * 256 + 256 + 64) + 24 * 64) * 4, all = held + (24 * 256 + 24 * 64) * 4 + 1000;
	host.temporary_bytes = 1000;
	struct run r = run_request(&request, NULL);
	assert_passed(&r);
	assert_int_equal(r.m.phases[2].baseline_allocated_bytes, held);
	for (size_t i = 2; i < r.m.phase_count; i++) {
		assert_int_equal(r.m.phases[i].end_allocated_bytes, all);
		assert_int_equal(r.m.phases[i].peak_allocated_bytes, all);
		assert_true(i == 2 || r.m.phases[i].baseline_allocated_bytes == all);
	}
	assert_non_null(strstr(r.m.counters.scope, "allocated once"));
	end_run(&r);
}

/* With what the parent fills in; the double takes the name of a backend that documents know. */
static enum ilab_status check(struct ilab_measure *m)
{
	static const char *selectors[] = { "cuda:0", "cpu" }, *module = "cuda.so";
	static const char *command[] = { "measure", "--device", "cuda:0", "--batch", "2", "--context", "12", "--width", "64", "--graph" };
	struct ilab_err err = {0};
	m->header = (struct ilab_header){ .schema = "iteragpu-lab/measure/1", .command = command, .command_count = m->configuration.graph ? 10 : 9, .tool_name = "iteragpu-lab", .tool_modules = &module, .tool_module_count = 1, .started_utc = "2026-12-01T06:29:46Z", .total_seconds = 1000 };
	m->backend.name = m->configuration.backend = m->device.backend = "cuda";
	m->device.selector = m->configuration.device = selectors[0];
	m->device.selectors = selectors;
	m->device.selector_count = 2;
	m->counters.source = "cuda_tracked";
	m->host.logical_cores = 1;
	m->configuration.view = "cuda/Host/builtin";
	m->gemm.reason = "the only one";
	return ilab_measure_check(m, &err);
}

/* A document that says "graph" is checked by its own arithmetic, and one that does not by the usual. */
static void the_document_says_it(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_graph_request();
	struct run r = run_request(&request, NULL);
	struct ilab_measure again;
	struct ilab_err err = {0};
	assert_passed(&r);
	cJSON *json = ilab_measure_part_to_json(&r.m);
	const cJSON *configuration = cJSON_GetObjectItem(json, "configuration");
	assert_true(cJSON_IsTrue(cJSON_GetObjectItem(configuration, "graph")));
	assert_int_equal(ilab_measure_part_from_json(json, &r.arena, &again, &err), ILAB_OK);
	assert_true(again.configuration.graph);
	cJSON_Delete(json);
	assert_int_equal(check(&r.m), ILAB_OK);
	r.m.configuration.graph = false;
	assert_int_equal(check(&r.m), ILAB_IO);        /* its counters are those of a graph */
	json = ilab_measure_part_to_json(&r.m);
	assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "configuration"), "graph"));
	cJSON_Delete(json);
	end_run(&r);
}

static void faults_of_a_replay_are_seen(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_graph_request();
	for (int layer = 0; layer < 2; layer++) {
		for (int pass = 2; pass <= 6; pass++) {        /* warm-up, three repetitions, the projection's */
			host_reset();
			host.drop = (struct host_place){ pass, layer, 0, 0 };
			struct run r = run_request(&request, NULL);
			assert_int_equal(r.status, ILAB_UNVERIFIED);
			end_run(&r);
			host_reset();
			host.corrupt = (struct host_place){ pass, layer, 3, 5 };
			host.corrupt_rms = 0.5;
			r = run_request(&request, NULL);
			assert_int_equal(r.status, layer == 1 ? ILAB_UNVERIFIED : r.status);    /* one hidden element moves an output a little */
			end_run(&r);
		}
	}
}

static void a_backend_without_graphs_refuses(void **state)
{
	(void)state;
	struct ilab_measure_request request = a_graph_request();
	struct ilab_backend plain = host_backend;
	struct ilab_arena arena = {0};
	struct ilab_measure m = {0};
	struct ilab_err err = {0};
	plain.graph_begin = NULL;
	assert_int_equal(ilab_measure_run(&plain, &request, NULL, &arena, &m, &err), ILAB_REFUSED);
	assert_non_null(strstr(err.text, "leave --graph out"));
	assert_int_equal(host.calls[HOST_OPEN], 0);
	ilab_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(passes_are_replayed, reset), cmocka_unit_test_setup(without_it_nothing_is_recorded, reset),
		cmocka_unit_test_setup(the_buffers_of_a_graph_stay, reset), cmocka_unit_test_setup(the_document_says_it, reset),
		cmocka_unit_test_setup(faults_of_a_replay_are_seen, reset), cmocka_unit_test_setup(a_backend_without_graphs_refuses, reset),
	};
	return cmocka_run_group_tests_name("harness_graph", tests, NULL, NULL);
}
