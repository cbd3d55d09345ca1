/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The board's identity: NUL-terminated strings KEY=value, ended by an empty one. */
#include "board/access.h"

static int hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Six bytes of one or two hex digits, with colons between. */
static bool parse_mac(const char *text, uint64_t *mac) {
    unsigned byte, digits, value;

    *mac = 0;
    for (byte = 0; byte < 6; byte++) {
        value = 0;
        for (digits = 0; digits < 2 && hex_digit(*text) >= 0; digits++)
            value = value << 4 | (unsigned)hex_digit(*text++);
        if (digits == 0)
            return false;
        *mac = *mac << 8 | value;
        if (*text++ != (byte < 5 ? ':' : '\0'))
            return false;
    }
    return true;
}

static bool parse_serial(const char *text, uint32_t *serial) {
    uint64_t value = 0;

    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
        if (value > 0xffffffffu)
            return false;
    }
    *serial = (uint32_t)value;
    return true;
}

/* A code is 1 to BOARD_STRING_MAX - 1 printable characters. */
static bool parse_code(const char *text, char code[BOARD_STRING_MAX]) {
    uint32_t n;

    for (n = 0; text[n] != '\0'; n++)
        if (n == BOARD_STRING_MAX - 1 || text[n] < ' ' || text[n] > '~')
            return false;
    memcpy(code, text, n + 1);
    return n > 0;
}

int board_eeprom_parse(const char *bytes, uint32_t length, struct board_eeprom *eeprom, const char **why) {
    bool mac = false, product = false, part = false;
    uint32_t at = 0, size;
    const char *text;

    memset(eeprom, 0, sizeof(*eeprom));
    *why = NULL;
    while (at < length && bytes[at] != '\0') {
        text = bytes + at;
        for (size = 0; at + size < length && text[size] != '\0'; size++)
            ;
        if (at + size == length) {
            *why = "a string without an end";
            return -EINVAL;
        }
        at += size + 1;
        if (size >= 4 && memcmp(text, "MAC=", 4) == 0) {
            mac = parse_mac(text + 4, &eeprom->mac);
            if (!mac)
                *why = "MAC= is not six hex bytes with colons";
        } else if (size >= 3 && memcmp(text, "SN=", 3) == 0) {
            if (!parse_serial(text + 3, &eeprom->serial))
                *why = "SN= is not a decimal number of 32 bits";
        } else if (size >= 3 && memcmp(text, "PC=", 3) == 0) {
            product = parse_code(text + 3, eeprom->product_code);
            if (!product)
                *why = "PC= is not 1 to 31 printable characters";
        } else if (size >= 3 && memcmp(text, "PN=", 3) == 0) {
            part = parse_code(text + 3, eeprom->part_number);
            if (!part)
                *why = "PN= is not 1 to 31 printable characters";
        }
        if (*why)
            return -EINVAL;
    }
    if (!mac)
        *why = "no MAC=";
    else if (!product)
        *why = "no PC=";
    else if (!part)
        *why = "no PN=";
    return *why ? -EINVAL : 0;
}

int board_parse_eeprom(const char *bytes, uint32_t length, struct board_eeprom *eeprom) {
    const char *why;

    return board_eeprom_parse(bytes, length, eeprom, &why);
}
