// Package config reads what a user asks for: a plan file (YAML), the environment
// (BROKERBENCH_*) and flags, into a validated [plan.Plan]. A flag goes over the
// environment, the environment over the file, the file over a default.
//
// A plan file has the settings of the whole plan (name, duration, warmup,
// timeout, repeat, seed, senders, spin), targets, and what is asked of each
// target: a matrix (the full product of its lists), or cells, or both. With
// neither, and for what they leave out, the defaults count: 3000/s, 1KiB,
// 1 connection, in-flight open, constant arrivals. Sizes: KB = 1000 and
// KiB = 1024 bytes. Rates: 20k = 20000. YAML's anchors and aliases work, merge
// keys (<<) do not.
//
// A flag or variable for rate, size, connections, in-flight or arrivals replaces
// that axis of the matrix, and of every cell: a cell becomes as many cells as
// there are values, and cells that become the same are measured once. Targets
// given by flags or the environment replace those of the file; one without a
// colon is the name of one of the file's targets.
//
// Variables are expanded only in the URLs of a file's targets: ${NAME} must be
// set, ${NAME:-default} need not be. Write a literal ${ as %24%7B.
//
// Reading is strict, and every mistake is reported at once, with file, line,
// column, the line itself and a suggestion: see [Mistakes]. Passwords in URLs
// are not repeated.
package config
