// SPDX-License-Identifier: BSD-3-Clause
// Assembles the table of encodings.h with llvm-mc and compares the words. Exits 77 if llvm-mc is not installed.
#include "tests/cpu/encodings.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace myri::test;

namespace {

std::string command_output(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) {
        perror("popen");
        exit(1);
    }
    std::string output;
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        output.append(buffer, n);
    int status = pclose(pipe);
    if (status != 0) {
        fprintf(stderr, "'%s' failed with status %d\n", command.c_str(), status);
        exit(1);
    }
    return output;
}

std::string find_assembler() {
    for (const char* name : {"llvm-mc-14", "llvm-mc"})
        if (system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0)
            return name;
    return "";
}

} // namespace

int main() {
    std::string assembler = find_assembler();
    if (assembler.empty()) {
        puts("llvm-mc is not installed");
        return 77;
    }
    char path[] = "/tmp/myri-encodings-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) {
        perror("mkstemp");
        return 1;
    }
    FILE* source = fdopen(file, "w");
    for (const Encoding& e : encodings())
        fprintf(source, "%s\n", e.text);
    fclose(source);
    std::string output = command_output(assembler + " -triple=lanai -show-encoding " + path);
    unlink(path);

    // One "encoding: [0x..,0x..,0x..,0x..]" for each line, in order. Address fields that the assembler leaves to the
    // linker would show letters instead; the table has none.
    size_t at = 0, failures = 0;
    for (const Encoding& e : encodings()) {
        at = output.find("encoding: [", at);
        unsigned b[4];
        if (at == std::string::npos ||
            sscanf(output.c_str() + at, "encoding: [%x,%x,%x,%x]", &b[0], &b[1], &b[2], &b[3]) != 4) {
            printf("no encoding for '%s'\n%s", e.text, output.c_str());
            return 1;
        }
        at++;
        unsigned word = b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
        if (word != e.word) {
            printf("'%s': the table has %08x, %s gives %08x\n", e.text, e.word, assembler.c_str(), word);
            failures++;
        }
    }
    if (output.find("encoding: [", at) != std::string::npos) {
        puts("more encodings than lines");
        return 1;
    }
    printf("%zu encodings compared, %zu differ\n", encodings().size(), failures);
    return failures != 0;
}
