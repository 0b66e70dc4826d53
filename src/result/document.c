#include "result/document.h"

#include "base/message.h"
#include "result/ceilings.h"
#include "result/compare.h"
#include "result/cost.h"
#include "result/diff.h"
#include "result/json.h"
#include "result/suite.h"
#include "result/tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "iteragpu-lab/"

/* --- validate ----------------------------------------------------------------------------------------------------------- */

static enum ilab_status validate_estimate(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_estimate r;
	enum ilab_status status = ilab_estimate_from_json(json, arena, &r, err);

	return status == ILAB_OK ? ilab_estimate_check(&r, err) : status;
}

static enum ilab_status validate_environment(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_environment r;
	enum ilab_status status = ilab_environment_from_json(json, arena, &r, err);

	return status == ILAB_OK ? ilab_environment_check(&r, err) : status;
}

static enum ilab_status validate_measure(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_measure r;
	enum ilab_status status = ilab_measure_from_json(json, arena, &r, err);

	if (status == ILAB_OK)
		status = ilab_measure_check(&r, err);
	return status == ILAB_OK ? ilab_measure_check_values(&r, NULL, err) : status;
}

static enum ilab_status validate_cost(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_cost r;
	enum ilab_status status = ilab_cost_from_json(json, arena, &r, err);

	return status == ILAB_OK ? ilab_cost_check(&r, err) : status;
}

static enum ilab_status validate_compare(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_compare r;
	enum ilab_status status = ilab_compare_from_json(json, arena, &r, err);

	if (status == ILAB_OK)
		status = ilab_compare_check(&r, err);
	return status == ILAB_OK ? ilab_compare_check_values(&r, err) : status;
}

static enum ilab_status validate_ceilings(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_ceilings r;
	enum ilab_status status = ilab_ceilings_from_json(json, arena, &r, err);

	return status == ILAB_OK ? ilab_ceilings_check(&r, err) : status;
}

static enum ilab_status validate_suite(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_suite r;
	enum ilab_status status = ilab_suite_from_json(json, arena, &r, err);

	if (status == ILAB_OK)
		status = ilab_suite_check(&r, err);
	return status == ILAB_OK ? ilab_suite_check_values(&r, err) : status;
}

static enum ilab_status validate_diff(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_diff r;
	enum ilab_status status = ilab_diff_from_json(json, arena, &r, err);

	return status == ILAB_OK ? ilab_diff_check(&r, err) : status;
}

static enum ilab_status validate_tuning(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err)
{
	struct ilab_tuning_record r;
	enum ilab_status status = ilab_tuning_from_json(json, arena, &r, err);

	return status == ILAB_OK ? ilab_tuning_check(&r, err) : status;
}

static const struct {
	const char *kind, *number;
	enum ilab_status (*validate)(const cJSON *json, struct ilab_arena *arena, struct ilab_err *err);
} kinds[] = {
	{ "estimate", "1", validate_estimate },
	{ "environment", "1", validate_environment },
	{ "measure", "1", validate_measure },
	{ "cost", "1", validate_cost },
	{ "compare", "1", validate_compare },
	{ "ceilings", "1", validate_ceilings },
	{ "suite", "1", validate_suite },
	{ "diff", "1", validate_diff },
	{ "tuning", "1", validate_tuning },
};

static enum ilab_status validate_kind(const cJSON *json, const char *schema, struct ilab_arena *arena, struct ilab_err *err)
{
	const char *kind = schema + strlen(PREFIX), *slash = strchr(kind, '/');
	size_t length;

	if (strncmp(schema, PREFIX, strlen(PREFIX)) != 0 || slash == NULL)
		return ilab_err_set(err, ILAB_IO, NULL, 0, "schema: '%s' is not one of this program's (%sKIND/1)", schema, PREFIX);
	length = (size_t)(slash - kind);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (strlen(kinds[i].kind) != length || memcmp(kind, kinds[i].kind, length) != 0)
			continue;
		if (strcmp(slash + 1, kinds[i].number) != 0)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "schema: '%s' has a number that this version does not know (it knows %s)",
				schema, kinds[i].number);
		return kinds[i].validate(json, arena, err);
	}
	return ilab_err_set(err, ILAB_IO, NULL, 0, "schema: '%s' is of a kind that this version does not know", schema);
}

enum ilab_status ilab_document_validate(const char *text, size_t bytes, struct ilab_arena *arena, const char **schema, struct ilab_err *err)
{
	cJSON *json;
	const cJSON *item;
	enum ilab_status status = ilab_json_read(text, bytes, &json, err);

	if (schema != NULL)
		*schema = NULL;
	if (status != ILAB_OK)
		return status;
	item = cJSON_GetObjectItemCaseSensitive(json, "schema");
	if (cJSON_IsString(item)) {
		const char *name = ilab_arena_strdup(arena, item->valuestring);
		if (schema != NULL)
			*schema = name;
		status = validate_kind(json, name, arena, err);
	} else {
		status = ilab_err_set(err, ILAB_IO, NULL, 0, cJSON_IsObject(json) ? N_("schema: missing") : N_("document: expected an object"));
	}
	cJSON_Delete(json);
	return status;
}

/* --- files -------------------------------------------------------------------------------------------------------------- */

struct buffer { char *data; size_t bytes, room; };

static enum ilab_status grow(struct buffer *b, struct ilab_err *err)
{
	size_t room = b->room ? 2 * b->room : 1 << 16;
	char *data = realloc(b->data, room);

	if (data == NULL)
		return ilab_err_set(err, ILAB_FAILED, "realloc", errno, "out of host memory while reading a file");
	b->data = data;
	b->room = room;
	return ILAB_OK;
}

static enum ilab_status read_all(int fd, const char *path, struct buffer *b, struct ilab_err *err)
{
	for (;;) {
		ssize_t got;
		if (b->bytes == b->room && grow(b, err) != ILAB_OK)
			return ILAB_FAILED;
		got = read(fd, b->data + b->bytes, b->room - b->bytes);
		if (got == 0)
			return ILAB_OK;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ilab_err_set(err, ILAB_IO, "read", errno, "cannot read '%s': %s", path, strerror(errno));
		b->bytes += (size_t)got;
		if (b->bytes > ILAB_JSON_MAX_BYTES)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "'%s' is larger than the limit of %u bytes", path, ILAB_JSON_MAX_BYTES);
	}
}

enum ilab_status ilab_document_read(const char *path, struct ilab_arena *arena, char **text, size_t *bytes, struct ilab_err *err)
{
	struct buffer b = { 0 };
	enum ilab_status status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return ilab_err_set(err, ILAB_IO, "open", errno, "cannot open '%s': %s", path, strerror(errno));
	status = read_all(fd, path, &b, err);
	if (status == ILAB_OK) {
		*text = ilab_arena_alloc(arena, b.bytes + 1);
		memcpy(*text, b.data, b.bytes);
		*bytes = b.bytes;
	}
	free(b.data);
	close(fd);
	return status;
}

enum ilab_status ilab_document_load(const char *path, struct ilab_arena *arena, cJSON **json, const char **sha256, struct ilab_err *why,
	struct ilab_err *err)
{
	char *text, *hex;
	size_t bytes;
	enum ilab_status status = ilab_document_read(path, arena, &text, &bytes, err);

	*json = NULL;
	if (status != ILAB_OK)
		return status;
	if (sha256 != NULL) {
		hex = ilab_arena_alloc(arena, SHA256_DIGEST_STRING_LENGTH);
		*sha256 = SHA256Data((const uint8_t *)text, bytes, hex);
	}
	return ilab_json_read(text, bytes, json, why);
}
