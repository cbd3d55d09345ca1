#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A C program compiles against the headers in every dialect, links with cc against the archive and the shared library,
# and without a fabric or a board gets a clear error.
set -e
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/program.c" <<'PROGRAM'
#include "mx_extensions.h"
#include "myri.h"
#include <stdio.h>
static mx_return_t handler(char *text, mx_return_t code) { printf("%s\n", text); return code; }
static mx_error_handler_t kept;
int main(void) {
    mx_request_t request = 0;
    kept = MX_ERRORS_RETURN;
    mx_set_error_handler(handler);
    if (request != 0 || mx_init() != MX_NO_DEV) return 1;
    return mx_finalize() == MX_NOT_INITIALIZED ? 0 : 2;
}
PROGRAM
for dialect in gnu89 c99 c11; do
    pedantic=-pedantic
    [ $dialect = gnu89 ] && pedantic=
    cc -std=$dialect $pedantic -Wall -Wextra -Werror -Ilibmyri/include -c "$work/program.c" -o "$work/$dialect.o"
done
for dialect in c++98 c++20; do
    c++ -x c++ -std=$dialect -Wall -Wextra -Werror -Ilibmyri/include -c "$work/program.c" -o "$work/$dialect.o"
done
sanitize=
nm "$build/lib/libmyri.a" 2>/dev/null | grep -q __asan_init && sanitize=-fsanitize=address,undefined
cc $sanitize "$work/c99.o" "$build/lib/libmyriexpress.a" -lpthread -o "$work/static"
cc $sanitize "$work/c99.o" -L"$build/lib" -lmyriexpress -Wl,-rpath,"$(realpath "$build/lib")" -o "$work/shared"
for program in static shared; do
    said=$(env -u MYRI_FABRIC -u MYRI_HOST "$work/$program")
    echo "$said" | grep -q 'MYRI_FABRIC.*looked for /dev/myri0' || { echo "$program said: $said"; exit 1; }
done
said=$(MYRI_FABRIC=$work/none "$work/static") || { echo "missing socket: $said"; exit 1; }
echo "$said" | grep -q "MYRI_FABRIC=$work/none" || { echo "said: $said"; exit 1; }
[ "$sanitize" ] && exit 0
# Nothing but libc is needed, and nothing but the interface is exported.
[ "$(objdump -p "$build/lib/libmyri.so.1" | awk '/NEEDED/ {print $2}')" = libc.so.6 ] || { echo "needs more than libc"; exit 1; }
extra=$(nm -D --defined-only "$build/lib/libmyri.so.1" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | grep -vE '^(mx_|myri_|MX_ERRORS_)' || true)
[ -z "$extra" ] || { echo "exported: $extra"; exit 1; }
