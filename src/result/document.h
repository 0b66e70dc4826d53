#ifndef ILAB_RESULT_DOCUMENT_H
#define ILAB_RESULT_DOCUMENT_H

#include "base/err.h"
#include "result/json.h"
#include "result/record.h"

/* Records to JSON trees and back. One field table per object drives both directions and the checks, so that writer, reader
 * and `validate` cannot disagree. Trees are freed with cJSON_Delete; strings of records read go into `arena`. */

cJSON *ilab_estimate_to_json(const struct ilab_estimate *r);
cJSON *ilab_environment_to_json(const struct ilab_environment *r);
cJSON *ilab_measure_to_json(const struct ilab_measure *r);
cJSON *ilab_listing_to_json(const struct ilab_listing *r);      /* worker protocol only; holds everything of the record */
cJSON *ilab_phase_to_json(const struct ilab_phase *r);
/* A measure as the worker hands it over: no header, and strings that only the parent knows may still be NULL. */
cJSON *ilab_measure_part_to_json(const struct ilab_measure *r);

/* ILAB_IO names the path of the offending member ("phases[3].peak_allocated_bytes"). Unknown members are accepted. A header is
 * required in documents; listing and phase, used on the worker's line protocol, have none. */
enum ilab_status ilab_environment_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_environment *out, struct ilab_err *err);
enum ilab_status ilab_measure_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err);
enum ilab_status ilab_estimate_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_estimate *out, struct ilab_err *err);
enum ilab_status ilab_listing_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_listing *out, struct ilab_err *err);
enum ilab_status ilab_phase_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_phase *out, struct ilab_err *err);
enum ilab_status ilab_measure_part_from_json(const cJSON *json, struct ilab_arena *arena, struct ilab_measure *out, struct ilab_err *err);

/* Invariants of a measure record that structure alone does not show: rows and their order, baseline <= peak, end <= peak,
 * allocated <= reserved, sums against the model, the median and interval that the rows give, sum of phases <= total,
 * rates null unless passed ... ILAB_IO with the first contradiction. */
enum ilab_status ilab_measure_check(const struct ilab_measure *r, struct ilab_err *err);
enum ilab_status ilab_estimate_check(const struct ilab_estimate *r, struct ilab_err *err);
enum ilab_status ilab_environment_check(const struct ilab_environment *r, struct ilab_err *err);

/* weights_checksum and inputs_checksum of a measure that passed (and was checked as above), computed anew from the input rule. Tensors
 * of more elements than this are left alone: they would take seconds. `known` (may be NULL) is a measure for which this was done;
 * one of the same network with the same checksums costs nothing more. ILAB_IO when they differ. */
#define ILAB_RECOMPUTED_ELEMENTS ((uint64_t)64 << 20)
enum ilab_status ilab_measure_check_values(const struct ilab_measure *r, const struct ilab_measure *known, struct ilab_err *err);

/* A whole document of any known kind: strict JSON, known schema, fields, invariants, checksums of what the input rule
 * gives. `*schema` (may be NULL) receives the schema
 * text, owned by `arena`. */
enum ilab_status ilab_document_validate(const char *text, size_t bytes, struct ilab_arena *arena, const char **schema, struct ilab_err *err);

/* Read a file whole (limit 256 MiB) into the arena. ILAB_IO names it: it cannot be read, is too large. */
enum ilab_status ilab_document_read(const char *path, struct ilab_arena *arena, char **text, size_t *bytes, struct ilab_err *err);

/* A saved document as a tree, for the reader of one kind: the file whole, then strict JSON. *json is freed with cJSON_Delete, NULL after an error;
 * `*sha256` (may be NULL) is that of the file, in lower-case hexadecimal, owned by `arena`. ILAB_IO in `err`: the file cannot be read, and nothing is
 * left to say. ILAB_IO in `why`: it is no JSON; the caller puts into `err` what it should have been, as for a fault that it finds in the tree. */
enum ilab_status ilab_document_load(const char *path, struct ilab_arena *arena, cJSON **json, const char **sha256, struct ilab_err *why,
	struct ilab_err *err);

/* summary{} of a measure from its warm_forward rows (base/stats.h, 95 % interval), called by the harness before writing and by
 * the check above. Needs `phases`, `model` and `verification.status`; rates are null unless passed. */
void ilab_measure_summarise(struct ilab_measure *r, struct ilab_arena *arena);

#endif
