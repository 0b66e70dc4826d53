/* model/dtype: rounding, over all 65,536 values of each 16-bit type and at every boundary between two of them. */
#include "model/dtype_bits.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t bits_of(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

static float float_of(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* What the standard says a bit pattern is worth: (-1)^s 2^(e-bias) 1.m, or 2^(1-bias) 0.m. */
static double worth(uint16_t bits, int exponent_bits, int mantissa_bits)
{
	const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
	const int exponent = bits >> mantissa_bits & top, mantissa = bits & ((1 << mantissa_bits) - 1);
	double v = exponent == top ? (mantissa ? NAN : INFINITY) :
		exponent ? ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits) : ldexp(mantissa, 1 - bias - mantissa_bits);
	return bits >> 15 ? -v : v;
}

struct half {
	uint16_t (*from_float)(float);
	float (*to_float)(uint16_t);
	int exponent_bits, mantissa_bits;
	uint16_t infinity;
};

static const struct half f16 = { ilab_f16_bits, ilab_f16_value, 5, 10, 0x7c00 };
static const struct half bf16 = { ilab_bf16_bits, ilab_bf16_value, 8, 7, 0x7f80 };

static void check_all_values(const struct half *h)
{
	for (uint32_t i = 0; i < 65536; i++) {
		const uint16_t bits = (uint16_t)i;
		const double v = worth(bits, h->exponent_bits, h->mantissa_bits);
		const float got = h->to_float(bits);
		if (isnan(v)) {
			assert_true(isnan(got));
			assert_true(isnan(h->to_float(h->from_float(got))));
			assert_int_equal(h->from_float(got) >> 15, bits >> 15);
			continue;
		}
		assert_true((double)got == v && !signbit(got) == !signbit(v));
		assert_int_equal(h->from_float(got), bits);
	}
}

/* Between each pair of neighbours a < b: everything below the middle rounds to a, everything above to b, the middle itself to the
 * even one. The last pair ends in infinity, whose place is taken by the next power of two. Both signs. */
static void check_all_boundaries(const struct half *h)
{
	const double beyond = ldexp(1, 1 << (h->exponent_bits - 1));
	for (uint16_t a = 0; a < h->infinity; a++) {
		const uint16_t b = (uint16_t)(a + 1), even = a % 2 ? b : a;
		const double low = worth(a, h->exponent_bits, h->mantissa_bits);
		const double high = b == h->infinity ? beyond : worth(b, h->exponent_bits, h->mantissa_bits);
		const float middle = (float)((low + high) / 2);        /* exact: one bit more than the type has */
		const float below = nextafterf(middle, 0), above = nextafterf(middle, INFINITY);
		assert_int_equal(h->from_float(middle), even);
		assert_int_equal(h->from_float(below), a);
		assert_int_equal(h->from_float(above), b);
		assert_int_equal(h->from_float(-middle), even | 0x8000);
		assert_int_equal(h->from_float(-below), a | 0x8000);
		assert_int_equal(h->from_float(-above), b | 0x8000);
	}
}

static void f16_every_value_and_boundary(void **state)
{
	(void)state;
	check_all_values(&f16);
	check_all_boundaries(&f16);
	assert_int_equal(ilab_f16_bits(65504.0f), 0x7bff);
	assert_int_equal(ilab_f16_bits(65519.996f), 0x7bff);
	assert_int_equal(ilab_f16_bits(65520.0f), 0x7c00);
	assert_int_equal(ilab_f16_bits(-1e30f), 0xfc00);
	assert_int_equal(ilab_f16_bits(INFINITY), 0x7c00);
	assert_int_equal(ilab_f16_bits(0x1p-25f), 0);
	assert_int_equal(ilab_f16_bits(0x1.000002p-25f), 1);
	assert_int_equal(ilab_f16_bits(-0x1p-149f), 0x8000);
	assert_int_equal(ilab_f16_bits(0x1.ff8p-15f), 0x03ff);   /* the largest denormal */
	assert_int_equal(ilab_f16_bits(0x1.ffcp-15f), 0x0400);   /* half way to the smallest normal number: even */
}

static void bf16_every_value_and_boundary(void **state)
{
	(void)state;
	check_all_values(&bf16);
	check_all_boundaries(&bf16);
	assert_int_equal(ilab_bf16_bits(float_of(0x7f7f7fff)), 0x7f7f);
	assert_int_equal(ilab_bf16_bits(float_of(0x7f7f8000)), 0x7f80);   /* half way to 2^128 */
	assert_int_equal(ilab_bf16_bits(-float_of(0x7f7fffff)), 0xff80);
	assert_int_equal(ilab_bf16_bits(INFINITY), 0x7f80);
	assert_int_equal(ilab_bf16_bits(0x1p-149f), 0);
}

