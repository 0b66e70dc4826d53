#include "cost/tariff.h"

#include "result/document.h"

enum ilab_status ilab_tariffs_read(const char *path, struct ilab_arena *arena, struct ilab_tariffs *out, struct ilab_err *err)
{
	char *text;
	size_t bytes;
	enum ilab_status status = ilab_document_read(path, arena, &text, &bytes, err);
	return status == ILAB_OK ? ilab_tariffs_parse(path, text, bytes, arena, out, err) : status;
}
