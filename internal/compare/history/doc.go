// Package history finds when the results of a plan changed, over many runs.
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
// A series is split where its two sides differ most, if that is significant, and its
// parts are split in turn: the hierarchical bisection of E-divisive means (Matteson &
// James, A nonparametric approach for multiple change point analysis of multivariate
// data, JASA 109, 2014; for benchmarks: Daly et al., The use of change point detection to
// identify software performance regressions in a continuous integration system, ICPE
// 2020). Two things are different here. Values are compared by their ranks, so one odd
// run is one odd rank, and a part has at least three runs. And E-divisive shuffles the
// series to get the null distribution, as if runs were independent; but neighbouring runs
// correlate: with a correlation of 0.5 it finds changes in a third to a half of the series
// that have none. So the correlation is estimated from the residuals of the change,
// corrected for its bias, and the innovations of an autoregressive process of order 1 are
// shuffled. Besides a step from one level to another, history looks for an episode: a time
// after which the level is as before. Steps get 4 of the 5 % of false alarms, episodes 1.
//
// docs/simulations/history.md has the false alarms and the power.
package history
