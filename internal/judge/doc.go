// Package judge decides whether the numbers of a cell can be trusted, and whose limit they show.
// It treats a cell that one process measured and one that agents measured alike.
package judge
