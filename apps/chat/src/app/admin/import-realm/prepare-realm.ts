import { lockRealmImport } from '../../../core/database-locks.js';
import { deleteRealmRows } from '../../../features/realm-deactivation/index.js';
import type { ChatTransaction } from '../../../infra/open-prisma.js';
import type { StoredFileDeletionSchedule } from '../../../infra/storage/index.js';
import type { Database } from '@switchboard/database';
import { AdminError } from '../admin-error.js';
import type { ImportedRealmAddress } from './import-realm-row.js';

/** Options of the import command that determine the host and URL of the new organization. */
export interface RequestedRealmAddress {
  readonly stringId: string | undefined;
  readonly host: string | undefined;
  readonly publicUrl: string | undefined;
}

interface ExistingRealmRow {
  id: number;
  string_id: string;
  host: string | null;
  public_url: string | null;
  is_used: boolean;
}

/**
 * Prepares the database for the imported organization. The database must have no organization, or one without users and
 * messages. Replaces an empty organization, whose id, host and URL become the defaults.
 *
 * @throws AdminError if the database has another organization, or if the host is missing
 */
export async function prepareDatabaseForRealmImport(
  tx: ChatTransaction,
  tools: { readonly database: Database; readonly files: StoredFileDeletionSchedule },
  requested: RequestedRealmAddress,
): Promise<ImportedRealmAddress> {
  await lockRealmImport(tx);
  const { rows } = await tx.query<ExistingRealmRow>(
    `SELECT r.id, r.string_id, r.host, r.public_url,
       EXISTS (SELECT 1 FROM users u WHERE u.realm_id = r.id AND NOT u.is_system_bot)
         OR EXISTS (SELECT 1 FROM messages m WHERE m.realm_id = r.id) AS is_used
     FROM realms r ORDER BY r.id`,
  );
  const [existing, second] = rows;
  if (existing?.is_used === true || second !== undefined) {
    throw new AdminError('The database already has an organization with users. An import needs an empty database.');
  }
  const host = requested.host ?? existing?.host ?? undefined;
  if (host === undefined) throw new AdminError('--host is missing: the host name of the organization.');
  if (existing !== undefined) await deleteRealmRows(tx, tools, existing.id);
  const isSameHost = existing?.host === host;
  return {
    stringId: requested.stringId ?? existing?.string_id,
    host,
    publicUrl: requested.publicUrl ?? (isSameHost ? existing.public_url : null),
  };
}
