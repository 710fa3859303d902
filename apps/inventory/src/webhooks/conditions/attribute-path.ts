import { UndecidableConditionError } from './errors.js';
import { isJsonObject, type Json } from './json.js';

/**
 * Returns the value at a dotted path (docs/contract/inventory.md 5.6). For a list, the rest of the path applies to each
 * item, so that `tags.slug` is a list of slugs. A path through null gives null.
 *
 * @throws UndecidableConditionError if a member is missing, or the path continues below a plain value
 */
export function getAttribute(subject: Json, attribute: string): Json {
  return follow(subject, attribute.split('.'), attribute);
}

function follow(value: Json, path: readonly string[], attribute: string): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => follow(item, path, attribute));
  if (isJsonObject(value) && Object.hasOwn(value, name)) return follow(value[name] ?? null, rest, attribute);
  throw new UndecidableConditionError(`Invalid key path: ${attribute}`);
}
