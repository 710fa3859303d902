import { randomUUID } from 'node:crypto';

/**
 * Returns the form in which the id of a job is stored in Redis. Without an argument, returns a random id. BullMQ
 * rejects integers and ids with ':', but an id in this package may be any text.
 */
export const toStoredJobId = (id: string = randomUUID()): string => `id-${encodeURIComponent(id)}`;

/**
 * Returns the id with which a job was added, given the stored form of the id. Jobs added by a schedule have an id from
 * BullMQ, `repeat:<name>:<time>`.
 */
export const toAddedJobId = (stored: string | undefined): string =>
  stored?.startsWith('id-') ? decodeURIComponent(stored.slice(3)) : (stored ?? '');

/** Returns all forms in which the id of a job may be stored. */
export const listPossibleStoredJobIds = (id: string): string[] =>
  id.startsWith('repeat:') ? [toStoredJobId(id), id] : [toStoredJobId(id)];
