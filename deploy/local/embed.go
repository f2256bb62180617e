// Package local embeds the script that prepares real brokers and the files that it
// reads, so that brokerbench can run it anywhere.
package local

import "embed"

// Script is the main file of Files.
const Script = "brokers"

// Files holds the script `brokers` and the files that it reads, except those for containers.
//
//go:embed brokers lib kafka pulsar
var Files embed.FS
