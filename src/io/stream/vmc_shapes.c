/// Blend shapes of the Virtual Motion Capture protocol, told one by one and applied together.
#include <math.h>
#include <string.h>

#include "io/stream/vmc.h"

/// Its number among those that were told; a new one gets the next. LMB_VMC_SHAPES: there are too
/// many.
static uint32_t find_or_add_shape(lmbi_vmc_shapes *shapes, const char *name)
{
    uint32_t k = 0;
    while (k < shapes->count && strcmp(shapes->names[k], name) != 0) {
        ++k;
    }
    if (k == shapes->count && k < LMB_VMC_SHAPES) {
        strcpy(shapes->names[k], name);
        shapes->list[k] = shapes->names[k];
        shapes->count += 1;
    }
    return k;
}

bool lmbi_vmc_shape_receive(lmbi_vmc_shapes *shapes, const lmb_osc_message *message)
{
    const lmb_osc_argument *name = &message->arguments[0], *value = &message->arguments[1];
    if (message->argument_count < 2 || name->type != 's' || name->size == 0 ||
        name->size >= LMBI_SHAPE_NAME || (value->type != 'f' && value->type != 'd') ||
        !(fabs(value->real) < 1e3)) {
        return false;
    }
    const uint32_t shape = find_or_add_shape(shapes, name->text);
    if (shape == LMB_VMC_SHAPES) {
        return false;
    }
    shapes->received[shape] = (float)value->real;
    return true;
}

void lmbi_vmc_shapes_apply(lmbi_vmc_shapes *shapes)
{
    shapes->applies = true;
    memcpy(shapes->applied, shapes->received, sizeof shapes->applied);
}

void lmbi_vmc_shapes_store(const lmbi_vmc_shapes *shapes, lmb_vmc_frame *frame)
{
    const float *values = shapes->applies ? shapes->applied : shapes->received;
    frame->shape_count = shapes->count;
    frame->shape_names = shapes->list;
    memcpy(frame->shapes, values, shapes->count * sizeof *values);
}
