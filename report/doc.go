// Package report turns results into documents for people and programs: a run, a
// search, a verification, a comparison, a sum of logs, doctor's findings and a
// plan. It decides nothing: what a number is worth was decided where it
// was measured.
//
// In text and Markdown a percentile with fewer than histogram.MinAbove values above
// it is marked with ~, an unknown one is ?, and a maximum above which messages rank
// that are missing is marked with ≥. In CSV and JSON times are in nanoseconds, and
// what is unknown is empty or null.
package report
