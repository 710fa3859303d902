/** Any object of the wire. */
export type Json = Record<string, unknown>;

/** The objects of a list; empty where there is none. */
export function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
}
