#include "source/byte_stream.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace lakebed::source {

namespace {

class PlainStream : public ByteStream {
 public:
  PlainStream(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  PlainStream(const PlainStream&) = delete;
  PlainStream& operator=(const PlainStream&) = delete;
  ~PlainStream() override { ::close(descriptor_); }

  Result<size_t> read(char* out, size_t size) override {
    while (true) {
      const ssize_t count = ::read(descriptor_, out, size);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno == EINTR) continue;
      return update_error("SOURCE_READ_FAILED",
                          fmt::format("reading {} failed: {}", path_, std::strerror(errno)));
    }
  }

 private:
  int descriptor_;
  std::string path_;
};

// gzip, of one or several members one after another.
class GzipStream : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> packed, std::string path)
      : packed_(std::move(packed)), path_(std::move(path)), buffer_(1u << 18) {
    constexpr int kGzipOnly = 15 + 16;
    LAKEBED_ASSERT(inflateInit2(&state_, kGzipOnly) == Z_OK);
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&state_); }

  Result<size_t> read(char* out, size_t size) override {
    state_.next_out = reinterpret_cast<Bytef*>(out);
    state_.avail_out = static_cast<uInt>(size);
    while (state_.avail_out == size) {
      if (state_.avail_in == 0) {
        LAKEBED_ASSIGN(const size_t more, packed_->read(buffer_.data(), buffer_.size()));
        if (more == 0) break;
        state_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        state_.avail_in = static_cast<uInt>(more);
      }
      LAKEBED_TRY(inflate_some());
    }
    const size_t count = size - state_.avail_out;
    if (count == 0 && inside_) return damaged("it is cut short");
    return count;
  }

 private:
  Status inflate_some() {
    if (!inside_) inflateReset(&state_);
    inside_ = true;
    const int code = inflate(&state_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      inside_ = false;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      return damaged(state_.msg != nullptr ? state_.msg : "unknown reason");
    }
    return {};
  }

  Error damaged(const char* why) const {
    return update_error("SOURCE_FILE_DAMAGED",
                        fmt::format("the gzip file {} cannot be unpacked: {}", path_, why));
  }

  std::unique_ptr<ByteStream> packed_;
  std::string path_;
  std::vector<char> buffer_;
  z_stream state_ = {};
  bool inside_ = false;  // in the middle of a member
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

Result<std::unique_ptr<ByteStream>> open_bytes(const ListedFile& file) {
  LAKEBED_TRY(check_unchanged(file));
  const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int reason = errno;
    if (reason == ENOENT) {
      return update_error("SOURCE_FILE_VANISHED",
                          fmt::format("the file {} was listed, but is gone", file.path));
    }
    return update_error(reason == EACCES ? "SOURCE_NO_PERMISSION" : "SOURCE_READ_FAILED",
                        fmt::format("opening {} failed: {}", file.path, std::strerror(reason)));
  }
  auto plain = std::make_unique<PlainStream>(descriptor, file.path);
  if (!ends_with(file.path, ".gz")) return std::unique_ptr<ByteStream>(std::move(plain));
  return std::unique_ptr<ByteStream>(std::make_unique<GzipStream>(std::move(plain), file.path));
}

}  // namespace lakebed::source
