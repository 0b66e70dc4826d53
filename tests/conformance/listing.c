/* enumerate, open, info, plan's refusals. */
#include "conformance.h"

static bool is_reason(const char *text)
{
	static const char *const codes[] = { "unsupported: ", "unavailable: ", "invalid: ", "too-few-samples: ", "not-run: " };
	for (size_t i = 0; text && i < sizeof(codes) / sizeof(codes[0]); i++)
		if (!strncmp(text, codes[i], strlen(codes[i])))
			return true;
	return false;
}

static void assert_text(const struct ilab_text *t)
{
	assert_true(t->value ? t->reason == NULL && *t->value : is_reason(t->reason));
}

static void assert_device(const struct ilab_device *d)
{
	assert_true(!strcmp(d->type, "cpu") || !strcmp(d->type, "gpu") || !strcmp(d->type, "other"));
	assert_true(d->name && *d->name && d->vendor && *d->vendor && d->platform && *d->platform);
	assert_string_equal(d->backend, suite.api->name);
	assert_text(&d->pci_address);
	assert_text(&d->uuid);
	assert_text(&d->driver_version);
	assert_text(&d->api_version);
	assert_text(&d->runtime_version);
	for (const unsigned char *p = (const unsigned char *)d->name; *p; p++)
		assert_true(*p >= 0x20);
}

