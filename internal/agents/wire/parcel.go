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

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/results"
)

// ChunkSize is how much of a parcel is in one message: less than any server refuses.
const ChunkSize = 128 << 10

// MostBytes is the size of the largest result that is taken, packed or not.
const MostBytes = 1 << 30

// Limits of files whose size does not depend on the length of a cell.
const (
	mostCell        = 16 << 20 // as much as can be read: see package record for the limits of its lists
	mostPercentiles = 1 << 20  // brokerbench writes a tenth
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

// Unpack writes the files of a result of at most so many bytes into a folder that exists. Only
// files of a cell are taken, by their names.
func Unpack(packed io.Reader, dir string, most int64) error {
	zipped, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("unpacking a result: %w", err)
	}
	limited := &io.LimitedReader{R: zipped, N: most}
	archive := tar.NewReader(limited)
	left, seen := most, make(map[string]bool) // a sparse file takes no input
	for {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			if seen[head.Name] {
				return fmt.Errorf("unpacking a result: %s comes twice", head.Name)
			}
			seen[head.Name] = true
			err = unpack(archive, head, dir, left)
			left -= head.Size
		}
		switch {
		case err != nil && limited.N <= 0, errors.Is(err, errTooLarge):
			return fmt.Errorf("unpacking a result: it has more than %d MiB", most>>20)
		case err != nil:
			return fmt.Errorf("unpacking a result: %w", err)
		}
	}
}

var errTooLarge = errors.New("the files have more bytes than a result may have")

// unpack writes one file, of at most left bytes.
func unpack(archive io.Reader, head *tar.Header, dir string, left int64) error {
	if !slices.Contains(packed(), head.Name) || head.Typeflag != tar.TypeReg {
		return fmt.Errorf("%q is no file of a cell", head.Name)
	}
	most, percentiles := int64(MostBytes), filepath.Ext(head.Name) == ".hgrm"
	switch {
	case head.Name == results.CellFile:
		most = mostCell
	case percentiles:
		most = mostPercentiles
	}
	if head.Size > most {
		return fmt.Errorf("%s has %d B, and %d are the most", head.Name, head.Size, most)
	}
	if head.Size > left {
		return errTooLarge
	}
	if percentiles {
		text, err := io.ReadAll(archive)
		if err == nil {
			_, err = histogram.ReadPercentiles(bytes.NewReader(text))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", head.Name, err)
		}
		archive = bytes.NewReader(text)
	}
	return safefile.Write(filepath.Join(dir, head.Name), func(w io.Writer) error { //nolint:gosec // it is one of the names of a cell
		_, err := io.Copy(w, archive)
		return err
	})
}

// Describe writes into the parcel what a piece is.
func (p *Parcel) Describe(packed []byte) {
	sum := sha256.Sum256(packed)
	p.Bytes, p.SHA256 = len(packed), hex.EncodeToString(sum[:])
}

// Check reads a result, and tells whether it is what its parcel says.
func (p Parcel) Check(packed io.Reader) error {
	sum := sha256.New()
	n, err := io.Copy(sum, packed)
	if err == nil && (n != int64(p.Bytes) || hex.EncodeToString(sum.Sum(nil)) != p.SHA256) {
		err = fmt.Errorf("%d B came of a result of %d B, or they are others", n, p.Bytes)
	}
	return err
}
