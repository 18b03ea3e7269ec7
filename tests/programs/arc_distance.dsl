# The angle between pairs of points on a sphere, by the haversine formula.
fn arc_distance(theta_1: f64[n], phi_1: f64[n], theta_2: f64[n], phi_2: f64[n]) -> (angle: f64[n]) {
    t = sin((theta_2 - theta_1) / 2)**2 + cos(theta_1) * cos(theta_2) * sin((phi_2 - phi_1) / 2)**2
    angle = 2 * atan2(sqrt(t), sqrt(1 - t))
}
