package claims

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// SumsFile is the name of the file of checksums in a bundle, as sha256sum writes it.
const SumsFile = "SHA256SUMS"

// CheckSums returns an error for each file of the bundle that differs from its checksum or is missing, and
// for claims.yaml and each file of the claims' plans and evidence that has none. A bundle without checksums
// has no errors.
func CheckSums(bundle string, list []Claim) error {
	sums, err := readSums(bundle)
	if sums == nil {
		return err
	}
	errs := []error{differing(bundle, ".", sums)}
	seen := make(map[string]bool)
	for _, c := range list {
		for _, name := range append([]string{File, c.Plan}, c.Evidence...) {
			if !seen[name] {
				errs = append(errs, unlisted(bundle, name, sums))
			}
			seen[name] = true
		}
	}
	return errors.Join(errs...)
}

// CheckSumsOf is the part of [CheckSums] about the listed files in a folder of the bundle.
func CheckSumsOf(bundle, folder string) error {
	sums, err := readSums(bundle)
	return errors.Join(err, differing(bundle, folder, sums))
}

// readSums returns the checksums by file; nil if the bundle has none.
func readSums(bundle string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(bundle, SumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseSums(string(text))
}

// differing returns an error for each listed file in a folder that differs or is missing.
func differing(bundle, folder string, sums map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if inside, err := filepath.Rel(folder, name); err != nil || !filepath.IsLocal(inside) {
			continue
		}
		sum, err := sumOf(filepath.Join(bundle, name))
		if err == nil && sum != sums[name] {
			err = fmt.Errorf("%s differs from its checksum in %s", filepath.Join(bundle, name), SumsFile)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Sum returns the checksum of the bundle's checksums, which stands for all of its files; "" if it has none.
func Sum(bundle string) string {
	sum, err := sumOf(filepath.Join(bundle, SumsFile))
	if err != nil {
		return ""
	}
	return sum
}

// parseSums returns the checksums by file.
func parseSums(text string) (map[string]string, error) {
	sums := make(map[string]string)
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		sum, name, ok := strings.Cut(line, " ")
		name = strings.TrimLeft(name, " *") // a star marks binary files
		if !ok || len(sum) != hex.EncodedLen(sha256.Size) || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s:%d: want a SHA-256 sum and a file in the bundle, as sha256sum writes them", SumsFile, i+1)
		}
		sums[filepath.Clean(name)] = strings.ToLower(sum)
	}
	return sums, nil
}

// unlisted returns an error for a file, and each file of a folder, without a checksum.
func unlisted(bundle, name string, sums map[string]string) error {
	var errs []error
	err := fs.WalkDir(os.DirFS(bundle), filepath.ToSlash(filepath.Clean(name)), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && sums[filepath.FromSlash(name)] == "" {
			errs = append(errs, fmt.Errorf("%s has no checksum in %s", filepath.Join(bundle, name), SumsFile))
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", bundle, err)
	}
	return errors.Join(append(errs, err)...)
}

func sumOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", SumsFile, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
