import { randomUUID } from 'node:crypto';

/**
 * Returns the stored form of an id. BullMQ refuses integers and ':'; ours may be anything. A job without one gets one.
 */
export const storedId = (id: string = randomUUID()): string => `id-${encodeURIComponent(id)}`;

/** The id as its job was added with. Those that a schedule added have BullMQ's, `repeat:<name>:<time>`. */
export const publicId = (stored: string | undefined): string =>
  stored?.startsWith('id-') ? decodeURIComponent(stored.slice(3)) : (stored ?? '');

/** Returns the stored forms that a public id may have. */
export const storedIds = (id: string): string[] => (id.startsWith('repeat:') ? [storedId(id), id] : [storedId(id)]);
