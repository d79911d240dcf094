/// Templates written as the text that lmb_body_template_read reads.
#include "base/text.h"
#include "embed/template/template.h"

#include <math.h>

static void write_number(lmbi_text *text, const char *before, float value)
{
    lmbi_text_format(text, "%s%.4g", before, (double)value);
}

/// Rounding may carry a ratio out of the range that the reader takes.
static void write_measures(lmbi_text *text, lmbi_measured of, const lmbi_spread *spreads)
{
    const lmbi_measures *m = &lmbi_template_measures[of];
    for (int k = 0; k < m->count; ++k) {
        const lmbi_spread s = spreads[k];
        if (s.spread > 0) {
            const bool ratio = m->ratios >> k & 1;
            lmbi_text_format(text, "  %s", m->names[k]);
            write_number(text, " ",
                         ratio ? lmbi_clampf(lmb_exp(s.mean) - m->more, 0, LMBI_MOST_NUMBER)
                               : s.mean);
            if (s.spread < m->standard[k] || s.spread > m->standard[k]) {
                write_number(text, " ", s.spread);
            }
            lmbi_text_add(text, "\n");
        }
    }
}

static void write_chain(lmbi_text *text, const lmbi_template_chain *chain)
{
    lmbi_text_format(text, "\nchain %s %s%s%s%s\n", chain->name, chain->paired ? "pair" : "single",
                     chain->needed ? " needed" : "",
                     chain->end > 0   ? " front"
                     : chain->end < 0 ? " back"
                                      : "",
                     chain->through ? " through" : "");
    write_measures(text, LMBI_OF_CHAIN, chain->tip);
    if (chain->paired) {
        write_measures(text, LMBI_OF_PAIR, chain->pair);
    }
}

static void write_anchors(lmbi_text *text, const lmb_body_template *t,
                          const lmbi_template_joint *row)
{
    lmbi_text_add(text, " between");
    for (int k = 0; k < LMBI_TEMPLATE_ANCHORS; ++k) {
        if (row->anchors[k] > 0) {
            lmbi_text_format(text, " %s", k == 0 ? "center" : t->chains[k - 1].name);
            write_number(text, " ", row->anchors[k]);
        }
    }
}

static void write_joint(lmbi_text *text, const lmb_body_template *t, uint32_t joint)
{
    const lmbi_template_joint *row = &t->joints[joint];
    lmbi_text_format(text, "joint %s", row->name);
    if (row->chain == LMB_NONE) {
        write_anchors(text, t, row);
    } else {
        lmbi_text_format(text, " on %s", t->chains[row->chain].name);
        write_number(text, " at ", row->at);
        if (row->bend > 0) {
            write_number(text, " bend ", row->bend);
        }
    }
    const lmb_vec3 aside = row->aside;
    if (lmb_vec3_dot(aside, aside) > 0) {
        write_number(text, " aside ", aside.x);
        write_number(text, " ", aside.y);
        write_number(text, " ", aside.z);
    }
    lmbi_text_add(text, row->paired && row->chain == LMB_NONE ? " pair" : "");
    if (row->parent != LMB_NONE) {
        lmbi_text_format(text, " under %s", t->joints[row->parent].name);
    }
    lmbi_text_add(text, row->hinge ? " hinge" : "");
    write_number(text, " sure ", row->confidence);
    lmbi_text_add(text, "\n");
}

lmb_result lmb_body_template_write(const lmb_body_template *t, const lmb_allocator *alloc,
                                   lmb_buffer *out, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    lmbi_text_format(&text, "limber-template 2\nname %s\nkind %s\n\nbody\n", t->name,
                     lmb_skeleton_kind_name(t->kind));
    write_measures(&text, LMBI_OF_BODY, t->body);
    for (uint32_t c = 0; c < t->chain_count; ++c) {
        write_chain(&text, &t->chains[c]);
    }
    lmbi_text_add(&text, "\n");
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        write_joint(&text, t, j);
    }
    return lmbi_buffer_take(&text, out, error);
}
