/// A table and a page of what the results of a folder say.
#include "cli/batch/batch.h"

#include "base/sha256.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static cli_exit write_text(const char *path, lmbi_text *text)
{
    cli_exit code = CLI_FAILED;
    if (text->failed) {
        fputs("limber: out of memory\n", stderr);
    } else {
        code = cli_bytes_write(path, text->data, text->size);
    }
    lmbi_text_free(text);
    return code;
}

// --------------------------------------------------------------------------------------------- CSV

/// RFC 4180: in quotes where commas, quotes or line ends stand, quotes doubled.
static void put_field(lmbi_text *out, const char *text, char end)
{
    text = text != NULL ? text : "";
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    lmbi_text_add(out, quoted ? "\"" : "");
    for (; *text != 0; ++text) {
        lmbi_text_bytes(out, text, 1);
        if (*text == '"') {
            lmbi_text_add(out, "\"");
        }
    }
    lmbi_text_add(out, quoted ? "\"" : "");
    lmbi_text_bytes(out, &end, 1);
}

static void put_row(lmbi_text *out, const batch_record *r)
{
    char hex[LMBI_SHA256_HEX];
    lmbi_sha256_hex(r->wrote.digest, hex);
    put_field(out, r->id, ',');
    put_field(out, batch_status_name(r->status), ',');
    if (r->exit_code >= 0) {
        lmbi_text_int(out, r->exit_code);
    }
    lmbi_text_add(out, ",");
    put_field(out, r->output, ',');
    put_field(out, r->wrote.there ? hex : NULL, ',');
    lmbi_text_format(out, "%llu,", (unsigned long long)r->wrote.size);
    put_field(out, r->error, ',');
    for (size_t k = 0; k < r->codes.count; ++k) {
        lmbi_text_format(out, "%s%s", k > 0 ? " " : "", r->codes.at[k]);
    }
    lmbi_text_add(out, ",");
    lmbi_text_float(out, r->wall_s);
    lmbi_text_add(out, ",");
    lmbi_text_float(out, r->peak_mb);
    lmbi_text_add(out, "\n");
}

cli_exit batch_report_csv(const char *path, const batch_records *records)
{
    lmbi_text out;
    lmbi_text_init(&out, NULL);
    lmbi_text_add(&out, "id,status,exit_code,output,output_sha256,output_bytes,error,codes,wall_s,"
                        "peak_mb\n");
    for (size_t k = 0; k < records->count; ++k) {
        put_row(&out, &records->items[k]);
    }
    return write_text(path, &out);
}

// -------------------------------------------------------------------------------------------- HTML

static void put_escaped(lmbi_text *out, const char *text)
{
    for (; text != NULL && *text != 0; ++text) {
        const unsigned char c = (unsigned char)*text;
        if (c == '<' || c == '>' || c == '&' || c == '"' || c == '\'' || c < 0x20) {
            lmbi_text_format(out, "&#%u;", c);
        } else {
            lmbi_text_bytes(out, text, 1);
        }
    }
}

/// A path as the reference of a link: what is no plain character of one is written as %XX.
static void put_link(lmbi_text *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.~/";
    for (; *text != 0; ++text) {
        if (strchr(plain, *text) != NULL) {
            lmbi_text_bytes(out, text, 1);
        } else {
            lmbi_text_format(out, "%%%02X", (unsigned char)*text);
        }
    }
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), length = strlen(end);
    return size >= length && strcmp(text + size - length, end) == 0;
}

static void put_file(lmbi_text *out, const char *folder, const char *path, const char *label)
{
    if (path == NULL) {
        return;
    }
    const bool picture = ends_with(path, ".png") || ends_with(path, ".gif");
    lmbi_text_add(out, "<a href=\"");
    put_link(out, folder);
    put_link(out, path);
    lmbi_text_add(out, "\">");
    if (picture) {
        lmbi_text_add(out, "<img loading=\"lazy\" alt=\"");
        put_escaped(out, label);
        lmbi_text_add(out, "\" src=\"");
        put_link(out, folder);
        put_link(out, path);
        lmbi_text_add(out, "\">");
    } else {
        put_escaped(out, label);
    }
    lmbi_text_add(out, "</a> ");
}

