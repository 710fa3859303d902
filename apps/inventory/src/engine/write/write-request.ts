import type { Database } from '@switchboard/database';
import type { AccessPolicy, Grant, InventoryActor } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import type { Shapes } from '../read/shapes.js';
import type { Services } from '../services.js';
import type { MediaStore } from '../uploads/upload.js';
import type { ChangeSink, RequestInfo } from './change-sink.js';

/** Placeholder of scheme and host in objects that were just written. */
export const basePlaceholder = `base-${crypto.randomUUID()}:`;

/** Dependencies of a writer. */
export interface WriterOptions {
  readonly database: Database;
  readonly registry: Registry;
  readonly shapes: Shapes;
  readonly policy: AccessPolicy;
  readonly services: Services;
  readonly changes: ChangeSink;
  /** Invalidates what is cached of the objects of a committed write, in every process. Never rejects. */
  readonly onCommitted: (model: ModelDefinition, ids: readonly number[]) => Promise<void>;
  readonly media: MediaStore;
}

/** A model that is written, and the user and the request that write it. */
export interface WriteRequest {
  readonly model: ModelDefinition;
  readonly actor: InventoryActor;
  readonly grant: Grant;
  readonly request: RequestInfo;
  /** Scheme and host of the response. */
  readonly base: string;
}

/** An object after a write, as it is sent. */
export interface WrittenObject {
  readonly id: number;
  /** JSON text. */
  readonly body: string;
  readonly entityTag: string | null;
}

/** Receives the objects of a bulk change in their order, within the transaction that writes them. */
export interface ObjectSink {
  /** Starts again: a transaction runs once more after a conflict with another one. */
  begin(): Promise<void>;
  /** @throws AppError RESPONSE_TOO_LARGE, RESPONSE_NOT_STORED; the transaction is rolled back */
  add(objects: readonly WrittenObject[]): Promise<void>;
}
