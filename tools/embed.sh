#!/bin/sh
# embed.sh FILE...: print C source that defines the table of kernel texts (src/backend/cl_texts.h). POSIX tools only.
set -eu
echo '#include "backend/cl_texts.h"'
n=0
for file in "$@"; do
	echo "static const char text_$n[] = {"
	od -An -v -tx1 "$file" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
	echo '0x00 };'
	n=$((n + 1))
done
echo 'const struct ilab_cl_text ilab_cl_texts[] = {'
n=0
for file in "$@"; do
	echo "	{ \"$file\", text_$n, sizeof(text_$n) - 1 },"
	n=$((n + 1))
done
echo '	{ 0, 0, 0 },'
echo '};'
