; Functions of emitted CPU kernels, as templates over the vector type; llvm_prelude.h fills them in.
;
;   $V $S   type and name suffix of the operation's values: <8 x float> and v8f32, or float and f32
;   $R $T   the same of the result
;   $I $J $B  integers of the operation's and of the result's width, and masks, of as many lanes
;   $H $G   integers of 16 bits, and the name suffix of that type
;   $L $W   lanes; bits of an operation's value
;   $(c)    constant c of type $V;  $i(c) of type $I, and so for $R, $J and $H;  $(c|d) is c for f32, d for f64
;   $MIN $MAX $LOW $HIGH   within a constant: the ends of a signed result, and as floats its end and the first
;           value above it
;
; A block is a heading, "fl.name: needs others", and what follows it up to a blank line.

; fl.neg:
define internal $V @fl.neg.$S($V %x) alwaysinline {
  %r = sub $V zeroinitializer, %x
  ret $V %r
}

; fl.abs:
define internal $V @fl.abs.$S($V %x) alwaysinline {
  %r = call $V @llvm.abs.$S($V %x, i1 false)
  ret $V %r
}

; fl.floordiv:
define internal $V @fl.floordiv.$S($V %x, $V %y) alwaysinline {
  %zero = icmp eq $V %y, zeroinitializer
  %minus = icmp eq $V %y, $(-1)
  %trap = or $B %zero, %minus
  %d = select $B %trap, $V $(1), $V %y
  %q = sdiv $V %x, %d
  %p = mul $V %q, %d
  %inexact = icmp ne $V %p, %x
  %signs = xor $V %x, %d
  %differ = icmp slt $V %signs, zeroinitializer
  %below = and $B %inexact, %differ
  %less = sub $V %q, $(1)
  %floor = select $B %below, $V %less, $V %q
  %negated = sub $V zeroinitializer, %x
  %known = select $B %zero, $V zeroinitializer, $V %negated
  %r = select $B %trap, $V %known, $V %floor
  ret $V %r
}

; fl.ufloordiv:
define internal $V @fl.ufloordiv.$S($V %x, $V %y) alwaysinline {
  %zero = icmp eq $V %y, zeroinitializer
  %d = select $B %zero, $V $(1), $V %y
  %q = udiv $V %x, %d
  %r = select $B %zero, $V zeroinitializer, $V %q
  ret $V %r
}

; fl.mod:
define internal $V @fl.mod.$S($V %x, $V %y) alwaysinline {
  %zero = icmp eq $V %y, zeroinitializer
  %minus = icmp eq $V %y, $(-1)
  %trap = or $B %zero, %minus
  %d = select $B %trap, $V $(1), $V %y
  %m = srem $V %x, %d
  %some = icmp ne $V %m, zeroinitializer
  %signs = xor $V %m, %d
  %differ = icmp slt $V %signs, zeroinitializer
  %move = and $B %some, %differ
  %moved = add $V %m, %d
  %r = select $B %move, $V %moved, $V %m
  ret $V %r
}

; fl.umod:
define internal $V @fl.umod.$S($V %x, $V %y) alwaysinline {
  %zero = icmp eq $V %y, zeroinitializer
  %d = select $B %zero, $V $(1), $V %y
  %m = urem $V %x, %d
  %r = select $B %zero, $V zeroinitializer, $V %m
  ret $V %r
}

; fl.powu:
define internal $V @fl.powu.$S($V %x, $V %n) {
entry:
  br label %loop
loop:
  %rest = phi $V [ %n, %entry ], [ %half, %loop ]
  %square = phi $V [ %x, %entry ], [ %next, %loop ]
  %result = phi $V [ $(1), %entry ], [ %taken, %loop ]
  %low = and $V %rest, $(1)
  %odd = icmp ne $V %low, zeroinitializer
  %times = mul $V %result, %square
  %taken = select $B %odd, $V %times, $V %result
  %next = mul $V %square, %square
  %half = lshr $V %rest, $(1)
  %more = icmp ne $V %half, zeroinitializer
  %lanes = bitcast $B %more to i$L
  %again = icmp ne i$L %lanes, 0
  br i1 %again, label %loop, label %done
done:
  ret $V %taken
}

