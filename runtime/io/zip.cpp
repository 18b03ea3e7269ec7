// Reading and writing of ZIP archives after PKWARE's APPNOTE 6.3.
#include "runtime/io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "runtime/io/fault.h"

namespace fuseline {
namespace {

constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::string_view kCentral = "PK\x01\x02";
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64 = "PK\x06\x06";
constexpr std::string_view kLocator64 = "PK\x06\x07";
constexpr size_t kEndBytes = 22;
constexpr uint64_t kInExtra = 0xffffffff;  ///< the real value stands in the ZIP64 field
/// Deflate cannot shrink further, so a larger claim is a lie that must not be given memory.
constexpr uint64_t kMostInflation = 1032;

/// Little-endian numbers of a file, every access tested.
class Reader {
public:
    Reader(std::string_view file, const std::string& path) : file_(file), path_(path) {}

    uint64_t number(uint64_t at, int width) const {
        const std::string_view part = bytes(at, static_cast<uint64_t>(width));
        uint64_t value = 0;
        for (int k = width; k-- > 0;)
            value = value << 8 | static_cast<unsigned char>(part[static_cast<size_t>(k)]);
        return value;
    }
    std::string_view bytes(uint64_t at, uint64_t count) const {
        if (at > file_.size() || count > file_.size() - at)
            file_fault(path_, "the archive is cut short or damaged");
        return file_.substr(at, count);
    }
    bool is(uint64_t at, std::string_view mark) const {
        return at <= file_.size() && file_.substr(at).starts_with(mark);
    }

private:
    std::string_view file_;
    const std::string& path_;
};

struct Directory {
    uint64_t count = 0;
    uint64_t at = 0;
};

/// Position of the end record: the last one that is whole.
uint64_t find_end(std::string_view file, const std::string& path) {
    for (size_t at = file.rfind(kEnd); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : file.rfind(kEnd, at - 1)) {
        if (file.size() - at >= kEndBytes) return at;
    }
    file_fault(path, file.starts_with("PK") ? "the archive is cut short: its directory is missing"
                                            : "this is not a .npz file");
}

Directory directory(const Reader& r, uint64_t end) {
    if (end >= 20 && r.is(end - 20, kLocator64)) {
        const uint64_t end64 = r.number(end - 20 + 8, 8);
        if (r.is(end64, kEnd64)) return {r.number(end64 + 32, 8), r.number(end64 + 48, 8)};
    }
    return {r.number(end + 10, 2), r.number(end + 16, 4)};
}

/// Takes sizes and place from the ZIP64 field, in which only those stand that do not fit.
void read_extra(const Reader& r, uint64_t at, uint64_t end, ZipMember& m) {
    while (at + 4 <= end) {
        const uint64_t id = r.number(at, 2), size = r.number(at + 2, 2);
        uint64_t field = at + 4;
        at = field + size;
        if (id != 1 || at > end) continue;
        for (uint64_t* value : {&m.bytes, &m.stored_bytes, &m.header}) {
            if (*value != kInExtra || field + 8 > at) continue;
            *value = r.number(field, 8);
            field += 8;
        }
    }
}

void inflate_into(std::string_view from, std::string& to, const std::string& path, const std::string& name) {
    z_stream stream = {};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) file_fault(path, "zlib cannot start");
    const std::unique_ptr<z_stream, int (*)(z_streamp)> owner(&stream, inflateEnd);
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    size_t read = 0, written = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        const size_t in = std::min(from.size() - read, kMost), out = std::min(to.size() - written, kMost);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + read));
        stream.avail_in = static_cast<uInt>(in);
        stream.next_out = reinterpret_cast<Bytef*>(to.data() + written);
        stream.avail_out = static_cast<uInt>(out);
        state = inflate(&stream, Z_NO_FLUSH);
        read += in - stream.avail_in;
        written += out - stream.avail_out;
    }
    if (state != Z_STREAM_END || written != to.size())
        file_fault(path, fmt::format("the member `{}` is damaged", name));
}

