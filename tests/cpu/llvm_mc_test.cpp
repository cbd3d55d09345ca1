// SPDX-License-Identifier: BSD-3-Clause
// The decoder against LLVM: the table of encodings.h through the assembler, random words through the
// disassembler. Exits 77 if llvm-mc is not installed.
#include "emulator/cpu/disassemble.h"
#include "tests/cpu/assemble.h"
#include "tests/cpu/encodings.h"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace myri::test;
using namespace myri::emulator;

namespace {

// Output of a command, standard error included.
std::string command_output(const std::string& command) {
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
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
        fprintf(stderr, "'%s' failed with status %d:\n%s\n", command.c_str(), status, output.c_str());
        exit(1);
    }
    return output;
}

// A file of its own, gone at the end of its scope.
class Input {
public:
    explicit Input(const std::string& text) {
        int file = mkstemp(path_);
        if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
            close(file) != 0) {
            perror(path_);
            exit(1);
        }
    }
    ~Input() { unlink(path_); }
    std::string path() const { return path_; }

private:
    char path_[30] = "/tmp/myri-llvm-mc-XXXXXX";
};

std::string find_assembler() {
    for (const char* name : {"llvm-mc-14", "llvm-mc"})
        if (system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0)
            return name;
    return "";
}

// The table of encodings.h: each text must assemble to its word.
size_t assemble_table(const std::string& assembler) {
    std::string source;
    for (const Encoding& e : encodings())
        source += std::string(e.text) + "\n";
    Input input(source);
    std::string output = command_output(assembler + " -triple=lanai -show-encoding " + input.path());
    // One "encoding: [0x..,0x..,0x..,0x..]" for each line, in order.
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
    printf("%zu encodings compared, %zu differ\n", encodings().size(), failures);
    return failures;
}

// A random word of a random format, within what both sides can say in the same words: registers 3 to 31 (so
// no aliases, no discarded results), shift amounts and J fields that are defined.
uint32_t random_word(std::mt19937& random) {
    auto any = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    auto r = [&] { return 3 + any(29); };
    uint32_t immediate = static_cast<uint32_t>(random()), f = any(2), dddi = any(16);
    static constexpr unsigned shifts[] = {0x10, 0x18};
    switch (any(10)) {
    case 0:
        return ri(any(7), r(), r(), immediate, f, any(2));
    case 1:
        return ri(op_shift, r(), r(), any(32), f); // left, so that H means nothing
    case 2:
        return ri(op_shift, r(), r(), 0u - 1 - any(31), f, any(2));
    case 3:
        return rm(any(2), r(), r(), 1 + any(3), static_cast<int32_t>(immediate));
    case 4:
        return rrm(any(2), word, r(), r(), r(), 1 + any(3), any(7));
    case 5:
        return rrm(false, word, r(), r(), r(), 1 + any(3), op_shift, shifts[any(2)]);
    case 6: {
        static constexpr unsigned sizes[] = {half, half_zero, byte, byte_zero};
        bool store = any(2);
        unsigned size = sizes[any(4)] & ~unsigned{store}; // E is 0 in stores
        return any(2) ? rrm(store, size, r(), r(), r(), 1 + any(3), any(7))
                      : spls(store, size, r(), r(), 1 + any(3), static_cast<int32_t>(immediate));
    }
    case 7:
        switch (any(4)) {
        case 0:
            return select(dddi, r(), r(), r());
        case 1:
            return shift_rr(r(), r(), r(), any(2), f, dddi);
        default:
            return rr(any(7), r(), r(), r(), f, dddi);
        }
    case 8:
        return count_bits(1 + any(3), r(), r()); // LLVM knows no popc.f
    default:
        return any(2) ? branch(dddi, immediate) : set_condition(dddi, r());
    }
}

// Our reading of random words against the disassembler's. `broken` damages our side: the comparison must
// notice.
size_t disassemble_random(const std::string& assembler, unsigned count, uint32_t broken) {
    std::mt19937 random(1);
    std::vector<uint32_t> words;
    std::string source;
    for (unsigned i = 0; i < count; i++) {
        uint32_t w = random_word(random);
        words.push_back(w);
        char line[40];
        snprintf(line, sizeof line, "0x%02x 0x%02x 0x%02x 0x%02x\n", w >> 24, w >> 16 & 255, w >> 8 & 255,
                 w & 255);
        source += line;
    }
    Input input(source);
    std::istringstream output(command_output(assembler + " -triple=lanai -disassemble " + input.path()));
    size_t differ = 0, at = 0;
    for (std::string line; std::getline(output, line);) {
        if (line.find(".text") != std::string::npos)
            continue;
        std::string theirs;
        for (char c : line) {
            if (c != '\t')
                theirs += c;
            else if (!theirs.empty())
                theirs += ' ';
        }
        if (at == words.size()) {
            printf("more lines than words: '%s'\n", theirs.c_str());
            return 1;
        }
        std::string ours = disassemble(decode(words[at] ^ broken));
        if (ours != theirs && differ++ < 20 && broken == 0)
            printf("%08x: %s says '%s', we read '%s'\n", words[at], assembler.c_str(), theirs.c_str(),
                   ours.c_str());
        at++;
    }
    if (at != words.size()) {
        printf("%zu words, %zu lines\n", words.size(), at);
        return 1;
    }
    return differ;
}

} // namespace

int main() {
    std::string assembler = find_assembler();
    if (assembler.empty()) {
        puts("llvm-mc is not installed");
        return 77;
    }
    size_t failures = assemble_table(assembler);
    size_t differ = disassemble_random(assembler, 20000, 0);
    printf("20000 random words compared, %zu differ\n", differ);
    bool noticed =
        disassemble_random(assembler, 100, 1u << 23) == 100; // another Rd, branch target, or no SCC
    if (!noticed)
        puts("a damaged bit was not noticed");
    return failures != 0 || differ != 0 || !noticed;
}
