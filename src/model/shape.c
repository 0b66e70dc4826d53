#include "model/shape.h"

#include "base/checked.h"

#include <stddef.h>

#define LIMIT ((uint64_t)INT64_MAX)

/* Products and sums that remember the first failure, so that the formulas below read as formulas. After a failure
 * everything is 0. */
struct sizer {
	const struct ilab_shape *shape;
	enum ilab_status status;
	struct ilab_err *err;
};

static uint64_t refuse(struct sizer *s, const char *what)
{
	const struct ilab_shape *d = s->shape;
	s->status = ilab_err_set(s->err, ILAB_REFUSED, NULL, 0,
		"%s: more than 2^63-1 for batch %llu, context %llu, width %llu, hidden %llu; choose a smaller shape", what,
		(unsigned long long)d->batch, (unsigned long long)d->context, (unsigned long long)d->width, (unsigned long long)d->hidden);
	return 0;
}

static uint64_t times(struct sizer *s, const char *what, uint64_t a, uint64_t b)
{
	uint64_t v = 0;
	if (s->status == ILAB_OK && (!ilab_checked_mul(a, b, &v) || v > LIMIT))
		return refuse(s, what);
	return v;
}

static uint64_t plus(struct sizer *s, const char *what, uint64_t a, uint64_t b)
{
	uint64_t v = 0;
	if (s->status == ILAB_OK && (!ilab_checked_add(a, b, &v) || v > LIMIT))
		return refuse(s, what);
	return v;
}

static enum ilab_status check_dimensions(const struct ilab_shape *shape, struct ilab_err *err)
{
	const struct { const char *name; uint64_t v; } rows[] = {
		{ "batch", shape->batch }, { "context", shape->context }, { "width", shape->width }, { "hidden", shape->hidden },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].v == 0)
			return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "%s is 0, it must be at least 1", rows[i].name);
		if (rows[i].v > LIMIT)
			return ilab_err_set(err, ILAB_REFUSED, NULL, 0, "%s is %llu, more than 2^63-1", rows[i].name,
				(unsigned long long)rows[i].v);
	}
	return ILAB_OK;
}

enum ilab_status ilab_shape_sizes(const struct ilab_shape *shape, enum ilab_dtype dtype, struct ilab_sizes *out, struct ilab_err *err)
{
	enum ilab_status status = check_dimensions(shape, err);
	if (status != ILAB_OK)
		return status;
	struct sizer s = { .shape = shape, .err = err };
	struct ilab_sizes z = {0};
	const uint64_t width = shape->width, hidden = shape->hidden, bytes = ilab_dtype_bytes(dtype);

	z.rows = times(&s, "rows (batch x context)", shape->batch, shape->context);
	uint64_t weight = times(&s, "weights of a layer (width x hidden)", width, hidden);
	uint64_t weights = times(&s, "parameters (2 x width x hidden + hidden + width)", 2, weight);
	uint64_t biases = plus(&s, "biases (hidden + width)", hidden, width);
	z.parameters = plus(&s, "parameters (2 x width x hidden + hidden + width)", weights, biases);

	z.weight_bytes[0] = z.weight_bytes[1] = times(&s, "bytes of a layer's weights", weight, bytes);
	z.bias_bytes[0] = times(&s, "bytes of the first bias", hidden, bytes);
	z.bias_bytes[1] = times(&s, "bytes of the second bias", width, bytes);
	z.parameter_bytes = times(&s, "bytes of the parameters", z.parameters, bytes);

	uint64_t row_elements = times(&s, "inputs (batch x context x width)", z.rows, width);
	uint64_t hidden_elements = times(&s, "hidden units (batch x context x hidden)", z.rows, hidden);
	z.input_bytes = z.output_bytes = times(&s, "bytes of the inputs", row_elements, bytes);
	z.hidden_bytes = times(&s, "bytes of the hidden units", hidden_elements, bytes);
	z.flop_per_forward = times(&s, "FLOP of a pass (4 x batch x context x width x hidden)", 4, times(&s,
		"FLOP of a pass (4 x batch x context x width x hidden)", row_elements, hidden));
	if (s.status == ILAB_OK)
		*out = z;
	return s.status;
}
