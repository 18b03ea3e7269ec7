#!/usr/bin/env bash
# Builds the spikes for sm_90, runs them one process at a time, and leaves tables and spikes.json in $1.
# Usage: run.sh <output folder>; SPIKES_LOG2=<n> sets the elements of a kernel run (default 2^28).
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh <output folder>}
log2=${SPIKES_LOG2:-28}
cuda=${CUDA_HOME:-/usr/local/cuda}
nvcc=$(command -v nvcc || echo "$cuda/bin/nvcc")
cxx=$(command -v g++ || echo "$nvcc -x c++")
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
mkdir -p "$out/parts"
started=$SECONDS

# name, source, contraction
build_kernels() {
  "$nvcc" -std=c++20 -O3 -arch=sm_90 -split-compile=0 --fmad="$3" -o "$bin/$1" "$here/$2" \
    >"$out/parts/build-$1.log" 2>&1 || { echo "build of $1 failed:"; tail -n 20 "$out/parts/build-$1.log"; }
}
build_host() {
  $cxx -std=c++20 -O2 -I"$cuda/include" -o "$bin/$1" "$here/$1.cpp" -ldl -lpthread \
    >"$out/parts/build-$1.log" 2>&1 || { echo "build of $1 failed:"; tail -n 20 "$out/parts/build-$1.log"; }
}

# part name, seconds allowed, program and arguments after the JSON file
run() {
  local part=$1 limit=$2 program=$3
  shift 3
  [ -x "$bin/$program" ] || return 0
  timeout "$limit" "$bin/$program" "$out/parts/$part.json" "$@" 2>&1 || echo "  $part: exit status $?"
  echo
}

merge() {
  local comma=""
  echo "{"
  for part in "$out"/parts/*.json; do
    [ -s "$part" ] || continue
    printf '%s"%s": ' "$comma" "$(basename "$part" .json)"
    cat "$part"
    # A process that was killed could not close its array.
    tail -n 1 "$part" | grep -q '^]' || echo "]"
    comma=","
  done
  echo "}"
}

build_kernels row_kernels row_kernels.cu false &
build_kernels elementwise_strict elementwise.cu false &
build_kernels elementwise_contract elementwise.cu true &
build_host launch_paths &
build_host nvrtc_paths &
wait
{
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null
  echo "built in $((SECONDS - started)) s"
  # The first process reads the libraries from disk.
  run fresh-0-cold 20 launch_paths fresh-serial
  for again in 1 2 3; do
    run "fresh-$again-serial" 20 launch_paths fresh-serial
    run "fresh-$again-overlap" 20 launch_paths fresh-overlap
  done
  run launch 30 launch_paths all
  run nvrtc 20 nvrtc_paths libnvrtc.so
  run nvrtc-alt 20 nvrtc_paths libnvrtc.alt.so
  run elementwise-strict 25 elementwise_strict strict "$log2"
  run elementwise-contract 25 elementwise_contract contract "$log2"
  for columns in 33 100 1000 1024 1025 4096 8192 12345 32768 131072; do
    run "softmax-$columns" 20 row_kernels "$columns" "$log2"
  done
  echo "all in $((SECONDS - started)) s"
} | tee "$out/spikes.txt"
merge >"$out/spikes.json"
python3 "$here/summary.py" "$out/spikes.json" 2>&1 | tee -a "$out/spikes.txt"