static void lists_the_open_device(void **state)
{
	(void)state;
	struct ilab_arena arena = {0};
	struct ilab_listing l = {0};
	MUST(suite.api->enumerate(suite.open.surroundings, &arena, &l, &err));
	assert_string_equal(l.state, "ready");
	assert_null(l.reason);
	assert_string_equal(l.backend, suite.api->name);
	const struct ilab_device *open = &suite.api->info(suite.session)->device, *found = NULL;
	for (size_t i = 0; i < l.device_count; i++) {
		assert_device(&l.devices[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(l.devices[i].selector, l.devices[j].selector);
		if (l.devices[i].platform_index == suite.open.platform_index && l.devices[i].device_index == suite.open.device_index)
			found = &l.devices[i];
	}
	assert_non_null(found);
	assert_device(open);
	assert_string_equal(found->selector, open->selector);
	assert_string_equal(found->name, open->name);
	assert_string_equal(found->type, open->type);
	assert_int_equal(found->total_memory_bytes, open->total_memory_bytes);
	ilab_arena_free(&arena);
}

static void refuses_devices_that_are_not_there(void **state)
{
	(void)state;
	struct ilab_open_options o = suite.open;
	struct ilab_session *s = NULL;
	o.device_index = 4242;
	MUST_ANSWER(ILAB_REFUSED, suite.api->open(&o, &s, &err));
	assert_null(s);
	suite.api->close(NULL);
}

static void opens_again_after_close(void **state)
{
	(void)state;
	struct ilab_buffer *left_behind = NULL;
	MUST(suite.api->alloc(suite.session, 1000, &left_behind, &err));
	suite.api->close(suite.session);
	suite.session = NULL;
	MUST(suite.api->open(&suite.open, &suite.session, &err));
	struct ilab_memory m;
	suite.api->memory(suite.session, &m);
	assert_int_equal(m.allocated_bytes, 0);
}

static void says_what_a_session_is(void **state)
{
	(void)state;
	const struct ilab_session_info *i = suite.api->info(suite.session);
	assert_true(i->counters_source && i->counters_scope && i->counters_reset);
	assert_true(!strcmp(i->kernel_cache, "cold") || !strcmp(i->kernel_cache, "warm") || !strcmp(i->kernel_cache, "none")
		|| !strcmp(i->kernel_cache, "unknown"));
	assert_text(&i->driver_source);
	assert_text(&i->driver_scope);
	assert_text(&i->timer_source);
	assert_true(i->timer_resolution_seconds >= 0 && i->timer_resolution_seconds < 1);
	for (size_t l = 0; l < i->library_count; l++)
		assert_true(*i->libraries[l].name && *i->libraries[l].version);
}

static void plan_records_what_will_run(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 2, 8, 16, 64 };
	struct ilab_plan p;
	MUST(suite.api->plan(suite.session, &shape, ILAB_F32, ILAB_GEMM_AUTO, NULL, &p, &err));
	assert_int_not_equal(p.provider, ILAB_GEMM_AUTO);
	assert_string_equal(p.record.provider, ilab_gemm_name(p.provider));
	assert_non_null(p.record.reason);
	assert_string_equal(p.record.accumulation, "float32");
	assert_int_equal(p.record.form_count, 2);
	assert_true(*p.record.forms[0] && *p.record.forms[1]);
	assert_true(p.record.launches_per_pass >= 2);
	assert_int_equal(p.record.temporary_bytes, p.temporary_bytes);
	assert_text(&p.record.version);
	assert_false(p.record.tuned);
	assert_memory_equal(&p.shape, &shape, sizeof(shape));
}

static void plan_refuses_with_reasons(void **state)
{
	(void)state;
	struct ilab_plan p;
	const struct ilab_shape zero = { 1, 0, 16, 64 }, huge = { UINT64_MAX / 2, 4, 16, 64 };
	MUST_ANSWER(ILAB_REFUSED, suite.api->plan(suite.session, &zero, ILAB_F32, ILAB_GEMM_AUTO, NULL, &p, &err));
	MUST_ANSWER(ILAB_REFUSED, suite.api->plan(suite.session, &huge, ILAB_F32, ILAB_GEMM_AUTO, NULL, &p, &err));

	/* A provider is had or refused; an explicit one never becomes another. */
	const struct ilab_shape shape = { 1, 4, 8, 8 };
	for (int g = ILAB_GEMM_CLBLAST; g <= ILAB_GEMM_ROCBLAS; g++) {
		for (int d = 0; d < ILAB_DTYPE_COUNT; d++) {
			struct ilab_err why = {0};
			enum ilab_status status = suite.api->plan(suite.session, &shape, (enum ilab_dtype)d, (enum ilab_gemm)g, NULL, &p, &why);
			if (status) {
				assert_int_equal(status, ILAB_REFUSED);
				printf("#   %s %s: %s\n", ilab_gemm_name((enum ilab_gemm)g), ilab_dtype_name((enum ilab_dtype)d), why.text);
			} else {
				assert_int_equal(p.provider, g);
				assert_null(p.record.reason);
			}
		}
	}
}

/* More than 2^31 elements in a matrix: CLBlast's indices wrap there. Nothing of this size is allocated. */
static void plan_knows_the_limits_of_indices(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 1, 70000, 10000, 40000 };
	struct ilab_plan p;
	struct ilab_err why = {0};
	if (!suite.api->plan(suite.session, &shape, ILAB_F32, ILAB_GEMM_CLBLAST, NULL, &p, &why)) {
		fail_msg("CLBlast was planned for 2.8e9 elements");
	} else if (!strstr(why.text, "32 bits")) {
		printf("#   skipped: %s\n", why.text);
		skip();
	}
	if (suite.small)
		return;                /* a plan of this size pins memory, which an interpreter would watch byte by byte from then on */
	MUST(suite.api->plan(suite.session, &shape, ILAB_F32, ILAB_GEMM_AUTO, NULL, &p, &err));
	assert_int_equal(p.provider, ILAB_GEMM_BUILTIN);
	assert_non_null(strstr(p.record.reason, "32 bits"));
}

int run_listing(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_the_open_device),
		cmocka_unit_test(refuses_devices_that_are_not_there),
		cmocka_unit_test(opens_again_after_close),
		cmocka_unit_test(plan_records_what_will_run),
		cmocka_unit_test(plan_refuses_with_reasons),
		cmocka_unit_test(plan_knows_the_limits_of_indices),
		cmocka_unit_test(says_what_a_session_is),
	};
	return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
