"""Makes JSON Schemas of Kubernetes for kubeconform: schemas.py SWAGGER FOLDER.

Each kind of each group and version is a file. Types are strict: a key that Kubernetes does
not know is a mistake, since the API server would drop it without a word.
"""

import json
import os
import sys
import tempfile

INT_OR_STRING = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
NUMBER_OR_STRING = {"oneOf": [{"type": "string"}, {"type": "number"}]}


def strict(schema, name=""):
    """Returns a definition whose objects know only their own keys."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "int-or-string":
        return INT_OR_STRING
    if name.endswith("api.resource.Quantity"):
        return NUMBER_OR_STRING
    out = {}
    for key, value in schema.items():
        if key == "$ref":
            value = "_definitions.json" + value
        elif key == "properties":
            value = {k: strict(v) for k, v in value.items()}
        elif key in ("items", "additionalProperties"):
            value = strict(value)
        elif key.startswith("x-kubernetes") or key == "format":
            continue
        out[key] = value
    if "properties" in out:
        out.setdefault("additionalProperties", False)
    return out


def main(swagger, folder):
    with open(swagger, encoding="utf-8") as file:
        definitions = json.load(file)["definitions"]
    parent = os.path.dirname(os.path.abspath(folder))
    os.makedirs(parent, exist_ok=True)
    made = tempfile.mkdtemp(dir=parent)

    def write(name, value):
        with open(os.path.join(made, name), "w", encoding="utf-8") as file:
            json.dump(value, file)

    write("_definitions.json", {"definitions": {n: strict(d, n) for n, d in definitions.items()}})
    for name, definition in definitions.items():
        kinds = definition.get("x-kubernetes-group-version-kind", [])
        if len(kinds) != 1 or "properties" not in definition:
            continue
        group, version, kind = kinds[0]["group"], kinds[0]["version"], kinds[0]["kind"].lower()
        suffix = "-" + group.split(".")[0] if group else ""
        write(f"{kind}{suffix}-{version}.json", {"$ref": f"_definitions.json#/definitions/{name}"})
    os.rename(made, folder)  # whole or not at all


main(sys.argv[1], sys.argv[2])
