package canary

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// Schema is the schema of [File].
const Schema = "brokerbench/canary/1"

// File is the name of the file by which a folder is a canary's.
const File = "canary.json"

// mostBytes bounds a file that is read: a book has some 100 kB at most, a log 400 kB for each line if every bucket
// holds values.
const mostBytes = 256 << 20

// An Identity says whose folder it is. A folder holds the measurements of one shape on one target.
type Identity struct {
	Schema  string    `json:"schema"`
	Target  string    `json:"target"` // its URL with the options that bound it, without secrets
	Shape   string    `json:"shape"`  // such as 10/s × 1 KiB × 1 connection
	Created time.Time `json:"created"`
	// Stopped is when its user stopped the canary; absent while it runs, and after a crash.
	Stopped time.Time `json:"stopped,omitzero"`
	// Runs are the names of runs that may have left topics on the broker.
	Runs []string `json:"runs,omitempty"`
}

// Errors of [Open].
var (
	ErrInUse   = errors.New("another canary writes to the folder")
	ErrForeign = errors.New("the folder is not this canary's")
)

// A Folder holds the files of a canary. It is for one goroutine, and one process, that writes.
type Folder struct {
	Identity

	dir  string
	file *os.File // holds the lock
	// before is called before each change of a file, and may prevent it; nil in general.
	before func(path string) error
}

// Open opens the folder of a canary, or makes it. The error is ErrInUse while another process has it open, and
// ErrForeign if it belongs to another target or shape, or holds other files.
func Open(dir string, id Identity) (*Folder, error) {
	for _, sub := range []string{hours, days, months} {
		if err := check(dir, id); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil { //nolint:gosec // results are for everyone to read
			return nil, fmt.Errorf("canary: making its folder: %w", err)
		}
	}
	file, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("canary: its folder cannot be written: %w", err)
	}
	f := &Folder{dir: dir, file: file}
	if err := lock(file); err != nil {
		return nil, errors.Join(fmt.Errorf("canary: %s: %w", dir, ErrInUse), file.Close())
	}
	if f.Identity, err = ReadIdentity(dir); errors.Is(err, fs.ErrNotExist) || blank(dir) {
		f.Identity, err = id, nil
	}
	if err == nil {
		err = errors.Join(f.tidy(), f.save())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

// check returns an error if a folder cannot be that of id. One that is new or empty can.
func check(dir string, id Identity) error {
	own, err := ReadIdentity(dir)
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(dir)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("canary: %w", err)
		case slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			return !slices.Contains([]string{hours, days, months, "lock"}, e.Name()) && !strings.HasPrefix(e.Name(), ".")
		}):
			return fmt.Errorf("canary: %s holds other files: %w: name a new folder", dir, ErrForeign)
		}
		return nil
	}
	switch {
	case err != nil:
		return err
	case blank(dir): // it was never measured: the URL was wrong
	case own.Target != id.Target:
		return fmt.Errorf("canary: %s is that of %s, not of %s: %w: name another folder", dir, own.Target, id.Target, ErrForeign)
	case own.Shape != id.Shape:
		return fmt.Errorf("canary: %s has messages of %s, not %s: %w: name another folder", dir, own.Shape, id.Shape, ErrForeign)
	}
	return nil
}

// blank reports whether a folder has no measurements.
func blank(dir string) bool {
	for _, folder := range []string{hours, days, months} {
		if all, err := list(dir, folder); err == nil && len(all) > 0 {
			return false
		}
	}
	return true
}

// ReadIdentity reads whose folder it is. The error wraps [fs.ErrNotExist] if it is no canary's.
func ReadIdentity(dir string) (id Identity, err error) {
	err = readJSON(filepath.Join(dir, File), &id)
	if err == nil && id.Schema != Schema {
		err = fmt.Errorf("canary: %s: schema %q: want %s: a later version wrote it", filepath.Join(dir, File), id.Schema, Schema)
	}
	return id, err
}

func readJSON(path string, into any) error {
	text, err := safefile.Read(path, mostBytes)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("canary: %s: %w", path, err)
	}
	return nil
}

// tidy removes what a killed process left: temporary files, and logs without a ledger.
func (f *Folder) tidy() error {
	left, err := filepath.Glob(filepath.Join(f.dir, "*", ".*-*"))
	own, _ := filepath.Glob(filepath.Join(f.dir, "."+File+"-*")) // the pattern is right, too
	logs, _ := filepath.Glob(filepath.Join(f.dir, "*", "*"+logSuffix+"*"))
	left = append(left, own...)
	for _, log := range logs {
		name, suffix, _ := strings.Cut(filepath.Base(log), logSuffix)
		if suffix == unreadable {
			continue
		}
		if _, e := os.Stat(filepath.Join(filepath.Dir(log), name+ledgerSuffix)); errors.Is(e, fs.ErrNotExist) {
			left = append(left, log)
		}
	}
	for _, path := range left {
		err = cmp.Or(err, os.Remove(path))
	}
	return err
}

// Close ends the writing.
func (f *Folder) Close() error { return f.file.Close() }

func (f *Folder) save() error { return f.writeJSON(filepath.Join(f.dir, File), f.Identity) }

func (f *Folder) path(p Period, suffix string) string { return pathOf(f.dir, p, suffix) }

func pathOf(dir string, p Period, suffix string) string {
	_, folder := p.layout()
	return filepath.Join(dir, folder, string(p)+suffix)
}

// The files of a period. The log is new until its ledger is written.
const (
	ledgerSuffix = ".json"
	logSuffix    = ".hlog"
	newSuffix    = ".hlog.new"
	unreadable   = ".unreadable" // behind another suffix
)

