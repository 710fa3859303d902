import type { PepperedSecretDigester } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Outbox } from '@switchboard/queue';
import type { ObjectAccessPolicy } from '../engine/object-access.js';
import type { ListReader } from '../engine/read/list-reader.js';
import type { ListPageSizeLimits } from '../engine/read/list-paging.js';
import type { ResponseFileStore } from '../engine/responses/response-files.js';
import type { ObjectJsonSqlCache } from '../engine/read/object-json-sql.js';
import type { ModelHookServices } from '../engine/model-hook-services.js';
import type { ObjectWriter } from '../engine/write/object-writer.js';
import type { ResponseCache } from '../response-memory/index.js';
import type { FailedLoginCounter } from '../auth/login-attempts.js';
import type { WebhookDeliveryJobs } from '../webhooks/index.js';
import type { MediaFiles } from '../media/media-files.js';
import type { RenderingQueue } from './rendering-queue.js';

/** Injection token by which the Nest framework finds the {@link InventoryContext}. */
export const INVENTORY_CONTEXT = Symbol('inventory');

/** Services and settings of the inventory service that controllers use. */
export interface InventoryContext {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly services: ModelHookServices;
  readonly shapes: ObjectJsonSqlCache;
  readonly policy: ObjectAccessPolicy;
  readonly lists: ListReader;
  readonly memory: ResponseCache;
  readonly responses: ResponseFileStore;
  readonly writer: ObjectWriter;
  readonly deliveryJobs: WebhookDeliveryJobs;
  readonly media: MediaFiles;
  readonly loginAttempts: FailedLoginCounter;
  readonly pepper: PepperedSecretDigester;
  readonly pageSizes: ListPageSizeLimits;
  /** Maximum time of rendering a template, in milliseconds. */
  readonly templateLimits: { readonly timeoutMs: number };
  readonly renderingTurns: RenderingQueue;
  /** Lifetime of a browser session in seconds. */
  readonly sessionSeconds: number;
}
