package place

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"strings"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A Kubectl starts agents as an Indexed Job with the system's kubectl. It passes their joins
// through standard input into a Secret, never as an argument. The server applies it: kubectl itself
// would keep a copy in an annotation, which is too small for a thousand joins. Each agent sees only its own join.
type Kubectl struct {
	Command []string // such as kubectl --context c
	Run     string   // names what is made: brokerbench-RUN
	Image   string
	Pod     string // JSON, added to the specification of the pods, such as a nodeSelector; ""
}

// Start makes the Secret and the Job of agents: the first has index 0.
func (k Kubectl) Start(ctx context.Context, joins []wire.Join) error {
	objects, err := k.objects(joins)
	if err != nil {
		return err
	}
	return k.kubectl(ctx, bytes.NewReader(objects), "apply", "--server-side", "-f", "-")
}

// Stop removes them.
func (k Kubectl) Stop(ctx context.Context) error {
	return k.kubectl(ctx, nil, "delete", "job,secret", "-l", "brokerbench.run="+k.Run, "--ignore-not-found", "--wait=false")
}

func (k Kubectl) kubectl(ctx context.Context, in io.Reader, words ...string) error {
	c := exec.CommandContext(ctx, k.Command[0], append(append([]string{}, k.Command[1:]...), words...)...) //nolint:gosec // the user's own kubectl
	var said bytes.Buffer
	c.Stdin, c.Stderr = in, &said
	process.OwnGroup(c)
	if err := c.Run(); err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", words[0], err, strings.TrimSpace(said.String()))
	}
	return nil
}

// object is a part of a manifest.
type object = map[string]any

// objects returns the Secret and the Job. An agent that ends is not restarted and does not end
// the others. Each runs on a separate node, and has no permissions on the cluster.
func (k Kubectl) objects(joins []wire.Join) ([]byte, error) {
	files := make(object)
	for i, j := range joins {
		text, err := json.Marshal(j)
		if err != nil {
			return nil, fmt.Errorf("making the Secret: %w", err)
		}
		files[fmt.Sprintf("%d.json", i)] = string(text)
	}
	name, n := "brokerbench-"+k.Run, len(joins)
	labels := object{"app.kubernetes.io/name": "brokerbench", "brokerbench.run": k.Run}
	meta := object{"name": name, "labels": labels}
	secret := object{"apiVersion": "v1", "kind": "Secret", "metadata": meta, "stringData": files}
	pod := object{
		"restartPolicy": "Never", "automountServiceAccountToken": false,
		"terminationGracePeriodSeconds": 90, // it offers its result for a minute
		"securityContext":               object{"runAsNonRoot": true, "runAsUser": 65532, "fsGroup": 65532, "seccompProfile": object{"type": "RuntimeDefault"}},
		"affinity": object{"podAntiAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": []object{
			{"labelSelector": object{"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"},
		}}},
		"containers": []object{{
			"name": "agent", "image": k.Image, "args": []string{"agent", "--join", "/join/join.json"},
			"resources":       object{"requests": object{"cpu": "2", "memory": "1Gi"}, "limits": object{"cpu": "2", "memory": "1Gi"}},
			"securityContext": object{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []string{"ALL"}}},
			"volumeMounts": []object{
				// The Job gives each pod its index as a variable.
				{"name": "join", "mountPath": "/join/join.json", "subPathExpr": "$(JOB_COMPLETION_INDEX).json", "readOnly": true},
				{"name": "results", "mountPath": "/tmp"},
			},
		}},
		"volumes": []object{
			{"name": "join", "secret": object{"secretName": name, "defaultMode": 0o440}},
			{"name": "results", "emptyDir": object{}},
		},
	}
	if k.Pod != "" {
		var more object
		if err := json.Unmarshal([]byte(k.Pod), &more); err != nil {
			return nil, fmt.Errorf("BROKERBENCH_POD: want a JSON object with fields of a pod's specification: %w", err)
		}
		maps.Copy(pod, more)
	}
	job := object{"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": object{
		"completionMode": "Indexed", "completions": n, "parallelism": n, "backoffLimitPerIndex": 0, "maxFailedIndexes": n,
		"activeDeadlineSeconds": int(wire.Valid.Seconds()), "ttlSecondsAfterFinished": 3600, "template": object{"metadata": object{"labels": labels}, "spec": pod},
	}}
	return json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": []object{secret, job}})
}
