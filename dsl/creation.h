// Handlers of the built-in functions that make arrays or tell about them.
#pragma once

#include "dsl/builtins.h"

namespace fuseline::dsl {

Value run_shape(Checker& c, Slots& slots, const Call& call);
Value run_dtype(Checker& c, Slots& slots, const Call& call);
Value run_zeros(Checker& c, Slots& slots, const Call& call);
Value run_ones(Checker& c, Slots& slots, const Call& call);
Value run_full(Checker& c, Slots& slots, const Call& call);
Value run_zeros_like(Checker& c, Slots& slots, const Call& call);
Value run_ones_like(Checker& c, Slots& slots, const Call& call);
Value run_full_like(Checker& c, Slots& slots, const Call& call);
Value run_iota(Checker& c, Slots& slots, const Call& call);
Value run_arange(Checker& c, Slots& slots, const Call& call);
Value run_linspace(Checker& c, Slots& slots, const Call& call);
Value run_eye(Checker& c, Slots& slots, const Call& call);
Value run_broadcast_to(Checker& c, Slots& slots, const Call& call);

}  // namespace fuseline::dsl
