#include "run/event_log/event_tail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/json.h"

namespace lakebed::run {

namespace fs = std::filesystem;

namespace {

Error failed(const char* what) {
  return update_error("EVENT_LOG_IO", fmt::format("the tail of the event log can't be {}: {}", what,
                                                  std::strerror(errno)));
}

Status write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return failed("written");
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return {};
}

Result<std::string> read_all(int file, uint64_t size) {
  std::string out(size, '\0');
  uint64_t at = 0;
  while (at < size) {
    const ssize_t got = ::pread(file, out.data() + at, size - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read");
    if (got == 0) break;
    at += static_cast<uint64_t>(got);
  }
  out.resize(at);
  return out;
}

}  // namespace

Result<std::unique_ptr<EventTail>> EventTail::open(const fs::path& folder, bool create) {
  const fs::path path = folder / kTailFile;
  const int flags = O_RDWR | O_APPEND | O_CLOEXEC | (create ? O_CREAT : 0);
  int file = ::open(path.c_str(), flags, 0644);
  if (file < 0 && errno == ENOENT && create) {
    std::error_code ignored;  // the second open tells what is wrong
    fs::create_directories(path.parent_path(), ignored);
    file = ::open(path.c_str(), flags, 0644);
  }
  if (file < 0 && errno == ENOENT) return std::unique_ptr<EventTail>();
  if (file < 0) return failed("opened");
  std::unique_ptr<EventTail> tail(new EventTail(file));
  while (::flock(file, LOCK_EX) != 0) {
    if (errno != EINTR) return failed("locked");
  }
  struct stat facts = {};
  if (::fstat(file, &facts) != 0) return failed("read");
  tail->size_ = static_cast<uint64_t>(facts.st_size);
  if (tail->size_ == 0) {
    LAKEBED_TRY(tail->begin(1, 0));
  } else {
    LAKEBED_TRY(tail->read_header());
  }
  return tail;
}

EventTail::~EventTail() { ::close(file_); }  // which ends the lock

Status EventTail::begin(int64_t generation, int64_t folded_s) {
  if (::ftruncate(file_, 0) != 0) return failed("written");
  const std::string header = fmt::format("{{\"tail\":{},\"folded\":{}}}\n", generation, folded_s);
  LAKEBED_TRY(write_all(file_, header));
  generation_ = generation;
  folded_s_ = folded_s;
  size_ = header.size();
  return {};
}

// The header counts the folds; the tail ends with a newline, or a dying program cut a line off.
Status EventTail::read_header() {
  LAKEBED_ASSIGN(const std::string head, read_all(file_, std::min<uint64_t>(size_, 64)));
  const auto header = parse_json(head.substr(0, head.find('\n')));
  if (!header.ok() || !header->is_object() || !header->contains("tail")) return begin(1, 0);
  generation_ = header->value("tail", int64_t{1});
  folded_s_ = header->value("folded", int64_t{0});
  char last = '\n';
  if (::pread(file_, &last, 1, static_cast<off_t>(size_ - 1)) != 1) return failed("read");
  return last == '\n' ? Status{} : append("\n");
}

Status EventTail::append(std::string_view lines) {
  LAKEBED_TRY(write_all(file_, lines));
  size_ += lines.size();
  return {};
}

Result<std::string> EventTail::read() const {
  LAKEBED_ASSIGN(const std::string all, read_all(file_, size_));
  const size_t header = all.find('\n');
  return header == std::string::npos ? std::string() : all.substr(header + 1);
}

Status EventTail::clear(int64_t now_s) { return begin(generation_ + 1, now_s); }

}  // namespace lakebed::run