; fl.pow: needs fl.powu
define internal $V @fl.pow.$S($V %x, $V %n) alwaysinline {
  %negative = icmp slt $V %n, zeroinitializer
  %count = select $B %negative, $V zeroinitializer, $V %n
  %power = call $V @fl.powu.$S($V %x, $V %count)
  %one = icmp eq $V %x, $(1)
  %minus = icmp eq $V %x, $(-1)
  %parity = and $V %n, $(1)
  %twice = shl $V %parity, $(1)
  %sign = sub $V $(1), %twice
  %a = select $B %one, $V $(1), $V zeroinitializer
  %b = select $B %minus, $V %sign, $V %a
  %r = select $B %negative, $V %b, $V %power
  ret $V %r
}

; fl.shl:
define internal $V @fl.shl.$S($V %x, $V %n) alwaysinline {
  %inside = icmp ult $V %n, $($W)
  %count = select $B %inside, $V %n, $V zeroinitializer
  %shifted = shl $V %x, %count
  %r = select $B %inside, $V %shifted, $V zeroinitializer
  ret $V %r
}

; fl.shr:
define internal $V @fl.shr.$S($V %x, $V %n) alwaysinline {
  %last = sub $V $($W), $(1)
  %inside = icmp ult $V %n, $($W)
  %count = select $B %inside, $V %n, $V %last
  %r = ashr $V %x, %count
  ret $V %r
}

; fl.ushr:
define internal $V @fl.ushr.$S($V %x, $V %n) alwaysinline {
  %inside = icmp ult $V %n, $($W)
  %count = select $B %inside, $V %n, $V zeroinitializer
  %shifted = lshr $V %x, %count
  %r = select $B %inside, $V %shifted, $V zeroinitializer
  ret $V %r
}

; fl.clz:
define internal $V @fl.clz.$S($V %x) alwaysinline {
  %r = call $V @llvm.ctlz.$S($V %x, i1 false)
  ret $V %r
}

; fl.sign:
define internal $V @fl.sign.$S($V %x) alwaysinline {
  %above = icmp sgt $V %x, zeroinitializer
  %below = icmp slt $V %x, zeroinitializer
  %one = select $B %above, $V $(1), $V zeroinitializer
  %r = select $B %below, $V $(-1), $V %one
  ret $V %r
}

; fl.usign:
define internal $V @fl.usign.$S($V %x) alwaysinline {
  %r = call $V @llvm.umin.$S($V %x, $V $(1))
  ret $V %r
}

; fl.floatsign:
define internal $V @fl.floatsign.$S($V %x) alwaysinline {
  %above = fcmp ogt $V %x, zeroinitializer
  %below = fcmp olt $V %x, zeroinitializer
  %one = select $B %above, $V $(1.0), $V %x
  %r = select $B %below, $V $(-1.0), $V %one
  ret $V %r
}

; fl.rsqrt:
define internal $V @fl.rsqrt.$S($V %x) alwaysinline {
  %root = call $V @llvm.sqrt.$S($V %x)
  %r = fdiv $V $(1.0), %root
  ret $V %r
}

; fl.log1p: needs sleef.log1p_u10 sleef.log_u10
define internal $V @fl.log1p.$S($V %x) {
entry:
  %near = call $V @sleef.log1p_u10.$S($V %x)
  %big = fcmp ogt $V %x, $(1152921504606846976.0)
  %lanes = bitcast $B %big to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %far, label %done
far:
  %log = call $V @sleef.log_u10.$S($V %x)
  %mixed = select $B %big, $V %log, $V %near
  br label %done
done:
  %r = phi $V [ %near, %entry ], [ %mixed, %far ]
  ret $V %r
}

