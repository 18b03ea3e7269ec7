#!/usr/bin/env bash
# Runs a fuzzer; when it fails, prints the input that broke it as base64, whatever its size.
# Usage: run_fuzzer.sh FOLDER FUZZER ARGUMENTS...
# FOLDER is emptied first and receives the breaking input.
set -u
folder="$1"; shift
rm -rf "$folder"
mkdir -p "$folder"
"$@" "-artifact_prefix=$folder/"
code=$?
for input in "$folder"/*; do
    [ -f "$input" ] || continue
    echo "breaking input $(basename "$input"), $(stat -c %s "$input") bytes; decode it with \`base64 -d\`:"
    base64 -w 110 "$input"
done
exit "$code"
