//go:build !linux

package network

import "errors"

func mayMake() error { return errors.New("only Linux has network namespaces") }
