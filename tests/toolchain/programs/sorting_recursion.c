// SPDX-License-Identifier: BSD-3-Clause
// Quicksort through a function pointer, shellsort, and deep and mutual recursion.
#include "tests/toolchain/print.h"

#define COUNT 1000
static int32_t numbers[COUNT];

static NOINLINE int rising(int32_t a, int32_t b) {
    return a < b ? -1 : a > b;
}
static NOINLINE int falling_unsigned(int32_t a, int32_t b) {
    return (uint32_t)a > (uint32_t)b ? -1 : (uint32_t)a < (uint32_t)b;
}

static void quicksort(int32_t* v, int32_t low, int32_t high, int (*compare)(int32_t, int32_t)) {
    if (low >= high)
        return;
    int32_t pivot = v[low + (high - low) / 2], i = low, j = high;
    while (i <= j) {
        while (compare(v[i], pivot) < 0)
            i++;
        while (compare(v[j], pivot) > 0)
            j--;
        if (i <= j) {
            int32_t swap = v[i];
            v[i++] = v[j];
            v[j--] = swap;
        }
    }
    quicksort(v, low, j, compare);
    quicksort(v, i, high, compare);
}

static NOINLINE void shellsort(int32_t* v, int32_t n) {
    for (int32_t gap = n / 2; gap > 0; gap /= 2)
        for (int32_t i = gap; i < n; i++) {
            int32_t moving = v[i], j = i;
            for (; j >= gap && v[j - gap] > moving; j -= gap)
                v[j] = v[j - gap];
            v[j] = moving;
        }
}

static NOINLINE void fill(uint32_t seed) {
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (int32_t)next_random(&seed);
}

static NOINLINE void show_numbers(const char* name) {
    uint32_t hash = 2166136261u;
    for (int i = 0; i < COUNT; i++)
        hash = (hash ^ (uint32_t)numbers[i]) * 16777619u;
    put_text(name);
    for (int i = 0; i < COUNT; i += 111) {
        put(' ');
        put_hex((uint32_t)numbers[i]);
    }
    show(" hash", hash);
}

static NOINLINE uint32_t ackermann(uint32_t m, uint32_t n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static NOINLINE int is_odd(uint32_t n);
static NOINLINE int is_even(uint32_t n) {
    return n == 0 ? 1 : is_odd(n - 1);
}
static NOINLINE int is_odd(uint32_t n) {
    return n == 0 ? 0 : is_even(n - 1);
}
static NOINLINE uint32_t fibonacci(uint32_t n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE uint32_t hanoi(uint32_t n, uint32_t from, uint32_t to, uint32_t over) {
    if (n == 0)
        return 0;
    uint32_t before = hanoi(n - 1, from, over, to);
    return before * 3 + from * 7 + to + hanoi(n - 1, over, to, from);
}

int main(void) {
    fill(7);
    show_numbers("unsorted");
    quicksort(numbers, 0, COUNT - 1, rising);
    show_numbers("quick rising");
    quicksort(numbers, 0, COUNT - 1, falling_unsigned);
    show_numbers("quick falling");
    fill(8);
    shellsort(numbers, COUNT);
    show_numbers("shell");
    show("ackermann", ackermann(2, 5));
    show("even", (uint32_t)(is_even(hidden(40)) * 10 + is_even(hidden(41))));
    show("fibonacci", fibonacci(hidden(17)));
    show("hanoi", hanoi(hidden(10), 1, 2, 3));
    return finish(0);
}
