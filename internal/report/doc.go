// Package report turns results into documents for people and programs: a run, a search, a
// verification, a sum of logs, doctor's findings and a plan. It judges nothing: the
// results say how far each number can be trusted.
//
// In text and Markdown a percentile with fewer than histogram.MinAbove values above
// it is marked with ~, an unknown one is ?, and a maximum above which messages rank
// that are missing is marked with ≥. In CSV and JSON times are in nanoseconds, and
// unknown values are empty or null.
package report
