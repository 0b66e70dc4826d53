#include "cli/command.h"

#include "backend/backend.h"
#include "model/dtype.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ilab_arena arena;
static struct ilab_options options;
static struct ilab_err err;

/* Parse a command line written as words after the command. */
static enum ilab_status parse(enum ilab_command_id command, const char *line)
{
	char *words = ilab_arena_strdup(&arena, line), *argv[64], *rest = NULL;
	int argc = 0;
	argv[argc++] = ilab_arena_strdup(&arena, "iteragpu-lab");
	argv[argc++] = ilab_arena_strdup(&arena, ilab_commands[command].name);
	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = strcmp(word, "''") != 0 ? word : ilab_arena_strdup(&arena, "");
	argv[argc] = NULL;
	err = (struct ilab_err){ 0 };
	return ilab_options_parse(command, argc, argv, &arena, &options, &err);
}

#define MEASURE "--device opencl:0:0 --batch 1 --context 16 --width 64 --output f.json "

/* Refused, in one line that holds `part` and the way to the command's help. */
static void refused(enum ilab_command_id command, const char *line, const char *part)
{
	if (parse(command, line) != ILAB_REFUSED)
		fail_msg("accepted: %s", line);
	if (!strstr(err.text, part))
		fail_msg("%s: \"%s\" does not say \"%s\"", line, err.text, part);
	assert_non_null(strstr(err.text, ilab_arena_printf(&arena, "`iteragpu-lab %s --help`", ilab_commands[command].name)));
	assert_null(strchr(err.text, '\n'));
}

static void defaults_are_those_of_the_table(void **state)
{
	(void)state;
	assert_int_equal(parse(ILAB_COMMAND_MEASURE, MEASURE), ILAB_OK);
	assert_string_equal(options.device, "opencl:0:0");
	assert_int_equal(options.batch, 1);
	assert_int_equal(options.context, 16);
	assert_int_equal(options.width, 64);
	assert_int_equal(options.hidden, 0);
	assert_string_equal(options.dtype, "float32");
	assert_string_equal(options.gemm, "auto");
	assert_int_equal(options.warmup, 3);
	assert_int_equal(options.repeats, 10);
	assert_int_equal(options.seed, 0);
	assert_int_equal(options.verify_rows, 8);
	assert_int_equal(options.timeout_ns, 0);
	assert_null(options.backend);
	assert_false(options.json || options.quiet || options.verbose || options.cold_cache || options.no_uuid);
	assert_string_equal(options.output, "f.json");
}

static void both_ways_of_writing_a_value_are_the_same(void **state)
{
	(void)state;
	assert_int_equal(parse(ILAB_COMMAND_MEASURE, "--device=name:a=b --batch=2 --context=3 --width=4 --output=--json --seed=18446744073709551615"), ILAB_OK);
	assert_string_equal(options.device, "name:a=b");
	assert_int_equal(options.width, 4);
	assert_string_equal(options.output, "--json");
	assert_true(options.seed == UINT64_MAX);
	assert_false(options.json);
	assert_int_equal(parse(ILAB_COMMAND_MEASURE, MEASURE "--timeout 0.000000001 --hidden 7 --dtype bfloat16 --gemm builtin --json"), ILAB_OK);
	assert_int_equal(options.timeout_ns, 1);
	assert_int_equal(options.hidden, 7);
	assert_string_equal(options.dtype, "bfloat16");
	assert_true(options.json);
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	assert_int_equal(parse(ILAB_COMMAND_VALIDATE, "a --quiet b -- --verbose --nothing -"), ILAB_OK);
	assert_int_equal(options.file_count, 5);
	assert_string_equal(options.files[0], "a");
	assert_string_equal(options.files[1], "b");
	assert_string_equal(options.files[2], "--verbose");
	assert_string_equal(options.files[4], "-");
	assert_true(options.quiet);
	assert_false(options.verbose);
	refused(ILAB_COMMAND_MEASURE, MEASURE "-- x", "unexpected argument \"x\"");
}

