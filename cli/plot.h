/// What plots are drawn with.
#ifndef LIMBER_CLI_PLOT_H
#define LIMBER_CLI_PLOT_H

#include "cli/picture.h"

/// Linear colour of a weight in [0,1]: blue, cyan, green, yellow, red; black-blue for exactly 0.
lmb_vec4 cli_weight_color(float weight);

void cli_plot_line(lmb_picture p, float x0, float y0, float x1, float y1, int thick,
                   const uint8_t rgb[3]);
/// Digits, '.', 'e', '-', 's', 'J' and 'm' on 3 x 5 pixels, rows from the top, drawn twice as
/// large, 8 pixels a letter. Other letters are left out.
void cli_plot_label(lmb_picture p, int x, int y, const char *text);

#endif
