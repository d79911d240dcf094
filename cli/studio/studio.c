/// `limber studio`: serves the page to this machine, with a file open.
#include "cli/studio/answer.h"
#include "os/interrupt.h"
#include "os/paths.h"
#include "os/process.h"
#include "os/server.h"

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_PORT = 8017 };

typedef struct studio_options {
    int64_t port;
    const char *page;
    bool no_open;
} studio_options;

#include "cli/studio/studio.options.h"

// ------------------------------------------------------------------------------- where the page is

static char *join(const char *folder, size_t size, const char *rest)
{
    const size_t more = strlen(rest) + 1;
    char *out = cli_resize(NULL, size + more, 1);
    memcpy(out, folder, size);
    memcpy(out + size, rest, more);
    return out;
}

static bool is_page(const char *folder)
{
    static const char *const needed[] = {"/index.html", "/studio.js", "/worker.js", "/limber.wasm"};
    bool whole = true;
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; ++k) {
        char *path = join(folder, strlen(folder), needed[k]);
        whole = whole && lmbi_path_kind_of(path) == LMB_PATH_FILE;
        free(path);
    }
    return whole;
}

/// Beside the command: as installed, or as `./dev studio` builds it. `out` is to be freed.
static cli_exit find_beside(const cli_run *cli, char **out)
{
    static const char *const candidates[] = {"../share/limber/studio", "../studio"};
    char *program = lmbi_program_path(), *tried[2] = {NULL, NULL};
    const char *slash = program != NULL ? strrchr(program, '/') : NULL;
    for (int k = 0; slash != NULL && k < 2 && *out == NULL; ++k) {
        tried[k] = join(program, (size_t)(slash - program) + 1, candidates[k]);
        if (is_page(tried[k])) {
            *out = tried[k];
            tried[k] = NULL;
        }
    }
    cli_exit code = CLI_DONE;
    if (*out == NULL) {
        code = cli_fail(cli, CLI_FAILED,
                        "the page is neither in %s nor in %s: `./dev studio` in Limber's source "
                        "builds it, --page or LIMBER_STUDIO gives its folder",
                        tried[0] != NULL ? tried[0] : candidates[0],
                        tried[1] != NULL ? tried[1] : candidates[1]);
    }
    free(tried[0]);
    free(tried[1]);
    free(program);
    return code;
}

static cli_exit find_page(const cli_run *cli, const studio_options *o, char **out)
{
    const char *given = o->page != NULL ? o->page : getenv("LIMBER_STUDIO");
    if (given == NULL || given[0] == 0) {
        return find_beside(cli, out);
    }
    if (!is_page(given)) {
        return cli_fail(cli, CLI_INPUT,
                        "%s: expected the built page (index.html, studio.js, worker.js, "
                        "limber.wasm), which `./dev studio` builds",
                        given);
    }
    *out = join(given, strlen(given), "");
    return CLI_DONE;
}

// ---------------------------------------------------------------------------------------- serving

static cli_exit check_options(const cli_run *cli, const studio_options *o)
{
    const char *file = cli->input_count > 0 ? cli->inputs[0] : NULL;
    if (cli_given(cli, "port") && (o->port < 0 || o->port > 65535)) {
        return cli_fail(cli, CLI_USAGE, "--port: expected 0 to 65535, found %lld",
                        (long long)o->port);
    }
    if (file != NULL && lmbi_path_kind_of(file) != LMB_PATH_FILE) {
        return cli_fail(cli, CLI_INPUT, "%s: expected a file, found %s", file,
                        lmbi_path_kind_of(file) == LMB_PATH_NOTHING ? "nothing" : "something else");
    }
    return CLI_DONE;
}

static cli_exit open_port(const cli_run *cli, const studio_options *o, studio_desk *desk,
                          lmbi_server **out)
{
    lmb_error error = {0};
    lmbi_server_def def = {.host = "127.0.0.1",
                           .port = (uint16_t)(o->port < 0 ? USUAL_PORT : o->port),
                           .request_most = STUDIO_REQUEST_MOST,
                           .answer = studio_answer,
                           .context = desk};
    lmb_result result = lmbi_server_open(&def, out, &error);
    if (result != LMB_OK && o->port < 0) {
        def.port = 0;
        result = lmbi_server_open(&def, out, &error);
    }
    if (result != LMB_OK) {
        return cli_fail(cli, CLI_FAILED, "port %u: %s", (unsigned)def.port,
                        result == LMB_ERROR_MEMORY ? "out of memory" : error.found);
    }
    desk->port = lmbi_server_port(*out);
    return CLI_DONE;
}

/// The address of the page, which opens the file that stands in it. To be freed.
static char *make_address(const studio_desk *desk)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    const char *name = desk->site.name != NULL ? desk->site.name : "";
    char *out = cli_resize(NULL, 64 + 3 * strlen(name), 1);
    int at =
        sprintf(out, "http://127.0.0.1:%u/%s", (unsigned)desk->port, name[0] != 0 ? "#file=" : "");
    for (; *name != 0; ++name) {
        at += strchr(plain, *name) != NULL
                  ? sprintf(out + at, "%c", *name)
                  : sprintf(out + at, "%%%02X", (unsigned)(unsigned char)*name);
    }
    return out;
}

static void tell(const cli_run *cli, const studio_desk *desk, const char *address)
{
    cli_say(cli, "studio", "%s (Ctrl+C ends it)", address);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "address", address);
        cli_json_integer(&json, "port", desk->port);
        cli_json_text(&json, "page", desk->site.page);
        cli_json_end(&json, '}');
        fflush(stdout);
    }
}

static cli_exit serve(cli_run *cli, const studio_options *o, studio_desk *desk)
{
    lmbi_server *server = NULL;
    const cli_exit code = open_port(cli, o, desk, &server);
    if (code != CLI_DONE) {
        return code;
    }
    char *address = make_address(desk);
    lmbi_interrupt_catch();
    tell(cli, desk, address);
    if (!o->no_open && !lmbi_desktop_open(address)) {
        cli_detail(cli, "studio", "there is no desktop that would open it");
    }
    free(address);
    bool whole = true;
    while (whole && !lmbi_interrupted()) {
        whole = lmbi_server_step(server, 0.5);
    }
    lmbi_server_close(server);
    return whole ? CLI_DONE : cli_fail(cli, CLI_FAILED, "port %u broke", (unsigned)desk->port);
}

static cli_exit run_studio(cli_run *cli, const void *given)
{
    const studio_options *o = given;
    char *page = NULL;
    cli_exit code = check_options(cli, o);
    if (code == CLI_DONE) {
        code = find_page(cli, o, &page);
    }
    if (code == CLI_DONE) {
        studio_desk desk = {0};
        studio_site_start(&desk.site, page, cli->input_count > 0 ? cli->inputs[0] : NULL);
        code = serve(cli, o, &desk);
        studio_site_end(&desk.site);
    }
    free(page);
    return code;
}
