type JsonObject = Readonly<Record<string, unknown>>;

/** Applies a JSON Merge Patch (RFC 7396): null removes a member, objects are merged, everything else replaces. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergedValue(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function mergedValue(current: unknown, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return mergePatch(isJsonObject(current) ? current : {}, value);
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
