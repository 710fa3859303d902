import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

const millisecondsPerDay = 86_400_000;
const deletionCheckIntervalMs = 1000;
/**
 * Time in milliseconds without a deleted row, after which the benchmark considers the deletion of old change records
 * finished.
 */
const idleTimeAfterLastDeletionMs = 10_000;

/**
 * Measured operations in which another process with a shorter retention time deletes the oldest fifth of the change
 * log.
 */
export const retentionDeletionOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  {
    name: 'retention of change records: the oldest fifth',
    runs: 1,
    run: async (world) => {
      const { database, startProcess } = world.deployment;
      const cut = world.amounts.size.changes / 5;
      const { rows } = await database.query<{ at: Date }>('SELECT time AS at FROM core_objectchange WHERE id = $1', [
        cut,
      ]);
      const days = Math.floor((Date.now() - (rows[0]?.at ?? new Date()).getTime()) / millisecondsPerDay);
      const left = async (): Promise<number> => {
        const counted = await database.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM core_objectchange WHERE id <= $1',
          [cut],
        );
        return counted.rows[0]?.n ?? 0;
      };
      const before = await left();
      const process = await startProcess({ CHANGELOG_RETENTION: String(days) });
      const began = performance.now();
      try {
        let last = { count: before, at: began };
        while (last.count > 0 && performance.now() - last.at < idleTimeAfterLastDeletionMs) {
          await sleep(deletionCheckIntervalMs);
          const count = await left();
          if (count !== last.count) last = { count, at: performance.now() };
        }
        if (last.count === before) throw new Error('no change record was removed');
        return last.at - began;
      } finally {
        await process.stop();
      }
    },
  },
];
