package deploy_test

import (
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// at follows keys into a document; nil if one of them is not there.
func at(doc any, keys ...string) any {
	for _, key := range keys {
		m, ok := doc.(map[string]any)
		if !ok {
			return nil
		}
		doc = m[key]
	}
	return doc
}

// maps returns a list of objects.
func maps(list any) (found []map[string]any) {
	items, _ := list.([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

// texts returns a list as it would be printed.
func texts(list any) (found []string) {
	items, _ := list.([]any)
	for _, item := range items {
		found = append(found, fmt.Sprint(item))
	}
	return found
}

// pod returns the pod specification of a Job or a Pod.
func pod(doc map[string]any) any {
	if doc["kind"] == "Pod" {
		return doc["spec"]
	}
	return at(doc, "spec", "template", "spec")
}

func container(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	containers := maps(at(pod(doc), "containers"))
	if len(containers) != 1 {
		t.Fatalf("%v: %d containers", at(doc, "metadata", "name"), len(containers))
	}
	return containers[0]
}

// object returns the document of a kind and name in kubernetes/run.
func object(t *testing.T, kind, name string) map[string]any {
	t.Helper()
	for _, file := range files(t, "kubernetes/run", ".yaml") {
		for _, doc := range documents(t, file) {
			if doc["kind"] == kind && at(doc, "metadata", "name") == name {
				return doc
			}
		}
	}
	t.Fatalf("there is no %s %s", kind, name)
	return nil
}

// pods returns the pods of a run, for which the namespace enforces "restricted".
func pods(t *testing.T) []map[string]any {
	t.Helper()
	return append(documents(t, "kubernetes/fetch.yaml"), object(t, "Job", "agents"), object(t, "Job", "coordinator"))
}

func TestResourcesOfKustomizationsExist(t *testing.T) {
	for _, folder := range []string{"kubernetes/run", "kubernetes/brokers"} {
		doc := documents(t, filepath.Join(folder, "kustomization.yaml"))[0]
		wanted := texts(doc["resources"])
		for _, generator := range maps(doc["configMapGenerator"]) {
			wanted = append(wanted, texts(generator["files"])...)
		}
		there := files(t, folder, ".yaml")
		for _, name := range wanted {
			if !slices.Contains(there, filepath.Join(folder, name)) {
				t.Errorf("%s: %s is not there", folder, name)
			}
		}
		for _, name := range there {
			alone := []string{"kustomization.yaml", "mosquitto.yaml"}
			if base := filepath.Base(name); !slices.Contains(append(wanted, alone...), base) {
				t.Errorf("%s is in no kustomization", name)
			}
		}
	}
}

func TestPodsCanDoLittle(t *testing.T) {
	for _, doc := range pods(t) {
		c := container(t, doc)
		for _, want := range []struct{ got, want any }{
			{at(pod(doc), "automountServiceAccountToken"), false},
			{at(pod(doc), "restartPolicy"), "Never"},
			{at(pod(doc), "securityContext", "runAsNonRoot"), true},
			{at(pod(doc), "securityContext", "seccompProfile", "type"), "RuntimeDefault"},
			{at(c, "securityContext", "readOnlyRootFilesystem"), true},
			{at(c, "securityContext", "allowPrivilegeEscalation"), false},
			{at(c, "securityContext", "capabilities", "drop"), []any{"ALL"}},
		} {
			if !reflect.DeepEqual(want.got, want.want) {
				t.Errorf("%v: got %v, want %v", at(doc, "metadata", "name"), want.got, want.want)
			}
		}
		if requests, limits := at(c, "resources", "requests"), at(c, "resources", "limits"); requests == nil || !reflect.DeepEqual(requests, limits) {
			t.Errorf("%v is not Guaranteed: requests %v, limits %v", at(doc, "metadata", "name"), requests, limits)
		}
	}
}

// The user of the image is the one whom the pods run as.
func TestUserOfTheImage(t *testing.T) {
	for _, doc := range pods(t) {
		user := fmt.Sprintf("USER %v:%v\n", at(pod(doc), "securityContext", "runAsUser"), at(pod(doc), "securityContext", "runAsGroup"))
		if !strings.Contains(read(t, "container/Dockerfile"), user) {
			t.Errorf("%v: the image has another user than %s", at(doc, "metadata", "name"), user)
		}
	}
}

func TestVolumesAndMountsFit(t *testing.T) {
	for _, doc := range pods(t) {
		var volumes, mounts, paths []string
		for _, v := range maps(at(pod(doc), "volumes")) {
			volumes = append(volumes, v["name"].(string))
		}
		c := container(t, doc)
		for _, m := range maps(c["volumeMounts"]) {
			mounts = append(mounts, m["name"].(string))
			paths = append(paths, m["mountPath"].(string))
		}
		slices.Sort(volumes)
		slices.Sort(mounts)
		if !slices.Equal(volumes, mounts) {
			t.Errorf("%v: volumes %v, mounted %v", at(doc, "metadata", "name"), volumes, mounts)
		}
		for _, arg := range texts(c["args"]) {
			_, value, _ := strings.Cut(arg, "=")
			if strings.HasPrefix(value, "/") && !slices.Contains(paths, value) && !slices.Contains(paths, path.Dir(value)) {
				t.Errorf("%v: nothing is mounted at %s", at(doc, "metadata", "name"), value)
			}
		}
	}
}

// The number of agents is in one place, also for users who apply a single file.
func TestAgentsAreCountedOnce(t *testing.T) {
	agents := object(t, "Job", "agents")
	want := at(agents, "spec", "completions")
	env := maps(container(t, object(t, "Job", "coordinator"))["env"])[0]
	for what, got := range map[string]any{
		"parallelism":      at(agents, "spec", "parallelism"),
		"maxFailedIndexes": at(agents, "spec", "maxFailedIndexes"),
		"AGENTS (" + fmt.Sprint(env["name"]) + ")": env["value"],
	} {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, completions %v", what, got, want)
		}
	}
}

// Each selector of a Service, a policy or an anti-affinity finds a pod.
func TestSelectorsFindTheirPods(t *testing.T) {
	agent, coordinator := map[string]any{"app": "agent"}, map[string]any{"app": "coordinator"}
	for what, c := range map[string]struct{ got, want any }{
		"label of the agents":      {at(object(t, "Job", "agents"), "spec", "template", "metadata", "labels"), agent},
		"label of the coordinator": {at(object(t, "Job", "coordinator"), "spec", "template", "metadata", "labels"), coordinator},
		"the Service":              {at(object(t, "Service", "coordinator"), "spec", "selector"), coordinator},
		"the agents' policy":       {at(object(t, "NetworkPolicy", "agents"), "spec", "podSelector", "matchLabels"), agent},
		"the coordinator's policy": {at(object(t, "NetworkPolicy", "coordinator"), "spec", "podSelector", "matchLabels"), coordinator},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", what, c.got, c.want)
		}
	}
	service := maps(at(object(t, "Service", "coordinator"), "spec", "ports"))[0]
	port := maps(container(t, object(t, "Job", "coordinator"))["ports"])[0]
	if service["targetPort"] != port["name"] || service["port"] != port["containerPort"] {
		t.Errorf("the Service has %v, the container %v", service, port)
	}
}
