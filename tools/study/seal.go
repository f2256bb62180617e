package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sumsFile is that of the checksums in a bundle, which reproduce checks.
const sumsFile = "SHA256SUMS"

// mostBytes is how large a bundle may be.
const mostBytes = 25 << 20

// seal writes the checksums of all files. A bundle that is too large is an error.
func (b bundle) seal() error {
	var sums strings.Builder
	size := 0
	err := filepath.WalkDir(b.dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == sumsFile {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(b.dir, file)
		size += len(text)
		fmt.Fprintf(&sums, "%x  ./%s\n", sha256.Sum256(text), filepath.ToSlash(name))
		return err
	})
	if err == nil && size > mostBytes {
		err = fmt.Errorf("%s has %d bytes, more than %d MiB", b.dir, size, mostBytes>>20)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.dir, sumsFile), []byte(sums.String()), 0o644) //nolint:gosec // it is to be published
}
