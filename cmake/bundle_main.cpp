// Entry of the GPU bundle's one program: the command, or what the first argument names.
#include <cstring>

int fuseline_cli_main(int argc, char** argv);
int fuseline_test_main(int argc, char** argv);
int fuseline_bench_main(int argc, char** argv);

int main(int argc, char** argv) {
    const auto is_first = [&](const char* name) { return argc >= 2 && std::strcmp(argv[1], name) == 0; };
    const auto part = is_first("--as-test-runner") ? fuseline_test_main
                      : is_first("--as-bench")     ? fuseline_bench_main
                                                   : nullptr;
    if (part == nullptr) return fuseline_cli_main(argc, argv);
    argv[1] = argv[0];
    return part(argc - 1, argv + 1);
}
