// Package compare decides which percentiles became faster or slower from one result set
// to another.
//
//	base, err := compare.Open("brokerbench-results/20261101-before")
//	next, err := compare.Open("brokerbench-results/20261102-after")
//	c, err := compare.Compare(base, next, compare.Options{})
//
// # Method
//
// Cells of the same target and shape are a pair. For each percentile of a pair, compare
// estimates the ratio NEW/BASE on the logarithm of response times, since noise
// multiplies: exp of the difference of the mean logarithms over repeats. The answer is
// "slower" or "faster" if the confidence interval of the ratio excludes 1, after widening
// by the width of a histogram's bucket: no measurement resolves a smaller difference.
// Otherwise it is "no difference shown", which does not mean "the same".
//
// By turns: the first two runs are one of each side, the next two as well, and so on, by
// the clock. Each pair of runs has a ratio, and Student's t of their logarithms gives the
// interval. Slow changes of the machine affect both runs of a pair and cancel out.
//
// In any other order, with two runs or more on both sides: the repeats' values are the
// sample, so the interval covers the variation between runs as well as within them. It is
// Welch's t with Satterthwaite's degrees of freedom (Welch, The generalization of
// Student's problem when several different population variances are involved, Biometrika
// 34, 1947; for latencies: Kalibera & Jones, Rigorous benchmarking in reasonable time,
// ISMM 2013), and at most the degrees of two sides as small as the smaller.
//
// One run a side: the variation between runs is unknown. Each percentile's interval is
// that of package confidence, from a block bootstrap over the intervals of the log, and
// the MOVER combines two of them (Zou & Donner, Construction of confidence limits about
// effect measures, Statistics in Medicine 27, 2008), which assumes neither symmetry nor
// a known bound. The answer is that these two runs differ, never that NEW is slower or
// faster: only repeats show that.
//
// One run against repeats: the single run is assumed to vary as much as the repeats do,
// or as it does within itself if that is more.
//
// # Odd runs
//
// Among five runs or more, one may be odd: at least 20 % away from the others, and
// farther than equally variable runs lie in 2 of 1,000 cases (Grubbs' test), or with too
// few independent events behind its percentile. That row names it and leaves it out. At
// most one run a side is left out, and none if the other side's usual runs are like it,
// or if the odd runs of the two sides lie on opposite sides of the others: then it is not
// clear which runs are the odd ones. The cause is judged separately, by the pauses of all
// runs: their rates are ranked, and every way to deal the ranks out to both sides is
// counted (Wilcoxon's rank sum test, which is Fisher's if every run has at most one
// pause).
//
// # Many answers at once
//
// If nothing changed, one of 20 percentiles still lies outside of its 95 % interval. So
// the intervals get wider the more of them are judged together, by Holm's procedure: see
// [stats.Holm]. A comparison of a system with itself says "faster" or "slower" in at most
// 5 of 100 cases, however large the matrix is. Pauses are a separate family, and so are
// gates: rows outside of a gate do not make it less sensitive. With several NEW, each
// comparison is judged separately.
//
// The price is sensitivity, and each row states how much is left: [Row.Shows].
//
// # Gates
//
// A [Condition] passes only if the whole interval is below its limit, and fails only if
// the whole interval is above it. Otherwise it is not decided. A percentile has the
// interval of its row, at the level of the gates. The maximum has the exact interval of
// the rank sum test, which takes 4 runs a side for one gate, and 5 for up to six. Loss
// and pauses are counts, with the exact limits of a binomial or a Poisson distribution;
// differences between runs reduce the number of independent events behind them.
//
// # Limits
//
// Repeats in a row do not show how hours, machines and boots differ, and the output says
// so. The maximum is shown, but only gates judge it. A percentile is not comparable if it
// is unknown in any run, untrusted in more than one of five, or part of an INVALID cell:
// leaving out the bad repeats would favour the side that has them. Only the client's
// settings of durability are known, not the broker's.
//
// docs/simulations/compare.md lists false alarms and power, with the cases in which this
// package is wrong.
package compare
