// exp, log and cosh to the last digit as Java's StrictMath, which Spark uses: the classic
// polynomials of the freely distributable math library, not the C library's own.
#pragma once

namespace lakebed::engine::duck {

double strict_exp(double x);
double strict_log(double x);
double strict_cosh(double x);

}  // namespace lakebed::engine::duck
