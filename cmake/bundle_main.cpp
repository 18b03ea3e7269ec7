// Entry of the GPU bundle's one program: the command, or the test runner after --as-test-runner.
#include <cstring>

int fuseline_cli_main(int argc, char** argv);
int fuseline_test_main(int argc, char** argv);

int main(int argc, char** argv) {
    if (argc < 2 || std::strcmp(argv[1], "--as-test-runner") != 0) return fuseline_cli_main(argc, argv);
    argv[1] = argv[0];
    return fuseline_test_main(argc - 1, argv + 1);
}