static void wrong_options_are_named(void **state)
{
	(void)state;
	refused(ILAB_COMMAND_MEASURE, MEASURE "--bogus", "unknown option --bogus");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--bogus=3", "unknown option --bogus");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--repeat 3", "unknown option --repeat");      /* an abbreviation */
	refused(ILAB_COMMAND_MEASURE, MEASURE "--repeatss 3", "unknown option --repeatss");
	refused(ILAB_COMMAND_MEASURE, MEASURE "-q", "unknown option -q");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--parameters 3", "unknown option --parameters");   /* of another command */
	refused(ILAB_COMMAND_MEASURE, MEASURE "--=3", "unknown option");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--quiet --quiet", "--quiet is given twice");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--width=64", "--width is given twice");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--json=yes", "--json takes no value");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--hidden", "--hidden needs a value");
	refused(ILAB_COMMAND_MEASURE, "--device --batch 1 --context 16 --width 64 --output f", "--device needs a value");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--module-dir ''", "--module-dir: the value is empty");
	refused(ILAB_COMMAND_MEASURE, MEASURE "extra", "unexpected argument \"extra\"");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--quiet --verbose", "exclude each other");
	refused(ILAB_COMMAND_ESTIMATE, "--parameters 5", "missing --bits");
	refused(ILAB_COMMAND_MEASURE, "--batch 1", "missing --device, --context, --width and --output");
	refused(ILAB_COMMAND_VALIDATE, "", "missing FILE");
}

static void choices_are_exact(void **state)
{
	(void)state;
	refused(ILAB_COMMAND_MEASURE, MEASURE "--dtype float", "--dtype: \"float\" is not float32, tf32, float16 or bfloat16");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--dtype FLOAT32", "--dtype");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--gemm ''", "--gemm");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--backend vulkan", "opencl, cuda or hip");
	refused(ILAB_COMMAND_ENVIRONMENT, "--list --type tpu", "gpu or cpu");
}

static void bad_numbers_are_refused(void **state)
{
	static const char *const wholes[] = { "0", "-1", "+1", "1.0", "1e3", "0x10", "1x", "''", "1,000", "9223372036854775808", "18446744073709551616",
		"99999999999999999999999999999999999999999999999999999999999999999999999999999", "nan", "inf", "1K", "٣" };
	static const char *const parameters[] = { "0", "-7", "1.5G", "9223372036854775808", "9.3E", "16000000T", "1KiB", "K", "1 G", "1k" };
	static const char *const decimals[] = { "-1", "1e3", ".", "1.0000000001", "nan", "inf", "18446744074", "1,5", "''", "1.5.1", "+1" };
	(void)state;
	for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
		refused(ILAB_COMMAND_MEASURE, ilab_arena_printf(&arena, "--device cpu --context 16 --width 64 --output f --batch %s", wholes[i]), "--batch: ");
		refused(ILAB_COMMAND_MEASURE, ilab_arena_printf(&arena, MEASURE "--repeats %s", wholes[i]), "--repeats: ");
		refused(ILAB_COMMAND_ESTIMATE, ilab_arena_printf(&arena, "--parameters 1 --bits %s", wholes[i]), "--bits: ");
	}
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		refused(ILAB_COMMAND_ESTIMATE, ilab_arena_printf(&arena, "--bits 8 --parameters=%s", parameters[i]), i == 8 ? "" : "--parameters: ");
	for (size_t i = 0; i < sizeof(decimals) / sizeof(decimals[0]); i++) {
		refused(ILAB_COMMAND_ESTIMATE, ilab_arena_printf(&arena, "--parameters 1 --bits 8 --reserve-gib %s", decimals[i]), "--reserve-gib: ");
		refused(ILAB_COMMAND_MEASURE, ilab_arena_printf(&arena, MEASURE "--timeout %s", decimals[i]), "--timeout: ");
	}
	refused(ILAB_COMMAND_MEASURE, MEASURE "--timeout 0", "--timeout: ");
	refused(ILAB_COMMAND_ESTIMATE, "--parameters 1 --bits 65", "a whole number from 1 to 64");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--repeats 100001", "a whole number from 1 to 100000");
	refused(ILAB_COMMAND_MEASURE, MEASURE "--seed 18446744073709551616", "from 0 to 18446744073709551615");
}

static void good_numbers_are_exact(void **state)
{
	(void)state;
	assert_int_equal(parse(ILAB_COMMAND_ESTIMATE, "--parameters 9223372036854775807 --bits 64 --reserve-gib 0.123456789"), ILAB_OK);
	assert_true(options.parameters == INT64_MAX);
	assert_int_equal(options.reserve_nano_gib, 123456789);
	assert_int_equal(parse(ILAB_COMMAND_ESTIMATE, "--parameters 7G --bits 1"), ILAB_OK);
	assert_true(options.parameters == 7000000000u);
	assert_int_equal(options.reserve_nano_gib, 0);
	assert_int_equal(parse(ILAB_COMMAND_ESTIMATE, "--parameters 3Ki --bits 16 --reserve-gib 4"), ILAB_OK);
	assert_int_equal(options.parameters, 3072);
	assert_true(options.reserve_nano_gib == 4000000000u);
	assert_int_equal(parse(ILAB_COMMAND_MEASURE, MEASURE "--warmup 0 --repeats 1 --seed 0"), ILAB_OK);
	assert_int_equal(options.warmup, 0);
}

