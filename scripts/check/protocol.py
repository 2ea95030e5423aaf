#!/usr/bin/env python3
"""Checks protocol/ by a JSON Schema validator that is not ours.

    protocol.py [ROOT]

The schemas are valid schemas; every line of every transcript is valid by them, and has no member that they do not describe;
a line of a client is invalid exactly where the daemon refuses it. Status 77 without the Python package jsonschema.
"""
import json
import os
import re
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("the Python package jsonschema is not installed (Debian: python3-jsonschema)")
    sys.exit(77)

ANY = "<any>"


def load(folder, name):
    with open(os.path.join(folder, "schema", name + ".schema.json"), encoding="utf-8") as file:
        return json.load(file)


def resolve(schema, root):
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return schema


def sample(schema, root):
    """The least value that a schema takes."""
    schema = resolve(schema, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: sample(schema["properties"][name], root) for name in schema.get("required", [])}
    return {"string": ANY, "boolean": True, "array": [], "integer": schema.get("minimum", 1),
            "number": schema.get("minimum", 1)}.get(kind)


def filled(value, schema, root):
    """The value with a value of the right type wherever any may stand."""
    schema = resolve(schema, root)
    if value == ANY:
        return sample(schema, root)
    if isinstance(value, list):
        return [filled(element, schema.get("items", {}), root) for element in value]
    if not isinstance(value, dict):
        return value
    properties = dict(schema.get("properties", {}))
    for branch in schema.get("oneOf", []):
        described = resolve(branch, root).get("properties", {})
        if all(value.get(name) == what["const"] for name, what in described.items() if "const" in what):
            properties = {**described, **{k: v for k, v in properties.items() if k not in described}}
    return {name: filled(member, properties.get(name, {}), root) for name, member in value.items()}


def closed(schema):
    """The schema without room for members that it does not describe."""
    if isinstance(schema, list):
        return [closed(element) for element in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {name: closed(member) for name, member in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        copy["unevaluatedProperties"] = False
    return copy


def unique(pairs):
    """An object as the wire takes it: no key twice."""
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a repeated key")
    return dict(pairs)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folder = os.path.join(root, "protocol")
    faults = []
    schemas, validators, strict = {}, {}, {}
    for name in ("command", "ack", "event", "error", "readiness"):
        schema = schemas[name] = load(folder, name)
        Draft202012Validator.check_schema(schema)
        validators[name] = Draft202012Validator(schema)
        strict[name] = Draft202012Validator(closed(schema))
    counts = {"client": 0, "daemon": 0}
    strangers = []
    transcripts = os.path.join(folder, "transcripts")
    for file in sorted(os.listdir(transcripts)):
        with open(os.path.join(transcripts, file), encoding="utf-8") as stream:
            lines = stream.read().splitlines()
        refused, asked = set(), []
        for number, line in enumerate(lines, 1):
            where, text = f"{file}:{number}", line[2:].strip()
            if line.startswith("S:") and text:
                counts["daemon"] += 1
                value = json.loads(text)
                name = next(key for key in ("ack", "error", "event") if key in value)
                value = filled(value, schemas[name], schemas[name])
                faults += [f"{where}: {error.message}" for error in strict[name].iter_errors(value)]
                body = value.get("ack", {})
                if body.get("reason") in ("badRequest", "unknownCommand"):
                    refused.add(body["id"])
            elif line.startswith("C:") and text:
                counts["client"] += 1
                try:
                    value = json.loads(text, object_pairs_hook=unique)
                except ValueError:
                    continue
                asked.append((where, value))
        for where, value in asked:
            errors = [error.message for error in validators["command"].iter_errors(value)]
            is_refused = not isinstance(value, dict) or value.get("id") in refused or "id" not in value
            if is_refused and not errors:
                faults.append(f"{where}: the daemon refuses it, and the schema does not")
            if errors and not is_refused:
                faults += [f"{where}: {error}" for error in errors]
            if not errors and not strict["command"].is_valid(value):
                strangers.append(value)
    # The one that shows that unknown members are skipped.
    if [sorted(value) for value in strangers] != [["cmd", "colour", "id"]]:
        faults.append(f"members that no schema describes: {strangers}")
    # Examples of the reference, also those whose transcript is still to come.
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as stream:
        examples = re.findall(r"^```json\n(.*?)^```", stream.read(), re.S | re.M)
    for line in "".join(examples).splitlines():
        value = json.loads(line, object_pairs_hook=unique)
        name = next((key for key in ("ack", "error", "event") if key in value), "command")
        faults += [f"README.md: {line}: {error.message}"
                   for error in strict[name].iter_errors(filled(value, schemas[name], schemas[name]))]
    for fault in faults:
        print(fault)
    print(f"{len(schemas)} schemas, {counts['client']} lines of clients, {counts['daemon']} of the daemon, "
          f"{len(''.join(examples).splitlines())} examples, {len(faults)} faults")
    return 1 if faults or not counts["daemon"] else 0


if __name__ == "__main__":
    sys.exit(main())
