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

// firstShareFetch is the version of ShareFetch in Kafka 4.1, the first in which share groups
// are more than a preview.
const firstShareFetch = 1

// OffersShares returns an error if any of the brokers that answered has no share groups.
func OffersShares(brokers kadm.BrokersApiVersions) error {
	for _, b := range brokers.Sorted() {
		if newest, ok := b.KeyMaxVersion(int16(kmsg.ShareFetch)); b.Err == nil && (!ok || newest < firstShareFetch) {
			return ErrNoShareGroups
		}
	}
	return nil
}

// MakeShareGroup configures the share group of that name; its first member creates it.
func MakeShareGroup(ctx context.Context, client *kgo.Client, group string, config map[string]string) error {
	versions, err := Admin(client).ApiVersions(ctx)
	if err == nil {
		err = OffersShares(versions)
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

// DeleteGroup deletes a share group with its settings. A member that has just left may remain
// for another moment.
func DeleteGroup(ctx context.Context, client *kgo.Client, group string, config map[string]string) error {
	admin := Admin(client)
	var last error
	over := Poll(ctx, func() (bool, error) {
		_, last = admin.DeleteGroup(ctx, group)
		return !errors.Is(last, kerr.NonEmptyGroup), nil
	})
	if last == nil || errors.Is(last, kerr.GroupIDNotFound) {
		last = alterGroup(ctx, client, group, kmsg.IncrementalAlterConfigOpDelete, config)
	}
	return target.Because(ctx, cmp.Or(over, last))
}
