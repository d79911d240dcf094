#include "io/bvh_carry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

void lmbi_bvh_joint_carry_write(lmbi_text *text, const lmbi_bvh_joint_carry *carry)
{
    lmbi_text_format(text, "{\"extras\":{\"bvh\":{\"channels\":\"%s\"", carry->channels);
    if (carry->continuous) {
        for (int i = 0; i < 3; ++i) {
            lmbi_text_add(text, i ? "," : ",\"start\":[");
            lmbi_text_float(text, carry->start[i]);
        }
        lmbi_text_add(text, "]");
    }
    lmbi_text_add(text, "}}}");
}

/// Enough digits for the double: a frame time of .0083333 must come back as that.
static void add_double(lmbi_text *text, double value)
{
    char digits[40];
    const int length = snprintf(digits, sizeof digits, "%.15g", value);
    for (int i = 0; i < length; ++i) {
        digits[i] = digits[i] == ',' ? '.' : digits[i];
    }
    lmbi_text_bytes(text, digits, (size_t)length);
}

void lmbi_bvh_clip_carry_write(lmbi_text *text, const lmbi_bvh_clip_carry *carry)
{
    lmbi_text_add(text, "{\"extras\":{\"bvh\":{\"unit_m\":");
    lmbi_text_float(text, carry->unit_m);
    lmbi_text_format(text,
                     ",\"up\":\"%s\",\"rest_up\":\"%s\",\"positions\":\"%s\",\"frame_time_s\":",
                     lmb_axis_name(carry->up), lmb_axis_name(carry->rest_up),
                     carry->positions_add ? "add" : "replace");
    add_double(text, carry->frame_time_s);
    lmbi_text_add(text, "}}}");
}

/// The text after `"key" :` inside the "bvh" member, or NULL. Not a JSON reader: it looks for what was written above, and
/// every value found is checked by its reader.
static const char *find(const char *carried, const char *key)
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
    const char *after = lmbi_number_read(at, at + strlen(at), value);
    return after == at || !isfinite(*value) ? NULL : after;
}

lmbi_bvh_joint_carry lmbi_bvh_joint_carry_read(const char *carried)
{
    lmbi_bvh_joint_carry carry = {0};
    const char *at = find(carried, "\"channels\"");
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
    at = find(carried, "\"start\"");
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
    const char *at = find(carried, "\"unit_m\"");
    if (at && read_number(at, &value) && value > 0) {
        carry.unit_m = (float)value;
    }
    at = find(carried, "\"frame_time_s\"");
    if (at && read_number(at, &value) && value > 0) {
        carry.frame_time_s = value;
    }
    carry.up = read_axis(find(carried, "\"up\""));
    carry.rest_up = read_axis(find(carried, "\"rest_up\""));
    at = find(carried, "\"positions\"");
    carry.positions_add = at && strncmp(at, "\"add\"", 5) == 0;
    return carry;
}