// replace writes a book and its log. The ledger decides: a process that is killed leaves the old book or the new one,
// with the log that belongs to it.
func (f *Folder) replace(b *Book, log []byte) error {
	if err := f.settle(b); err != nil {
		return err
	}
	b.LogBytes, b.LogCRC = int64(len(log)), crc32.ChecksumIEEE(log)
	err := f.write(f.path(b.Period, newSuffix), log)
	if err == nil {
		err = f.writeJSON(f.path(b.Period, ledgerSuffix), b)
	}
	if err == nil {
		err = f.rename(b.Period)
	}
	return err
}

// rename gives a log that is new its name.
func (f *Folder) rename(p Period) error {
	if err := f.change(f.path(p, newSuffix)); err != nil {
		return err
	}
	return os.Rename(f.path(p, newSuffix), f.path(p, logSuffix))
}

// settle ends the replacement of a log that a killed process has left: its ledger is written, and the log still called new.
func (f *Folder) settle(b *Book) error {
	log, err := safefile.Read(f.path(b.Period, newSuffix), mostBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !b.has(log):
		return nil
	case err == nil:
		err = f.rename(b.Period)
	}
	return err
}

// has reports whether a log begins with that of the book.
func (b *Book) has(log []byte) bool {
	return int64(len(log)) >= b.LogBytes && crc32.ChecksumIEEE(log[:b.LogBytes]) == b.LogCRC
}

// append adds lines to the log of a book, and writes its ledger. After an error the same call may be repeated.
func (f *Folder) append(b *Book, lines []byte) error {
	if err := cmp.Or(f.settle(b), f.change(f.path(b.Period, logSuffix))); err != nil {
		return err
	}
	log, err := os.OpenFile(f.path(b.Period, logSuffix), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	err = cmp.Or(log.Chmod(0o644), log.Truncate(b.LogBytes)) // a killed process or a full disk may have left a part
	if err == nil {
		_, err = log.WriteAt(lines, b.LogBytes)
	}
	if err = cmp.Or(err, log.Sync(), log.Close()); err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	next := *b
	next.LogBytes, next.LogCRC = b.LogBytes+int64(len(lines)), crc32.Update(b.LogCRC, crc32.IEEETable, lines)
	if err := f.writeJSON(f.path(b.Period, ledgerSuffix), &next); err != nil {
		return err
	}
	b.LogBytes, b.LogCRC = next.LogBytes, next.LogCRC
	return nil
}

// remove removes the files of a period, the ledger first: a log without one counts as absent.
func (f *Folder) remove(p Period) (err error) {
	for _, suffix := range []string{ledgerSuffix, logSuffix, newSuffix} {
		if err = cmp.Or(err, f.change(f.path(p, suffix))); err != nil {
			return err
		}
		if e := os.Remove(f.path(p, suffix)); !errors.Is(e, fs.ErrNotExist) {
			err = e
		}
	}
	return err
}

var errUnlike = errors.New("the log does not match its ledger")

// loadBook reads a book and its log. The error wraps [fs.ErrNotExist] if there is none.
func loadBook(dir string, p Period) (b *Book, log []byte, err error) {
	for range 3 { // a canary that runs may have replaced or removed both after the ledger was read
		if b, log, err = readBook(dir, p); !errors.Is(err, errUnlike) {
			break
		}
	}
	return b, log, err
}

func readBook(dir string, p Period) (b *Book, log []byte, err error) {
	b = new(Book)
	if err := readJSON(pathOf(dir, p, ledgerSuffix), b); err != nil {
		return nil, nil, err
	}
	if b.Schema != BookSchema || b.Period != p {
		return nil, nil, fmt.Errorf("canary: %s: want schema %s of %s", pathOf(dir, p, ledgerSuffix), BookSchema, p)
	}
	for _, suffix := range []string{logSuffix, newSuffix, logSuffix} { // the last: it was renamed meanwhile
		log, err = safefile.Read(pathOf(dir, p, suffix), mostBytes)
		if err == nil && b.has(log) {
			return b, log[:b.LogBytes], nil
		}
	}
	if b.LogBytes == 0 {
		return b, nil, nil
	}
	return nil, nil, fmt.Errorf("canary: %s: %w: it was changed or lost: remove it and %s, which forgets that time", pathOf(dir, p, logSuffix), errUnlike, pathOf(dir, p, ledgerSuffix))
}

// list returns the periods of a folder that have a ledger, in order.
func list(dir, folder string) (all []Period, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		return nil, fmt.Errorf("canary: %w", err)
	}
	for _, e := range entries {
		name, ours := strings.CutSuffix(e.Name(), ledgerSuffix)
		if p := Period(name); ours && p.Check() == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

func (f *Folder) change(path string) error {
	if f.before == nil {
		return nil
	}
	return f.before(path)
}

func (f *Folder) writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	return f.write(path, append(text, '\n'))
}

// write writes a file that is on the disk when write returns, whole or not at all.
func (f *Folder) write(path string, text []byte) error {
	if err := f.change(path); err != nil {
		return err
	}
	file, err := safefile.Create(path)
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	_, _ = file.Write(text) // Sync returns its error
	if err := cmp.Or(file.Sync(), f.change(path)); err != nil {
		file.Discard()
		return fmt.Errorf("canary: %w", err)
	}
	if err := file.Commit(); err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("canary: %w", err)
	}
	_ = folder.Sync() // some systems cannot
	return folder.Close()
}