; fl.asinh: needs sleef.asinh_u10 sleef.log_u10
define internal $V @fl.asinh.$S($V %x) {
entry:
  %near = call $V @sleef.asinh_u10.$S($V %x)
  %size = call $V @llvm.fabs.$S($V %x)
  %big = fcmp ogt $V %size, $(1152921504606846976.0)
  %lanes = bitcast $B %big to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %far, label %done
far:
  %log = call $V @sleef.log_u10.$S($V %size)
  %twice = fadd $V %log, $(0x3FE62E4300000000|0x3FE62E42FEFA39EF)
  %signed = call $V @llvm.copysign.$S($V %twice, $V %x)
  %mixed = select $B %big, $V %signed, $V %near
  br label %done
done:
  %r = phi $V [ %near, %entry ], [ %mixed, %far ]
  ret $V %r
}

; fl.acosh: needs sleef.acosh_u10 sleef.log_u10
define internal $V @fl.acosh.$S($V %x) {
entry:
  %near = call $V @sleef.acosh_u10.$S($V %x)
  %big = fcmp ogt $V %x, $(1152921504606846976.0)
  %lanes = bitcast $B %big to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %far, label %done
far:
  %log = call $V @sleef.log_u10.$S($V %x)
  %twice = fadd $V %log, $(0x3FE62E4300000000|0x3FE62E42FEFA39EF)
  %mixed = select $B %big, $V %twice, $V %near
  br label %done
done:
  %r = phi $V [ %near, %entry ], [ %mixed, %far ]
  ret $V %r
}

; fl.halfexp: needs sleef.exp_u10
define internal $V @fl.halfexp.$S($V %x) noinline {
  %less = fsub $V %x, $(1.0)
  %e = call $V @sleef.exp_u10.$S($V %less)
  %high = fmul $V %e, $(0x3FF5BF0A80000000|0x3FF5BF0A8B145769)
  %low = fmul $V %e, $(0x3E6628AEE0000000|0x3C94D57EE2B1013A)
  %r = fadd $V %high, %low
  ret $V %r
}

; fl.sinh: needs sleef.sinh_u10 fl.halfexp
define internal $V @fl.sinh.$S($V %x) {
entry:
  %near = call $V @sleef.sinh_u10.$S($V %x)
  %size = call $V @llvm.fabs.$S($V %x)
  %big = fcmp ogt $V %size, $(88.0|709.0)
  %lanes = bitcast $B %big to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %far, label %done
far:
  %half = call $V @fl.halfexp.$S($V %size)
  %signed = call $V @llvm.copysign.$S($V %half, $V %x)
  %mixed = select $B %big, $V %signed, $V %near
  br label %done
done:
  %r = phi $V [ %near, %entry ], [ %mixed, %far ]
  ret $V %r
}

; fl.cosh: needs sleef.cosh_u10 fl.halfexp
define internal $V @fl.cosh.$S($V %x) {
entry:
  %near = call $V @sleef.cosh_u10.$S($V %x)
  %size = call $V @llvm.fabs.$S($V %x)
  %big = fcmp ogt $V %size, $(88.0|709.0)
  %lanes = bitcast $B %big to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %far, label %done
far:
  %half = call $V @fl.halfexp.$S($V %size)
  %mixed = select $B %big, $V %half, $V %near
  br label %done
done:
  %r = phi $V [ %near, %entry ], [ %mixed, %far ]
  ret $V %r
}

; fl.lgamma: needs sleef.lgamma_u10 sleef.log_u10
define internal $V @fl.lgamma.$S($V %x) {
entry:
  %near = call $V @sleef.lgamma_u10.$S($V %x)
  %big = fcmp ogt $V %x, $(0x476812F9C0000000|0x7F423A516E82D9BA)
  %lanes = bitcast $B %big to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %far, label %done
far:
  %log = call $V @sleef.log_u10.$S($V %x)
  %finite = fcmp one $V %x, $(0x7FF0000000000000)
  %less = fneg $V %x
  %minus = select $B %finite, $V %less, $V zeroinitializer
  %stirling = call $V @llvm.fma.$S($V %x, $V %log, $V %minus)
  %mixed = select $B %big, $V %stirling, $V %near
  br label %done
done:
  %r = phi $V [ %near, %entry ], [ %mixed, %far ]
  ret $V %r
}

