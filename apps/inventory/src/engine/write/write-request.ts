import type { Database } from '@switchboard/database';
import type { ObjectAccessPolicy, PermissionGrant, InventoryActor } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { ObjectJsonShapes } from '../read/object-json-sql.js';
import type { ModelHookServices } from '../model-hook-services.js';
import type { MediaStore } from '../uploads/uploaded-file.js';
import type { ChangeSink, ChangeRequestInfo } from './change-sink.js';

/** Placeholder for scheme and host in the URLs of objects as a write statement returns them. */
export const urlBasePlaceholder = `base-${crypto.randomUUID()}:`;

/** Dependencies of {@link ObjectWriter}. */
export interface WriterOptions {
  readonly database: Database;
  readonly registry: ModelRegistry;
  readonly shapes: ObjectJsonShapes;
  readonly policy: ObjectAccessPolicy;
  readonly services: ModelHookServices;
  readonly changes: ChangeSink;
  /** Invalidates the cached data of the objects of a committed write, in all processes. Never rejects. */
  readonly onCommitted: (model: ModelDefinition, ids: readonly number[]) => Promise<void>;
  readonly media: MediaStore;
}

/** A write of objects of one model, with its user and request. */
export interface WriteRequest {
  readonly model: ModelDefinition;
  readonly actor: InventoryActor;
  readonly grant: PermissionGrant;
  /** The HTTP request of the write; null for a write of the service itself. */
  readonly request: ChangeRequestInfo | null;
  /** Scheme and host with which URLs in the response begin. */
  readonly base: string;
}

/** A written object as the response shows it. */
export interface WrittenObject {
  readonly id: number;
  /** JSON text of the object. */
  readonly body: string;
  readonly entityTag: string | null;
}

/** Receives the written objects of a bulk write in order, within the transaction that writes them. */
export interface ObjectReceiver {
  /**
   * Discards all received objects. Called at the start of each run of the transaction, which is repeated after a
   * conflict.
   */
  begin(): Promise<void>;
  /**
   * Adds written objects to the response.
   *
   * @throws AppError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED; the transaction is rolled back
   */
  add(objects: readonly WrittenObject[]): Promise<void>;
}
