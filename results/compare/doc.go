// Package compare says what became faster or slower from one result set to
// another, and how sure that is.
//
//	base, err := compare.Open("brokerbench-results/20261101-before")
//	next, err := compare.Open("brokerbench-results/20261102-after")
//	c, err := compare.Compare(base, next, compare.Options{})
//
// # Method
//
// Cells are paired by what was measured. Of each pair and percentile the ratio
// NEW/BASE is estimated, on the logarithm of response times, since noise
// multiplies: exp of the difference of the mean logarithms over repeats. An answer
// is "slower" or "faster" if the confidence interval of the ratio excludes 1,
// widened by the width of a histogram's bucket, as what is smaller than that was
// never measured; else it is "no difference shown", which is not "the same".
//
// By turns: the first two runs are one of each side, and so are the next two, and so
// on, by the clock. Each pair has a ratio, and Student's t of their logarithms is the
// interval. What changes slowly on the machine is in both runs of a pair.
//
// In any other order, two runs or more on both sides: the repeats' values are the
// sample, so the interval covers what varies between runs as well as within them.
// Welch's t, with Satterthwaite's degrees of freedom (Welch, The generalization of
// Student's problem when several different population variances are involved,
// Biometrika 34, 1947; of latencies: Kalibera & Jones, Rigorous benchmarking in
// reasonable time, ISMM 2013), and at most those of two sides as small as the smaller.
//
// One run a side: how runs differ is not known. Each percentile's interval is that
// of package histogram/confidence, from a block bootstrap over the intervals of the
// log; two are put together by the MOVER (Zou & Donner, Construction of confidence
// limits about effect measures, Statistics in Medicine 27, 2008), which needs
// neither symmetry nor a known bound. The answer is that these two runs differ, and
// never that NEW is slower or faster: only repeats show that.
//
// One run against repeats: the single run is taken to vary as the repeats do, or as
// it does in itself if that is more.
//
// # Odd runs
//
// Of five runs or more, one may be odd: farther from the others than runs that vary as
// they do come in 2 of 1,000 cases (Grubbs' test), and 20 % at least. Or too few
// independent events are behind its percentile. It is named and left out of that row,
// at most one a side, and not if the other side's usual runs are like it, nor if the
// odd runs of both sides lie on opposite sides of the others: then it is the others
// that cannot be told. What made it odd is judged in a row of its own, by the pauses
// of all runs: their rates are ranked, and all ways to deal the ranks out to both
// sides are counted (Wilcoxon's rank sum test, which is Fisher's where a run has one
// pause or none).
//
// # Many answers at once
//
// If nothing changed, one of 20 percentiles is still outside of its 95 % interval.
// So intervals are wider the more of them are judged together: each of m has a
// level of 1 − 0.05/m. Those that exclude 1 at that are answered; the remaining
// ones are judged again, for there are fewer of them, until no more are answered
// (Holm, A simple sequentially rejective multiple test procedure, Scandinavian
// Journal of Statistics 6, 1979). An answer and its interval never disagree. A
// comparison of a thing with itself says "faster" or "slower" in at most 5 of 100
// cases, however large the matrix is. Pauses are a family of their own, and gates are
// another one: a gate in CI is not to become blinder by rows that nobody asked for. Of
// several NEW each is a comparison of its own.
//
// The price is sensitivity, and each row says how much is left: [Row.Shows].
//
// # Gates
//
// A [Condition] passes only if the whole interval is below its limit, and fails only if
// the whole interval is above. Else it is not decided. Percentiles have the interval of
// their row, at the level of the gates. The maximum has the exact interval of the rank
// sum test, which takes 4 runs a side for one gate, and 5 for up to six. Loss and
// pauses are counts: exact limits of a binomial or a Poisson distribution, of as many
// independent events as the runs' differences leave over.
//
// # Limits
//
// Repeats in a row do not show how hours, machines and boots differ: the output says
// so. The maximum is shown, but judged only by a gate. A percentile that is unknown in
// any run, untrusted in more than one of five, or of a cell that is INVALID, is not
// comparable: leaving out the bad repeats would favour the side that has them. Of
// durability only the client's settings are known, not the broker's own.
//
// False alarms and power, with the cases in which this package is wrong, are in
// docs/simulations/compare.md.
package compare
