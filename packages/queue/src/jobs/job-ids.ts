import { randomUUID } from 'node:crypto';

/**
 * Returns the stored form of an id, or a random one without an argument. BullMQ rejects integers and ':' in ids; ids of
 * this package may be any text.
 */
export const storedId = (id: string = randomUUID()): string => `id-${encodeURIComponent(id)}`;

/** Returns the id with which the job was added. Jobs added by a schedule have BullMQ's id, `repeat:<name>:<time>`. */
export const publicId = (stored: string | undefined): string =>
  stored?.startsWith('id-') ? decodeURIComponent(stored.slice(3)) : (stored ?? '');

/** Returns the stored forms that a public id may have. */
export const storedIds = (id: string): string[] => (id.startsWith('repeat:') ? [storedId(id), id] : [storedId(id)]);
