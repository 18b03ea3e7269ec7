// Colormaps as polynomials. viridis, magma, inferno and plasma are maps of matplotlib by Nathaniel Smith and
// Stefan van der Walt (CC0); the fits of degree 6 were published by Matt Zucker (CC0,
// shadertoy.com/view/WlfXRN). They are within 5 of 255 of the originals.
#include "runtime/io/colormap.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compiler/ops/op_table.h"
#include "compiler/support/diagnostics.h"
#include "runtime/io/fault.h"
#include "runtime/io/image.h"

namespace fuseline {
namespace {

constexpr size_t kColours = 256;

/// Red, green and blue in 0..1 are c[0] + c[1] t + c[2] t^2 + ... for t in 0..1.
struct Polynomial {
    std::string_view name;
    double c[7][3];
};

constexpr Polynomial kColormaps[] = {
    {"viridis",
     {{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
      {0.1050930431085774, 1.404613529898575, 1.384590162594685},
      {-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
      {-4.634230498983486, -5.799100973351585, -19.33244095627987},
      {6.228269936347081, 14.17993336680509, 56.69055260068105},
      {4.776384997670288, -13.74514537774601, -65.35303263337234},
      {-5.435455855934631, 4.645852612178535, 26.3124352495832}}},
    {"gray", {{0, 0, 0}, {1, 1, 1}, {}, {}, {}, {}, {}}},
    {"magma",
     {{-0.002136485053939582, -0.000749655052795221, -0.005386127855323933},
      {0.2516605407371642, 0.6775232436837668, 2.494026599312351},
      {8.353717279216625, -3.577719514958484, 0.3144679030132573},
      {-27.66873308576866, 14.26473078096533, -13.64921318813922},
      {52.17613981234068, -27.94360607168351, 12.94416944238394},
      {-50.76852536473588, 29.04658282127291, 4.23415299384598},
      {18.65570506591883, -11.48977351997711, -5.601961508734096}}},
    {"inferno",
     {{0.0002189403691192265, 0.001651004631001012, -0.01948089843709184},
      {0.1065134194856116, 0.5639564367884091, 3.932712388889277},
      {11.60249308247187, -3.972853965665698, -15.9423941062914},
      {-41.70399613139459, 17.43639888205313, 44.35414519872813},
      {77.162935699427, -33.40235894210092, -81.80730925738993},
      {-71.31942824499214, 32.62606426397723, 73.20951985803202},
      {25.13112622477341, -12.24266895238567, -23.07032500287172}}},
    {"plasma",
     {{0.05873234392399702, 0.02333670892565664, 0.5433401826748754},
      {2.176514634195958, 0.2383834171260182, 0.7539604599784036},
      {-2.689460476458034, -7.455851135738909, 3.110799939717086},
      {6.130348345893603, 42.3461881477227, -28.51885465332158},
      {-11.10743619062271, -82.66631109428045, 60.13984767418263},
      {10.02306557647065, 71.41361770095349, -54.07218655560067},
      {-3.658713842777788, -22.93153465461149, 18.19190778539828}}},
};

Colour colour_at(const Polynomial& p, double t) {
    Colour colour{};
    for (size_t channel = 0; channel < 3; ++channel) {
        double value = 0;
        for (size_t power = 7; power-- > 0;) value = value * t + p.c[power][channel];
        colour[channel] = static_cast<uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
    }
    return colour;
}

std::vector<double> values_of(const HostArray& array) {
    const OpId cast = *op_named("cast");
    std::vector<double> values(static_cast<size_t>(array.element_count()));
    for (size_t k = 0; k < values.size(); ++k) {
        const Scalar value = array.at(static_cast<int64_t>(k));
        values[k] = evaluate(cast, array.dtype, DType::f64_, &value).as_f64();
    }
    return values;
}

/// Least and greatest finite value, halved so that their distance is finite too.
struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -low;

    explicit Range(const std::vector<double>& values) {
        for (const double v : values) {
            if (!std::isfinite(v)) continue;
            low = std::min(low, v / 2);
            high = std::max(high, v / 2);
        }
    }
    /// Which of `count` equal parts of the range; the ends take what lies outside.
    size_t part(double v, size_t count) const {
        if (v / 2 >= high && high > low) return count - 1;
        if (!(v / 2 > low)) return 0;
        return std::min(count - 1,
                        static_cast<size_t>((v / 2 - low) / (high - low) * static_cast<double>(count)));
    }
};

}  // namespace

std::vector<std::string> colormap_names() {
    std::vector<std::string> names;
    for (const Polynomial& p : kColormaps) names.emplace_back(p.name);
    return names;
}

std::vector<Colour> colormap(const std::string& name) {
    for (const Polynomial& p : kColormaps) {
        if (p.name != name) continue;
        std::vector<Colour> colours;
        for (size_t k = 0; k < kColours; ++k)
            colours.push_back(colour_at(p, static_cast<double>(k) / (kColours - 1)));
        return colours;
    }
    Diagnostic unknown;
    unknown.message = fmt::format("there is no colormap `{}`", name);
    const std::string near = nearest_name(name, colormap_names());
    unknown.help.push_back(near.empty() ? fmt::format("colormaps are {}", fmt::join(colormap_names(), ", "))
                                        : fmt::format("did you mean `{}`?", near));
    throw UserError({unknown});
}

HostArray picture(const HostArray& array, const std::string& map, const std::string& path) {
    const std::vector<Colour> colours = colormap(map);
    if (is_rgb(array)) return array;
    if (array.shape.size() != 2 || is_complex(array.dtype)) {
        file_fault(path,
                   fmt::format("a picture shows an array of two axes or u8[h, w, 3]: found {}[{}]",
                               name(array.dtype), fmt::join(array.shape, ", ")),
                   {"convert colours with u8(...); show one channel as `x[:, :, 0]`"});
    }
    const std::vector<double> values = values_of(array);
    const Range range(values);
    HostArray image{DType::u8_, {array.shape[0], array.shape[1], 3}, {}};
    image.bytes.reserve(3 * values.size());
    for (const double v : values) {
        const Colour colour = std::isnan(v) ? kNanColour : colours[range.part(v, kColours)];
        for (const uint8_t channel : colour) image.bytes.push_back(static_cast<std::byte>(channel));
    }
    return image;
}

}  // namespace fuseline
