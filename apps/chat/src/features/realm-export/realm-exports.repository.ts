import type { Tx } from '@switchboard/database';
import { emailVisibilityValues } from '../../core/access/email-visibility.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { WireExport } from './wire-export.js';

/** A stored export, with the host name of the export's realm. */
export interface StoredExport extends Omit<WireExport, 'export_url'> {
  readonly succeeded: boolean;
  readonly origin: string;
  readonly realm: string;
}

/** Lists the exports of a realm, oldest first. */
export async function listStoredExports(tx: SqlQueryRunner, realmId: number): Promise<StoredExport[]> {
  const { rows } = await tx.query<StoredExport>(
    `SELECT e.id, e.acting_user_id, e.export_type, extract(epoch FROM e.requested_at)::float8 AS export_time,
       extract(epoch FROM e.deleted_at)::float8 AS deleted_timestamp,
       extract(epoch FROM e.failed_at)::float8 AS failed_timestamp,
       e.succeeded_at IS NULL AND e.failed_at IS NULL AS pending, e.succeeded_at IS NOT NULL AS succeeded,
       coalesce(r.public_url, 'https://' || r.host, '') AS origin, r.string_id AS realm
     FROM realm_exports e JOIN realms r ON r.id = e.realm_id WHERE e.realm_id = $1 ORDER BY e.id`,
    [realmId],
  );
  return rows;
}

/** Inserts a requested export. Returns the id of the export. */
export async function insertExport(tx: Tx, realmId: number, userId: number, type: number): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'INSERT INTO realm_exports (realm_id, acting_user_id, export_type) VALUES ($1, $2, $3) RETURNING id',
    [realmId, userId, type],
  );
  return rows[0]?.id ?? 0;
}

/** Returns the number of exports of a realm that were requested in the last 7 days. */
export async function countRecentExports(tx: SqlQueryRunner, realmId: number): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM realm_exports WHERE realm_id = $1 AND requested_at > now() - interval '7 days'`,
    [realmId],
  );
  return rows[0]?.count ?? 0;
}

/** State of an export whose row is locked. */
export interface LockedExport {
  readonly isPending: boolean;
  readonly hasFailed: boolean;
  readonly isDeleted: boolean;
}

/** Locks an export of a realm until the transaction ends. Returns null if the export does not exist. */
export async function lockExport(tx: Tx, realmId: number, id: number): Promise<LockedExport | null> {
  const { rows } = await tx.query<LockedExport>(
    `SELECT succeeded_at IS NULL AND failed_at IS NULL AS "isPending", failed_at IS NOT NULL AS "hasFailed",
       deleted_at IS NOT NULL AS "isDeleted"
     FROM realm_exports WHERE realm_id = $1 AND id = $2::bigint FOR UPDATE`,
    [realmId, id],
  );
  return rows[0] ?? null;
}

/**
 * Deletes the rows of an export archive's stored parts. Returns the storage keys of the files that contain the parts.
 */
export async function removeExportParts(tx: Tx, exportId: number): Promise<string[]> {
  const { rows } = await tx.query<{ key: string }>(
    'DELETE FROM realm_export_parts WHERE export_id = $1 RETURNING key',
    [exportId],
  );
  return rows.map(({ key }) => key);
}

/** Lists the active human users of a realm and whether each allows the export of private data. */
export async function listConsents(
  tx: SqlQueryRunner,
  realmId: number,
): Promise<{ user_id: number; consented: boolean }[]> {
  const { rows } = await tx.query<{ user_id: number; consented: boolean }>(
    `SELECT u.id AS user_id, ${createExportConsentSql('u')} AS consented
     FROM users u WHERE u.realm_id = $1 AND u.is_active AND u.bot_type IS NULL ORDER BY u.id`,
    [realmId],
  );
  return rows;
}

const createExportConsentSql = (user: string): string =>
  `coalesce((${user}.settings ->> 'allow_private_data_export')::boolean, false)`;

/**
 * SQL condition that private data of the account `u` may be exported. The user, the bot or the bot's owner has
 * consented, or the account is an imported placeholder without private data.
 */
const isPrivateDataExportableSql = `(${createExportConsentSql('u')} OR u.is_imported_stub OR (u.bot_type IS NOT NULL AND EXISTS (
  SELECT FROM users o WHERE o.id = u.bot_owner_id AND ${createExportConsentSql('o')})))`;

/** Lists the ids of the accounts of a realm whose private data may be exported. */
export async function listExportConsentingAccountIds(tx: SqlQueryRunner, realmId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT u.id FROM users u WHERE u.realm_id = $1 AND NOT u.is_system_bot AND ${isPrivateDataExportableSql} ORDER BY u.id`,
    [realmId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns true if an owner of the realm consents to the export of private data. Without consent, no owner could sign in
 * after an import of the export.
 */
export async function hasOwnerConsentingToExport(tx: SqlQueryRunner, realmId: number): Promise<boolean> {
  const { rows } = await tx.query(
    `SELECT FROM users u WHERE u.realm_id = $1 AND u.role = ${userRoleNumbers.owner} AND ${isPrivateDataExportableSql} LIMIT 1`,
    [realmId],
  );
  return rows.length > 0;
}

/**
 * Returns true if an owner of the realm shows an email address to administrators. A public export then contains the
 * owner's address.
 */
export async function hasOwnerWithVisibleEmail(tx: SqlQueryRunner, realmId: number): Promise<boolean> {
  const { rows } = await tx.query(
    `SELECT FROM users u WHERE u.realm_id = $1 AND u.role = ${userRoleNumbers.owner}
       AND u.email_address_visibility <> ${emailVisibilityValues.nobody} LIMIT 1`,
    [realmId],
  );
  return rows.length > 0;
}
