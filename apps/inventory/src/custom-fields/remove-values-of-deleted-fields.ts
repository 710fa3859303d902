import type { Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { PeriodicTask } from '@switchboard/queue';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';

const millisecondsPerMinute = 60_000;
/** Maximum number of objects from which one statement deletes custom field values. */
const fieldValuesDeletedPerBatch = 1000;

export interface RemovedFieldValueCleanupOptions {
  readonly database: Tx;
  readonly registry: ModelRegistry;
  readonly clock: Clock;
  readonly logger: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** A custom field that was removed from a model: the id of the pair, and the model. */
interface RemovedFieldOfModel {
  readonly id: number;
  readonly object_type: string;
}

/**
 * Deletes stored values of custom fields that were deleted or removed from a model. These values are never read but use
 * space. Several processes can delete values concurrently, each process for a different pair of field and model.
 */
export class RemovedFieldValueCleanup {
  readonly #repeating: PeriodicTask;

  constructor(private readonly options: RemovedFieldValueCleanupOptions) {
    const { clock, logger } = options;
    this.#repeating = new PeriodicTask({
      clock,
      run: async () => {
        const count = await this.deleteRemovedFieldValues();
        if (count > 0) logger.info({ count }, 'removed values of deleted custom fields');
      },
      failed: (error) => logger.warn({ err: error }, 'values of deleted custom fields could not be removed'),
      restMs: () => millisecondsPerMinute,
    });
  }

  /** Starts the cleanup: deletes values of removed custom fields immediately and then once a minute. */
  start(): void {
    this.#repeating.start();
  }

  /** Stops the cleanup of removed custom field values after the current batch of deletions. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /**
   * Deletes the values of all custom fields that were removed from a model, in batches. Returns the number of removed
   * fields whose values were all deleted.
   */
  async deleteRemovedFieldValues(): Promise<number> {
    const { database } = this.options;
    const { rows } = await database.query<RemovedFieldOfModel>(
      'SELECT id, object_type FROM extras_customfield_pair WHERE custom_field_id IS NULL ORDER BY id',
    );
    let done = 0;
    for (const pair of rows) {
      if (!(await this.#removeAll(pair))) continue;
      await database.query('DELETE FROM extras_customfield_pair WHERE id = $1 AND custom_field_id IS NULL', [pair.id]);
      done += 1;
    }
    return done;
  }

  /**
   * Deletes all values of one removed custom field in the objects of one model. Returns false if another process is
   * deleting the values, or if this process is stopping.
   */
  async #removeAll({ id, object_type: type }: RemovedFieldOfModel): Promise<boolean> {
    const { database, registry } = this.options;
    const table = registry.find(type)?.table;
    if (table === undefined) return true;
    // Each batch locks the pair, so that only one process works on it.
    const statement = `WITH pair AS MATERIALIZED (
        SELECT id, removed_to FROM extras_customfield_pair WHERE id = $1 AND custom_field_id IS NULL FOR UPDATE SKIP LOCKED
      ), part AS MATERIALIZED (
        SELECT o.id FROM ${table} o WHERE o.id > (SELECT removed_to FROM pair) ORDER BY o.id LIMIT ${fieldValuesDeletedPerBatch}
      ), removed AS (
        UPDATE ${table} o SET custom_field_data = o.custom_field_data - $2::text
        WHERE o.id IN (SELECT id FROM part) AND o.custom_field_data ? $2::text
      ), moved AS (
        UPDATE extras_customfield_pair p SET removed_to = part.last
        FROM (SELECT max(id) AS last FROM part) part WHERE p.id = $1 AND part.last IS NOT NULL
      )
      SELECT (SELECT count(*) FROM pair)::int AS pairs, (SELECT count(*) FROM part)::int AS objects`;
    while (!this.#repeating.isStopped) {
      const { rows } = await database.query<{ pairs: number; objects: number }>(statement, [id, `#${id}`]);
      const { pairs = 0, objects = 0 } = rows[0] ?? {};
      if (pairs === 0) return false;
      if (objects < fieldValuesDeletedPerBatch) return true;
    }
    return false;
  }
}
