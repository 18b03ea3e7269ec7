; Functions that SLEEF lacks, in f64, in the form of llvm_prelude.ll. Polynomials interpolate at Chebyshev's
; points, which is near the best of their degree.

; fl.erfinvratio: needs sleef.log_u10
; erfinv(x) / x for y = 1 - x * x: in w = -log(y) up to 6, then in its root s up to 4 and up to 6.5, then in
; 1 / (s + 3).
define internal $V @fl.erfinvratio.$S($V %y) {
entry:
  %log = call $V @sleef.log_u10.$S($V %y)
  %w = fneg $V %log
  %t = fsub $V %w, $(0x4008000000000000)
  %a23 = fmul $V %t, $(0x3BB47A851C2CF954)
  %a22s = fadd $V %a23, $(0xBBC81AB51D514E6C)
  %a22 = fmul $V %a22s, %t
  %a21s = fadd $V %a22, $(0xBC1CE564B0E47E8E)
  %a21 = fmul $V %a21s, %t
  %a20s = fadd $V %a21, $(0x3C42D37AC45DFDD5)
  %a20 = fmul $V %a20s, %t
  %a19s = fadd $V %a20, $(0x3C6DAFB4FE02A26C)
  %a19 = fmul $V %a19s, %t
  %a18s = fadd $V %a19, $(0xBCA76CF01BA6594B)
  %a18 = fmul $V %a18s, %t
  %a17s = fadd $V %a18, $(0x3CB3BF80CF783E3D)
  %a17 = fmul $V %a17s, %t
  %a16s = fadd $V %a17, $(0x3CFC8C5F47132742)
  %a16 = fmul $V %a16s, %t
  %a15s = fadd $V %a16, $(0xBD2DCBFA03933BC4)
  %a15 = fmul $V %a15s, %t
  %a14s = fadd $V %a15, $(0x3CFBE17C2F60BE00)
  %a14 = fmul $V %a14s, %t
  %a13s = fadd $V %a14, $(0x3D87BD8787070135)
  %a13 = fmul $V %a13s, %t
  %a12s = fadd $V %a13, $(0xBDB30D8CCF28C4EA)
  %a12 = fmul $V %a12s, %t
  %a11s = fadd $V %a12, $(0xBDC146C0CEEB112F)
  %a11 = fmul $V %a11s, %t
  %a10s = fadd $V %a11, $(0x3E131556B71E4D10)
  %a10 = fmul $V %a10s, %t
  %a9s = fadd $V %a10, $(0xBE377B3A13C70CA6)
  %a9 = fmul $V %a9s, %t
  %a8s = fadd $V %a9, $(0xBE596F81EB1E4C7F)
  %a8 = fmul $V %a8s, %t
  %a7s = fadd $V %a8, $(0x3E9E32B0D49A4FDF)
  %a7 = fmul $V %a7s, %t
  %a6s = fadd $V %a7, $(0xBEBD539CA175AC91)
  %a6 = fmul $V %a6s, %t
  %a5s = fadd $V %a6, $(0xBEEAAB13D1C2749E)
  %a5 = fmul $V %a5s, %t
  %a4s = fadd $V %a5, $(0x3F29912C04A501F2)
  %a4 = fmul $V %a4s, %t
  %a3s = fadd $V %a4, $(0xBF4B6666B152B661)
  %a3 = fmul $V %a3s, %t
  %a2s = fadd $V %a3, $(0xBF7780DEF1D3F3FF)
  %a2 = fmul $V %a2s, %t
  %a1s = fadd $V %a2, $(0x3FCEEDBEBDCE73E6)
  %a1 = fmul $V %a1s, %t
  %a = fadd $V %a1, $(0x3FF9FA072ED72DBB)
  %far = fcmp oge $V %w, $(6.0)
  %lanes = bitcast $B %far to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %tail, label %done
tail:
  %s = call $V @llvm.sqrt.$S($V %w)
  %u = fsub $V %s, $(0x400A000000000000)
  %b20 = fmul $V %u, $(0x3E3FA8856296EC54)
  %b19s = fadd $V %b20, $(0xBE5108216F4095C3)
  %b19 = fmul $V %b19s, %u
  %b18s = fadd $V %b19, $(0xBE558C05B5EFA51B)
  %b18 = fmul $V %b18s, %u
  %b17s = fadd $V %b18, $(0x3E81DDC2285A0A82)
  %b17 = fmul $V %b17s, %u
  %b16s = fadd $V %b17, $(0xBE908A66C7FA61F7)
  %b16 = fmul $V %b16s, %u
  %b15s = fadd $V %b16, $(0xBE5F8C022F08CFC2)
  %b15 = fmul $V %b15s, %u
  %b14s = fadd $V %b15, $(0x3EB8DE0D406D61BE)
  %b14 = fmul $V %b14s, %u
  %b13s = fadd $V %b14, $(0xBED0B66CCA1C81D5)
  %b13 = fmul $V %b13s, %u
  %b12s = fadd $V %b13, $(0x3EC8992C28E774F3)
  %b12 = fmul $V %b12s, %u
  %b11s = fadd $V %b12, $(0x3EEA23E333FF248C)
  %b11 = fmul $V %b11s, %u
  %b10s = fadd $V %b11, $(0xBF08CF447071F272)
  %b10 = fmul $V %b10s, %u
  %b9s = fadd $V %b10, $(0x3F11E6AD5C23D82C)
  %b9 = fmul $V %b9s, %u
  %b8s = fadd $V %b9, $(0x3EF932E88646F815)
  %b8 = fmul $V %b8s, %u
  %b7s = fadd $V %b8, $(0xBF37448BDA41060E)
  %b7 = fmul $V %b7s, %u
  %b6s = fadd $V %b7, $(0x3F4F3CC5461D3C8F)
  %b6 = fmul $V %b6s, %u
  %b5s = fadd $V %b6, $(0xBF5BA9240D48B428)
  %b5 = fmul $V %b5s, %u
  %b4s = fadd $V %b5, $(0x3F6468EECA93C21E)
  %b4 = fmul $V %b4s, %u
  %b3s = fadd $V %b4, $(0xBF6EBADABBA12FF6)
  %b3 = fmul $V %b3s, %u
  %b2s = fadd $V %b3, $(0x3F75FFCFE5B6CDDD)
  %b2 = fmul $V %b2s, %u
  %b1s = fadd $V %b2, $(0x3FF0158A6D641D56)
  %b1 = fmul $V %b1s, %u
  %b = fadd $V %b1, $(0x4008ABCC380D5A48)
  %v = fsub $V %s, $(0x4015000000000000)
  %c19 = fmul $V %v, $(0x3D81CCE621650BAE)
  %c18s = fadd $V %c19, $(0xBD935F8EB869969C)
  %c18 = fmul $V %c18s, %v
  %c17s = fadd $V %c18, $(0xBDABD88E87B465F4)
  %c17 = fmul $V %c17s, %v
  %c16s = fadd $V %c17, $(0x3DD07FF198B2A3BA)
  %c16 = fmul $V %c16s, %v
  %c15s = fadd $V %c16, $(0xBDE2EEED41F86F9F)
  %c15 = fmul $V %c15s, %v
  %c14s = fadd $V %c15, $(0x3DF799C86BC29982)
  %c14 = fmul $V %c14s, %v
  %c13s = fadd $V %c14, $(0xBE0C7ED155613157)
  %c13 = fmul $V %c13s, %v
  %c12s = fadd $V %c13, $(0x3E1C90DF13BB8CFB)
  %c12 = fmul $V %c12s, %v
  %c11s = fadd $V %c12, $(0xBE2B8662A9DB4B0C)
  %c11 = fmul $V %c11s, %v
  %c10s = fadd $V %c11, $(0x3E40BEFC9D0C9603)
  %c10 = fmul $V %c10s, %v
  %c9s = fadd $V %c10, $(0xBE5E3AC92B8B5BCB)
  %c9 = fmul $V %c9s, %v
  %c8s = fadd $V %c9, $(0x3E81929F813EF8CE)
  %c8 = fmul $V %c8s, %v
  %c7s = fadd $V %c8, $(0xBEA5B8AEF698069A)
  %c7 = fmul $V %c7s, %v
  %c6s = fadd $V %c7, $(0x3ECA2990D6537E37)
  %c6 = fmul $V %c6s, %v
  %c5s = fadd $V %c6, $(0xBEED689CAE48E277)
  %c5 = fmul $V %c5s, %v
  %c4s = fadd $V %c5, $(0x3F0CE9EFD26EED3D)
  %c4 = fmul $V %c4s, %v
  %c3s = fadd $V %c4, $(0xBF23AAB557C5E945)
  %c3 = fmul $V %c3s, %v
  %c2s = fadd $V %c3, $(0xBF31FA5EF8CB43D1)
  %c2 = fmul $V %c2s, %v
  %c1s = fadd $V %c2, $(0x3FF029C26B0FE07A)
  %c1 = fmul $V %c1s, %v
  %c = fadd $V %c1, $(0x401468EDD59FE0CF)
  %more = fadd $V %s, $(3.0)
  %over = fdiv $V $(1.0), %more
  %x = fsub $V %over, $(0x3FB1A9FBE76C8B44)
  %d19 = fmul $V %x, $(0x43595C0E0A4B636F)
  %d18s = fadd $V %d19, $(0xC32044D3CF0CD0CE)
  %d18 = fmul $V %d18s, %x
  %d17s = fadd $V %d18, $(0xC29622B4C5FB2C72)
  %d17 = fmul $V %d17s, %x
  %d16s = fadd $V %d17, $(0x4249CC6A2B61DC48)
  %d16 = fmul $V %d16s, %x
  %d15s = fadd $V %d16, $(0x42600A92E936D020)
  %d15 = fmul $V %d15s, %x
  %d14s = fadd $V %d15, $(0xC225AE980EB0A6E0)
  %d14 = fmul $V %d14s, %x
  %d13s = fadd $V %d14, $(0x41E7614043F05B17)
  %d13 = fmul $V %d13s, %x
  %d12s = fadd $V %d13, $(0xC1B0C6B1526179EF)
  %d12 = fmul $V %d12s, %x
  %d11s = fadd $V %d12, $(0x41794F6BDD579798)
  %d11 = fmul $V %d11s, %x
  %d10s = fadd $V %d11, $(0xC14315D2238AF684)
  %d10 = fmul $V %d10s, %x
  %d9s = fadd $V %d10, $(0x410E0DF537E7EF12)
  %d9 = fmul $V %d9s, %x
  %d8s = fadd $V %d9, $(0xC0D646688A17BE7F)
  %d8 = fmul $V %d8s, %x
  %d7s = fadd $V %d8, $(0x40AA751B213A08E9)
  %d7 = fmul $V %d7s, %x
  %d6s = fadd $V %d7, $(0xC0575815FEFE7093)
  %d6 = fmul $V %d6s, %x
  %d5s = fadd $V %d6, $(0x405828C8881CFA31)
  %d5 = fmul $V %d5s, %x
  %d4s = fadd $V %d5, $(0x401651E7ACF9A70F)
  %d4 = fmul $V %d4s, %x
  %d3s = fadd $V %d4, $(0x4006C7D035A9A55C)
  %d3 = fmul $V %d3s, %x
  %d2s = fadd $V %d3, $(0xBFEAD763A82C858A)
  %d2 = fmul $V %d2s, %x
  %d1s = fadd $V %d2, $(0xC00964DF044CF5A8)
  %d1 = fmul $V %d1s, %x
  %d = fadd $V %d1, $(0x3FE9270D73459A8D)
  %largest = fmul $V %d, %more
  %middle = fcmp olt $V %s, $(6.5)
  %larger = select $B %middle, $V %c, $V %largest
  %near = fcmp olt $V %s, $(4.0)
  %large = select $B %near, $V %b, $V %larger
  %mixed = select $B %far, $V %large, $V %a
  br label %done
done:
  %r = phi $V [ %a, %entry ], [ %mixed, %tail ]
  ret $V %r
}

