// A JSON array of flat records, written to a file as the measurements come in, and the median of samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace spikes {

/// One flat JSON object; values are printed as they are added.
class Record {
public:
    Record& text(const char* key, const std::string& value) {
        std::string safe;
        for (char c : value) safe += (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32) ? ' ' : c;
        return put(key, '"' + safe + '"');
    }
    Record& number(const char* key, double value) {
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%.6g", value);
        return put(key, std::isfinite(value) ? buffer : "null");
    }
    std::string str() const { return '{' + body_ + '}'; }

private:
    Record& put(const char* key, const std::string& value) {
        body_ += (body_.empty() ? "\"" : ", \"") + std::string(key) + "\": " + value;
        return *this;
    }
    std::string body_;
};

/// Appends records to `path` as a JSON array; the file is closed properly also after an exception.
class Log {
public:
    explicit Log(const char* path) : file_(std::fopen(path, "w")) { std::fputs("[", file_ ? file_ : stderr); }
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    ~Log() {
        if (!file_) return;
        std::fputs("\n]\n", file_);
        std::fclose(file_);
    }
    void add(const Record& record) {
        if (!file_) return;
        std::fprintf(file_, "%s\n  %s", first_ ? "" : ",", record.str().c_str());
        std::fflush(file_);
        first_ = false;
    }

private:
    std::FILE* file_;
    bool first_ = true;
};

inline double median(std::vector<double> samples) {
    if (samples.empty()) return NAN;
    std::sort(samples.begin(), samples.end());
    size_t half = samples.size() / 2;
    return samples.size() % 2 ? samples[half] : 0.5 * (samples[half - 1] + samples[half]);
}

}  // namespace spikes
