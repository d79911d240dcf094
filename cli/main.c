#include "cli/command_line.h"
#include "os/paths.h"

int main(int argc, char **argv)
{
    lmbi_memory_keep_freed();
    return cli_main(argc, argv);
}