; fl.erfinv: needs fl.erfinvratio
define internal $V @fl.erfinv.$S($V %x) alwaysinline {
  %less = fsub $V $(1.0), %x
  %more = fadd $V $(1.0), %x
  %y = fmul $V %less, %more
  %ratio = call $V @fl.erfinvratio.$S($V %y)
  %r = fmul $V %x, %ratio
  ret $V %r
}

; fl.erfcinv: needs fl.erfinvratio
define internal $V @fl.erfcinv.$S($V %x) alwaysinline {
  %other = fsub $V $(2.0), %x
  %y = fmul $V %x, %other
  %ratio = call $V @fl.erfinvratio.$S($V %y)
  %less = fsub $V $(1.0), %x
  %r = fmul $V %less, %ratio
  ret $V %r
}

; fl.normcdfinv: needs fl.erfcinv
define internal $V @fl.normcdfinv.$S($V %x) alwaysinline {
  %twice = fadd $V %x, %x
  %y = call $V @fl.erfcinv.$S($V %twice)
  %r = fmul $V %y, $(0xBFF6A09E667F3BCD)
  ret $V %r
}

; fl.normcdf: needs sleef.erfc_u15
; What the rounding of t = -x / sqrt(2) took away is given back by erfc's slope: about -2 * t * erfc(t).
define internal $V @fl.normcdf.$S($V %x) alwaysinline {
  %t = fmul $V %x, $(0xBFE6A09E667F3BCD)
  %back = fneg $V %t
  %lost = call $V @llvm.fma.$S($V %x, $V $(0xBFE6A09E667F3BCD), $V %back)
  %rest = fmul $V %x, $(0x3C8BDD3413B26456)
  %all = fadd $V %lost, %rest
  %e = call $V @sleef.erfc_u15.$S($V %t)
  %slope = fmul $V %t, $(-2.0)
  %step = fmul $V %slope, %all
  %change = fmul $V %step, %e
  %moved = fadd $V %e, %change
  %above = fcmp ogt $V %t, $(0.6875)
  %below = fcmp olt $V %t, $(64.0)
  %steep = and $B %above, %below
  %value = select $B %steep, $V %moved, $V %e
  %r = fmul $V %value, $(0.5)
  ret $V %r
}