static void nan_stays_nan(void **state)
{
	(void)state;
	/* Payloads in the low bits only, which rounding or cutting would turn into infinity. */
	const uint32_t payloads[] = { 0x7f800001, 0x7fffffff, 0x7fc00000, 0x7f801000, 0xff800001, 0xffffffff };
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		const float v = float_of(payloads[i]);
		assert_true(isnan(ilab_f16_value(ilab_f16_bits(v))));
		assert_true(isnan(ilab_bf16_value(ilab_bf16_bits(v))));
		assert_int_equal(ilab_f16_bits(v) >> 15, payloads[i] >> 31);
		assert_int_equal(ilab_bf16_bits(v) >> 15, payloads[i] >> 31);
	}
}

/* The compiler's own type, where it has one: a million floats of all magnitudes. */
static void f16_agrees_with_the_compiler(void **state)
{
	(void)state;
#if defined(__FLT16_MANT_DIG__) && defined(__GNUC__) && !defined(__clang__)
	for (uint64_t i = 0; i < 0x100000000u; i += 4099) {
		const float v = float_of((uint32_t)i);
		if (isnan(v))
			continue;
		const _Float16 truth = (_Float16)v;
		uint16_t bits;
		memcpy(&bits, &truth, sizeof(bits));
		assert_int_equal(ilab_f16_bits(v), bits);
	}
#else
	print_message("skipped: this compiler has no _Float16 for this processor\n");
	skip();
#endif
}

static void names_and_sizes(void **state)
{
	(void)state;
	static const struct { const char *name; enum ilab_dtype dtype; size_t bytes; } rows[] = {
		{ "float32", ILAB_F32, 4 }, { "tf32", ILAB_TF32, 4 }, { "float16", ILAB_F16, 2 }, { "bfloat16", ILAB_BF16, 2 },
	};
	for (size_t i = 0; i < ILAB_DTYPE_COUNT; i++) {
		enum ilab_dtype dtype = (enum ilab_dtype)-1;
		assert_true(ilab_dtype_from_name(rows[i].name, &dtype));
		assert_int_equal(dtype, rows[i].dtype);
		assert_string_equal(ilab_dtype_name(rows[i].dtype), rows[i].name);
		assert_int_equal(ilab_dtype_bytes(rows[i].dtype), rows[i].bytes);
	}
	enum ilab_dtype dtype = ILAB_TF32;
	assert_false(ilab_dtype_from_name("float64", &dtype));
	assert_false(ilab_dtype_from_name("Float32", &dtype));
	assert_false(ilab_dtype_from_name("", &dtype));
	assert_int_equal(dtype, ILAB_TF32);
}

static void stored_bits(void **state)
{
	(void)state;
	const float third = 0x1.555556p-2f;
	assert_int_equal(ilab_dtype_encode(ILAB_F32, third), 0x3eaaaaab);
	assert_int_equal(ilab_dtype_encode(ILAB_TF32, third), 0x3eaaaaab);
	assert_int_equal(ilab_dtype_encode(ILAB_F16, third), 0x3555);
	assert_int_equal(ilab_dtype_encode(ILAB_BF16, third), 0x3eab);
	assert_int_equal(bits_of(ilab_dtype_decode(ILAB_F32, 0x3eaaaaab)), 0x3eaaaaab);
	assert_int_equal(bits_of(ilab_dtype_decode(ILAB_TF32, 0x3eaaaaab)), 0x3eaaaaab);
	assert_int_equal(bits_of(ilab_dtype_decode(ILAB_F16, 0x3555)), 0x3eaaa000);
	assert_int_equal(bits_of(ilab_dtype_decode(ILAB_BF16, 0x3eab)), 0x3eab0000);

	const float floats[] = { 1, third };
	const uint16_t halves[] = { 0x3c00, 0x3555 }, brains[] = { 0x3f80, 0x3eab };
	assert_true(ilab_dtype_load(ILAB_F32, floats, 1) == third);
	assert_true(ilab_dtype_load(ILAB_TF32, floats, 0) == 1);
	assert_int_equal(bits_of(ilab_dtype_load(ILAB_F16, halves, 1)), 0x3eaaa000);
	assert_int_equal(bits_of(ilab_dtype_load(ILAB_BF16, brains, 1)), 0x3eab0000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f16_every_value_and_boundary),
		cmocka_unit_test(bf16_every_value_and_boundary),
		cmocka_unit_test(nan_stays_nan),
		cmocka_unit_test(f16_agrees_with_the_compiler),
		cmocka_unit_test(names_and_sizes),
		cmocka_unit_test(stored_bits),
	};
	return cmocka_run_group_tests_name("model/dtype", tests, NULL, NULL);
}