static void help_needs_nothing_else(void **state)
{
	(void)state;
	assert_int_equal(parse(ILAB_COMMAND_MEASURE, "--help"), ILAB_OK);
	assert_true(options.help);
	assert_int_equal(parse(ILAB_COMMAND_VALIDATE, "--version"), ILAB_OK);
	assert_true(options.version);
}

static void the_canonical_command_is_in_table_order_without_folders(void **state)
{
	static const char *const expected[] = { "measure", "--device", "cpu", "--batch", "7", "--context", "16", "--width", "64", "--timeout", "1.5",
		"--cold-cache", "--output", "f.json", "--module-dir", "modules" };
	size_t count;
	(void)state;
	assert_int_equal(parse(ILAB_COMMAND_MEASURE, "--json --cold-cache --output=/home/someone/f.json --timeout 1.500 --width 0064 --context 16 "
		"--batch 7 --module-dir ./x/modules// --device cpu --quiet"), ILAB_OK);
	const char **words = ilab_options_canonical(&options, &arena, &count);
	assert_int_equal(count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < count; i++)
		assert_string_equal(words[i], expected[i]);
	assert_int_equal(parse(ILAB_COMMAND_VALIDATE, "/a/b.json / c"), ILAB_OK);
	words = ilab_options_canonical(&options, &arena, &count);
	assert_int_equal(count, 4);
	assert_string_equal(words[1], "b.json");
	assert_string_equal(words[2], "/");
}

/* The table itself. */
static void every_row_is_sound(void **state)
{
	(void)state;
	assert_true(ilab_option_count <= 64);           /* `given` has a bit for each */
	for (size_t i = 0; i < ilab_option_count; i++) {
		const struct ilab_option *o = &ilab_option_table[i];
		assert_true(o->commands && o->help && (o->required & ~o->commands) == 0);
		assert_int_equal(o->argument == NULL, o->kind == ILAB_OPTION_FLAG);
		assert_int_equal(o->choices != NULL, o->kind == ILAB_OPTION_CHOICE);
		for (size_t j = 0; j < i; j++)
			assert_true(strcmp(o->name, ilab_option_table[j].name) != 0);
		for (const char *const *c = o->choices; c && *c; c++) {
			enum ilab_dtype dtype;
			enum ilab_gemm gemm;
			if (!strcmp(o->name, "dtype"))
				assert_true(ilab_dtype_from_name(*c, &dtype));
			if (!strcmp(o->name, "gemm"))
				assert_true(ilab_gemm_from_name(*c, &gemm));
		}
	}
}

static void every_option_is_in_help_man_page_and_completion(void **state)
{
	const char *man = ilab_man_page(&arena), *completion = ilab_bash_completion(&arena), *global = ilab_help_global(&arena);
	(void)state;
	for (int c = 0; c < ILAB_COMMAND_COUNT; c++) {
		const char *help = ilab_help_command((enum ilab_command_id)c, &arena);
		assert_non_null(strstr(global, ilab_commands[c].name));
		assert_non_null(strstr(completion, ilab_commands[c].name));
		for (size_t i = 0; i < ilab_option_count; i++) {
			const struct ilab_option *o = &ilab_option_table[i];
			const char *written = ilab_arena_printf(&arena, "  --%s ", o->name);
			assert_int_equal(strstr(help, written) != NULL, (o->commands >> c) & 1);
			assert_non_null(strstr(completion, ilab_arena_printf(&arena, "--%s", o->name)));
		}
	}
	assert_non_null(strstr(man, "\\-\\-verify\\-rows"));
	assert_non_null(strstr(man, ".SH EXIT STATUS"));
	assert_non_null(strstr(man, ".SH EXAMPLES"));
}

static int release(void **state)
{
	(void)state;
	ilab_arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_the_table),
		cmocka_unit_test(both_ways_of_writing_a_value_are_the_same),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(wrong_options_are_named),
		cmocka_unit_test(choices_are_exact),
		cmocka_unit_test(bad_numbers_are_refused),
		cmocka_unit_test(good_numbers_are_exact),
		cmocka_unit_test(help_needs_nothing_else),
		cmocka_unit_test(the_canonical_command_is_in_table_order_without_folders),
		cmocka_unit_test(every_row_is_sound),
		cmocka_unit_test(every_option_is_in_help_man_page_and_completion),
	};
	return cmocka_run_group_tests_name("cli options", tests, NULL, release);
}