; fl.digamma: needs sleef.log_u10 sleef.tan_u10
; By reflection to above 0; by recurrence to 1 .. 2.25, where the distance from the zero is a factor; from 8 on
; by the asymptotic series.
define internal $V @fl.digamma.$S($V %x) {
entry:
  %negative = fcmp ole $V %x, zeroinitializer
  %mirror = fsub $V $(1.0), %x
  %y = select $B %negative, $V %mirror, $V %x
  %low = fcmp olt $V %y, $(1.0)
  %raised = fadd $V %y, $(1.0)
  %start = select $B %low, $V %raised, $V %y
  %small = fcmp olt $V %y, $(8.0)
  br label %loop
loop:
  %u = phi $V [ %start, %entry ], [ %unext, %body ]
  %p = phi $V [ zeroinitializer, %entry ], [ %pnext, %body ]
  %q = phi $V [ $(1.0), %entry ], [ %qnext, %body ]
  %high = fcmp oge $V %u, $(2.25)
  %go = and $B %high, %small
  %lanes = bitcast $B %go to i$L
  %some = icmp ne i$L %lanes, 0
  br i1 %some, label %body, label %after
body:
  %down = fsub $V %u, $(1.0)
  %times = fmul $V %p, %down
  %sum = fadd $V %times, %q
  %product = fmul $V %q, %down
  %unext = select $B %go, $V %down, $V %u
  %pnext = select $B %go, $V %sum, $V %p
  %qnext = select $B %go, $V %product, $V %q
  br label %loop
after:
  %t = fsub $V %u, $(0x3FFA000000000000)
  %g23 = fmul $V %t, $(0xBEEFFF4BA5C8FBBB)
  %g22s = fadd $V %g23, $(0x3EF9FF70EA26865D)
  %g22 = fmul $V %g22s, %t
  %g21s = fadd $V %g22, $(0xBED2FFCF96EF6696)
  %g21 = fmul $V %g21s, %t
  %g20s = fadd $V %g21, $(0x3EDEDFF024956629)
  %g20 = fmul $V %g20s, %t
  %g19s = fadd $V %g20, $(0xBF097F050A36B44F)
  %g19 = fmul $V %g19s, %t
  %g18s = fadd $V %g19, $(0x3F14B7513FB85EC3)
  %g18 = fmul $V %g18s, %t
  %g17s = fadd $V %g18, $(0xBF1C00BAC9C66B2C)
  %g17 = fmul $V %g17s, %t
  %g16s = fadd $V %g17, $(0x3F26C0FBCE4EDCBA)
  %g16 = fmul $V %g16s, %t
  %g15s = fadd $V %g16, $(0xBF3304AB464A7F44)
  %g15 = fmul $V %g15s, %t
  %g14s = fadd $V %g15, $(0x3F3EE8F07B180ED9)
  %g14 = fmul $V %g14s, %t
  %g13s = fadd $V %g14, $(0xBF490E58C9F85A1D)
  %g13 = fmul $V %g13s, %t
  %g12s = fadd $V %g13, $(0x3F545E0111F1A2E5)
  %g12 = fmul $V %g12s, %t
  %g11s = fadd $V %g12, $(0xBF60902A6D8FABF9)
  %g11 = fmul $V %g11s, %t
  %g10s = fadd $V %g11, $(0x3F6AF27AE96BF419)
  %g10 = fmul $V %g10s, %t
  %g9s = fadd $V %g10, $(0xBF75EFE3CE806913)
  %g9 = fmul $V %g9s, %t
  %g8s = fadd $V %g9, $(0x3F81E17D07104898)
  %g8 = fmul $V %g8s, %t
  %g7s = fadd $V %g8, $(0xBF8D35AB36F36340)
  %g7 = fmul $V %g7s, %t
  %g6s = fadd $V %g7, $(0x3F97F10AC49C641A)
  %g6 = fmul $V %g6s, %t
  %g5s = fadd $V %g6, $(0xBFA3BDD9FA2E5109)
  %g5 = fmul $V %g5s, %t
  %g4s = fadd $V %g5, $(0x3FB0738222BAFD51)
  %g4 = fmul $V %g4s, %t
  %g3s = fadd $V %g4, $(0xBFBBF4556B33B687)
  %g3 = fmul $V %g3s, %t
  %g2s = fadd $V %g3, $(0x3FC8AB0D9438E126)
  %g2 = fmul $V %g2s, %t
  %g1s = fadd $V %g2, $(0xBFD7AA649CCE5858)
  %g1 = fmul $V %g1s, %t
  %g = fadd $V %g1, $(0x3FECD9D88C399E19)
  %coarse = fsub $V %u, $(0x3FF762D86356BE3F)
  %distance = fsub $V %coarse, $(0x3C9B86A722197829)
  %base = fmul $V %distance, %g
  %over = fdiv $V $(1.0), %y
  %minus = fneg $V %over
  %terms = fdiv $V %p, %q
  %shift = select $B %low, $V %minus, $V %terms
  %inner = fadd $V %base, %shift
  %square = fmul $V %over, %over
  %z9 = fmul $V %square, $(0xC03A74CA514CA515)
  %z8s = fadd $V %z9, $(0x40086E7F9B9FE6E8)
  %z8 = fmul $V %z8s, %square
  %z7s = fadd $V %z8, $(0xBFDC5E5E5E5E5E5E)
  %z7 = fmul $V %z7s, %square
  %z6s = fadd $V %z7, $(0x3FB5555555555555)
  %z6 = fmul $V %z6s, %square
  %z5s = fadd $V %z6, $(0xBF95995995995996)
  %z5 = fmul $V %z5s, %square
  %z4s = fadd $V %z5, $(0x3F7F07C1F07C1F08)
  %z4 = fmul $V %z4s, %square
  %z3s = fadd $V %z4, $(0xBF71111111111111)
  %z3 = fmul $V %z3s, %square
  %z2s = fadd $V %z3, $(0x3F70410410410410)
  %z2 = fmul $V %z2s, %square
  %z1s = fadd $V %z2, $(0xBF81111111111111)
  %z1 = fmul $V %z1s, %square
  %z = fadd $V %z1, $(0x3FB5555555555555)
  %series = fmul $V %z, %square
  %half = fmul $V %over, $(0.5)
  %rest = fadd $V %half, %series
  %log = call $V @sleef.log_u10.$S($V %y)
  %outer = fsub $V %log, %rest
  %value = select $B %small, $V %inner, $V %outer
  %mirrored = bitcast $B %negative to i$L
  %any = icmp ne i$L %mirrored, 0
  br i1 %any, label %reflect, label %done
reflect:
  %whole = call $V @llvm.roundeven.$S($V %x)
  %part = fsub $V %x, %whole
  %size = call $V @llvm.fabs.$S($V %part)
  %wide = fcmp ogt $V %size, $(0.25)
  %rest2 = fsub $V $(0.5), %size
  %turn = select $B %wide, $V %rest2, $V %size
  %angle = fmul $V %turn, $(0x400921FB54442D18)
  %tan = call $V @sleef.tan_u10.$S($V %angle)
  %cotan = fdiv $V $(1.0), %tan
  %cotsize = select $B %wide, $V %tan, $V %cotan
  %cot = call $V @llvm.copysign.$S($V %cotsize, $V %part)
  %scaled = fmul $V %cot, $(0x400921FB54442D18)
  %reflected = fsub $V %value, %scaled
  %pole = fcmp oeq $V %part, zeroinitializer
  %defined = select $B %pole, $V $(0x7FF8000000000000), $V %reflected
  %zero = fcmp oeq $V %x, zeroinitializer
  %opposite = fneg $V %x
  %infinite = call $V @llvm.copysign.$S($V $(0x7FF0000000000000), $V %opposite)
  %there = select $B %zero, $V %infinite, $V %defined
  %mixed = select $B %negative, $V %there, $V %value
  br label %done
done:
  %r = phi $V [ %value, %after ], [ %mixed, %reflect ]
  ret $V %r
}
