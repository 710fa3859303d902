/** Components of an object's URL. */
interface ObjectAddress {
  /** Path of the object's list, such as `dcim/devices`. */
  readonly collection: string;
  readonly id: number;
  /** Path that follows the id in the URL. */
  readonly rest: string;
}

/** Returns the list to which a path belongs, such as `dcim/devices`. */
export function collectionOf(path: string): string {
  return /^\/api\/(?<collection>[^/]+\/[^/?]+)/u.exec(path)?.groups?.['collection'] ?? '';
}

/** Parses the URL of an object, such as `/api/dcim/devices/1/`; returns null for other values. */
export function addressOf(value: unknown): ObjectAddress | null {
  if (typeof value !== 'string') return null;
  const found = /(?<collection>[a-z-]+\/[a-z-]+)\/(?<id>\d+)\/(?<rest>[^ ?]*)$/u.exec(value)?.groups;
  if (found === undefined) return null;
  return { collection: found['collection'] ?? '', id: Number(found['id']), rest: found['rest'] ?? '' };
}
