#ifndef ILAB_RESULT_FIELDS_H
#define ILAB_RESULT_FIELDS_H

#include "base/arena.h"
#include "base/err.h"
#include "result/json.h"
#include "result/record.h"

#include <stdbool.h>
#include <stddef.h>

/* The field-table engine: one row of data says how one member of a JSON object and one member of a record belong together.
 * Writer and reader both run over the same rows, in their order, so they cannot disagree. A table ends with a row of zeros.
 *
 * A null is never silent. It has a sibling `<name>_reason` that begins with a code of the closed list, except where the kind
 * says "does not apply"; and the sibling is there only then. */
enum ilab_field_kind {
	ILAB_FIELD_END,
	ILAB_FIELD_STRING,         /* const char *; NULL: null, with the row's `unknown` as reason where that is set */
	ILAB_FIELD_STRING_OPTIONAL, /* const char *; NULL: the member is left out */
	ILAB_FIELD_STRING_OR_NULL, /* const char *; NULL: null, does not apply */
	ILAB_FIELD_WORD,           /* const char *, one of `words` */
	ILAB_FIELD_TEXT,           /* struct ilab_text */
	ILAB_FIELD_HEX,            /* const char * of lower-case hexadecimal digits, `digits` of them; NULL as for STRING */
	ILAB_FIELD_U32,            /* uint32_t */
	ILAB_FIELD_U64,            /* uint64_t */
	ILAB_FIELD_U64_OR_NULL,    /* uint64_t; 0: null, does not apply */
	ILAB_FIELD_U128,           /* ilab_u128 */
	ILAB_FIELD_SEED,           /* uint64_t as a string of decimal digits */
	ILAB_FIELD_INDEX,          /* int64_t; negative: null with `unknown` as reason */
	ILAB_FIELD_COUNT,          /* struct ilab_count */
	ILAB_FIELD_DOUBLE,         /* double */
	ILAB_FIELD_REAL,           /* struct ilab_real */
	ILAB_FIELD_MEDIAN,         /* struct ilab_real as {"median": value}, or null with its reason */
	ILAB_FIELD_BOOL,           /* bool */
	ILAB_FIELD_OBJECT,         /* a nested object; its `table` counts offsets from this row's offset */
	ILAB_FIELD_STRINGS,        /* const char ** and, at `count_offset`, its size_t */
	ILAB_FIELD_OBJECTS,        /* array of structs of `element_bytes`, and its size_t */
	ILAB_FIELD_CUSTOM,         /* `write` and `read` */
};

/* What a schema says of a member beside its type: the reader holds values to it, a null is free. */
enum ilab_field_limit {
	ILAB_LIMIT_NONE,
	ILAB_LIMIT_FILLED,         /* a text, or each of the strings, is not empty */
	ILAB_LIMIT_NOT_NEGATIVE,   /* a number with a fraction, here and below */
	ILAB_LIMIT_ABOVE_ZERO,
};

struct ilab_fields_reader {
	struct ilab_arena *arena;
	struct ilab_err *err;
	bool partial;              /* of a record that is not complete yet, strings may be null without a reason */
	char path[200];            /* of the object at hand: "", "phases[3]", "environment.backend" */
};

struct ilab_field {
	const char *name;
	enum ilab_field_kind kind;
	size_t offset, count_offset, element_bytes;
	const struct ilab_field *table;
	const char *const *words;  /* ends with NULL */
	const char *unknown;
	unsigned digits;
	enum ilab_field_limit limit;
	/* Add the member (and its siblings) to `object`; false when memory runs out. */
	bool (*write)(cJSON *object, const struct ilab_field *field, const void *record);
	/* `record` holds what the rows before have read. */
	enum ilab_status (*read)(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *field, void *record);
};

