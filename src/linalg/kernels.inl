// Body of the kernels. Requires KERNELS, the name of the table, and LANES, doubles per vector.
#include <math.h>
#include <string.h>

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

static inline lanes load(const double *at)
{
    lanes v;
    memcpy(&v, at, sizeof v);
    return v;
}

static inline void store(double *at, lanes v)
{
    memcpy(at, &v, sizeof v);
}

/// out(2 * LANES x COLUMNS) = sum over k of a(.., k) * b(0 .. COLUMNS - 1, k); columns of a and b
/// are `stride` apart, of out `out_stride`.
#define TILE(name, COLUMNS)                                                                  \
    static inline void name(const double *a, const double *b, size_t stride, uint32_t depth, \
                            double *out, size_t out_stride)                                  \
    {                                                                                        \
        lanes low[COLUMNS], high[COLUMNS];                                                   \
        for (int j = 0; j < COLUMNS; ++j) {                                                  \
            low[j] = high[j] = (lanes){0};                                                   \
        }                                                                                    \
        for (uint32_t k = 0; k < depth; ++k, a += stride, b += stride) {                     \
            const lanes first = load(a), second = load(a + LANES);                           \
            for (int j = 0; j < COLUMNS; ++j) {                                              \
                low[j] += first * b[j];                                                      \
                high[j] += second * b[j];                                                    \
            }                                                                                \
        }                                                                                    \
        for (int j = 0; j < COLUMNS; ++j) {                                                  \
            store(out + (size_t)j * out_stride, low[j]);                                     \
            store(out + (size_t)j * out_stride + LANES, high[j]);                            \
        }                                                                                    \
    }
TILE(tile1, 1)
TILE(tile2, 2)
TILE(tile3, 3)
TILE(tile4, 4)

/// The same for the remaining rows, one by one.
static void tile_edge(const double *a, const double *b, size_t stride, uint32_t depth,
                      uint32_t rows, uint32_t columns, double *out, size_t out_stride)
{
    for (uint32_t j = 0; j < columns; ++j) {
        for (uint32_t i = 0; i < rows; ++i) {
            double sum = 0;
            for (uint32_t k = 0; k < depth; ++k) {
                sum += a[i + k * stride] * b[j + k * stride];
            }
            out[i + j * out_stride] = sum;
        }
    }
}

static void outer_product(const double *a, size_t stride, uint32_t depth, uint32_t rows,
                          uint32_t columns, double *out)
{
    for (uint32_t j = 0; j < columns; j += 4) {
        const uint32_t wide = columns - j < 4 ? columns - j : 4;
        uint32_t i = j;
        for (; i + 2 * LANES <= rows; i += 2 * LANES) {
            double *to = out + i + (size_t)j * rows;
            switch (wide) {
            case 1:
                tile1(a + i, a + j, stride, depth, to, rows);
                break;
            case 2:
                tile2(a + i, a + j, stride, depth, to, rows);
                break;
            case 3:
                tile3(a + i, a + j, stride, depth, to, rows);
                break;
            default:
                tile4(a + i, a + j, stride, depth, to, rows);
                break;
            }
        }
        tile_edge(a + i, a + j, stride, depth, rows - i, wide, out + i + (size_t)j * rows, rows);
    }
}

/// column[i] -= s * other[i]
static inline void subtract(double *column, const double *other, double s, uint32_t count)
{
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        store(column + i, load(column + i) - load(other + i) * s);
    }
    for (; i < count; ++i) {
        column[i] -= other[i] * s;
    }
}

static uint32_t factor_block(double *block, uint32_t rows, uint32_t width)
{
    for (uint32_t j = 0; j < width; ++j) {
        double *column = block + (size_t)j * rows;
        const double pivot = column[j];
        if (!(pivot > 0) || !(pivot < (double)INFINITY)) {
            return j;
        }
        const double root = sqrt(pivot), inverse = 1 / root;
        column[j] = root;
        for (uint32_t i = j + 1; i < rows; ++i) {
            column[i] *= inverse;
        }
        for (uint32_t c = j + 1; c < width; ++c) {
            subtract(block + (size_t)c * rows + c, column + c, column[c], rows - c);
        }
    }
    return width;
}

// ---- solving: SIDES right-hand sides are one row of PARTS vectors

#define PARTS (LMBI_SIDES / LANES)

static void gather(const uint32_t *list, size_t rows, const double *x, double *local)
{
    for (size_t i = 0; i < rows; ++i) {
        memcpy(local + i * LMBI_SIDES, x + (size_t)list[i] * LMBI_SIDES,
               LMBI_SIDES * sizeof(double));
    }
}

static void scatter(const uint32_t *list, size_t rows, const double *local, double *x)
{
    for (size_t i = 0; i < rows; ++i) {
        memcpy(x + (size_t)list[i] * LMBI_SIDES, local + i * LMBI_SIDES,
               LMBI_SIDES * sizeof(double));
    }
}

/// row -= y * s
static inline void subtract_sides(double *row, const lanes *y, double s)
{
    for (int p = 0; p < PARTS; ++p) {
        store(row + p * LANES, load(row + p * LANES) - y[p] * s);
    }
}

static void forward(const lmbi_factor *f, double *x, double *local)
{
    const lmbi_supernodes *nodes = &f->nodes;
    for (uint32_t s = 0; s < nodes->count; ++s) {
        const uint32_t *list = nodes->rows + nodes->row_first[s];
        const size_t rows = nodes->row_first[s + 1] - nodes->row_first[s],
                     width = nodes->column[s + 1] - nodes->column[s];
        gather(list, rows, x, local);
        for (size_t j = 0; j < width; ++j) {
            const double *column = f->values + nodes->value_first[s] + j * rows;
            double *at = local + j * LMBI_SIDES;
            lanes y[PARTS];
            for (int p = 0; p < PARTS; ++p) {
                y[p] = load(at + p * LANES) / column[j];
                store(at + p * LANES, y[p]);
            }
            for (size_t i = j + 1; i < rows; ++i) {
                subtract_sides(local + i * LMBI_SIDES, y, column[i]);
            }
        }
        scatter(list, rows, local, x);
    }
}

static void backward(const lmbi_factor *f, double *x, double *local)
{
    const lmbi_supernodes *nodes = &f->nodes;
    for (uint32_t s = nodes->count; s-- > 0;) {
        const uint32_t *list = nodes->rows + nodes->row_first[s];
        const size_t rows = nodes->row_first[s + 1] - nodes->row_first[s],
                     width = nodes->column[s + 1] - nodes->column[s];
        gather(list, rows, x, local);
        for (size_t j = width; j-- > 0;) {
            const double *column = f->values + nodes->value_first[s] + j * rows;
            double *at = local + j * LMBI_SIDES;
            lanes sum[PARTS];
            for (int p = 0; p < PARTS; ++p) {
                sum[p] = load(at + p * LANES);
            }
            for (size_t i = j + 1; i < rows; ++i) {
                const double *z = local + i * LMBI_SIDES;
                for (int p = 0; p < PARTS; ++p) {
                    sum[p] -= load(z + p * LANES) * column[i];
                }
            }
            for (int p = 0; p < PARTS; ++p) {
                store(at + p * LANES, sum[p] / column[j]);
            }
        }
        scatter(list, width, local, x);
    }
}

const lmbi_kernels KERNELS = {outer_product, factor_block, forward, backward};
