/** Parts of the address of an object. */
interface ObjectAddress {
  /** Path of its list, such as `dcim/devices`. */
  readonly collection: string;
  readonly id: number;
  /** Path after the id. */
  readonly rest: string;
}

/** Returns the list that a path belongs to, such as `dcim/devices`. */
export function collectionOf(path: string): string {
  return /^\/api\/(?<collection>[^/]+\/[^/?]+)/u.exec(path)?.groups?.['collection'] ?? '';
}

/** Returns the parts of the address of an object, such as `/api/dcim/devices/1/`; null for other values. */
export function addressOf(value: unknown): ObjectAddress | null {
  if (typeof value !== 'string') return null;
  const found = /(?<collection>[a-z-]+\/[a-z-]+)\/(?<id>\d+)\/(?<rest>[^ ?]*)$/u.exec(value)?.groups;
  if (found === undefined) return null;
  return { collection: found['collection'] ?? '', id: Number(found['id']), rest: found['rest'] ?? '' };
}
