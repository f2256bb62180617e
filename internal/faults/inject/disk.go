package inject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// fillName is the name of the file that fills a disk.
const fillName = "brokerbench-fills-this-disk"

var errNoData = errors.New("where it keeps its data is not known")

// fill leaves no space on the disk on which a node keeps its data, until undo removes the file.
func (in *Injector) fill(n Node) (undo func(context.Context) error, err error) {
	if err := Fillable(n.Data, in.o.Spare); err != nil {
		return nil, fmt.Errorf("node %s: %w", n.Name, err)
	}
	name := filepath.Join(n.Data, fillName)
	forget, err := in.o.Guard(Leftover{File: name})
	if err != nil {
		return nil, err
	}
	undo = func(context.Context) error {
		err := os.Remove(name)
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, forget())
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		err = fmt.Errorf("node %s: its disk is filled already: %s is there (if no other fault does that, remove it)", n.Name, fillName)
	}
	if err != nil {
		return nil, errors.Join(err, forget())
	}
	err = errors.Join(fillUp(f), f.Close())
	return undo, err
}

// Fillable returns why the disk of a folder must not be filled; nil if it may be. Spare lists
// files or folders on other disks that must stay free, such as that of the operating system.
func Fillable(folder string, spare []string) error {
	if folder == "" {
		return errNoData
	}
	for _, other := range append([]string{"/", os.TempDir()}, spare...) {
		same, err := sameDisk(folder, other)
		if err != nil {
			return err
		}
		if same {
			return fmt.Errorf("%s is on the disk of %s, which must not be full: put the data of the node on a separate small file system", folder, other)
		}
	}
	return nil
}
