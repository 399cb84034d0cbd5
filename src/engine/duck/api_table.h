// Fills the table of C functions by name; apart from api.cpp only because it is long.
#pragma once

#include <functional>
#include <string>
#include <type_traits>

#include "engine/duck/api.h"

namespace lakebed::engine::duck {

using SymbolLookup = std::function<void*(const char* name)>;

// Returns the name of a function that the library lacks, or "".
std::string fill_api(const SymbolLookup& lookup, Api& table);

}  // namespace lakebed::engine::duck
