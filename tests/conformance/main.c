/* conformance BACKEND PLATFORM_INDEX DEVICE_INDEX [--module-dir DIR] [--small] */
#include "conformance.h"

struct suite suite;
static struct ilab_surroundings surroundings;

struct ilab_buffer *take(uint64_t bytes)
{
	struct ilab_buffer *b = NULL;
	MUST(suite.api->alloc(suite.session, bytes, &b, &err));
	assert_non_null(b);
	return b;
}

void give(struct ilab_buffer *b)
{
	suite.api->free(suite.session, b);
}

void *fetch(struct ilab_buffer *b, uint64_t bytes)
{
	void *data = malloc(bytes);
	assert_non_null(data);
	MUST(suite.api->download(suite.session, b, 0, bytes, data, &err));
	return data;
}

uint64_t tensor_bytes(const struct ilab_tensor *t)
{
	return t->rows * t->cols * ilab_dtype_bytes(t->dtype);
}

struct ilab_buffer *filled(const struct ilab_tensor *t, uint64_t spare_bytes)
{
	struct ilab_buffer *b = take(tensor_bytes(t) + spare_bytes);
	MUST(suite.api->fill(suite.session, b, ILAB_FILL_RULE, t, &err));
	return b;
}

static int usage(void)
{
	fprintf(stderr, "usage: conformance BACKEND PLATFORM_INDEX DEVICE_INDEX [--module-dir DIR] [--small]\n");
	return 2;
}

static int describe(void)
{
	struct ilab_err err = {0};
	if (suite.api->open(&suite.open, &suite.session, &err)) {
		fprintf(stderr, "conformance: %s\n", err.text);
		return (int)err.status;
	}
	const struct ilab_session_info *info = suite.api->info(suite.session);
	printf("# %s, %s, %s, driver %s\n", info->device.selector, info->device.platform, info->device.name,
		info->device.driver_version.value ? info->device.driver_version.value : "unknown");
	return 0;
}

int main(int argc, char **argv)
{
	const char *module_dir = NULL;
	struct ilab_err err = {0};
	if (argc < 4)
		return usage();
	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[i], "--small"))
			suite.small = true;
		else if (!strcmp(argv[i], "--module-dir") && i + 1 < argc)
			module_dir = argv[++i];
		else
			return usage();
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	surroundings.opencl_vendors = getenv("OCL_ICD_VENDORS");
	surroundings.pocl_cache = getenv("POCL_CACHE_DIR");
	suite.open = (struct ilab_open_options){ .platform_index = (uint32_t)atoi(argv[2]), .device_index = (uint32_t)atoi(argv[3]),
		.surroundings = &surroundings };
	suite.api = ilab_backend_load(argv[1], module_dir, NULL, &err);
	if (!suite.api) {
		fprintf(stderr, "conformance: %s\n", err.text);
		return (int)err.status;
	}
	int status = describe();
	if (status)
		return status;
	int failed = run_listing() + run_data() + run_memory() + run_products() + run_work();
	suite.api->close(suite.session);
	return failed ? 1 : 0;
}
