#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library from outside: what it exports and needs, and that C and C++ programs link with it.
. "$(dirname "$0")/fabric.sh"
so=$build/lib/libmyri.so.1
include=libmyri/include
cc=${CC:-cc}
# Built with sanitizers it needs theirs.
sanitizer=$(nm "$build/lib/libmyri.a" 2>/dev/null | grep -q __asan_init && echo -fsanitize=address,undefined)

what="symbols of $so"
nm -D --defined-only "$so" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort >"$out/names"
[ "$(grep -c '^mx_' "$out/names")" -ge 45 ] || fail "fewer names than MX has"
strange=$(grep -vE '^(mx_|MX_ERRORS_|myri_)' "$out/names")
[ -z "$strange" ] || fail "exported: $strange"
# All that the headers declare is there.
sed -nE 's/^(mx_return_t|const char \*|mx_error_handler_t|int|void|uint64_t) ?\*?((mx_|myri_)[a-z0-9_]+)\(.*/\2/p' "$include"/*.h |
    sort -u >"$out/declared"
[ "$(wc -l <"$out/declared")" -ge 50 ] || fail "no names found in the headers"
missing=$(comm -23 "$out/declared" "$out/names")
[ -z "$missing" ] || fail "declared, not exported: $missing"

what="needs of $so"
needed=$(readelf -d "$so" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | grep -vE '^(libc\.so\.6|libm\.so\.6)$')
[ -n "$sanitizer" ] || [ -z "$needed" ] || fail "also $needed"
[ "$(readelf -d "$so" | sed -nE 's/.*\(SONAME\).*\[(.*)\]/\1/p')" = libmyri.so.1 ] || fail "another name inside"

cat >"$out/program.c" <<'PROGRAM'
#include <mx_extensions.h>
#include <myri.h>
#include <myriexpress.h>
#include <stdio.h>
static mx_error_handler_t handler; /* values of both handlers can be taken anywhere */
int main(void) {
    mx_return_t code;
    handler = MX_ERRORS_RETURN;
    mx_set_error_handler(handler != MX_ERRORS_ARE_FATAL ? handler : NULL);
    code = mx_init();
    printf("%d %s\n", (int)code, mx_strerror(code));
    return code == MX_NO_DEV || code == MX_NO_DRIVER || code == MX_NO_PERM || code == MX_SUCCESS ? 0 : 1;
}
PROGRAM
cp "$out/program.c" "$out/program.cpp"
for standard in c99 c11 gnu17; do
    runs 0 $cc -std=$standard -pedantic -Wall -Wextra -Werror -I"$include" -c "$out/program.c" -o "$out/program.o"
done
# The archive: cc alone, nothing of C++'s run-time library.
# shellcheck disable=SC2086 # no word if there is none
{
    runs 0 $cc $sanitizer "$out/program.o" "$build/lib/libmyri.a" -lpthread -o "$out/static"
    runs 0 $cc $sanitizer "$out/program.o" -L"$build/lib" -lmyri -o "$out/shared"
    runs 0 $cc $sanitizer "$out/program.o" -L"$build/lib" -lmyriexpress -lpthread -o "$out/classic"
    runs 0 $cc $sanitizer "$out/program.o" -L"$build/lib" -lmx -lmyriexpress -lpthread -o "$out/nemesis"
    runs 0 ${CXX:-c++} $sanitizer -std=c++11 -pedantic -Wall -Wextra -Werror -I"$include" "$out/program.cpp" \
        "$build/lib/libmyri.a" -lpthread -o "$out/cplusplus"
}
for program in static shared classic nemesis cplusplus; do
    runs 0 env LD_LIBRARY_PATH="$build/lib" "$out/$program"
done
fabric 0 --on n0 "$out/static"
says '^0 '
fabric 0 --on n0 "LD_LIBRARY_PATH=$build/lib $out/shared"
says '^0 '
finish