/* Adds the table's members to `object`; false when memory runs out. */
bool ilab_fields_write(cJSON *object, const struct ilab_field *table, const void *record);
/* A new object with the table's members; NULL when memory runs out. */
cJSON *ilab_fields_object(const struct ilab_field *table, const void *record);
/* Adds `item` as a member and takes it over, also when that fails or when it is NULL; false then. */
bool ilab_fields_add(cJSON *object, const char *name, cJSON *item);
/* `array` with `item` at its end, which it takes over. NULL when either is NULL or memory runs out; both are freed then. */
cJSON *ilab_fields_append(cJSON *array, cJSON *item);

/* Reads the table's members of `object` into `record`, which must be zeroed. ILAB_IO names the path of the first member that is
 * missing, of the wrong type or without its reason. Unknown members are ignored. */
enum ilab_status ilab_fields_read(struct ilab_fields_reader *r, const cJSON *object, const struct ilab_field *table, void *record);
/* Array of objects into a new array in the arena. */
enum ilab_status ilab_fields_read_objects(struct ilab_fields_reader *r, const cJSON *object, const char *name,
	const struct ilab_field *table, size_t element_bytes, void **items, size_t *count);
/* ILAB_IO: "PATH.NAME: WHAT". `name` may be NULL. */
enum ilab_status ilab_fields_fault(const struct ilab_fields_reader *r, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The reason of a null member: ILAB_IO when it has none or one without a known code. */
enum ilab_status ilab_fields_reason(struct ilab_fields_reader *r, const cJSON *object, const char *name, const char **reason);

/* Is it one sentence that begins with "unsupported: " "unavailable: " "invalid: " "too-few-samples: " or "not-run: "? */
bool ilab_reason_known(const char *reason);
/* `digits` lower-case hexadecimal digits and nothing else? NULL is not. */
bool ilab_hex_valid(const char *text, unsigned digits);

/* Tables that several documents share. */
extern const struct ilab_field ilab_library_fields[];      /* struct ilab_library */
extern const struct ilab_field ilab_host_fields[];         /* struct ilab_host */
extern const struct ilab_field ilab_platform_fields[];     /* struct ilab_platform */
extern const struct ilab_field ilab_device_fields[];       /* struct ilab_device, less the indices that its selector holds */
extern const struct ilab_field ilab_phase_fields[];        /* struct ilab_phase */
extern const struct ilab_field ilab_compare_row_fields[];  /* struct ilab_compare_row */

/* A document: the members that each begins with, then the table's. `schema` is that of the kind, whatever the record says. NULL when memory runs out. */
cJSON *ilab_fields_document(const char *schema, const struct ilab_header *header, const struct ilab_field *table, const void *record);
/* The same way back, as ilab_fields_read; ILAB_IO also when it is no object or of another schema. `header` is a part of `record`. */
enum ilab_status ilab_fields_read_document(struct ilab_fields_reader *r, const cJSON *document, const char *schema, const struct ilab_field *table,
	struct ilab_header *header, void *record);
/* The tool's name, a command that writes this kind, no modules where no device takes part, a time of the calendar in started_utc,
 * total_seconds >= 0. */
enum ilab_status ilab_header_check(const struct ilab_header *header, struct ilab_err *err);
/* "2026-12-01T06:29:46Z", of the calendar. */
bool ilab_utc_valid(const char *text);

/* What a host says of itself. `where` is its path for messages, here and below. */
enum ilab_status ilab_host_check(const struct ilab_host *h, const char *where, struct ilab_err *err);

/* What a device says of itself: canonical selector, forms of PCI address and UUID, selectors that agree with them, name and type. */
enum ilab_status ilab_device_check(const struct ilab_device *d, const char *where, struct ilab_err *err);

/* Is it an identity of a physical device of this type: "cpu" for a CPU and nothing else, "pci:...", "uuid:..." or a canonical selector? */
bool ilab_identity_fits(const char *identity, const char *type);

/* Platform and device index from a canonical selector ("opencl:P:D", "cuda:N", "hip:N"); false when it is none of `backend`. */
bool ilab_selector_indices(const char *selector, const char *backend, uint32_t *platform, uint32_t *device);

#endif
