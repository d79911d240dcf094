# cmake -DOUT=out.c -DFILES=a;b -DHEADER=room/room.h -DTYPE=a_file -DNAME=a_files -DCUT=.ext -P embed.cmake: writes the
# files as arrays of numbers, which no compiler's limit on the length of a string concerns, and a table {name, text,
# size} of TYPE. Names lose CUT. CMake alone does it, so that every machine that builds can.
set(arrays "")
set(table "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    string(MAKE_C_IDENTIFIER "${name}" identifier)
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "static const char ${identifier}[] = {${bytes}0};\n")
    if(CUT)
        string(REPLACE "${CUT}" "" name "${name}")
    endif()
    string(APPEND table "    {\"${name}\", ${identifier}, sizeof(${identifier}) - 1},\n")
endforeach()
file(WRITE "${OUT}" "// Made by tools/cmake/embed.cmake.
#include \"${HEADER}\"

${arrays}
const ${TYPE} ${NAME}s[] = {
${table}};
const size_t ${NAME}_count = sizeof(${NAME}s) / sizeof(${NAME}s[0]);
")
