/** Parts of the URL of an object. */
interface ObjectAddress {
  /** Path of the list to which the object belongs, such as `dcim/devices`. */
  readonly collection: string;
  readonly id: number;
  /** Part of the URL path that follows the object's id. */
  readonly rest: string;
}

/** Returns the path of the list to which a URL path belongs, such as `dcim/devices`. */
export function collectionOf(path: string): string {
  return /^\/api\/(?<collection>[^/]+\/[^/?]+)/u.exec(path)?.groups?.['collection'] ?? '';
}

/** Parses the URL of an object, such as `/api/dcim/devices/1/`, into its parts. Returns null for other values. */
export function addressOf(value: unknown): ObjectAddress | null {
  if (typeof value !== 'string') return null;
  const found = /(?<collection>[a-z-]+\/[a-z-]+)\/(?<id>\d+)\/(?<rest>[^ ?]*)$/u.exec(value)?.groups;
  if (found === undefined) return null;
  return { collection: found['collection'] ?? '', id: Number(found['id']), rest: found['rest'] ?? '' };
}
