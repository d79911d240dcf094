// Writes bodies as the volumes that the networks of src/embed are fitted on. Labelled bodies are made ones and the characters of
// DATA that may ship (../tools/artist-rigs.txt, without those that are for tests only); humans also in poses, with the
// proportions of chibis to giants, and with ears, tails, swords, hats and backpacks.
//   embed_fit DATA --volumes ROWS [FIRST [COUNT [VARIANTS]]]   whole bodies, for tools/fit-volume.py
//   embed_fit DATA --hands ROWS [FIRST [COUNT [VARIANTS]]]     hands, for tools/fit-hand.py
//   embed_fit DATA --no-hands ROWS [FIRST [COUNT [VARIANTS]]]  what is taken for a hand in whole bodies
//   embed_fit DATA --animals ROWS [FIRST COUNT]                artists' animals, or made ones, for tools/fit-animal.py
#include "labelled_bodies.h"

#include "hand_rows.h"
#include "volume_rows.h"
// uses what these define
#include "animal_rows.h"

/// Volumes of made bodies and characters, or of their hands: DATA --volumes ROWS [FIRST [COUNT [VARIANTS]]].
static int write_volumes(int argc, char **argv)
{
    const uint32_t first = argc > 4 ? (uint32_t)atoi(argv[4]) : 0,
                   count = argc > 5 ? (uint32_t)atoi(argv[5]) : 100,
                   variants = argc > 6 ? (uint32_t)atoi(argv[6]) : 0;
    const bool hands = !strcmp(argv[2], "--hands");
    bodies_as_hands = !strcmp(argv[2], "--no-hands");
    volume_rows = fopen(argv[3], "wb");
    on_body = hands || bodies_as_hands ? write_hands : write_volume;
    scattered = 0.25f;
    mixed_share = 0.3f;
    add_made_humans(count, first);
    if (hands)
        write_made_hands(count, first);
    else
        write_other_volumes(count / 10, first);
    file_seed = first;
    if (variants > 0)
        add_files(argv[1], variants);
    fclose(volume_rows);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[2], "--animals"))
        return write_artist_animals(argv[1], argv[3]);
    if (argc > 5 && !strcmp(argv[2], "--animals"))
        return write_made_animals(argv[3], (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5]));
    if (argc > 3 && (!strcmp(argv[2], "--volumes") || strstr(argv[2], "hands")))
        return write_volumes(argc, argv);
    fprintf(stderr, "embed_fit DATA --volumes|--hands|--no-hands|--animals ROWS …\n");
    return 2;
}
