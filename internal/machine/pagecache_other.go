//go:build !linux

package machine

import "errors"

// DropPageCache returns an error: only Linux can drop its page cache.
func DropPageCache() error { return errors.New("only Linux can drop the page cache") }
