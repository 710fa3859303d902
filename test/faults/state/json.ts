/** Any object of the wire. */
export type Json = Record<string, unknown>;

/** The objects of a list; empty if it is not a list. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
}
