import type { Database } from '@switchboard/database';
import type { Clock, Logger } from '@switchboard/platform';
import type { FaultPointListener } from '@switchboard/queue';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import type { OpenedFileStorage } from '../../../infra/storage/index.js';
import { RunRealmExports } from './run-realm-exports.js';
import { RealmExportWorker } from './realm-export-worker.js';

/** Objects of the server process that the export worker depends on. */
export interface RealmExportWorkerRuntimeObjects {
  readonly config: { readonly REALM_EXPORT_POLL_MS: number; readonly REALM_EXPORT_LEASE_MS: number };
  readonly database: Database;
  readonly files: Pick<OpenedFileStorage, 'storage'>;
  readonly events: ChatEventWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly faultPoint: FaultPointListener | undefined;
}

/** Returns the background worker that creates export archives. */
export function openRealmExportWorker(runtime: RealmExportWorkerRuntimeObjects): RealmExportWorker {
  const { config, database, files, events, clock, logger, faultPoint } = runtime;
  const exports = new RunRealmExports({
    database: database.background('realm export'),
    storage: files.storage,
    events,
    clock,
    logger,
    leaseMs: config.REALM_EXPORT_LEASE_MS,
    faultPoint,
  });
  return new RealmExportWorker({ exports, clock, logger, pollMs: config.REALM_EXPORT_POLL_MS });
}