; fl.remslow:
define internal $V @fl.remslow.$S($V %x, $V %y) noinline {
  %r = frem $V %x, %y
  ret $V %r
}

; fl.rem: needs fl.remslow
define internal $V @fl.rem.$S($V %x, $V %y) {
entry:
  %ratio = fdiv $V %x, %y
  %q = call $V @llvm.trunc.$S($V %ratio)
  %size = call $V @llvm.fabs.$S($V %q)
  %exact = fcmp olt $V %size, $(16777216.0|9007199254740992.0)
  %ysize = call $V @llvm.fabs.$S($V %y)
  %yfinite = fcmp one $V %ysize, $(0x7FF0000000000000)
  %fast = and $B %exact, %yfinite
  %lanes = bitcast $B %fast to i$L
  %all = icmp eq i$L %lanes, -1
  br i1 %all, label %quick, label %slow
quick:
  %back = fneg $V %q
  %first = call $V @llvm.fma.$S($V %back, $V %y, $V %x)
  %toward = call $V @llvm.copysign.$S($V %y, $V %x)
  %second = fadd $V %first, %toward
  %signed = call $V @llvm.copysign.$S($V %first, $V %x)
  %same = fcmp oeq $V %first, %signed
  %moved = select $B %same, $V %first, $V %second
  %r = call $V @llvm.copysign.$S($V %moved, $V %x)
  ret $V %r
slow:
  %s = call $V @fl.remslow.$S($V %x, $V %y)
  ret $V %s
}

; fl.floatmod: needs fl.rem
define internal $V @fl.floatmod.$S($V %x, $V %y) alwaysinline {
  %m = call $V @fl.rem.$S($V %x, $V %y)
  %zero = fcmp oeq $V %m, zeroinitializer
  %nought = call $V @llvm.copysign.$S($V zeroinitializer, $V %y)
  %mneg = fcmp olt $V %m, zeroinitializer
  %yneg = fcmp olt $V %y, zeroinitializer
  %differ = xor $B %mneg, %yneg
  %sum = fadd $V %m, %y
  %moved = select $B %differ, $V %sum, $V %m
  %r = select $B %zero, $V %nought, $V %moved
  ret $V %r
}

; fl.floatfloordiv: needs fl.rem
define internal $V @fl.floatfloordiv.$S($V %x, $V %y) alwaysinline {
  %plain = fdiv $V %x, %y
  %m = call $V @fl.rem.$S($V %x, $V %y)
  %less = fsub $V %x, %m
  %q = fdiv $V %less, %y
  %some = fcmp une $V %m, zeroinitializer
  %mneg = fcmp olt $V %m, zeroinitializer
  %yneg = fcmp olt $V %y, zeroinitializer
  %differ = xor $B %mneg, %yneg
  %below = and $B %some, %differ
  %down = fsub $V %q, $(1.0)
  %quotient = select $B %below, $V %down, $V %q
  %floor = call $V @llvm.floor.$S($V %quotient)
  %gap = fsub $V %quotient, %floor
  %up = fcmp ogt $V %gap, $(0.5)
  %raised = fadd $V %floor, $(1.0)
  %whole = select $B %up, $V %raised, $V %floor
  %none = fcmp oeq $V %quotient, zeroinitializer
  %nought = call $V @llvm.copysign.$S($V zeroinitializer, $V %plain)
  %value = select $B %none, $V %nought, $V %whole
  %yzero = fcmp oeq $V %y, zeroinitializer
  %r = select $B %yzero, $V %plain, $V %value
  ret $V %r
}

