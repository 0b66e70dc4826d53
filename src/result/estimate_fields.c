#include "result/document.h"

#include "base/numtext.h"
#include "result/fields.h"

#include <math.h>
#include <string.h>

#define E(member) offsetof(struct ilab_estimate, member)
#define SCHEMA "iteragpu-lab/estimate/1"
#define NANO 1000000000u

/* The reserve as the user wrote it: at most nine decimals, exact. */
static bool write_reserve(cJSON *object, const struct ilab_field *f, const void *record)
{
	uint64_t nano = ((const struct ilab_estimate *)record)->reserve_nano_gib;
	uint64_t fraction = nano % NANO;
	char text[ILAB_NUMTEXT_SIZE];
	size_t n = ilab_format_u64(text, sizeof text, nano / NANO);

	if (fraction != 0) {
		text[n++] = '.';
		for (uint64_t place = NANO / 10; fraction != 0; fraction %= place, place /= 10)
			text[n++] = (char)('0' + fraction / place);
		text[n] = '\0';
	}
	return ilab_fields_add(object, f->name, cJSON_CreateRaw(text));
}

/* Another writer may use an exponent (1e-09): the same number, if it is one of at most nine decimals. */
static bool decimal_from_double(double v, uint64_t *nano)
{
	double scaled = nearbyint(v * NANO);

	if (!(v >= 0) || !(scaled < 0x1p64) || fabs(v * NANO - scaled) > 1e-6)
		return false;
	*nano = (uint64_t)scaled;
	return true;
}

static enum ilab_status read_reserve(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, f->name);
	const char *text = ilab_json_number_text(item);
	uint64_t *nano = &((struct ilab_estimate *)record)->reserve_nano_gib;
	double v;

	if (text == NULL || (ilab_parse_decimal(text, 9, nano) != ILAB_PARSE_OK
		&& !(ilab_json_get_double(item, &v) && decimal_from_double(v, nano))))
		return ilab_fields_fault(r, f->name, "expected a number from 0 with at most 9 decimals");
	return ILAB_OK;
}

/* GiB and GB figures are redundant: written from the exact bytes (at `offset`), and read only to see that they agree. */
static double figure(const struct ilab_field *f, const void *record)
{
	ilab_u128 bytes;

	memcpy(&bytes, (const char *)record + f->offset, sizeof bytes);
	return strcmp(f->name, "weight_gb") == 0 ? (double)bytes / 1e9 : (double)bytes / 0x1p30;
}

static bool write_figure(cJSON *object, const struct ilab_field *f, const void *record)
{
	return ilab_fields_add(object, f->name, ilab_json_double(figure(f, record)));
}

static enum ilab_status read_figure(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *f, void *record)
{
	double said, is = figure(f, record);

	if (!ilab_json_get_double(cJSON_GetObjectItemCaseSensitive(object, f->name), &said))
		return ilab_fields_fault(r, f->name, "expected a number");
	if (!(fabs(said - is) <= 1e-9 * is))
		return ilab_fields_fault(r, f->name, "does not agree with the bytes");
	return ILAB_OK;
}

static const struct ilab_field estimate_fields[] = {
	{ "parameters", ILAB_FIELD_U64, .offset = E(parameters) },
	{ "bits", ILAB_FIELD_U64, .offset = E(bits) },
	{ "weight_bytes", ILAB_FIELD_U128, .offset = E(weight_bytes) },
	{ "weight_gib", ILAB_FIELD_CUSTOM, .offset = E(weight_bytes), .write = write_figure, .read = read_figure },
	{ "weight_gb", ILAB_FIELD_CUSTOM, .offset = E(weight_bytes), .write = write_figure, .read = read_figure },
	{ "reserve_gib", ILAB_FIELD_CUSTOM, .offset = E(reserve_nano_gib), .write = write_reserve, .read = read_reserve },
	{ "total_bytes", ILAB_FIELD_U128, .offset = E(total_bytes) },
	{ "total_gib", ILAB_FIELD_CUSTOM, .offset = E(total_bytes), .write = write_figure, .read = read_figure },
	{ "assumptions", ILAB_FIELD_STRINGS, .offset = E(assumptions), .count_offset = E(assumption_count),
		.limit = ILAB_LIMIT_FILLED },
	{ 0 },
};

cJSON *ilab_estimate_to_json(const struct ilab_estimate *r)
{
	return ilab_fields_document(SCHEMA, &r->header, estimate_fields, r);
}

enum ilab_status ilab_estimate_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_estimate *out, struct ilab_err *err)
{
	struct ilab_fields_reader r = { .arena = arena, .err = err };

	*out = (struct ilab_estimate){ 0 };
	return ilab_fields_read_document(&r, json, SCHEMA, estimate_fields, &out->header, out);
}
