import type { Database } from '@switchboard/database';
import type { ObjectAccessPolicy, PermissionGrant, InventoryActor } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { ObjectJsonSqlCache } from '../read/object-json-sql.js';
import type { ModelHookServices } from '../model-hook-services.js';
import type { MediaStore } from '../uploads/uploaded-file.js';
import type { ObjectChangeReceiver, ObjectChangeHttpRequest } from './change-sink.js';

/**
 * Text that stands for the scheme and host in URLs of objects that an SQL write statement returns. The response
 * replaces the text.
 */
export const urlBasePlaceholder = `base-${crypto.randomUUID()}:`;

/** Services and settings on which {@link ObjectWriter} depends. */
export interface ObjectWriterOptions {
  readonly database: Database;
  readonly registry: ModelRegistry;
  readonly shapes: ObjectJsonSqlCache;
  readonly policy: ObjectAccessPolicy;
  readonly services: ModelHookServices;
  readonly changes: ObjectChangeReceiver;
  /**
   * Invalidates the cached data of the objects that a committed write changed, in all processes. The returned promise
   * never rejects.
   */
  readonly onCommitted: (model: ModelDefinition, ids: readonly number[]) => Promise<void>;
  readonly media: MediaStore;
}

/** A write of objects of one model, with the user who requested the write and the HTTP request. */
export interface WriteRequest {
  readonly model: ModelDefinition;
  readonly actor: InventoryActor;
  readonly grant: PermissionGrant;
  /** The HTTP request that caused the write. Null if the service itself caused the write. */
  readonly request: ObjectChangeHttpRequest | null;
  /** Scheme and host with which URLs in the response begin. */
  readonly base: string;
}

/** A written object in the form in which the response shows the object. */
export interface WrittenObject {
  readonly id: number;
  /** JSON text of the written object. */
  readonly body: string;
  readonly entityTag: string | null;
}

/**
 * Receives the written objects of a bulk write in order, and adds them to the response. Runs within the transaction
 * that writes the objects.
 */
export interface WrittenObjectReceiver {
  /**
   * Discards all objects received so far. Called at the start of each run of the transaction, because a transaction
   * runs again after a conflict.
   */
  begin(): Promise<void>;
  /**
   * Adds written objects to the response.
   *
   * @throws ApplicationError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED; the caller then rolls back the transaction
   */
  add(objects: readonly WrittenObject[]): Promise<void>;
}