; fl.nextafter:
define internal $V @fl.nextafter.$S($V %x, $V %y) alwaysinline {
  %sum = fadd $V %x, %y
  %nan = fcmp uno $V %x, %y
  %equal = fcmp oeq $V %x, %y
  %zero = fcmp oeq $V %x, zeroinitializer
  %positive = fcmp ogt $V %x, zeroinitializer
  %rising = fcmp olt $V %x, %y
  %apart = xor $B %positive, %rising
  %step = select $B %apart, $I $i(-1), $I $i(1)
  %bits = bitcast $V %x to $I
  %moved = add $I %bits, %step
  %value = bitcast $I %moved to $V
  %tiny = bitcast $I $i(1) to $V
  %least = call $V @llvm.copysign.$S($V %tiny, $V %y)
  %a = select $B %zero, $V %least, $V %value
  %b = select $B %equal, $V %y, $V %a
  %r = select $B %nan, $V %sum, $V %b
  ret $V %r
}

; fl.isnan:
define internal $B @fl.isnan.$S($V %x) alwaysinline {
  %r = fcmp uno $V %x, zeroinitializer
  ret $B %r
}

; fl.isinf:
define internal $B @fl.isinf.$S($V %x) alwaysinline {
  %size = call $V @llvm.fabs.$S($V %x)
  %r = fcmp oeq $V %size, $(0x7FF0000000000000)
  ret $B %r
}

; fl.isfinite:
define internal $B @fl.isfinite.$S($V %x) alwaysinline {
  %size = call $V @llvm.fabs.$S($V %x)
  %r = fcmp one $V %size, $(0x7FF0000000000000)
  ret $B %r
}

; fl.fmin:
define internal $V @fl.fmin.$S($V %x, $V %y) alwaysinline {
  %xnan = fcmp uno $V %x, zeroinitializer
  %ynan = fcmp uno $V %y, zeroinitializer
  %both = call $V @llvm.minimum.$S($V %x, $V %y)
  %left = select $B %ynan, $V %x, $V %both
  %r = select $B %xnan, $V %y, $V %left
  ret $V %r
}

; fl.fmax:
define internal $V @fl.fmax.$S($V %x, $V %y) alwaysinline {
  %xnan = fcmp uno $V %x, zeroinitializer
  %ynan = fcmp uno $V %y, zeroinitializer
  %both = call $V @llvm.maximum.$S($V %x, $V %y)
  %left = select $B %ynan, $V %x, $V %both
  %r = select $B %xnan, $V %y, $V %left
  ret $V %r
}

; fl.to_signed:
define internal $R @fl.to_signed.$T.$S($V %x) alwaysinline {
  %above = fcmp oge $V %x, $($HIGH)
  %notbelow = fcmp oge $V %x, $($LOW)
  %safe = select $B %notbelow, $V %x, $V zeroinitializer
  %inside = select $B %above, $V zeroinitializer, $V %safe
  %whole = fptosi $V %inside to $R
  %capped = select $B %above, $R $r($MAX), $R %whole
  %below = fcmp olt $V %x, $($LOW)
  %r = select $B %below, $R $r($MIN), $R %capped
  ret $R %r
}

; fl.to_unsigned:
define internal $R @fl.to_unsigned.$T.$S($V %x) alwaysinline {
  %r = call $R @llvm.fptoui.sat.$T.$S($V %x)
  ret $R %r
}

; fl.quiet:
define internal $V @fl.quiet.$S($V %x) alwaysinline {
  %nan = fcmp uno $V %x, zeroinitializer
  %r = select $B %nan, $V $(0x7FF8000000000000), $V %x
  ret $V %r
}

; fl.odd:
define internal $V @fl.odd.$S($V %x) alwaysinline {
  %sign = ashr $V %x, $(63)
  %size = xor $V %x, %sign
  %high = lshr $V %size, $(53)
  %big = icmp ne $V %high, zeroinitializer
  %low = and $V %x, $(4095)
  %some = icmp ne $V %low, zeroinitializer
  %lost = and $B %big, %some
  %cut = and $V %x, $(-4096)
  %odd = or $V %cut, $(2048)
  %r = select $B %lost, $V %odd, $V %x
  ret $V %r
}

