// Package impact makes the faults of a cell happen, with an [Injector], and finds out what they did
// to its messages: outages, losses, and the time until the system had recovered. It also pauses
// consumers, a fault for which no injector is needed.
package impact
