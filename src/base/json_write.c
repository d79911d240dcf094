#include "base/json.h"

#include <string.h>

void lmbi_json_minify(lmbi_text *text, const char *at, size_t size)
{
    const char *end = at + size;
    while (at < end) {
        const char *start = at;
        bool quoted = false;
        while (at < end && (quoted || (*at != ' ' && *at != '\n' && *at != '\r' && *at != '\t'))) {
            if (quoted && *at == '\\' && at + 1 < end) {
                ++at;
            } else if (*at == '"') {
                quoted = !quoted;
            }
            ++at;
        }
        lmbi_text_bytes(text, start, (size_t)(at - start));
        while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) {
            ++at;
        }
    }
}

static void put_escaped(lmbi_text *text, unsigned char c)
{
    switch (c) {
    case '"':
        lmbi_text_add(text, "\\\"");
        break;
    case '\\':
        lmbi_text_add(text, "\\\\");
        break;
    case '\n':
        lmbi_text_add(text, "\\n");
        break;
    case '\r':
        lmbi_text_add(text, "\\r");
        break;
    case '\t':
        lmbi_text_add(text, "\\t");
        break;
    default:
        lmbi_text_format(text, "\\u%04x", c);
        break;
    }
}

void lmbi_json_quote(lmbi_text *text, const char *value)
{
    lmbi_text_add(text, "\"");
    const char *end = value + strlen(value);
    while (value < end) {
        const char *start = value;
        size_t length = 0;
        while (value < end && (unsigned char)*value >= 0x20 && *value != '"' && *value != '\\' &&
               (length = lmbi_utf8_length(value, end)) > 0) {
            value += length;
        }
        lmbi_text_bytes(text, start, (size_t)(value - start));
        if (value < end) {
            const unsigned char c = (unsigned char)*value++;
            if (c < 0x80) {
                put_escaped(text, c);
            } else {
                lmbi_text_add(text, "\xEF\xBF\xBD");
            }
        }
    }
    lmbi_text_add(text, "\"");
}

static void begin(lmbi_json_out *out, const char *key)
{
    if (!out->first) {
        lmbi_text_add(out->text, ",");
    }
    out->first = false;
    if (key) {
        lmbi_json_quote(out->text, key);
        lmbi_text_add(out->text, ":");
    }
}

void lmbi_json_open(lmbi_json_out *out, const char *key, char bracket)
{
    begin(out, key);
    lmbi_text_bytes(out->text, &bracket, 1);
    out->first = true;
}

void lmbi_json_close(lmbi_json_out *out, char bracket)
{
    lmbi_text_bytes(out->text, &bracket, 1);
    out->first = false;
}

void lmbi_json_put_string(lmbi_json_out *out, const char *key, const char *value)
{
    begin(out, key);
    lmbi_json_quote(out->text, value);
}

void lmbi_json_put_int(lmbi_json_out *out, const char *key, int64_t value)
{
    begin(out, key);
    lmbi_text_int(out->text, value);
}

void lmbi_json_put_float(lmbi_json_out *out, const char *key, float value)
{
    begin(out, key);
    lmbi_text_float(out->text, value);
}

void lmbi_json_put_floats(lmbi_json_out *out, const char *key, const float *values, size_t count)
{
    lmbi_json_open(out, key, '[');
    for (size_t k = 0; k < count; ++k) {
        lmbi_json_put_float(out, NULL, values[k]);
    }
    lmbi_json_close(out, ']');
}

void lmbi_json_put_bool(lmbi_json_out *out, const char *key, bool value)
{
    begin(out, key);
    lmbi_text_add(out->text, value ? "true" : "false");
}

void lmbi_json_put_raw(lmbi_json_out *out, const char *key, const char *json, size_t size)
{
    begin(out, key);
    lmbi_text_bytes(out->text, json, size);
}

void lmbi_json_put_member(lmbi_json_out *out, const lmbi_json *member)
{
    if (member->key) {
        lmbi_json_put_raw(out, NULL, member->key - 1,
                          (size_t)(member->at + member->size - member->key) + 1);
    }
}

void lmbi_json_put_members(lmbi_json_out *out, const char *json)
{
    if (json == NULL) {
        return;
    }
    const char *open = strchr(json, '{');
    const char *close = strrchr(json, '}');
    if (open == NULL || close == NULL || close < open) {
        return;
    }
    ++open;
    while (open < close && (*open == ' ' || *open == '\n' || *open == '\r' || *open == '\t')) {
        ++open;
    }
    if (open < close) {
        lmbi_json_put_raw(out, NULL, open, (size_t)(close - open));
    }
}
