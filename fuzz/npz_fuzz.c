// NumPy archives: whatever reads gives every number, and is read as a body model and as a motion.
#include <stdlib.h>

#include "io/npz.h"
#include "limber/io.h"
#include "target.h"

static void read_bodies(const uint8_t *data, size_t size)
{
    lmb_body_model *model = NULL;
    lmb_body_motion *motion = NULL;
    lmb_error error;
    if (lmb_body_model_read(data, size, NULL, &model, &error) == LMB_OK) {
        lmb_body_model_destroy(model);
    }
    if (lmb_body_motion_read(data, size, NULL, &motion, &error) == LMB_OK) {
        lmb_character *character = NULL;
        lmb_buffer file = {0};
        lmb_body_motion *again = NULL;
        if (lmb_body_motion_character(motion, NULL, NULL, &character, &error) == LMB_OK) {
            lmb_character_destroy(character);
        }
        if (lmb_body_motion_write(motion, NULL, &file, &error) == LMB_OK &&
            lmb_body_motion_read(file.data, file.size, NULL, &again, &error) != LMB_OK) {
            abort();
        }
        lmb_body_motion_destroy(again);
        lmb_buffer_free(&file);
        lmb_body_motion_destroy(motion);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmbi_npz *npz = NULL;
    lmb_error error;
    if (lmbi_npz_read(data, size, NULL, &npz, &error) != LMB_OK) {
        return 0;
    }
    for (uint32_t a = 0; a < npz->array_count; ++a) {
        const lmbi_npz_array *array = &npz->arrays[a];
        double sum = 0;
        for (size_t k = 0; lmbi_npz_is_numeric(array) && k < array->count; ++k) {
            sum += lmbi_npz_number(array, k);
        }
        if (sum == 0.123 || (array->data == NULL && lmbi_npz_is_numeric(array))) {
            abort();
        }
    }
    lmbi_npz_destroy(npz);
    read_bodies(data, size);
    return 0;
}
