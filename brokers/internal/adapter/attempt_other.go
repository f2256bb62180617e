//go:build !unix

package adapter

import "os"

// An attempt writes nothing: every frame is queued.
type attempt struct{}

func (*attempt) init(*os.File) {}

func (*attempt) write([]byte) (n int, err error) { return 0, nil }
