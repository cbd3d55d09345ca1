// SPDX-License-Identifier: BSD-3-Clause
// A 16-way switch (compare tree), a 130-way one (jump table), a sparse one and a computed goto.
#include "tests/toolchain/print.h"

static NOINLINE uint32_t of_16(uint32_t v, uint32_t x) {
    switch (v) {
    case 0:
        return x + 0u;
    case 1:
        return x ^ 49009u;
    case 2:
        return x * 32497u;
    case 3:
        return x - 15985u;
    case 4:
        return x | 64994u;
    case 5:
        return 48482u - x;
    case 6:
        return x << 7;
    case 7:
        return x >> 8;
    case 8:
        return x + 64467u;
    case 9:
        return x ^ 47955u;
    case 10:
        return x * 31443u;
    case 11:
        return x - 14931u;
    case 12:
        return x | 63940u;
    case 13:
        return 47428u - x;
    case 14:
        return x << 15;
    case 15:
        return x >> 16;
    }
    return 0xdefa0170u;
}

// Every case differs, so that none can be merged or turned into a table of values.
static NOINLINE uint32_t of_130(uint32_t v, uint32_t x) {
    switch (v) {
    case 3:
        return x + 1u;
    case 4:
        return 40504u - x;
    case 5:
        return x * 15486u;
    case 6:
        return x >> 4;
    case 7:
        return x | 30971u;
    case 8:
        return x ^ 5953u;
    case 9:
        return x << 7;
    case 10:
        return x - 21438u;
    case 11:
        return x + 61941u;
    case 12:
        return 36923u - x;
    case 13:
        return x * 11905u;
    case 14:
        return x >> 12;
    case 15:
        return x | 27390u;
    case 16:
        return x ^ 2372u;
    case 17:
        return x << 15;
    case 18:
        return x - 17857u;
    case 19:
        return x + 58360u;
    case 20:
        return 33342u - x;
    case 21:
        return x * 8324u;
    case 22:
        return x >> 20;
    case 23:
        return x | 23809u;
    case 24:
        return x ^ 64312u;
    case 25:
        return x << 23;
    case 26:
        return x - 14276u;
    case 27:
        return x + 54779u;
    case 28:
        return 29761u - x;
    case 29:
        return x * 4743u;
    case 30:
        return x >> 28;
    case 31:
        return x | 20228u;
    case 32:
        return x ^ 60731u;
    case 33:
        return x << 31;
    case 34:
        return x - 10695u;
    case 35:
        return x + 51198u;
    case 36:
        return 26180u - x;
    case 37:
        return x * 1162u;
    case 38:
        return x >> 5;
    case 39:
        return x | 16647u;
    case 40:
        return x ^ 57150u;
    case 41:
        return x << 8;
    case 42:
        return x - 7114u;
    case 43:
        return x + 47617u;
    case 44:
        return 22599u - x;
    case 45:
        return x * 63102u;
    case 46:
        return x >> 13;
    case 47:
        return x | 13066u;
    case 48:
        return x ^ 53569u;
    case 49:
        return x << 16;
    case 50:
        return x - 3533u;
    case 51:
        return x + 44036u;
    case 52:
        return 19018u - x;
    case 53:
        return x * 59521u;
    case 54:
        return x >> 21;
    case 55:
        return x | 9485u;
    case 56:
        return x ^ 49988u;
    case 57:
        return x << 24;
    case 58:
        return x - 65473u;
    case 59:
        return x + 40455u;
    case 60:
        return 15437u - x;
    case 61:
        return x * 55940u;
    case 62:
        return x >> 29;
    case 63:
        return x | 5904u;
    case 64:
        return x ^ 46407u;
    case 65:
        return x << 1;
    case 66:
        return x - 61892u;
    case 67:
        return x + 36874u;
    case 68:
        return 11856u - x;
    case 69:
        return x * 52359u;
    case 70:
        return x >> 6;
    case 71:
        return x | 2323u;
    case 72:
        return x ^ 42826u;
    case 73:
        return x << 9;
    case 74:
        return x - 58311u;
    case 75:
        return x + 33293u;
    case 76:
        return 8275u - x;
    case 77:
        return x * 48778u;
    case 78:
        return x >> 14;
    case 79:
        return x | 64263u;
    case 80:
        return x ^ 39245u;
    case 81:
        return x << 17;
    case 82:
        return x - 54730u;
    case 83:
        return x + 29712u;
    case 84:
        return 4694u - x;
    case 85:
        return x * 45197u;
    case 86:
        return x >> 22;
    case 87:
        return x | 60682u;
    case 88:
        return x ^ 35664u;
    case 89:
        return x << 25;
    case 90:
        return x - 51149u;
    case 91:
        return x + 26131u;
    case 92:
        return 1113u - x;
    case 93:
        return x * 41616u;
    case 94:
        return x >> 30;
    case 95:
        return x | 57101u;
    case 96:
        return x ^ 32083u;
    case 97:
        return x << 2;
    case 98:
        return x - 47568u;
    case 99:
        return x + 22550u;
    case 100:
        return 63053u - x;
    case 101:
        return x * 38035u;
    case 102:
        return x >> 7;
    case 103:
        return x | 53520u;
    case 104:
        return x ^ 28502u;
    case 105:
        return x << 10;
    case 106:
        return x - 43987u;
    case 107:
        return x + 18969u;
    case 108:
        return 59472u - x;
    case 109:
        return x * 34454u;
    case 110:
        return x >> 15;
    case 111:
        return x | 49939u;
    case 112:
        return x ^ 24921u;
    case 113:
        return x << 18;
    case 114:
        return x - 40406u;
    case 115:
        return x + 15388u;
    case 116:
        return 55891u - x;
    case 117:
        return x * 30873u;
    case 118:
        return x >> 23;
    case 119:
        return x | 46358u;
    case 120:
        return x ^ 21340u;
    case 121:
        return x << 26;
    case 122:
        return x - 36825u;
    case 123:
        return x + 11807u;
    case 124:
        return 52310u - x;
    case 125:
        return x * 27292u;
    case 126:
        return x >> 31;
    case 127:
        return x | 42777u;
    case 128:
        return x ^ 17759u;
    case 129:
        return x << 3;
    case 130:
        return x - 33244u;
    case 131:
        return x + 8226u;
    case 132:
        return 48729u - x;
    }
    return 0xdefa0171u;
}

