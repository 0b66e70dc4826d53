#include "cli/deliver.h"

#include "harness/signals.h"
#include "result/json.h"

#include <stdlib.h>
#include <string.h>

enum ilab_status ilab_deliver(cJSON *json, const char *text, const struct ilab_options *options, struct ilab_outfile **file, struct ilab_err *err)
{
	char *document = json ? ilab_json_text(json) : NULL;
	cJSON_Delete(json);
	if (!document)
		return ilab_err_set(err, ILAB_FAILED, "", 0, "out of host memory while writing the document");
	enum ilab_status status = ilab_print_text(options->json ? document : text, err);
	if (status == ILAB_OK)
		status = ilab_signals_check(err);
	if (status == ILAB_OK && *file) {
		status = ilab_outfile_commit(*file, document, strlen(document), err);
		*file = NULL;
	}
	free(document);
	return status;
}
