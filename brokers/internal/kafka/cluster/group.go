package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrNoShareGroups is the error of a cluster without them.
var ErrNoShareGroups = errors.New("the cluster has no share groups")

// ErrNoConsumerProtocol is the error of a cluster that cannot divide the partitions of consumer groups.
var ErrNoConsumerProtocol = errors.New("the cluster has no group protocol \"consumer\"")

// The protocols of groups. With Classic a member divides the partitions, with Consumer the broker does.
const (
	Classic  = "classic"
	Consumer = "consumer"
	Share    = "share"
)

// Offers returns an error if any of the brokers that answered does not have a protocol of groups:
// ErrNoShareGroups or ErrNoConsumerProtocol.
func Offers(brokers kadm.BrokersApiVersions, protocol string) error {
	request, missing := kmsg.ShareFetch, ErrNoShareGroups // version 1 is in Kafka 4.1, the first in which share groups are more than a preview
	switch protocol {
	case Classic:
		return nil
	case Consumer:
		request, missing = kmsg.ConsumerGroupHeartbeat, ErrNoConsumerProtocol // version 1 is in Kafka 4.0; franz-go uses no other
	}
	for _, b := range brokers.Sorted() {
		if newest, ok := b.KeyMaxVersion(int16(request)); b.Err == nil && (!ok || newest < 1) {
			return missing
		}
	}
	return nil
}

// Assigned reports whether a group is stable with so many members, and each has partitions.
func Assigned(ctx context.Context, admin *kadm.Client, group, protocol string, members int) (bool, error) {
	var state string
	var partitions []int // by member
	var err error
	switch protocol {
	case Classic:
		var all kadm.DescribedGroups
		all, err = admin.DescribeGroups(ctx, group)
		state, err = all[group].State, cmp.Or(err, all[group].Err)
		for _, m := range all[group].Members {
			of, _ := m.Assigned.AsConsumer()
			n := 0
			if of != nil {
				n = len(of.Topics)
			}
			partitions = append(partitions, n)
		}
	case Consumer:
		var all kadm.DescribedConsumerGroups
		all, err = admin.DescribeConsumerGroups(ctx, group)
		state, err = all[group].State, cmp.Or(err, all[group].Err)
		for _, m := range all[group].Members {
			partitions = append(partitions, len(m.Assignment))
		}
	default:
		var all kadm.DescribedShareGroups
		all, err = admin.DescribeShareGroups(ctx, group)
		state, err = all[group].GroupState, cmp.Or(err, all[group].Err)
		for _, m := range all[group].Members {
			partitions = append(partitions, len(m.Assignment))
		}
	}
	if err == nil && (state != "Stable" || len(partitions) != members || slices.Contains(partitions, 0)) {
		err = fmt.Errorf("its state is %q, and its %d members have these partitions: %v", state, len(partitions), partitions)
	}
	return err == nil, err
}

// MakeShareGroup configures the share group of that name; its first member creates it.
func MakeShareGroup(ctx context.Context, client *kgo.Client, group string, config map[string]string) error {
	versions, err := Admin(client).ApiVersions(ctx)
	if err == nil {
		err = Offers(versions, Share)
	}
	if err == nil {
		err = alterGroup(ctx, client, group, kmsg.IncrementalAlterConfigOpSet, config)
	}
	return target.Because(ctx, err)
}

// alterGroup sets or removes settings of a group. Those of a group that was deleted stay in
// the cluster until they are removed.
func alterGroup(ctx context.Context, client *kgo.Client, group string, op kmsg.IncrementalAlterConfigOp, config map[string]string) error {
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, group
	for _, name := range slices.Sorted(maps.Keys(config)) {
		entry := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		entry.Name, entry.Op = name, op
		if op == kmsg.IncrementalAlterConfigOpSet {
			entry.Value = kmsg.StringPtr(config[name])
		}
		resource.Configs = append(resource.Configs, entry)
	}
	request := kmsg.NewPtrIncrementalAlterConfigsRequest()
	request.Resources = append(request.Resources, resource)
	answer, err := request.RequestWith(ctx, client)
	if err != nil {
		return err
	}
	for _, r := range answer.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			if r.ErrorMessage != nil {
				err = fmt.Errorf("%w: %s", err, *r.ErrorMessage)
			}
			return err
		}
	}
	return nil
}

// DeleteGroup deletes a group with its settings, which may be none. A member that has just left may remain
// for another moment.
func DeleteGroup(ctx context.Context, client *kgo.Client, group string, config map[string]string) error {
	admin := Admin(client)
	var last error
	over := Poll(ctx, func() (bool, error) {
		_, last = admin.DeleteGroup(ctx, group)
		return !errors.Is(last, kerr.NonEmptyGroup), nil
	})
	if errors.Is(last, kerr.GroupIDNotFound) {
		last = nil
	}
	if last == nil && len(config) > 0 {
		last = alterGroup(ctx, client, group, kmsg.IncrementalAlterConfigOpDelete, config)
	}
	return target.Because(ctx, cmp.Or(over, last))
}
