import { UndecidableConditionError } from './errors.js';
import { isJsonObject, type Json } from './json.js';

/**
 * The value at a dotted path (docs/contract/inventory.md 5.6). Through a list the rest of the path maps over its items,
 * so `tags.slug` is the list of slugs; null on the way reads as an object without members.
 *
 * @throws UndecidableConditionError when a member is missing, or the path goes on below a plain value.
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
