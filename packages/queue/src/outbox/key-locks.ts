import type { QueueTx } from '../database.js';
import { DEFAULT_QUEUE_SCHEMA } from '../queue-schema.js';
import type { NewOutboxRow } from './outbox-row-buffer.js';

/**
 * Maximum number of keys of one message type that a transaction locks separately. Beyond this number the transaction
 * locks the whole message type, because the lock table of the database server is small.
 */
const MAX_SEPARATELY_LOCKED_KEYS = 64;

// Statement that takes the locks. A subquery with ORDER BY runs before the functions of the outer list, so the locks
// are taken in its order. The results are text, because some libraries cannot read the type void.
const LOCK_OUTBOX_KEYS_SQL = `
  SELECT CASE WHEN l.shared THEN pg_advisory_xact_lock_shared(l.id)::text ELSE pg_advisory_xact_lock(l.id)::text END
  FROM (
    SELECT hashtextextended(r.name, 72707370) AS id, r.shared
    FROM unnest($1::text[], $2::boolean[], $3::int[]) AS r (name, shared, rank)
    ORDER BY r.rank, 1
  ) l`;

/**
 * Locks the keys of outbox rows whose message type requires a key lock, until the end of the transaction. Rows that are
 * inserted afterwards then have ids in the order in which transactions with the same key commit. To prevent deadlocks,
 * all transactions first lock message types, then keys.
 */
export async function lockOutboxKeys(tx: QueueTx, schema: string, rows: readonly NewOutboxRow[]): Promise<void> {
  const locks = listOutboxKeyLocks(schema, rows);
  if (locks.length === 0) return;
  await tx.query(LOCK_OUTBOX_KEYS_SQL, [
    locks.map(({ name }) => name),
    locks.map(({ shared }) => shared),
    locks.map(({ rank }) => rank),
  ]);
}

/** Returns true if {@link lockOutboxKeys} must lock keys of the given outbox rows and therefore sends a statement. */
export function mustLockOutboxKeys(rows: readonly NewOutboxRow[]): boolean {
  return rows.some((row) => row.locksKey === true);
}

interface OutboxKeyLock {
  name: string;
  shared: boolean;
  rank: 0 | 1;
}

function listOutboxKeyLocks(schema: string, rows: readonly NewOutboxRow[]): OutboxKeyLock[] {
  const root = schema === DEFAULT_QUEUE_SCHEMA ? 'switchboard.outbox' : `switchboard.outbox ${schema}`;
  const byTopic = new Map<string, Set<string>>();
  for (const { topic, key, locksKey } of rows) {
    if (locksKey !== true || key === null) continue;
    const keys = byTopic.get(topic);
    if (keys) keys.add(key);
    else byTopic.set(topic, new Set([key]));
  }
  return [...byTopic].flatMap(([topic, keys]): OutboxKeyLock[] => {
    const isWhole = keys.size > MAX_SEPARATELY_LOCKED_KEYS;
    const locks: OutboxKeyLock[] = [{ name: `${root}\n${topic}`, shared: !isWhole, rank: 0 }];
    if (isWhole) return locks;
    for (const key of keys) locks.push({ name: `${root}\n${topic}\n${key}`, shared: false, rank: 1 });
    return locks;
  });
}
