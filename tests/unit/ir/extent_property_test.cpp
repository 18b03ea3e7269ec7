// Random size expressions: the normalised extent has the value of the tree that it was built from.
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/extent.h"
#include "tests/catch.h"

using fuseline::ExtentId;
using fuseline::ExtentPool;

namespace {

const std::vector<std::string> kNames = {"n", "m", "k"};
const std::vector<std::string> kOperators = {"+", "-", "*", "//", "%", "max", "min", "max0"};

/// An operator over two earlier nodes, or a leaf: a name or a number.
struct Node {
    std::string op;
    size_t left = 0;
    size_t right = 0;
    int64_t number = 0;
};
using Tree = std::vector<Node>;

Tree random_tree(std::mt19937& random) {
    const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
    Tree tree;
    for (const std::string& name : kNames) tree.push_back({name, 0, 0, 0});
    for (int i = 0; i < 3; ++i) tree.push_back({"number", 0, 0, static_cast<int64_t>(below(10)) - 2});
    const size_t steps = 1 + below(9);
    for (size_t i = 0; i < steps; ++i) {
        // Mostly the latest node, so that trees grow deep.
        const size_t left = below(2) == 0 ? tree.size() - 1 : below(tree.size());
        tree.push_back({kOperators[below(kOperators.size())], left, below(tree.size()), 0});
    }
    return tree;
}

int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::optional<int64_t> apply(const std::string& op, int64_t a, int64_t b) {
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "max") return a > b ? a : b;
    if (op == "min") return a < b ? a : b;
    if (op == "max0") return a > 0 ? a : 0;
    if (b == 0) return std::nullopt;
    return op == "//" ? floor_quotient(a, b) : a - b * floor_quotient(a, b);
}

/// Values of all nodes; a node that needs a missing value has none.
std::vector<std::optional<int64_t>> naive_values(const Tree& tree,
                                                 const std::map<std::string, int64_t>& sizes) {
    constexpr int64_t kLarge = 1'000'000'000;
    std::vector<std::optional<int64_t>> values;
    for (const Node& node : tree) {
        const auto size = sizes.find(node.op);
        if (size != sizes.end())
            values.emplace_back(size->second);
        else if (node.op == "number")
            values.emplace_back(node.number);
        else if (values[node.left] && values[node.right])
            values.push_back(apply(node.op, *values[node.left], *values[node.right]));
        else
            values.emplace_back();
        if (values.back() && (*values.back() > kLarge || *values.back() < -kLarge)) values.back().reset();
    }
    return values;
}

ExtentId build(ExtentPool& pool, const Node& node, const std::vector<ExtentId>& built) {
    if (node.op == "number") return pool.constant(node.number);
    if (node.op.size() == 1 && node.op[0] >= 'a') return pool.symbol(node.op);
    const ExtentId a = built[node.left];
    const ExtentId b = built[node.right];
    if (node.op == "+") return pool.add(a, b);
    if (node.op == "-") return pool.sub(a, b);
    if (node.op == "*") return pool.mul(a, b);
    if (node.op == "//") return pool.floordiv(a, b);
    if (node.op == "%") return pool.mod(a, b);
    if (node.op == "max") return pool.max(a, b);
    if (node.op == "min") return pool.min(a, b);
    return pool.max0(a);
}

std::vector<ExtentId> build_all(ExtentPool& pool, const Tree& tree) {
    std::vector<ExtentId> built;
    for (const Node& node : tree) built.push_back(build(pool, node, built));
    return built;
}

std::string tree_text(const Tree& tree) {
    std::vector<std::string> texts;
    for (const Node& node : tree) {
        if (node.op == "number")
            texts.push_back(std::to_string(node.number));
        else if (node.op.size() == 1 && node.op[0] >= 'a')
            texts.push_back(node.op);
        else if (node.op == "max0")
            texts.push_back("max(0, " + texts[node.left] + ")");
        else if (node.op.size() == 3)
            texts.push_back(node.op + "(" + texts[node.left] + ", " + texts[node.right] + ")");
        else
            texts.push_back("(" + texts[node.left] + " " + node.op + " " + texts[node.right] + ")");
    }
    return texts.back();
}

void check_values(const ExtentPool& pool, const Tree& tree, ExtentId e, std::mt19937& random) {
    const bool nonnegative = pool.provably_nonnegative(e);
    for (int trial = 0; trial < 24; ++trial) {
        std::map<std::string, int64_t> sizes;
        for (const std::string& name : kNames) sizes[name] = static_cast<int64_t>(random() % 8);
        const auto expected = naive_values(tree, sizes).back();
        if (!expected) continue;
        INFO("n = " << sizes["n"] << ", m = " << sizes["m"] << ", k = " << sizes["k"]);
        std::string why;
        const auto actual = pool.evaluate(e, sizes, &why);
        INFO(why);
        REQUIRE(actual.has_value());
        REQUIRE(*actual == *expected);
        if (nonnegative) REQUIRE(*actual >= 0);
    }
}

}  // namespace

TEST_CASE("extent: random expressions keep their values, text and identity") {
    const unsigned seed = 20;
    std::mt19937 random(seed);
    for (int round = 0; round < 2000; ++round) {
        const Tree tree = random_tree(random);
        ExtentPool pool;
        const ExtentId e = build_all(pool, tree).back();
        const std::string text = pool.text(e);
        INFO("seed " << seed << ", round " << round << ": " << tree_text(tree) << " normalised " << text);
        check_values(pool, tree, e, random);

        const auto again = pool.parse(text);
        REQUIRE(again.has_value());
        INFO("read back as " << pool.text(*again));
        REQUIRE(*again == e);

        ExtentPool other;
        for (const char* name : {"k", "m", "n"}) other.symbol(name);
        const ExtentId same = build_all(other, tree).back();
        REQUIRE(other.text(same) == text);
        REQUIRE(other.import(pool, e) == same);
    }
}

TEST_CASE("extent: random provable orders hold") {
    const unsigned seed = 21;
    std::mt19937 random(seed);
    for (int round = 0; round < 1000; ++round) {
        const Tree tree = random_tree(random);
        ExtentPool pool;
        const std::vector<ExtentId> built = build_all(pool, tree);
        const size_t a = random() % built.size();
        const size_t b = random() % built.size();
        if (!pool.provably_le(built[a], built[b])) continue;
        INFO("seed " << seed << ", round " << round << ": " << pool.text(built[a])
                     << " <= " << pool.text(built[b]));
        for (int trial = 0; trial < 24; ++trial) {
            std::map<std::string, int64_t> sizes;
            for (const std::string& name : kNames) sizes[name] = static_cast<int64_t>(random() % 8);
            const auto values = naive_values(tree, sizes);
            if (values[a] && values[b]) REQUIRE(*values[a] <= *values[b]);
        }
    }
}
