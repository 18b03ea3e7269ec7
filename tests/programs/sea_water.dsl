# Density of sea water, kg/m^3, from salinity (g/kg), temperature (degrees C) and pressure (dbar): the
# international equation of state EOS-80 (UNESCO technical paper 44, 1983).
fn sea_water(s: f64[n, m, p], t: f64[n, m, p], pressure: f64[n, m, p]) -> (density: f64[n, m, p]) {
    bar = pressure / 10
    root = sqrt(s)
    pure = 999.842594 + t * (6.793952e-2 + t * (-9.095290e-3 + t * (1.001685e-4
        + t * (-1.120083e-6 + t * 6.536332e-9))))
    a = 8.24493e-1 + t * (-4.0899e-3 + t * (7.6438e-5 + t * (-8.2467e-7 + t * 5.3875e-9)))
    b = -5.72466e-3 + t * (1.0227e-4 - t * 1.6546e-6)
    surface = pure + s * (a + root * b + s * 4.8314e-4)
    kw = 19652.21 + t * (148.4206 + t * (-2.327105 + t * (1.360477e-2 - t * 5.155288e-5)))
    k0 = kw + s * (54.6746 + t * (-0.603459 + t * (1.09987e-2 - t * 6.1670e-5))
        + root * (7.944e-2 + t * (1.6483e-2 - t * 5.3009e-4)))
    aw = 3.239908 + t * (1.43713e-3 + t * (1.16092e-4 - t * 5.77905e-7))
    ak = aw + s * (2.2838e-3 + t * (-1.0981e-5 - t * 1.6078e-6) + root * 1.91075e-4)
    bw = 8.50935e-5 + t * (-6.12293e-6 + t * 5.2787e-8)
    bk = bw + s * (-9.9348e-7 + t * (2.0816e-8 + t * 9.1697e-10))
    bulk = k0 + bar * (ak + bar * bk)
    density = surface / (1 - bar / bulk)
}
