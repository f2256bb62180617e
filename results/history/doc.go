// Package history finds out when the results of a plan changed, over many runs.
//
//	dirs, err := history.Find([]string{"brokerbench-results"})
//	runs, out := history.Read(dirs)
//	h, err := history.New(runs, history.Options{})
//
// # Method
//
// Cells of several runs belong together if target, product, shape, window and warm-up
// are the same. Each number of them is a series with one value for each run: repeats
// within a run do not show how runs differ, so they are one value.
//
// A series is split where its two sides differ most, if that is shown, and then its
// parts are: the hierarchical bisection of E-divisive means (Matteson & James, A
// nonparametric approach for multiple change point analysis of multivariate data,
// JASA 109, 2014; of benchmarks: Daly et al., The use of change point detection to
// identify software performance regressions in a continuous integration system, ICPE
// 2020). Two things are different here. Values are compared by their ranks, so one odd
// run is one odd rank, and a part has at least three runs. And E-divisive shuffles the
// series to see what chance does, as if runs did not remember those before them; but
// they do: of series without a change in which neighbours correlate by 0.5, it says of
// a third to a half that they changed. So the correlation is estimated from what the
// change leaves, mended for its bias, and what is shuffled is what is new in each run
// (as in an autoregressive process of order 1). Besides a step from one level to
// another, an episode is looked for: a time after which the level is as before. A step
// gets 4 of the 5 % of false alarms, an episode 1.
//
// docs/simulations/history.md has the false alarms and the power.
package history
