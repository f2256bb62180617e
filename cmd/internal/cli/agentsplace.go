package cli

import (
	"context"
	"errors"

	"github.com/brokerbench/brokerbench/cluster/wire"
)

func (g *group) placeSSH(context.Context, []wire.Join) error { return errors.New("ssh: not yet") }

func (g *group) placeKubernetes(context.Context) error { return errors.New("k8s: not yet") }
