//go:build !linux

package inject

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

func syncDisk(string) error { return errors.ErrUnsupported }

func shutDown(string) error { return errors.ErrUnsupported }

func remount(context.Context, *process.Mount) error { return errors.ErrUnsupported }

func mountCommand(*process.Mount) []string { return nil }
