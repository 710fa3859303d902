import type { QueueTx } from '@switchboard/queue';
import { type BackgroundTaskPlace, type BackgroundTaskRow, taskColumnsSql } from './delivery-task-store.js';

/** Number of background tasks that the first statement of a list reads. Further statements read up to twice as many. */
const firstReadSize = 100;

// Reads each row by its number, whatever the statistics are. Payloads stay in PostgreSQL from the row at which their
// total size exceeds $2 bytes. The payload of the first row is always read.
const SELECT_TASKS_SQL = `
  SELECT ${taskColumnsSql}, d.fits, CASE WHEN d.fits THEN d.payload END AS payload
    FROM (SELECT d.*, sum(octet_length(d.payload::text)) OVER listed <= $2::bigint OR row_number() OVER listed = 1 AS fits,
                 wanted.place
            FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (sequence, place), LATERAL (
              SELECT * FROM webhook_deliveries d WHERE d.sequence = wanted.sequence LIMIT 1) d
          WINDOW listed AS (ORDER BY wanted.place)) d
   ORDER BY d.place`;

interface ReadTask {
  readonly task: BackgroundTaskRow;
  /** False if the payload of the task was not read. */
  readonly fits: boolean;
}

/**
 * Reads background tasks in parts, in the order of `places`. The payloads of a part have at most `maxBytes` bytes, except
 * a part with a single task. Omits tasks that were deleted in the meantime.
 */
export async function* readListedTasks(
  tx: QueueTx,
  places: readonly BackgroundTaskPlace[],
  maxBytes: number,
): AsyncGenerator<readonly BackgroundTaskRow[], void> {
  let size = firstReadSize;
  for (let from = 0; from < places.length;) {
    const wanted = places.slice(from, from + size);
    const read = await readTasks(tx, wanted, maxBytes);
    const remaining = read.find(({ fits }) => !fits)?.task.sequence;
    const part = read.filter(({ fits }) => fits).map(({ task }) => task);
    if (part.length > 0) yield part;
    from += remaining === undefined ? wanted.length : wanted.findIndex(({ sequence }) => sequence === remaining);
    size = remaining === undefined ? 2 * size : part.length;
  }
}

/**
 * Reads background tasks in one statement, in the order of `places`. The payload is null from the task at which the total
 * size of the payloads exceeds `maxBytes` bytes. Omits tasks that were deleted in the meantime.
 */
export async function readTasksWithFirstPayloads(
  tx: QueueTx,
  places: readonly BackgroundTaskPlace[],
  maxBytes: number,
): Promise<readonly BackgroundTaskRow[]> {
  return (await readTasks(tx, places, maxBytes)).map(({ task }) => task);
}

async function readTasks(
  tx: QueueTx,
  places: readonly BackgroundTaskPlace[],
  maxBytes: number,
): Promise<readonly ReadTask[]> {
  const { rows } = await tx.query<Omit<BackgroundTaskRow, 'status' | 'position'> & { readonly fits: boolean }>(
    SELECT_TASKS_SQL,
    [places.map(({ sequence }) => sequence), maxBytes],
  );
  const bySequence = new Map(places.map((place) => [place.sequence, place]));
  return rows.flatMap(({ fits, ...row }) => {
    const place = bySequence.get(row.sequence);
    return place === undefined ? [] : [{ fits, task: { ...row, ...place } }];
  });
}
