import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../../infra/sql-reader.js';
import type { FailedAttempt } from './export-attempt-failures.js';
import type { ExportProgress, ExportStepResult } from './export-stage.js';

/** An export on which a worker process has a lease. Only the worker with the valid lease may change the export. */
export interface LeasedRealmExport extends ExportProgress {
  readonly id: number;
  readonly realmId: number;
  readonly exportType: number;
  readonly leaseToken: string;
  /** Number of counted attempts since the last completed step, including the current attempt. */
  readonly attempts: number;
  readonly consentingUserIds: readonly number[] | null;
  readonly lastMessageId: number | null;
}

/** Leases the oldest pending export that no other worker has leased. Returns null if no export can be leased. */
export async function leaseOldestPendingExport(tx: SqlQueryRunner, leaseMs: number): Promise<LeasedRealmExport | null> {
  const { rows } = await tx.query<LeasedRealmExport>(
    `UPDATE realm_exports SET lease_token = gen_random_uuid(), lease_until = now() + make_interval(secs => $1::float8 / 1000),
       attempts = attempts + 1
     WHERE id = (
       SELECT e.id FROM realm_exports e JOIN realms r ON r.id = e.realm_id
       WHERE e.succeeded_at IS NULL AND e.failed_at IS NULL AND NOT r.deactivated
         AND (e.lease_until IS NULL OR e.lease_until < now())
       ORDER BY e.id LIMIT 1 FOR UPDATE OF e SKIP LOCKED)
     RETURNING id, realm_id AS "realmId", export_type AS "exportType", lease_token AS "leaseToken", attempts, stage,
       cursor, counts, client_ids AS "clientIds", consenting_user_ids AS "consentingUserIds",
       last_message_id AS "lastMessageId"`,
    [leaseMs],
  );
  return rows[0] ?? null;
}

/** Extends the lease of an export. Returns false if another worker has leased the export. */
export async function renewLease(tx: SqlQueryRunner, lease: LeaseIdentity, leaseMs: number): Promise<boolean> {
  const { rows } = await tx.query(
    `UPDATE realm_exports SET lease_until = now() + make_interval(secs => $3::float8 / 1000)
     WHERE id = $1 AND lease_token = $2 RETURNING id`,
    [lease.id, lease.leaseToken, leaseMs],
  );
  return rows.length > 0;
}

/** Ends the lease of an export, so that another attempt can begin after a delay. */
export async function releaseLease(
  tx: SqlQueryRunner,
  lease: LeaseIdentity,
  { isCounted, delayMs }: FailedAttempt,
): Promise<void> {
  await tx.query(
    `UPDATE realm_exports SET lease_token = NULL, lease_until = now() + make_interval(secs => $3::float8 / 1000),
       attempts = greatest(attempts - $4::int, 0)
     WHERE id = $1 AND lease_token = $2`,
    [lease.id, lease.leaseToken, delayMs, isCounted ? 0 : 1],
  );
}

type LeaseIdentity = Pick<LeasedRealmExport, 'id' | 'leaseToken'>;

/** Error thrown in a worker when another worker has leased the export of the first worker. */
export class LeaseLostError extends Error {
  constructor(id: number) {
    super(`The lease of export ${id} was lost`);
  }
}

/** Stores the bounds of an export: the ids of the consenting accounts, and the id of the newest message. */
export async function storeExportBounds(
  tx: Tx,
  lease: LeaseIdentity,
  bounds: { readonly consentingIds: readonly number[]; readonly lastMessageId: number },
): Promise<void> {
  const { rowCount } = await tx.query(
    'UPDATE realm_exports SET consenting_user_ids = $3, last_message_id = $4 WHERE id = $1 AND lease_token = $2',
    [lease.id, lease.leaseToken, bounds.consentingIds, bounds.lastMessageId],
  );
  if (rowCount === 0) throw new LeaseLostError(lease.id);
}

/**
 * Stores the progress of an export after a step, and the archive parts that the step wrote.
 *
 * @throws LeaseLostError
 */
export async function storeExportProgress(
  tx: Tx,
  lease: LeaseIdentity,
  progress: ExportProgress,
  parts: ExportStepResult['parts'],
): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE realm_exports SET stage = $3, cursor = $4, counts = $5, client_ids = $6, attempts = 1
     WHERE id = $1 AND lease_token = $2`,
    [
      lease.id,
      lease.leaseToken,
      progress.stage,
      progress.cursor === null ? null : JSON.stringify(progress.cursor),
      JSON.stringify(progress.counts),
      progress.clientIds,
    ],
  );
  if (rowCount === 0) throw new LeaseLostError(lease.id);
  for (const { entry, name, size, key, messageIds } of parts) {
    await tx.query(
      `INSERT INTO realm_export_parts (export_id, entry, piece, name, size, key, message_ids, last_message_id)
       SELECT $1, $2, coalesce(max(piece), 0) + 1, $3, $4, $5, $6, $7
       FROM realm_export_parts WHERE export_id = $1 AND entry = $2`,
      [lease.id, entry, name, size, key, messageIds ?? null, messageIds?.at(-1) ?? null],
    );
  }
}

/** Marks an export as finished. @throws LeaseLostError */
export async function finishExport(tx: Tx, lease: LeaseIdentity, outcome: 'succeeded' | 'failed'): Promise<void> {
  const { rowCount } = await tx.query(
    `UPDATE realm_exports SET ${outcome}_at = now(), lease_token = NULL, lease_until = NULL
     WHERE id = $1 AND lease_token = $2`,
    [lease.id, lease.leaseToken],
  );
  if (rowCount === 0) throw new LeaseLostError(lease.id);
}
