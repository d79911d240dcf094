/// Properties of objects, their own or their class's.
#include "io/fbx/scene.h"

static const lmbi_fbx_node *find_property(const lmbi_fbx_node *list, const char *name)
{
    for (const lmbi_fbx_node *p = list ? list->child : NULL; p; p = p->next) {
        if (lmbi_word_is_exact(lmbi_fbx_text(p, 0), name)) {
            return p;
        }
    }
    return NULL;
}

/// P: name, type, label, flags, values in 7000; Property: name, type, flags, values before.
static uint32_t first_value(const lmbi_fbx_node *property)
{
    return lmbi_fbx_is(property, "P") ? 4 : 3;
}

bool lmbi_fbx_list_property(const lmbi_fbx_node *list, const char *name, double *out,
                            uint32_t count)
{
    const lmbi_fbx_node *property = find_property(list, name);
    for (uint32_t i = 0; property && i < count; ++i) {
        out[i] = lmbi_fbx_number(property, first_value(property) + i, out[i]);
    }
    return property != NULL;
}

bool lmbi_fbx_property(const lmbi_fbx_object *object, const char *name, double *out, uint32_t count)
{
    return lmbi_fbx_list_property(object->properties, name, out, count) ||
           lmbi_fbx_list_property(object->defaults, name, out, count);
}

double lmbi_fbx_property_number(const lmbi_fbx_object *object, const char *name, double missing)
{
    lmbi_fbx_property(object, name, &missing, 1);
    return missing;
}
