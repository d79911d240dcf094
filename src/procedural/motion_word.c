/// Words of a motion's text: bones and their fields.
#include "procedural/motion_source.h"

bool lmbi_motion_next_word(lmbi_scan *scan, lmbi_word *out)
{
    lmbi_scan_blanks(scan);
    lmbi_scan peek = *scan;
    *out = lmbi_scan_word(&peek);
    if (out->size == 0 || out->at[0] == '#') {
        return false;
    }
    *scan = peek;
    return true;
}

lmb_result lmbi_motion_read_bone(lmbi_motion_source *s, lmbi_word word, const lmbi_scan *before,
                                 lmbi_motion_bone *out, lmb_error *error)
{
    if (word.size > 2 && word.at[word.size - 2] == '.') {
        const char side = word.at[word.size - 1];
        out->sides[0] = side == 'l';
        out->sides[1] = side == 'r';
        word.size -= 2;
        out->is_sided = true;
    } else {
        out->sides[0] = out->sides[1] = true;
        out->is_sided = false;
    }
    out->name = word;
    bool found = false;
    for (int row = 0; row < ROW_COUNT; ++row) {
        const lmbi_motion_channel *channel = &lmbi_motion_channels[row];
        const bool fits = s->motion->body == LMB_MOTION_HUMAN ? channel->human : channel->other;
        found = found || (fits && lmbi_word_is_exact(word, channel->bone) &&
                          (channel->paired || !out->is_sided));
    }
    lmbi_scan at = *before;
    return found && (out->sides[0] || out->sides[1])
               ? LMB_OK
               : lmbi_scan_fail(&at, error, "a bone of that body, .l or .r after one of a side");
}

int lmbi_motion_find_row(const lmbi_motion_source *s, lmbi_word bone, lmbi_word field)
{
    for (int row = 0; row < ROW_COUNT; ++row) {
        const lmbi_motion_channel *channel = &lmbi_motion_channels[row];
        const bool fits = s->motion->body == LMB_MOTION_HUMAN ? channel->human : channel->other;
        if (fits && lmbi_word_is_exact(bone, channel->bone) &&
            lmbi_word_is_exact(field, channel->field)) {
            return row;
        }
    }
    return -1;
}
