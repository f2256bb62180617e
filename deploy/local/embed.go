// Package local holds the script that prepares real brokers, with what it needs, so that
// brokerbench has it wherever it runs.
package local

import "embed"

// Script is the main file of Files.
const Script = "brokers"

// Files are the script `brokers` and what it reads, but for what only containers need.
//
//go:embed brokers lib kafka
var Files embed.FS
