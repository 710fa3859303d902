import { UndecidableConditionError } from './condition-errors.js';
import { isJsonObject, type JsonValue } from './condition-json.js';

/**
 * Returns the value that a JSON object contains at a path of member names joined by dots (docs/contract/inventory.md
 * 5.6). For a list, the rest of the path applies to each item, so that `tags.slug` is a list of slugs. If a value on
 * the path is null, the result is null.
 *
 * @throws UndecidableConditionError if a member on the path is missing, or the path continues below a plain value
 */
export function getAttributeValue(subject: JsonValue, attribute: string): JsonValue {
  return followAttributePath(subject, attribute.split('.'), attribute);
}

function followAttributePath(value: JsonValue, path: readonly string[], attribute: string): JsonValue {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => followAttributePath(item, path, attribute));
  if (isJsonObject(value) && Object.hasOwn(value, name))
    return followAttributePath(value[name] ?? null, rest, attribute);
  throw new UndecidableConditionError(`Invalid key path: ${attribute}`);
}
