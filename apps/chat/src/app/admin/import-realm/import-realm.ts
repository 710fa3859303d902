import type { Database } from '@switchboard/database';
import { findRealmContent } from '../../../core/realm-markdown-settings/index.js';
import { defaultRealmContent } from '../../../infra/markdown/index.js';
import { StoredFileLedger } from '../../../infra/storage/index.js';
import { addSystemBots } from '../../../core/users/index.js';
import type { ChatRuntime } from '../../runtime.js';
import { type RealmArchive, openArchive } from './archive/open-archive.js';
import { ArchivedConversations } from './archived-conversations.js';
import { importActivity } from './import-activity.js';
import { importBots } from './import-bots.js';
import { importChannels, importRealmReferences } from './import-channels.js';
import { importClients } from './import-clients.js';
import { explainImportError } from './explain-import-error.js';
import type { ImportContext } from './import-context.js';
import { importGroupMembers, importGroups } from './import-groups.js';
import { importIdleUsers } from './import-idle-users.js';
import { importMessages, renderArchivedMessage } from './import-messages.js';
import { importOrganizationRows, importProfileFields } from './import-organization-rows.js';
import { importPersonalRows } from './import-personal-rows.js';
import { importAvatars, importEmoji, importRealmImages } from './import-pictures.js';
import { importReactions } from './import-reactions.js';
import { importRealmRow } from './import-realm-row.js';
import { ImportReport } from './import-report.js';
import { importScheduledMessages } from './import-scheduled-messages.js';
import { importSubscriptions } from './import-subscriptions.js';
import { importUploadLinks, importUploads } from './import-uploads.js';
import { importUserReferences, importUsers } from './import-users.js';
import { readNamedObjects } from './mentionable-objects.js';
import { prepareRealm, type RequestedAddress } from './prepare-realm.js';
import { advanceSequences, importedTables } from './advance-sequences.js';

/** An archive to import, and the host and URL of the new organization. */
export interface ImportRequest extends RequestedAddress {
  /** Path of the archive to import: a tar file or a folder. */
  readonly path: string;
}

/**
 * Imports an export of a Zulip server, or of this service, into a database without an organization (docs/adr/0039). One
 * transaction writes all rows, so that the database is unchanged after a failure or crash.
 *
 * @returns a text with the numbers of imported and omitted objects
 * @throws AdminError
 */
export async function importRealm(runtime: ChatRuntime, request: ImportRequest): Promise<string> {
  let archive: RealmArchive | undefined;
  try {
    const opened = await openArchive(request.path);
    archive = opened;
    const database = runtime.database.background('realm import');
    const files = new StoredFileLedger(runtime.database, runtime.files.storage);
    const report = new ImportReport();
    const realm = await database.inTransaction(
      (tx) => importRealmTables({ runtime, archive: opened, report, files, tx, database }, request),
      { attempts: 1 },
    );
    await database.query(`ANALYZE ${importedTables.join(', ')}`);
    await Promise.all([runtime.realmSites.invalidate(), runtime.realmContents.invalidate(realm.id)]);
    for (const [table, count] of opened.tables.listUnreadTables()) report.addSkipped(`rows of ${table}`, count);
    return [`Imported the organization ${realm.name}.`, report.toText(), ...importHintByConstraint(realm)].join('\n');
  } catch (error) {
    throw explainImportError(error);
  } finally {
    await archive?.close();
  }
}

interface ImportDependencies {
  readonly runtime: ChatRuntime;
  readonly archive: RealmArchive;
  readonly report: ImportReport;
  readonly files: StoredFileLedger;
  readonly tx: ImportContext['tx'];
  readonly database: Database;
}

interface ImportedRealm {
  readonly id: number;
  readonly name: string;
  readonly isDeactivated: boolean;
}

async function importRealmTables(parts: ImportDependencies, request: ImportRequest): Promise<ImportedRealm> {
  const { runtime, archive, report, files, tx, database } = parts;
  const { renderer, pictures, apiKeys } = runtime;
  const place = await prepareRealm(tx, { database, files }, request);
  const realm = await importRealmRow(tx, archive, report, place);
  const realmId = realm.id();
  const context = { tx, archive, report, realmId, host: place.host, renderer, pictures, apiKeys, files };
  const groups = await importGroups(context);
  const users = await importUsers(context);
  const channels = await importChannels(context, groups, users);
  await importRealmReferences(context, realm, groups, channels);
  await importUserReferences(context, users, channels);
  await importGroupMembers(context, groups, users);
  const emojiIds = await importEmoji(context, users);
  await importAvatars(context, users);
  await importRealmImages(context, realm);
  await importOrganizationRows(context);
  await importProfileFields(context, users);
  await importPersonalRows(context, { users, channels, emojiIds });
  await importBots(context, users);
  await importActivity(context, users);
  const uploads = await importUploads(context, users);
  const conversations = await ArchivedConversations.read(context, users, channels);
  const clients = await importClients(context);
  const named = await readNamedObjects(archive.tables, { users, channels, groups });
  const content = (await findRealmContent(tx, realmId)) ?? defaultRealmContent;
  const messages = { users, conversations, clients, files: uploads, named, content };
  await importMessages(context, messages);
  await importUploadLinks(context, uploads);
  await importReactions(context, users, emojiIds);
  const render = (senderId: number, text: string) =>
    renderArchivedMessage(context, messages, { senderId, content: text, html: null }).html;
  await importScheduledMessages(context, { users, conversations, clients, render });
  await advanceSequences(tx);
  await addSystemBots(tx, apiKeys, realmId);
  await importSubscriptions(context, users, conversations);
  await importIdleUsers(context, users, channels);
  return { id: realmId, name: realm.text('name'), isDeactivated: realm.boolean('deactivated') };
}

function importHintByConstraint({ isDeactivated }: ImportedRealm): string[] {
  const passwords = 'Passwords and API keys are not part of an export. Users request a new password by mail.';
  const state = 'The organization is deactivated, as in the export. Activate it with: reactivate-realm';
  return isDeactivated ? [passwords, state] : [passwords];
}
