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
// Two runs or more on both sides: the repeats' values are the sample, so the
// interval covers what varies between runs as well as within them. Welch's t, with Satterthwaite's degrees of freedom (Welch, The
// generalization of Student's problem when several different population variances
// are involved, Biometrika 34, 1947; of latencies: Kalibera & Jones, Rigorous
// benchmarking in reasonable time, ISMM 2013).
//
// One run a side: how runs differ is not known. Each percentile's interval is that
// of package histogram/confidence, from a block bootstrap over the intervals of the
// log; two are put together by the MOVER (Zou & Donner, Construction of confidence
// limits about effect measures, Statistics in Medicine 27, 2008), which needs
// neither symmetry nor a known bound. It says that these two runs differ; only
// repeats can show that the systems do.
//
// One run against repeats: the single run is taken to vary as the repeats do, or as
// it does in itself if that is more.
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
// cases, however large the matrix is. The price is sensitivity, and with few
// repeats it is high: between two sides of n repeats that vary alike, the first of
// four percentiles is shown from a difference of about t·√(2/n) standard deviations
// between runs: 8.9 with 2 repeats, 3.6 with 3, 2.0 with 5, 1.3 with 8. Of several
// NEW each is a comparison of its own.
//
// Several runs of one plan can make one side ([Join]): so both sides can be measured
// by turns.
//
// # Limits
//
// Repeats in a row do not show how hours, machines and boots differ. Where that
// matters, measure both sides by turns: as targets of one plan, or as runs that are
// joined. The maximum has no interval: it is shown, but not judged. A percentile
// that is unknown or untrusted in any repeat, or of a cell that is INVALID, is not
// comparable: leaving out the bad repeats would favour the side that has them. Of
// durability only the client's settings are known, not the broker's own.
//
// # False alarms and power
//
// Log-normal latencies with autocorrelation over seconds. An alarm is a comparison
// of the same thing that says "faster" or "slower" of any percentile; 100 each, seeds
// 0 to 99. Made by go test ./results/compare -run 'Alarms|Found|Drift' -v.
//
//	halves of one run of 60 to 80 s, one after the other     0, 2, 4 alarms, by memory
//	the same run, even seconds against odd                   1, 0, 0
//	2 repeats against 2 · 3 against 3 · 5 against 5          5 · 2 · 2
//	5 repeats against one run · one run against 3            3 · 0
//	5 against 5, the machine's speed a random walk of 2 %    by turns 1, in a row 7
//	p99 is 10 % higher, 5 repeats of 60 s that vary by 2.5 % found in 92
//	the same of the tail above p90 alone                     found in 94; 4 alarms at p50
//
// How much is found depends on how runs vary, which was chosen here. Of all latencies
// 10 % higher with 1, 2.5, 3, 4 and 6 % between runs: 100, 92, 84, 66, 34.
package compare
