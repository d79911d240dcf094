# cmake -DOUT=shaders.c -DFILES=a;b -P embed.cmake: writes the files as arrays of numbers, which no compiler's limit on
# the length of a string concerns. CMake alone does it, so that every machine that builds can.
set(arrays "")
set(table "")
foreach(file IN LISTS FILES)
    get_filename_component(name "${file}" NAME)
    string(MAKE_C_IDENTIFIER "${name}" identifier)
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "static const char ${identifier}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${name}\", ${identifier}, sizeof(${identifier}) - 1},\n")
endforeach()
file(WRITE "${OUT}" "// Made by tools/cmake/embed.cmake from src/render/shaders.
#include \"render/gpu.h\"

${arrays}
const lmbi_shader_file lmbi_shader_files[] = {
${table}};
const size_t lmbi_shader_file_count = sizeof(lmbi_shader_files) / sizeof(lmbi_shader_files[0]);
")
