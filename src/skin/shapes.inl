// One function per specialisation of a run: its width (1 to 4, or 0 for any) and its outputs are
// constants. Separate functions, because register allocation in a single large one spills much of
// the blended matrix.
//
// The including file defines RUN_PARAMETERS, RUN(width, outputs), and OUTPUTS, the outputs where
// they are not constant. It gets SHAPES, the functions, and shape_row(outputs), the row in it.
#define SHAPE(name, width, outputs)                            \
    static __attribute__((noinline)) void name(RUN_PARAMETERS) \
    {                                                          \
        RUN(width, outputs);                                   \
    }
#define SHAPES_OF_WIDTHS(name, outputs) \
    SHAPE(name##_any, 0, outputs)       \
    SHAPE(name##_1, 1, outputs)         \
    SHAPE(name##_2, 2, outputs)         \
    SHAPE(name##_3, 3, outputs)         \
    SHAPE(name##_4, 4, outputs)
SHAPES_OF_WIDTHS(some, OUTPUTS)
SHAPES_OF_WIDTHS(positions, HAS_POSITIONS)
SHAPES_OF_WIDTHS(normals, HAS_POSITIONS | HAS_NORMALS)
SHAPES_OF_WIDTHS(tangents, HAS_POSITIONS | HAS_NORMALS | HAS_TANGENTS)

typedef void shape(RUN_PARAMETERS);

static shape *const SHAPES[4][5] = {
    {some_any, some_1, some_2, some_3, some_4},
    {positions_any, positions_1, positions_2, positions_3, positions_4},
    {normals_any, normals_1, normals_2, normals_3, normals_4},
    {tangents_any, tangents_1, tangents_2, tangents_3, tangents_4},
};

static uint32_t shape_row(unsigned outputs)
{
    switch (outputs) {
    case HAS_POSITIONS:
        return 1;
    case HAS_POSITIONS | HAS_NORMALS:
        return 2;
    case HAS_POSITIONS | HAS_NORMALS | HAS_TANGENTS:
        return 3;
    default:
        return 0;
    }
}
