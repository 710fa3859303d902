/** A parsed JSON object of a request or response. */
export type Json = Record<string, unknown>;

/** Returns the objects of a list; empty if the value is not a list. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
}