; fl.uodd:
define internal $V @fl.uodd.$S($V %x) alwaysinline {
  %high = lshr $V %x, $(53)
  %big = icmp ne $V %high, zeroinitializer
  %low = and $V %x, $(4095)
  %some = icmp ne $V %low, zeroinitializer
  %lost = and $B %big, %some
  %cut = and $V %x, $(-4096)
  %odd = or $V %cut, $(2048)
  %r = select $B %lost, $V %odd, $V %x
  ret $V %r
}

; fl.to_odd:
define internal $R @fl.to_odd.$T.$S($V %x) alwaysinline {
  %near = fptrunc $V %x to $R
  %back = fpext $R %near to $V
  %inexact = fcmp one $V %back, %x
  %bits = bitcast $R %near to $J
  %last = and $J %bits, $j(1)
  %even = icmp eq $J %last, zeroinitializer
  %move = and $B %inexact, %even
  %backsize = call $V @llvm.fabs.$S($V %back)
  %size = call $V @llvm.fabs.$S($V %x)
  %above = fcmp ogt $V %backsize, %size
  %step = select $B %above, $J $j(-1), $J $j(1)
  %moved = add $J %bits, %step
  %odd = select $B %move, $J %moved, $J %bits
  %r = bitcast $J %odd to $R
  ret $R %r
}

; fl.to_value_f16:
define internal $R @fl.to_value_f16.$T.$S($V %x) alwaysinline {
  %wide = zext $V %x to $J
  %size = and $J %wide, $j(32767)
  %signed = xor $J %wide, %size
  %sign = shl $J %signed, $j(16)
  %bits = shl $J %size, $j(13)
  %normal = add $J %bits, $j(939524096)
  %special = icmp ugt $J %size, $j(31743)
  %beyond = add $J %normal, $j(939524096)
  %large = select $B %special, $J %beyond, $J %normal
  %tiny = icmp ult $J %size, $j(1024)
  %above = add $J %normal, $j(8388608)
  %number = bitcast $J %above to $R
  %less = fsub $R %number, $r(0x3F10000000000000)
  %lessbits = bitcast $R %less to $J
  %all = select $B %tiny, $J %lessbits, $J %large
  %whole = or $J %all, %sign
  %r = bitcast $J %whole to $R
  ret $R %r
}

; fl.to_value_bf16:
define internal $R @fl.to_value_bf16.$T.$S($V %x) alwaysinline {
  %wide = zext $V %x to $J
  %bits = shl $J %wide, $j(16)
  %r = bitcast $J %bits to $R
  ret $R %r
}

; fl.to_bits_f16:
define internal $R @fl.to_bits_f16.$T.$S($V %x) alwaysinline {
  %bits = bitcast $V %x to $I
  %size = and $I %bits, $i(2147483647)
  %signed = xor $I %bits, %size
  %sign = lshr $I %signed, $i(16)
  %shifted = lshr $I %size, $i(13)
  %last = and $I %shifted, $i(1)
  %moved = add $I %size, $i(-939520001)
  %tied = add $I %moved, %last
  %normal = lshr $I %tied, $i(13)
  %number = bitcast $I %size to $V
  %more = fadd $V %number, $(0.5)
  %morebits = bitcast $V %more to $I
  %least = sub $I %morebits, $i(1056964608)
  %tiny = icmp ult $I %size, $i(947912704)
  %finite = select $B %tiny, $I %least, $I %normal
  %large = icmp ugt $I %size, $i(1199570943)
  %capped = select $B %large, $I $i(31744), $I %finite
  %nan = fcmp uno $V %x, zeroinitializer
  %all = select $B %nan, $I $i(32256), $I %capped
  %whole = or $I %all, %sign
  %r = trunc $I %whole to $R
  ret $R %r
}

; fl.to_bits_bf16:
define internal $R @fl.to_bits_bf16.$T.$S($V %x) alwaysinline {
  %bits = bitcast $V %x to $I
  %shifted = lshr $I %bits, $i(16)
  %last = and $I %shifted, $i(1)
  %moved = add $I %bits, $i(32767)
  %tied = add $I %moved, %last
  %near = lshr $I %tied, $i(16)
  %nan = fcmp uno $V %x, zeroinitializer
  %all = select $B %nan, $I $i(32704), $I %near
  %r = trunc $I %all to $R
  ret $R %r
}