static NOINLINE uint32_t sparse(int32_t v) {
    switch (v) {
    case -2147483647 - 1:
        return 1;
    case -100000:
        return 2;
    case -1:
        return 3;
    case 0:
        return 4;
    case 5 ... 12:
        return 5;
    case 70000:
        return 6;
    case 2147483647:
        return 7;
    }
    return 0;
}

// Adds, doubles, jumps: a small interpreter. The code must not be known to the compiler, see
// faults/label_address.c.
static NOINLINE uint32_t interpret(const uint8_t* code, uint32_t x) {
    static const void* const labels[] = {&&stop, &&add, &&twice, &&skip_if_even, &&invert};
    goto* labels[*code];
add:
    x += 3;
    goto* labels[*++code];
twice:
    x *= 2;
    goto* labels[*++code];
skip_if_even:
    code += (x & 1) == 0;
    goto* labels[*++code];
invert:
    x = ~x;
    goto* labels[*++code];
stop:
    return x;
}

int main(void) {
    for (uint32_t i = 0; i < 20; i++)
        show("16", of_16(i - 2, 0x01234567u * (i + 1)));
    for (uint32_t i = 0; i < 140; i++)
        show("130", of_130(i - 2, 0x01234567u * (i + 1)));
    static const int32_t values[] = {
        -2147483647 - 1, -2147483647, -100001,    -100000,   -2, -1, 0, 1, 4, 5, 8, 12, 13,
        69999,           70000,       2147483646, 2147483647};
    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++)
        show("sparse", sparse(values[i]));
    static const uint8_t code[] = {1, 3, 2, 4, 3, 1, 2, 1, 0};
    for (uint32_t i = 0; i < 8; i++)
        show("interpret", interpret(code + hidden(0), hidden(i)));
    return finish(0);
}
