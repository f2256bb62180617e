package coordinator

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/results"
)

// local tells whether an error is of this machine, and not of the data of an agent, which may lack a
// file.
func local(err error) bool {
	var of syscall.Errno
	return errors.As(err, &of) && !errors.Is(err, fs.ErrNotExist)
}

// Room calls what writes below a folder until the disk has room for it. When ctx ends or the user
// gives up before, the error is ErrHalted.
func (c *Coordinator) Room(ctx context.Context, dir string, write func() error) error {
	err := safefile.Room{Say: c.cfg.Say, GiveUp: c.cfg.GiveUp}.Wait(ctx, dir, write)
	if safefile.Full(err) {
		return halted(err)
	}
	return err
}

// reserve returns an error if the disk has no room for what merging writes: as much as the largest
// logs have, and some tables.
func reserve(dir string, parts []merge.Part) error {
	need := int64(1 << 20)
	for _, p := range parts {
		if info, err := os.Stat(filepath.Join(dir, results.AgentsFolder, p.Name, results.IntervalsFile)); err == nil {
			need = max(need, 1<<20+2*info.Size())
		}
	}
	file, err := os.CreateTemp(dir, ".room-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	chunk := make([]byte, 1<<20)
	for ; need > 0 && err == nil; need -= int64(len(chunk)) {
		_, err = file.Write(chunk)
	}
	return errors.Join(err, file.Close())
}
