#include "io/bvh/carry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/number.h"

void lmbi_bvh_joint_carry_begin(lmbi_text *text, const lmbi_bvh_joint_carry *carry)
{
    lmbi_text_format(text, "{\"extras\":{\"bvh\":{\"channels\":\"%s\"", carry->channels);
    if (carry->positions_add) {
        lmbi_text_add(text, ",\"positions\":\"add\"");
    }
    if (carry->continuous) {
        for (int i = 0; i < 3; ++i) {
            lmbi_text_add(text, i ? "," : ",\"start\":[");
            lmbi_text_float(text, carry->start[i]);
        }
        lmbi_text_add(text, "]");
    }
    lmbi_text_add(text, ",\"angles\":[");
}

void lmbi_bvh_carry_angles(lmbi_text *text, uint32_t frame, const float degrees[3])
{
    if (text->size && text->data[text->size - 1] != '[') {
        lmbi_text_add(text, ",");
    }
    lmbi_text_int(text, frame);
    for (int i = 0; i < 3; ++i) {
        lmbi_text_add(text, ",");
        lmbi_text_float(text, degrees[i]);
    }
}

void lmbi_bvh_joint_carry_end(lmbi_text *text)
{
    lmbi_text_add(text, "]}}}");
}

void lmbi_bvh_double_write(char out[40], double value)
{
    for (int digits = 15; digits <= 17; ++digits) {
        double back = 0;
        const int length = lmbi_format(out, 40, "%.*g", digits, value);
        lmbi_number_read(out, out + length, &back);
        if (back <= value && back >= value) {
            return;
        }
    }
}

void lmbi_bvh_clip_carry_write(lmbi_text *text, const lmbi_bvh_clip_carry *carry)
{
    lmbi_text_add(text, "{\"extras\":{\"bvh\":{\"unit_m\":");
    lmbi_text_float(text, carry->unit_m);
    lmbi_text_format(text, ",\"up\":\"%s\",\"rest_up\":\"%s\",\"frame_time_s\":",
                     lmb_axis_name(carry->up), lmb_axis_name(carry->rest_up));
    char time[40];
    lmbi_bvh_double_write(time, carry->frame_time_s);
    lmbi_text_add(text, time);
    lmbi_text_add(text, "}}}");
}

/// The text after `"key" :` inside the "bvh" member, or NULL. This is not a JSON reader: it
/// searches for the text written above, and the reader of every value checks what it finds.
static const char *find_member(const char *carried, const char *key)
{
    const char *at = carried ? strstr(carried, "\"bvh\"") : NULL;
    at = at ? strstr(at + 5, key) : NULL;
    if (at == NULL) {
        return NULL;
    }
    at += strlen(key);
    at += strspn(at, " \t\r\n");
    if (*at != ':') {
        return NULL;
    }
    ++at;
    return at + strspn(at, " \t\r\n");
}

static const char *read_number(const char *at, double *value)
{
    const char *after = lmbi_number_read(at, at + strcspn(at, ",]} \t\r\n"), value);
    return after == at || !isfinite(*value) ? NULL : after;
}

bool lmbi_bvh_next_angles(const char **fixes, uint32_t *frame, float degrees[3])
{
    const char *at = *fixes;
    for (int i = 0; at && i < 4; ++i) {
        double value = 0;
        at += strspn(at, " \t\r\n");
        at = *at == '[' || *at == ',' ? read_number(at + 1 + strspn(at + 1, " \t\r\n"), &value)
                                      : NULL;
        if (i == 0) {
            *frame = value >= 0 && value < 4e9 ? (uint32_t)value : UINT32_MAX;
        } else {
            degrees[i - 1] = (float)value;
        }
    }
    *fixes = at;
    return at != NULL;
}

int lmbi_bvh_order(const char *channels, char order[3])
{
    int rotation_count = 0;
    for (; *channels; ++channels) {
        if (*channels >= 'x') {
            order[rotation_count++] = *channels;
        }
    }
    int count = rotation_count;
    for (char letter = 'x'; letter <= 'z'; ++letter) {
        if (memchr(order, letter, (size_t)count) == NULL) {
            order[count++] = letter;
        }
    }
    return rotation_count;
}

lmbi_bvh_joint_carry lmbi_bvh_joint_carry_read(const char *carried)
{
    lmbi_bvh_joint_carry carry = {0};
    const char *at = find_member(carried, "\"channels\"");
    if (at == NULL || *at != '"') {
        return carry;
    }
    size_t count = 0;
    for (++at; *at && *at != '"'; ++at) {
        if (count == LMBI_BVH_CHANNELS || !strchr("XYZxyz", *at) ||
            memchr(carry.channels, *at, count)) {
            return (lmbi_bvh_joint_carry){0};
        }
        carry.channels[count++] = *at;
    }
    carry.known = true;
    carry.fixes = find_member(carried, "\"angles\"");
    at = find_member(carried, "\"positions\"");
    carry.positions_add = at && strncmp(at, "\"add\"", 5) == 0;
    at = find_member(carried, "\"start\"");
    for (int i = 0; at && i < 3; ++i) {
        double value = 0;
        at = *at == '[' || *at == ',' ? read_number(at + 1 + strspn(at + 1, " \t\r\n"), &value)
                                      : NULL;
        carry.start[i] = (float)value;
        carry.continuous = at != NULL;
        at = at ? at + strspn(at, " \t\r\n") : NULL;
    }
    return carry;
}

static lmb_axis read_axis(const char *at)
{
    for (lmb_axis axis = LMB_AXIS_Y; at && axis <= LMB_AXIS_NEGATIVE_X; ++axis) {
        if (at[0] == '"' && strncmp(at + 1, lmb_axis_name(axis), 2) == 0) {
            return axis;
        }
    }
    return LMB_AXIS_AUTO;
}

lmbi_bvh_clip_carry lmbi_bvh_clip_carry_read(const char *carried)
{
    lmbi_bvh_clip_carry carry = {0};
    double value = 0;
    const char *at = find_member(carried, "\"unit_m\"");
    if (at && read_number(at, &value) && value > 0) {
        carry.unit_m = (float)value;
    }
    at = find_member(carried, "\"frame_time_s\"");
    if (at && read_number(at, &value) && value > 0) {
        carry.frame_time_s = value;
    }
    carry.up = read_axis(find_member(carried, "\"up\""));
    carry.rest_up = read_axis(find_member(carried, "\"rest_up\""));
    return carry;
}
