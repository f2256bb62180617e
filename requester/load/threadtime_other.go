//go:build !linux

package load

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
