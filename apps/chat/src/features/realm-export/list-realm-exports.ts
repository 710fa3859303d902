import type { Tx } from '@switchboard/database';
import { listAdministratorIds } from '../../core/users/index.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { realmExportConsentEvent, realmExportEvent } from './realm-export.events.js';
import { listStoredExports } from './realm-exports.repository.js';
import { missingTokenPlaceholder, type WireExport } from './wire-export.js';

/**
 * Lists the exports of a realm in the format of the API. The download links contain a placeholder instead of a token,
 * see {@link insertDownloadTokens}.
 */
export async function listExports(tx: SqlQueryRunner, realmId: number): Promise<WireExport[]> {
  const stored = await listStoredExports(tx, realmId);
  return stored.map(({ succeeded, origin, realm, ...fields }) => ({
    ...fields,
    export_url:
      succeeded && fields.deleted_timestamp === null
        ? `${origin}/user_uploads/exports/${missingTokenPlaceholder}/${createArchiveName(realm, fields.id)}.tar.gz`
        : null,
  }));
}

/**
 * Returns the file name of an export archive without the suffix. The only top-level folder in the archive has the same
 * name.
 */
export function createArchiveName(realm: string, exportId: number): string {
  return `${realm.replaceAll(/[^A-Za-z0-9-]/g, '') || 'realm'}-export-${exportId}`;
}

/** Emits an event with the current list of exports to the administrators of the realm. */
export async function emitRealmExportList(tx: Tx, events: ChatEventWriter, realmId: number): Promise<void> {
  const users = await listAdministratorIds(tx, realmId);
  const payload = { exports: await listExports(tx, realmId) };
  events.write(tx, realmId, realmExportEvent, { audience: { users }, payload });
}

/**
 * Emits an event for each given user to the administrators. The event states whether the user allows the export of
 * private data.
 */
export async function emitExportConsents(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  { userIds, consented }: { readonly userIds: readonly number[]; readonly consented: boolean },
): Promise<void> {
  const users = await listAdministratorIds(tx, realmId);
  for (const userId of userIds) {
    const payload = { user_id: userId, consented };
    events.write(tx, realmId, realmExportConsentEvent, { audience: { users }, payload });
  }
}
