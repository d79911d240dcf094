/// Templates as they are in memory: what they measure, and how much bodies of one kind differ in that.
#include "base/alloc.h"
#include "embed/template/template.h"

#include <stdio.h>

const lmbi_template_standards lmbi_template_standard = {
#include "embed/template/standard_spreads.inl"
};

const lmbi_measures lmbi_template_measures[LMBI_MEASURED] = {
    [LMBI_OF_CHAIN] = {LMBI_TIP_FEATURES,
                       {"height", "base-height", "length", "side", "forward", "base-forward",
                        "radius", "points-forward"},
                       1u << LMBI_TIP_LENGTH | 1u << LMBI_TIP_RADIUS,
                       0.02f,
                       lmbi_template_standard.tip},
    [LMBI_OF_PAIR] = {LMBI_PAIR_FEATURES, {"unlike", "unequal"}, 0, 0, lmbi_template_standard.pair},
    [LMBI_OF_BODY] = {LMBI_BODY_FEATURES,
                      {"tall", "wide", "long", "mass-height", "asymmetry", "skew-forward",
                       "ground-forward", "rise", "thick-forward"},
                      1u << LMBI_BODY_TALL | 1u << LMBI_BODY_WIDE | 1u << LMBI_BODY_LONG,
                      0,
                      lmbi_template_standard.body},
};

lmb_body_template *lmbi_template_create(lmb_skeleton_kind kind, const lmb_allocator *alloc)
{
    lmb_body_template *t = lmbi_alloc(alloc, sizeof *t);
    if (t) {
        t->alloc = alloc;
        t->kind = kind;
        (void)snprintf(t->name, sizeof t->name, "given");
    }
    return t;
}

void lmb_body_template_destroy(lmb_body_template *body_template)
{
    if (body_template) {
        lmbi_free(body_template->alloc, body_template);
    }
}

bool lmbi_template_is_name(const char *name, size_t size)
{
    bool is = size > 0 && size < LMBI_TEMPLATE_NAME - 1;
    for (size_t k = 0; is && k < size; ++k) {
        const char c = name[k];
        is = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.';
    }
    return is;
}
