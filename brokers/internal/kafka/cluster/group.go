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

// A member is one of a group, as its coordinator describes it.
type member struct {
	id         string
	partitions int
}

// describe asks for the state of a group and for its members.
func describe(ctx context.Context, admin *kadm.Client, group, protocol string) (state string, members []member, err error) {
	switch protocol {
	case Classic:
		all, err := admin.DescribeGroups(ctx, group)
		of := all[group]
		for _, m := range of.Members {
			n := 0
			if assigned, ok := m.Assigned.AsConsumer(); ok {
				for _, topic := range assigned.Topics {
					n += len(topic.Partitions)
				}
			}
			members = append(members, member{m.MemberID, n})
		}
		return of.State, members, cmp.Or(err, of.Err)
	case Consumer:
		all, err := admin.DescribeConsumerGroups(ctx, group)
		of := all[group]
		for _, m := range of.Members {
			members = append(members, member{m.MemberID, partitions(m.Assignment)})
		}
		return of.State, members, cmp.Or(err, of.Err)
	}
	all, err := admin.DescribeShareGroups(ctx, group)
	of := all[group]
	for _, m := range of.Members {
		members = append(members, member{m.MemberID, partitions(m.Assignment)})
	}
	return of.GroupState, members, cmp.Or(err, of.Err)
}

func partitions(topics kadm.TopicsSet) (n int) {
	for _, of := range topics {
		n += len(of)
	}
	return n
}

// Assigned reports whether a group is stable with so many members, and each has partitions. The error
// says why not.
func Assigned(ctx context.Context, admin *kadm.Client, group, protocol string, members int) (bool, error) {
	state, there, err := describe(ctx, admin, group, protocol)
	idle := slices.ContainsFunc(there, func(m member) bool { return m.partitions == 0 })
	if err == nil && (state != "Stable" || len(there) != members || idle) {
		err = fmt.Errorf("it is %s with %d of %d members, and some have no partitions: %t", state, len(there), members, idle)
	}
	return err == nil, err
}

// Evict makes all members leave a group: those that were killed would stay for their session timeout. What
// fails is the error of the group's deletion.
func Evict(ctx context.Context, client *kgo.Client, group, protocol string) {
	_, members, _ := describe(ctx, Admin(client), group, protocol)
	for _, m := range members {
		switch protocol {
		case Classic:
			leave, one := kmsg.NewPtrLeaveGroupRequest(), kmsg.NewLeaveGroupRequestMember()
			one.MemberID = m.id
			leave.Group, leave.MemberID, leave.Members = group, m.id, append(leave.Members, one)
			_, _ = leave.RequestWith(ctx, client)
		case Consumer:
			leave := kmsg.NewPtrConsumerGroupHeartbeatRequest()
			leave.Group, leave.MemberID, leave.MemberEpoch = group, m.id, -1
			_, _ = leave.RequestWith(ctx, client)
		default:
			leave := kmsg.NewPtrShareGroupHeartbeatRequest()
			leave.GroupID, leave.MemberID, leave.MemberEpoch = group, m.id, -1
			_, _ = leave.RequestWith(ctx, client)
		}
	}
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