static void put_counts(lmbi_text *out, const batch_summary *s)
{
    lmbi_text_add(out, "<table><tr><th>items</th>");
    for (int status = BATCH_LEFT; status < BATCH_SKIPPED; ++status) {
        lmbi_text_format(out, "<th>%s</th>", batch_status_name((batch_status)status));
    }
    lmbi_text_format(out, "</tr><tr><td>%zu</td>", s->items);
    for (int status = BATCH_LEFT; status < BATCH_SKIPPED; ++status) {
        lmbi_text_format(out, "<td>%zu</td>", s->counts[status]);
    }
    lmbi_text_add(out, "</tr></table>\n");
}

static void put_clusters(lmbi_text *out, const batch_summary *s)
{
    if (s->cluster_count == 0) {
        return;
    }
    lmbi_text_add(out, "<h2>Failures, alike ones together</h2>\n<table><tr><th>items</th>"
                       "<th>status</th><th>first</th><th>message</th></tr>\n");
    for (size_t k = 0; k < s->cluster_count; ++k) {
        const batch_record *first = s->clusters[k].first;
        lmbi_text_format(out, "<tr><td>%zu</td><td>%s</td><td>", s->clusters[k].count,
                         batch_status_name(first->status));
        put_escaped(out, first->id);
        lmbi_text_add(out, "</td><td>");
        put_escaped(out, first->error);
        lmbi_text_add(out, "</td></tr>\n");
    }
    lmbi_text_add(out, "</table>\n");
}

static void put_item(lmbi_text *out, const char *folder, const batch_record *r)
{
    const bool made = r->status == BATCH_DONE || r->status == BATCH_SKIPPED;
    lmbi_text_format(out, "<tr class=\"%s\"><td>", batch_status_name(r->status));
    put_escaped(out, r->id);
    lmbi_text_format(out, "</td><td>%s</td><td>", batch_status_name(r->status));
    put_file(out, folder, made ? r->output : NULL, r->output);
    put_file(out, folder, made || r->printed.there ? r->print : NULL, r->print);
    put_escaped(out, r->error);
    for (size_t k = 0; k < r->codes.count; ++k) {
        lmbi_text_add(out, " ");
        put_escaped(out, r->codes.at[k]);
    }
    lmbi_text_format(out, "</td><td>%.2f</td><td>%.0f</td></tr>\n", (double)r->wall_s,
                     (double)r->peak_mb);
}

cli_exit batch_report_html(const char *path, const char *folder, const batch_records *records,
                           const batch_summary *summary)
{
    // A page inside the folder has its links from there, so that both can be moved together.
    const size_t size = strlen(folder);
    const bool inside = strncmp(path, folder, size) == 0 && strchr(path + size, '/') == NULL;
    char *root = inside ? NULL : realpath(folder, NULL);
    char *from = root != NULL ? batch_folder_of(root) : batch_join(inside ? "" : folder, "");
    free(root);
    lmbi_text out;
    lmbi_text_init(&out, NULL);
    lmbi_text_add(
        &out, "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Batch</title>\n"
              "<style>body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}"
              "td,th{border:1px solid #ccc;padding:3px 8px;text-align:left;vertical-align:top}"
              "img{max-width:320px;display:block}.failed td,.timeout td,.crashed td"
              "{background:#fdeaea}</style>\n<h1>Batch</h1>\n");
    put_counts(&out, summary);
    put_clusters(&out, summary);
    lmbi_text_add(&out, "<h2>Items</h2>\n<table><tr><th>id</th><th>status</th><th>files</th>"
                        "<th>seconds</th><th>MB</th></tr>\n");
    for (size_t k = 0; k < records->count; ++k) {
        put_item(&out, from, &records->items[k]);
    }
    lmbi_text_add(&out, "</table></html>\n");
    free(from);
    return write_text(path, &out);
}
