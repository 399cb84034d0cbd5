// Base64 and digests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lakebed::engine::duck {

// `lines`: broken after 76 characters with CR LF, as MIME has it.
std::string base64_text(std::string_view bytes, bool lines);
// Lenient as Java's MIME decoder: characters outside of the alphabet are skipped.
std::optional<std::string> base64_bytes(std::string_view text);

// Hexadecimal, lower case.
std::string md5_hex(std::string_view bytes);
std::string sha1_hex(std::string_view bytes);
// bits: 224, 256, 384 or 512.
std::string sha2_hex(std::string_view bytes, int bits);

}  // namespace lakebed::engine::duck
