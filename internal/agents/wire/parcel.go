package wire

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/brokerbench/brokerbench/results"
)

// ChunkSize is how much of a parcel is in one message: less than any server refuses.
const ChunkSize = 128 << 10

// mostParcel bounds what is unpacked, and MostChunks what is delivered: an agent that went wrong
// does not fill the disk.
const (
	mostParcel = 1 << 30
	MostChunks = mostParcel / ChunkSize
)

// Pack makes one piece of the files of a cell's folder.
func Pack(dir string) ([]byte, error) {
	var to bytes.Buffer
	zipped := gzip.NewWriter(&to)
	archive := tar.NewWriter(zipped)
	for _, name := range packed() {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))})
		}
		if err == nil {
			_, err = archive.Write(text)
		}
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", name, err)
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		return nil, fmt.Errorf("packing %s: %w", dir, err)
	}
	return to.Bytes(), nil
}

// packed returns the names of the files that travel.
func packed() []string { return append(results.Files(), results.ImpactFile) }

// Unpack writes the files of a piece into a folder that exists. Only files of a cell are
// taken, by their names.
func Unpack(text []byte, dir string) error {
	zipped, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("unpacking a result: %w", err)
	}
	archive := tar.NewReader(io.LimitReader(zipped, mostParcel))
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpacking a result: %w", err)
		}
		if !slices.Contains(packed(), head.Name) || head.Typeflag != tar.TypeReg {
			return fmt.Errorf("unpacking a result: %q is no file of a cell", head.Name)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return fmt.Errorf("unpacking %s: %w", head.Name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, head.Name), text, 0o644); err != nil { //nolint:gosec // results are for everyone to read
			return fmt.Errorf("unpacking a result: %w", err)
		}
	}
}

// Describe writes into the parcel what a piece is.
func (p *Parcel) Describe(packed []byte) {
	sum := sha256.Sum256(packed)
	p.Bytes, p.SHA256 = len(packed), hex.EncodeToString(sum[:])
}

// Check tells whether a piece is what its parcel says.
func (p Parcel) Check(packed []byte) error {
	var came Parcel
	came.Describe(packed)
	if came.Bytes != p.Bytes || came.SHA256 != p.SHA256 {
		return fmt.Errorf("%d B came of a result of %d B, or they are others", came.Bytes, p.Bytes)
	}
	return nil
}
