#ifndef BASE_HEX_H
#define BASE_HEX_H

/// 0 to 15, or -1 for what is no hexadecimal digit.
static inline int lmbi_hex_value(char c)
{
    const char lower = (char)(c | 0x20);
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif
