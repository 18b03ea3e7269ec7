# Script run by fl_embed: writes BASE.h and BASE.cpp, which hold the bytes of INPUT as CONSTANT.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "(('[^']*',){20})" "\\1\n" bytes "${bytes}")

file(WRITE "${BASE}.h"
"// Generated from ${INPUT}: the text as a constant.
#pragma once

#include <string_view>

namespace fuseline::embedded {

extern const std::string_view ${CONSTANT};

}  // namespace fuseline::embedded
")

file(WRITE "${BASE}.cpp"
"// Generated from ${INPUT}: the bytes of the text.
#include \"embedded/${SYMBOL}.h\"

namespace fuseline::embedded {

static constexpr char kBytes[] = {
${bytes}'\\0'};

constinit const std::string_view ${CONSTANT}{kBytes, sizeof kBytes - 1};

}  // namespace fuseline::embedded
")
