// Package config reads what a user asks for: a plan file (YAML), the environment
// (BROKERBENCH_*) and flags, into a validated [plan.Plan]. A flag goes over the
// environment, the environment over the file, the file over a default. [Keys] is
// the table of all keys and their defaults.
//
// A plan file has the settings of the whole plan (name, duration, repeat and so
// on), targets, and the load that every target gets: a matrix (the full product of
// its lists), or cells, or both. Whatever they leave out has its default. Sizes:
// KB = 1000 and KiB = 1024 bytes. Rates: 20k = 20000, 6/m = 0.1/s, 90/h. YAML's
// anchors and aliases work, merge keys (<<) do not.
//
// A flag or variable for an axis (rate, size, connections, in-flight, arrivals)
// replaces that axis of the matrix, and of every cell: a cell becomes as many cells
// as there are values, and cells that become the same are measured once. Targets
// given by arguments or the environment replace those of the file; one without a
// colon is the name of one of the file's targets.
//
// Variables are expanded only in the URLs of a file's targets: ${NAME} must be
// set, ${NAME:-default} need not be. Write a literal ${ as %24%7B.
//
// Reading is strict. It reports every mistake at once, with file, line, column, the
// line itself and a suggestion: see [Mistakes]. Mistakes never repeat the passwords
// of URLs.
package config
