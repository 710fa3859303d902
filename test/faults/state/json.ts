/** Type of a parsed JSON object in a request or response. */
export type Json = Record<string, unknown>;

/** Returns the objects in a JSON list; empty if the value is not a list. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
}
