// A maker's style: learns from rigged characters, and binds another one anew in that taste.
//     build/samples/35_style NEW.glb MAKERS_1.glb MAKERS_2.glb...
// Says how far the weights of NEW are from its own, by heat and by the style.
#include <stdio.h>
#include <stdlib.h>

#include "limber/io.h"
#include "limber/limber.h"
#include "limber/os.h"

static lmb_character *read(const char *path)
{
    lmb_file file;
    lmb_character *character = NULL;
    lmb_error error;
    if (lmb_file_read(path, 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &character, &error) != LMB_OK) {
        fprintf(stderr, "%s: expected %s, found %s\n", path, error.expected, error.found);
        exit(1);
    }
    lmb_file_free(&file);
    return character;
}

static float distance(const lmb_character *character, const lmb_weights_opts *opts)
{
    lmb_surface *surface;
    lmb_weights *weights;
    lmb_weights_score score;
    if (lmb_weights_again(character, opts, NULL, &surface, &weights, NULL) != LMB_OK ||
        lmb_weights_compare(character, surface, weights, NULL, &score, NULL, NULL) != LMB_OK) {
        exit(1);
    }
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    return score.l1_mean;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "35_style NEW.glb MAKERS_1.glb MAKERS_2.glb...\n");
        return 2;
    }
    lmb_character *character = read(argv[1]);
    const size_t count = (size_t)argc - 2;
    lmb_character **makers = malloc(count * sizeof *makers);
    if (!makers) {
        return 1;
    }
    for (size_t k = 0; k < count; ++k) {
        makers[k] = read(argv[2 + k]);
    }
    lmb_style *style;
    lmb_weights_model *model;
    lmb_error error;
    const lmb_style_opts opts = {.epochs = 20, .samples = 400, .no_report = true};
    if (lmb_style_train((const lmb_character *const *)makers, (uint32_t)count, &opts, NULL, &style,
                        &error) != LMB_OK ||
        lmb_style_model_create(style, character->skeleton, NULL, &model, &error) != LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    const lmb_weights_opts heat = {.method = LMB_WEIGHTS_HEAT},
                           learned = {.method = LMB_WEIGHTS_LEARNED, .model = model};
    printf("L1 to its own weights: heat %.3f, in the maker's style %.3f\n",
           (double)distance(character, &heat), (double)distance(character, &learned));
    lmb_style_model_destroy(model);
    lmb_style_destroy(style);
    for (size_t k = 0; k < count; ++k) {
        lmb_character_destroy(makers[k]);
    }
    free(makers);
    lmb_character_destroy(character);
    return 0;
}
