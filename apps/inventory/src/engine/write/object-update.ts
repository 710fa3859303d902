import type { ObjectWriteMode } from './parse-object-input.js';

/** Id of one object of an update request, and the part of the request body for that object. */
export interface ObjectUpdate {
  readonly id: string;
  readonly body: unknown;
}

export interface ObjectUpdateOptions {
  readonly mode: ObjectWriteMode;
  /**
   * Entity tags in the request's `If-Match` header. The entity tag of each object must be among them. Null accepts any
   * entity tag (docs/contract/inventory.md 1.6, 1.11).
   */
  readonly ifMatch: readonly string[] | null;
}
