/* model/shape: elements, bytes and FLOP of a shape, and the refusal of shapes that do not fit. */
#include "model/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void sizes_of_a_small_shape(void **state)
{
	(void)state;
	const struct ilab_shape shape = { 2, 128, 1024, 4096 };
	struct ilab_sizes z;
	assert_int_equal(ilab_shape_sizes(&shape, ILAB_F32, &z, NULL), ILAB_OK);
	assert_int_equal(z.rows, 256);
	assert_int_equal(z.parameters, 8393728);               /* 2 x 4,194,304 + 4096 + 1024 */
	assert_int_equal(z.weight_bytes[0], 16777216);
	assert_int_equal(z.weight_bytes[1], 16777216);
	assert_int_equal(z.bias_bytes[0], 16384);
	assert_int_equal(z.bias_bytes[1], 4096);
	assert_int_equal(z.parameter_bytes, 33574912);
	assert_int_equal(z.input_bytes, 1048576);
	assert_int_equal(z.hidden_bytes, 4194304);
	assert_int_equal(z.output_bytes, 1048576);
	assert_int_equal(z.flop_per_forward, 4294967296);

	assert_int_equal(ilab_shape_sizes(&shape, ILAB_BF16, &z, NULL), ILAB_OK);
	assert_int_equal(z.parameters, 8393728);
	assert_int_equal(z.parameter_bytes, 16787456);
	assert_int_equal(z.hidden_bytes, 2097152);
	assert_int_equal(z.flop_per_forward, 4294967296);
}

static void assert_refused(struct ilab_shape shape, enum ilab_dtype dtype, const char *says)
{
	struct ilab_err err = {0};
	struct ilab_sizes z, before;
	memset(&z, 0x5a, sizeof(z));
	before = z;
	assert_int_equal(ilab_shape_sizes(&shape, dtype, &z, &err), ILAB_REFUSED);
	assert_int_equal(err.status, ILAB_REFUSED);
	assert_non_null(strstr(err.text, says));
	assert_memory_equal(&z, &before, sizeof(z));
	assert_int_equal(ilab_shape_sizes(&shape, dtype, &z, NULL), ILAB_REFUSED);
}

static void zero_is_refused_by_name(void **state)
{
	(void)state;
	assert_refused((struct ilab_shape){ 0, 1, 1, 1 }, ILAB_F32, "batch is 0");
	assert_refused((struct ilab_shape){ 1, 0, 1, 1 }, ILAB_F32, "context is 0");
	assert_refused((struct ilab_shape){ 1, 1, 0, 1 }, ILAB_F32, "width is 0");
	assert_refused((struct ilab_shape){ 1, 1, 1, 0 }, ILAB_F32, "hidden is 0");
}

static void overflow_is_refused_by_name(void **state)
{
	(void)state;
	const uint64_t two31 = 1ull << 31, two32 = 1ull << 32, top = INT64_MAX;
	assert_refused((struct ilab_shape){ 1ull << 63, 1, 1, 1 }, ILAB_F32, "batch is 9223372036854775808");
	assert_refused((struct ilab_shape){ two32, two31, 1, 1 }, ILAB_F32, "rows");
	assert_refused((struct ilab_shape){ 1, 1, two32, two32 }, ILAB_F32, "weights of a layer");
	assert_refused((struct ilab_shape){ 1, 1, two31, two31 }, ILAB_F32, "parameters");       /* 2^63 exactly */
	assert_refused((struct ilab_shape){ 1, 1, two31, 1u << 29 }, ILAB_F32, "bytes of the parameters");
	assert_refused((struct ilab_shape){ 1, 1, 1, top / 3 }, ILAB_F32, "bytes of a layer's weights");
	assert_refused((struct ilab_shape){ two31, two31, 4, 1 }, ILAB_F16, "inputs");
	assert_refused((struct ilab_shape){ two31, two31, 1, 4 }, ILAB_F16, "hidden units");
	assert_refused((struct ilab_shape){ two31, 1ull << 30, 1, 1 }, ILAB_F32, "bytes of the inputs");
	assert_refused((struct ilab_shape){ two31, 1ull << 28, 1, 4 }, ILAB_F32, "bytes of the hidden units");
	assert_refused((struct ilab_shape){ 1ull << 20, 1ull << 20, 1u << 20, 4 }, ILAB_F16, "FLOP");
}

/* The last shape that fits, and the next: 4 x M x width x hidden = 2^63 - 2^32 with M = 2^31 - 1 and width = 2^30. */
static void the_limit_itself(void **state)
{
	(void)state;
	struct ilab_shape shape = { 1, (1u << 31) - 1, 1u << 30, 1 };
	struct ilab_sizes z;
	assert_int_equal(ilab_shape_sizes(&shape, ILAB_F16, &z, NULL), ILAB_OK);
	assert_true(z.flop_per_forward == 9223372032559808512u);
	shape.context++;
	assert_refused(shape, ILAB_F16, "FLOP");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_of_a_small_shape),
		cmocka_unit_test(zero_is_refused_by_name),
		cmocka_unit_test(overflow_is_refused_by_name),
		cmocka_unit_test(the_limit_itself),
	};
	return cmocka_run_group_tests_name("model/shape", tests, NULL, NULL);
}
