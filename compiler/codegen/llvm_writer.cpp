// Names, operands, masks and blocks of LLVM text.
#include "compiler/codegen/llvm_writer.h"

#include <algorithm>
#include <cctype>

#include "compiler/support/errors.h"

namespace fuseline {

using ir::ValueId;

namespace {

bool plain(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' || c == '-';
}

/// LLVM's spelling of a name without its sign: quoted, with escaped bytes, unless it is plain.
std::string spelled(std::string_view name) {
    const bool digit = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
    if (!name.empty() && !digit && std::ranges::all_of(name, plain)) return std::string(name);
    std::string text = "\"";
    for (const char c : name) {
        if (plain(c) || c == ' ') {
            text += c;
        } else {
            text += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
        }
    }
    return text + '"';
}

/// The double that LLVM reads as the same float; payload bits of a NaN move to the double's upper ones.
uint64_t float_as_double_bits(uint32_t bits) {
    const uint64_t sign = uint64_t{bits >> 31} << 63;
    if ((bits & 0x7F800000u) == 0x7F800000u) {
        return sign | uint64_t{0x7FF} << 52 | uint64_t{bits & 0x007FFFFFu} << 29;
    }
    return Scalar::of_f64(static_cast<double>(Scalar{bits}.as_f32())).bits;
}

}  // namespace

std::string llvm_literal(DType dtype, Scalar value) {
    if (is_bool(dtype)) return value.as_bool() ? "true" : "false";
    if (is_integer(dtype)) {
        // The reader takes no unsigned literal past the signed ones.
        const int unused = 64 - row(dtype).bits;
        return fmt::format("{}", static_cast<int64_t>(value.bits << unused) >> unused);
    }
    require(is_float(dtype), "an element type that the CPU does not have yet");
    if (is_half(dtype)) value = Scalar::of_f32(static_cast<float>(scalar_to_f64(dtype, value)));
    const uint64_t bits =
        dtype == DType::f64_ ? value.bits : float_as_double_bits(static_cast<uint32_t>(value.bits));
    return fmt::format("0x{:016X}", bits);
}

LlvmWriter::LlvmWriter(const ir::Function& kernel, const LlvmLevels& levels, int lanes)
    : f_(kernel),
      levels_(levels),
      lanes_(lanes),
      sections_(2 * levels.rank() + 2),
      values_(kernel.value_count()) {}

std::string LlvmWriter::label(std::string_view wanted) {
    std::string base(wanted.empty() ? "v" : wanted);
    if (names_.insert(base).second) return spelled(base);
    uint32_t& next = next_number_[base];
    std::string numbered;
    do {
        numbered = fmt::format("{}.{}", base, ++next);
    } while (!names_.insert(numbered).second);
    return spelled(numbered);
}

std::string LlvmWriter::name(std::string_view wanted) { return "%" + label(wanted); }

std::string LlvmWriter::name(ValueId v) {
    // Dots are kept for the names that this class makes up.
    std::string known(f_.value_name(v));
    std::ranges::replace(known, '.', '_');
    return name(known);
}

void LlvmWriter::block(std::string_view label) {
    Section& s = sections_[current_];
    s.block = label;
    s.text.append(label).append(":\n");
}

bool LlvmWriter::in_region(ValueId v) const {
    const ir::ValueInfo& info = f_.value(v);
    const ir::RegionId region = info.definition ? f_.node(info.definition).parent : info.parameter_of;
    const ir::NodeId owner = f_.region(region).owner;
    return static_cast<bool>(owner) && owner != levels_.nest();
}

void LlvmWriter::define(ValueId v, std::string text) {
    Value& value = values_[v.index];
    value = {};
    value.text = std::move(text);
    if (!in_region(v)) value.home = current_;
}

void LlvmWriter::define_constant(ValueId v, Scalar scalar) {
    define(v, llvm_literal(f_.type(v).dtype, scalar));
    values_[v.index].constant = true;
}

void LlvmWriter::alias(ValueId v, ValueId same) {
    const Value& from = values_[same.index];
    values_[v.index] = from;
}

std::string LlvmWriter::operand(ValueId v, int lanes) {
    Value& value = values_[v.index];
    require(!value.text.empty(), "a value is used before it is computed");
    const DType dtype = f_.type(v).dtype;
    if (value.constant) return llvm_constant(dtype, lanes, value.text);
    if (lanes == this->lanes(v)) return value.text;
    require(lanes == lanes_, "a vector cannot be used as a scalar");
    const std::string name(f_.value_name(v));
    // In its own section the use may stand in a branch, which does not dominate later uses of the vector.
    if (value.home == kInRegion || value.home == current_) {
        return splat(llvm_type(dtype, 1), value.text, lanes, name);
    }
    for (const auto& [count, text] : value.splats) {
        if (count == lanes) return text;
    }
    const uint32_t here = std::exchange(current_, value.home);
    value.splats.emplace_back(lanes, splat(llvm_type(dtype, 1), value.text, lanes, name));
    current_ = here;
    return value.splats.back().second;
}

std::string LlvmWriter::splat(std::string_view type, std::string_view text, int lanes,
                              std::string_view name) {
    const std::string one = this->name(fmt::format("{}.lane", name.empty() ? "v" : name));
    const std::string all = this->name(fmt::format("{}.all", name.empty() ? "v" : name));
    line("{} = insertelement <{} x {}> poison, {} {}, i64 0", one, lanes, type, type, text);
    line("{0} = shufflevector <{1} x {2}> {3}, <{1} x {2}> poison, <{1} x i32> zeroinitializer", all, lanes,
         type, one);
    return all;
}

void LlvmWriter::open_inner() {
    around_.push_back(current_);
    sections_.push_back({{}, sections_[current_].block});
    current_ = static_cast<uint32_t>(sections_.size()) - 1;
}

void LlvmWriter::close_inner() {
    const Section inner = std::move(sections_.back());
    sections_.pop_back();
    current_ = around_.back();
    around_.pop_back();
    sections_[current_].text += inner.text;
    sections_[current_].block = inner.block;
}

std::string LlvmWriter::mask_operand() const {
    return mask.empty() ? llvm_constant(DType::bool_, lanes_, "true") : mask;
}

std::string LlvmWriter::masked_by(std::string_view condition, bool inverted) {
    std::string wanted(condition);
    if (inverted) {
        wanted = name("not");
        line("{} = xor {} {}, {}", wanted, mask_type(), condition,
             llvm_constant(DType::bool_, lanes_, "true"));
    }
    if (mask.empty()) return wanted;
    const std::string both = name("mask");
    line("{} = and {} {}, {}", both, mask_type(), mask, wanted);
    return both;
}

std::string LlvmWriter::any(std::string_view mask) {
    const std::string bits = name("lanes");
    const std::string some = name("any");
    line("{} = bitcast {} {} to i{}", bits, mask_type(), mask, lanes_);
    line("{} = icmp ne i{} {}, 0", some, lanes_, bits);
    return some;
}

std::string LlvmWriter::first_lanes(std::string_view left, int vector_bits) {
    const int bits = std::clamp(vector_bits / lanes_, 8, 64);
    const std::string element = fmt::format("i{}", bits);
    std::string narrow(left);
    if (bits != 64) {
        narrow = name("left");
        line("{} = trunc i64 {} to {}", narrow, left, element);
    }
    const std::string all = splat(element, narrow, lanes_, "left");
    std::string numbers;
    for (int k = 0; k < lanes_; ++k) numbers += fmt::format("{}{} {}", k == 0 ? "" : ", ", element, k);
    const std::string mask = name("mask");
    line("{} = icmp ugt <{} x {}> {}, <{}>", mask, lanes_, element, all, numbers);
    return mask;
}

}  // namespace fuseline