/// Little-endian numbers and texts, one after the other.
class Record {
public:
    explicit Record(std::string_view mark) : bytes_(mark) {}
    Record& add(uint64_t value, int width) {
        for (int k = 0; k < width; ++k) bytes_ += static_cast<char>(value >> (8 * k) & 0xff);
        return *this;
    }
    Record& add(std::string_view text) {
        bytes_ += text;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// What the two headers of a member share, from the version needed to the length of the extra field.
void add_common(Record& r, std::string_view name, uint64_t size, uint32_t crc, bool large) {
    constexpr uint64_t kFirstOfJanuary1980 = 0x21;
    r.add(large ? 45 : 20, 2).add(0, 2).add(0, 2).add(0, 2).add(kFirstOfJanuary1980, 2).add(crc, 4);
    for (int k = 0; k < 2; ++k) r.add(large ? kInExtra : size, 4);
    r.add(name.size(), 2).add(large ? 20 : 0, 2);
}

void add_extra(Record& r, uint64_t size, bool large) {
    if (large) r.add(1, 2).add(16, 2).add(size, 8).add(size, 8);
}

}  // namespace

std::vector<ZipMember> zip_members(std::string_view file, const std::string& path) {
    const Reader r(file, path);
    const Directory d = directory(r, find_end(file, path));
    std::vector<ZipMember> members;
    uint64_t at = d.at;
    for (uint64_t k = 0; k < d.count; ++k) {
        if (!r.is(at, kCentral)) file_fault(path, "the archive's directory is damaged");
        ZipMember m;
        m.flags = static_cast<int>(r.number(at + 8, 2));
        m.method = static_cast<int>(r.number(at + 10, 2));
        m.crc = static_cast<uint32_t>(r.number(at + 16, 4));
        m.stored_bytes = r.number(at + 20, 4);
        m.bytes = r.number(at + 24, 4);
        m.header = r.number(at + 42, 4);
        const uint64_t name = r.number(at + 28, 2), extra = r.number(at + 30, 2), note = r.number(at + 32, 2);
        m.name = r.bytes(at + 46, name);
        read_extra(r, at + 46 + name, at + 46 + name + extra, m);
        at += 46 + name + extra + note;
        members.push_back(std::move(m));
    }
    return members;
}

std::string_view zip_content(std::string_view file, const ZipMember& m, const std::string& path,
                             std::string& room) {
    const Reader r(file, path);
    if ((m.flags & 1) != 0) file_fault(path, fmt::format("the member `{}` is encrypted", m.name));
    if (!r.is(m.header, kLocal)) file_fault(path, fmt::format("the member `{}` is damaged", m.name));
    const uint64_t start = m.header + 30 + r.number(m.header + 26, 2) + r.number(m.header + 28, 2);
    const std::string_view stored = r.bytes(start, m.stored_bytes);
    std::string_view content = stored;
    if (m.method == 8) {
        if (m.bytes / kMostInflation > m.stored_bytes)
            file_fault(path, fmt::format("the member `{}` is damaged", m.name));
        room.assign(m.bytes, '\0');
        inflate_into(stored, room, path, m.name);
        content = room;
    } else if (m.method != 0) {
        file_fault(path, fmt::format("the member `{}` is compressed by method {}", m.name, m.method),
                   {"stored and deflated members are read; NumPy's savez and savez_compressed write those"});
    }
    const auto* data = reinterpret_cast<const Bytef*>(content.data());
    if (content.size() != m.bytes || crc32_z(0, data, content.size()) != m.crc)
        file_fault(path, fmt::format("the member `{}` is damaged: its checksum is wrong", m.name));
    return content;
}

std::string zip_of(std::string_view name, std::string_view content, bool large) {
    const auto crc =
        static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    Record local(kLocal);
    add_common(local, name, content.size(), crc, large);
    local.add(name);
    add_extra(local, content.size(), large);

    Record central(kCentral);
    central.add(large ? 45 : 20, 2);
    add_common(central, name, content.size(), crc, large);
    central.add(0, 2).add(0, 2).add(0, 2).add(0, 4).add(0, 4).add(name);
    add_extra(central, content.size(), large);

    const uint64_t directory = local.bytes().size() + content.size(), size = central.bytes().size();
    std::string out = local.bytes();
    out.reserve(directory + size + 128);
    out += content;
    out += central.bytes();
    if (large) {
        Record end(kEnd64);
        end.add(44, 8).add(45, 2).add(45, 2).add(0, 4).add(0, 4).add(1, 8).add(1, 8).add(size, 8).add(
            directory, 8);
        end.add(kLocator64).add(0, 4).add(directory + size, 8).add(1, 4);
        out += end.bytes();
    }
    Record end(kEnd);
    end.add(0, 2).add(0, 2).add(1, 2).add(1, 2).add(size, 4).add(large ? kInExtra : directory, 4).add(0, 2);
    return out + end.bytes();
}

}  // namespace fuseline
