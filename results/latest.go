package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// LatestLink is the name of the link to the folder of the run that began last, beside
// the folders of the runs.
const LatestLink = "latest"

// Link atomically points the link beside the folder to it. It ignores errors, since some
// systems and disks have no links, and leaves anything else named latest alone: [Latest]
// works without the link.
func (s *Store) Link() {
	link := filepath.Join(filepath.Dir(s.dir), LatestLink)
	if there, err := os.Lstat(link); err == nil && there.Mode()&fs.ModeSymlink == 0 {
		return
	}
	fresh := fmt.Sprintf("%s.%d", link, os.Getpid()) // a link cannot be changed, but replaced by renaming another one
	_ = os.Remove(fresh)                             // left by a process that was killed
	if os.Symlink(filepath.Base(s.dir), fresh) != nil || os.Rename(fresh, link) != nil {
		_ = os.Remove(fresh)
	}
}

// Latest returns the folder of the run in out that began last: the target of the link, or
// else the run with the latest start that is under way or measured something.
func Latest(out string) (*Store, error) {
	if base, err := os.Readlink(filepath.Join(out, LatestLink)); err == nil && base == filepath.Base(base) {
		if s, err := Open(filepath.Join(out, base)); err == nil {
			return s, nil
		}
	}
	list, err := List(out)
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.Err == nil && !r.Run.Failed() {
			return Open(r.Dir)
		}
	}
	return nil, fmt.Errorf("%s holds no run", out)
}

// A Listed is one run of a folder of results.
type Listed struct {
	Dir string
	Run Run
	Err error // why run.json cannot be read; Run is empty then
}

// List reads the runs in out, the one that began last first and those that cannot be
// read at the end. A folder that does not exist has none.
func List(out string) (list []Listed, err error) {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for runs: %w", err)
	}
	for _, entry := range entries {
		if entry.Type()&fs.ModeSymlink != 0 && entry.Name() == LatestLink {
			continue // its target is listed
		}
		s, err := Open(filepath.Join(out, entry.Name()))
		if err != nil {
			continue // not a run
		}
		run, err := s.Run()
		list = append(list, Listed{s.Dir(), run, err})
	}
	slices.SortStableFunc(list, func(a, b Listed) int { return b.Run.Started.Compare(a.Run.Started) })
	return list, nil
}

// WithoutLatest returns the paths without the link to the last run if its target is among
// them: dir/* names that run twice.
func WithoutLatest(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		path = filepath.Clean(path)
		to, err := os.Readlink(path)
		if err != nil || filepath.Base(path) != LatestLink {
			return false
		}
		run := filepath.Join(filepath.Dir(path), to)
		return slices.ContainsFunc(paths, func(other string) bool { return filepath.Clean(other) == run })
	})
}
