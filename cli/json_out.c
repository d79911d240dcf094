#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

/// Of what --json prints: raised when a key goes or changes its meaning, not when one is added.
enum { SCHEMA = 1 };

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c != 0; ++c) {
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(file, "\\u%04x", *c);
        } else if (cli_utf8_size((const char *)c) == 0) {
            fputs("\\ufffd", file); // JSON is UTF-8, whatever a name is in
        } else if (*c == 0xc2 && c[1] < 0xa0) {
            fprintf(file, "\\u%04x", *++c); // controls of 0x80 to 0x9f
        } else {
            const size_t size = cli_utf8_size((const char *)c);
            fwrite(c, 1, size, file);
            c += size - 1;
        }
    }
    fputc('"', file);
}

/// Comma, new line, indentation and key before a value.
static void lead(cli_json *json, const char *key)
{
    if (json->filled) {
        fputc(',', json->file);
    }
    if (json->depth > 0) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    if (key != NULL) {
        write_string(json->file, key);
        fputs(": ", json->file);
    }
    json->filled = true;
}

void cli_json_begin(cli_json *json, const char *key, char bracket)
{
    lead(json, key);
    fputc(bracket, json->file);
    ++json->depth;
    json->filled = false;
    if (json->depth == 1 && bracket == '{') {
        cli_json_integer(json, "schema", SCHEMA);
    }
}

void cli_json_end(cli_json *json, char bracket)
{
    --json->depth;
    if (json->filled) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->file);
    json->filled = true;
    if (json->depth == 0) {
        fputc('\n', json->file);
    }
}

void cli_json_text(cli_json *json, const char *key, const char *text)
{
    if (text == NULL) {
        cli_json_null(json, key);
        return;
    }
    lead(json, key);
    write_string(json->file, text);
}

void cli_json_integer(cli_json *json, const char *key, int64_t value)
{
    lead(json, key);
    fprintf(json->file, "%lld", (long long)value);
}

static void write_number(FILE *file, float value)
{
    char text[32];
    if (!isfinite(value)) {
        fputs("null", file);
        return;
    }
    for (int digits = 6; digits <= 9; ++digits) {
        snprintf(text, sizeof(text), "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) {
            break;
        }
    }
    fputs(text, file);
}

void cli_json_number(cli_json *json, const char *key, float value)
{
    lead(json, key);
    write_number(json->file, value);
}

void cli_json_bool(cli_json *json, const char *key, bool value)
{
    lead(json, key);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_null(cli_json *json, const char *key)
{
    lead(json, key);
    fputs("null", json->file);
}

void cli_json_vec3(cli_json *json, const char *key, lmb_vec3 value)
{
    const float parts[3] = {value.x, value.y, value.z};
    lead(json, key);
    fputc('[', json->file);
    for (int i = 0; i < 3; ++i) {
        fputs(i > 0 ? ", " : "", json->file);
        write_number(json->file, parts[i]);
    }
    fputc(']', json->file);
}
