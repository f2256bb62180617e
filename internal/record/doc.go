// Package record holds what is recorded of a cell, in one process or in several: histograms,
// their interval log, and marks of single messages.
package record