; fl.round_f16:
define internal $V @fl.round_f16.$S($V %x) alwaysinline {
  %bits = bitcast $V %x to $I
  %size = and $I %bits, $i(2147483647)
  %shifted = lshr $I %size, $i(13)
  %last = and $I %shifted, $i(1)
  %moved = add $I %size, $i(4095)
  %tied = add $I %moved, %last
  %normal = and $I %tied, $i(-8192)
  %number = bitcast $I %size to $V
  %more = fadd $V %number, $(0.5)
  %less = fsub $V %more, $(0.5)
  %least = bitcast $V %less to $I
  %tiny = icmp ult $I %size, $i(947912704)
  %finite = select $B %tiny, $I %least, $I %normal
  %large = icmp ugt $I %finite, $i(1199570943)
  %capped = select $B %large, $I $i(2139095040), $I %finite
  %positive = bitcast $I %capped to $V
  %near = call $V @llvm.copysign.$S($V %positive, $V %x)
  %nan = fcmp uno $V %x, zeroinitializer
  %r = select $B %nan, $V %x, $V %near
  ret $V %r
}

; fl.round_bf16:
define internal $V @fl.round_bf16.$S($V %x) alwaysinline {
  %bits = bitcast $V %x to $I
  %shifted = lshr $I %bits, $i(16)
  %last = and $I %shifted, $i(1)
  %moved = add $I %bits, $i(32767)
  %tied = add $I %moved, %last
  %near = and $I %tied, $i(-65536)
  %number = bitcast $I %near to $V
  %nan = fcmp uno $V %x, zeroinitializer
  %r = select $B %nan, $V %x, $V %number
  ret $V %r
}

; fl.nextafter_f16: needs fl.to_bits_f16 fl.to_value_f16
define internal $V @fl.nextafter_f16.$S($V %x, $V %y) alwaysinline {
  %sum = fadd $V %x, %y
  %nan = fcmp uno $V %x, %y
  %equal = fcmp oeq $V %x, %y
  %zero = fcmp oeq $V %x, zeroinitializer
  %positive = fcmp ogt $V %x, zeroinitializer
  %rising = fcmp olt $V %x, %y
  %apart = xor $B %positive, %rising
  %step = select $B %apart, $H $h(-1), $H $h(1)
  %bits = call $H @fl.to_bits_f16.$G.$S($V %x)
  %moved = add $H %bits, %step
  %value = call $V @fl.to_value_f16.$S.$G($H %moved)
  %least = call $V @llvm.copysign.$S($V $(0x3E70000000000000), $V %y)
  %a = select $B %zero, $V %least, $V %value
  %b = select $B %equal, $V %y, $V %a
  %r = select $B %nan, $V %sum, $V %b
  ret $V %r
}

; fl.nextafter_bf16: needs fl.to_bits_bf16 fl.to_value_bf16
define internal $V @fl.nextafter_bf16.$S($V %x, $V %y) alwaysinline {
  %sum = fadd $V %x, %y
  %nan = fcmp uno $V %x, %y
  %equal = fcmp oeq $V %x, %y
  %zero = fcmp oeq $V %x, zeroinitializer
  %positive = fcmp ogt $V %x, zeroinitializer
  %rising = fcmp olt $V %x, %y
  %apart = xor $B %positive, %rising
  %step = select $B %apart, $H $h(-1), $H $h(1)
  %bits = call $H @fl.to_bits_bf16.$G.$S($V %x)
  %moved = add $H %bits, %step
  %value = call $V @fl.to_value_bf16.$S.$G($H %moved)
  %least = call $V @llvm.copysign.$S($V $(0x37A0000000000000), $V %y)
  %a = select $B %zero, $V %least, $V %value
  %b = select $B %equal, $V %y, $V %a
  %r = select $B %nan, $V %sum, $V %b
  ret $V %r
}
