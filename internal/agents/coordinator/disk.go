package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/results"
)

// full tells whether an error is that of a disk without space.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// local tells whether an error is of this machine, and not of the data of an agent, which may lack a
// file.
func local(err error) bool {
	var of syscall.Errno
	return errors.As(err, &of) && !errors.Is(err, fs.ErrNotExist)
}

// Room calls what writes below a folder until the disk has room for it. When ctx ends or the user
// gives up before, the error is ErrHalted.
func (c *Coordinator) Room(ctx context.Context, dir string, write func() error) error {
	for waited := false; ; waited = true {
		err := write()
		if !full(err) {
			return err
		}
		if !waited {
			c.cfg.Say(fullText(dir, err))
		}
		select {
		case <-time.After(roomEvery):
			continue
		case <-ctx.Done():
		case <-c.cfg.GiveUp:
		}
		return halted(err)
	}
}

// roomEvery is how often a full disk is tried again.
const roomEvery = time.Second

// fullText tells the user of a disk without space.
func fullText(dir string, err error) string {
	var cause syscall.Errno
	errors.As(err, &cause)
	return fmt.Sprintf("%s: %v: free some space there; the agents keep their results and the run goes on then, or Ctrl-C twice ends it", dir, cause)
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
