import type { Database, Tx } from '@switchboard/database';
import { type Outbox, transactionHandle } from '@switchboard/queue';
import { inventoryChangeOutboxMessageType, type JobEventName } from '../changes/inventory-change-message.js';
import { readObject } from '../engine/read/object-reader.js';
import { allFieldsSelection } from '../engine/read/object-json-fragments.js';
import type { ObjectJsonSqlCache } from '../engine/read/object-json-sql.js';
import { backgroundJobModel as jobModel } from '../models/core/job.js';

/** Emits the events of data source jobs, which trigger event rules for the type `core.datasource`. */
export class DataSourceJobEventEmitter {
  constructor(private readonly parts: { readonly outbox: Outbox; readonly shapes: ObjectJsonSqlCache }) {}

  /**
   * Emits an event that contains the job in the format of the API. The transaction must have locked the data source.
   */
  async emitJobEvent(tx: Tx, { id, sourceId }: { id: number; sourceId: number }, event: JobEventName): Promise<void> {
    const { outbox, shapes } = this.parts;
    const request = {
      model: jobModel,
      id: String(id),
      grant: { where: null },
      selection: allFieldsSelection,
      base: '',
    };
    const { body } = await readObject(tx as Database, shapes, request);
    const data = JSON.parse(body) as Record<string, unknown> & { readonly user: { readonly username: string } | null };
    const change = {
      model: 'core.datasource',
      id: sourceId,
      event,
      timestamp: new Date().toISOString().replace('Z', '000+00:00'),
      requestId: null,
      username: data.user?.username ?? '',
      request: null,
      data,
      snapshots: { prechange: null, postchange: null },
    };
    outbox.add(transactionHandle(tx), inventoryChangeOutboxMessageType, change, { key: `core.datasource:${sourceId}` });
  }
}
