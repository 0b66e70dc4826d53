#include "result/command_check.h"

#include "base/numtext.h"

#include <string.h>

enum ilab_status ilab_command_fault(const char *option, const char *value, const char *where, struct ilab_err *err)
{
	return ilab_err_set(err, ILAB_IO, NULL, 0, "command: %s%s%.100s contradicts %s", option, *value != '\0' ? " " : "", value, where);
}

/* Options whose value is passed over, since a file, a device or a model may have any name. */
static bool takes_any_text(const char *option)
{
	static const char *const options[] = { "--device", "--tuning", "--output", "--module-dir", "--views", "--against", "--cases", "--ceilings",
		"--test-slow-down", "--gpu", "--tariffs", "--break-even", "--measure" };

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

/* Where an option stands from place `i` on; 0: nowhere. */
static size_t find(const struct ilab_header *h, const char *option, size_t i)
{
	for (; i < h->command_count; i += 1 + takes_any_text(h->command[i]))
		if (strcmp(h->command[i], option) == 0)
			return i;
	return 0;
}

static const char *value_at(const struct ilab_header *h, size_t place)
{
	return place + 1 < h->command_count ? h->command[place + 1] : "";
}

const char *ilab_command_value(const struct ilab_header *h, const char *option)
{
	const size_t place = find(h, option, 1);

	return place > 0 ? value_at(h, place) : NULL;
}

bool ilab_command_is(const struct ilab_header *h, const char *command)
{
	return h->command_count > 0 && strcmp(h->command[0], command) == 0;
}

static bool agrees(const struct ilab_stated *row, const char *value)
{
	uint64_t said;

	if (row->number != NULL)
		return ilab_parse_u64(value, &said) == ILAB_PARSE_OK && said == *row->number;
	return row->any || (row->word != NULL && strcmp(value, row->word) == 0);
}

enum ilab_status ilab_command_check(const struct ilab_header *h, const struct ilab_stated *rows, size_t count, struct ilab_err *err)
{
	for (size_t i = 0; i < count; i++) {
		size_t place = find(h, rows[i].option, 1);
		if (place == 0 && rows[i].needed)
			return ilab_err_set(err, ILAB_IO, NULL, 0, "command: %s is missing%s%s", rows[i].option, rows[i].where != NULL ? ", contradicts " : "",
				rows[i].where != NULL ? rows[i].where : "");
		for (; place > 0; place = find(h, rows[i].option, place + 1 + takes_any_text(rows[i].option)))
			if (!agrees(&rows[i], value_at(h, place)))
				return ilab_command_fault(rows[i].option, rows[i].number != NULL || rows[i].word != NULL ? value_at(h, place) : "", rows[i].where, err);
	}
	return ILAB_OK;
}
