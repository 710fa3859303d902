import type { Database } from '@switchboard/database';
import { readRealmMarkdownSettings } from '../../../core/realm-markdown-settings/index.js';
import { defaultRealmMarkdownSettings } from '../../../infra/markdown/index.js';
import { StoredFileDeletionSchedule } from '../../../infra/storage/index.js';
import { addSystemBots } from '../../../core/users/index.js';
import type { ChatRuntime } from '../../runtime.js';
import { type RealmArchive, openRealmArchive } from './archive/open-archive.js';
import { ArchivedConversationMap } from './archived-conversations.js';
import { importUserActivity } from './import-activity.js';
import { importBotWebhookServices } from './import-bots.js';
import { importChannels, importRealmChannelReferences } from './import-channels.js';
import { importClientPrograms } from './import-clients.js';
import { explainImportError } from './explain-import-error.js';
import type { RealmImportContext } from './import-context.js';
import { importUserGroupMembers, importUserGroups } from './import-groups.js';
import { markIdleImportedUsersAway } from './import-idle-users.js';
import { importMessages, renderArchivedMessage } from './import-messages.js';
import {
  importLinkifiersPlaygroundsAndDomains,
  importProfileFields,
} from './import-linkifiers-domains-and-profile-fields.js';
import { importUserOwnedRows } from './import-personal-rows.js';
import { importAvatars, importEmoji, importRealmImages } from './import-pictures.js';
import { importReactions } from './import-reactions.js';
import { importRealmRow } from './import-realm-row.js';
import { RealmImportReport } from './import-report.js';
import { importScheduledMessages } from './import-scheduled-messages.js';
import { importSubscriptions } from './import-subscriptions.js';
import { importUploadLinks, importUploads } from './import-uploads.js';
import { importReferencesOfUsers, importUsers } from './import-users.js';
import { readMentionableObjectsByName } from './mentionable-objects.js';
import { prepareDatabaseForRealmImport, type RequestedRealmAddress } from './prepare-realm.js';
import { advanceIdSequencesAfterImport, largeImportedTables } from './advance-sequences.js';

/** An archive to import, and the host and URL of the new organization. */
export interface RealmImportRequest extends RequestedRealmAddress {
  /** Path of the archive to import: a tar file or a folder. */
  readonly path: string;
}

/**
 * Imports an export of a Zulip server, or of this service, into a database without an organization (docs/adr/0039). One
 * transaction writes all rows, so that the database is unchanged after a failure or crash.
 *
 * @returns report for the operator, with the counts of imported and omitted objects
 * @throws AdminError
 */
export async function importRealm(runtime: ChatRuntime, request: RealmImportRequest): Promise<string> {
  let archive: RealmArchive | undefined;
  try {
    const opened = await openRealmArchive(request.path);
    archive = opened;
    const database = runtime.database.background('realm import');
    const files = new StoredFileDeletionSchedule(runtime.database, runtime.files.storage);
    const report = new RealmImportReport();
    const realm = await database.inTransaction(
      (tx) => importRealmTables({ runtime, archive: opened, report, files, tx, database }, request),
      { attempts: 1 },
    );
    await database.query(`ANALYZE ${largeImportedTables.join(', ')}`);
    await Promise.all([runtime.realmSites.invalidate(), runtime.realmContents.invalidate(realm.id)]);
    for (const [table, count] of opened.tables.listUnreadTables()) report.addSkippedRowCount(`rows of ${table}`, count);
    return [`Imported the organization ${realm.name}.`, report.toText(), ...createImportHintsByConstraint(realm)].join(
      '\n',
    );
  } catch (error) {
    throw explainImportError(error);
  } finally {
    await archive?.close();
  }
}

interface RealmImportDependencies {
  readonly runtime: ChatRuntime;
  readonly archive: RealmArchive;
  readonly report: RealmImportReport;
  readonly files: StoredFileDeletionSchedule;
  readonly tx: RealmImportContext['tx'];
  readonly database: Database;
}

interface ImportedRealm {
  readonly id: number;
  readonly name: string;
  readonly isDeactivated: boolean;
}

async function importRealmTables(parts: RealmImportDependencies, request: RealmImportRequest): Promise<ImportedRealm> {
  const { runtime, archive, report, files, tx, database } = parts;
  const { renderer, pictures, apiKeys } = runtime;
  const place = await prepareDatabaseForRealmImport(tx, { database, files }, request);
  const realm = await importRealmRow(tx, archive, report, place);
  const realmId = realm.readId();
  const context = { tx, archive, report, realmId, host: place.host, renderer, pictures, apiKeys, files };
  const groups = await importUserGroups(context);
  const users = await importUsers(context);
  const channels = await importChannels(context, groups, users);
  await importRealmChannelReferences(context, realm, groups, channels);
  await importReferencesOfUsers(context, users, channels);
  await importUserGroupMembers(context, groups, users);
  const emojiIds = await importEmoji(context, users);
  await importAvatars(context, users);
  await importRealmImages(context, realm);
  await importLinkifiersPlaygroundsAndDomains(context);
  await importProfileFields(context, users);
  await importUserOwnedRows(context, { users, channels, emojiIds });
  await importBotWebhookServices(context, users);
  await importUserActivity(context, users);
  const uploads = await importUploads(context, users);
  const conversations = await ArchivedConversationMap.read(context, users, channels);
  const clients = await importClientPrograms(context);
  const named = await readMentionableObjectsByName(archive.tables, { users, channels, groups });
  const content = (await readRealmMarkdownSettings(tx, realmId)) ?? defaultRealmMarkdownSettings;
  const messages = { users, conversations, clients, files: uploads, named, content };
  await importMessages(context, messages);
  await importUploadLinks(context, uploads);
  await importReactions(context, users, emojiIds);
  const render = (senderId: number, text: string) =>
    renderArchivedMessage(context, messages, { senderId, content: text, html: null }).html;
  await importScheduledMessages(context, { users, conversations, clients, render });
  await advanceIdSequencesAfterImport(tx);
  await addSystemBots(tx, apiKeys, realmId);
  await importSubscriptions(context, users, conversations);
  await markIdleImportedUsersAway(context, users, channels);
  return { id: realmId, name: realm.readText('name'), isDeactivated: realm.readBoolean('deactivated') };
}

function createImportHintsByConstraint({ isDeactivated }: ImportedRealm): string[] {
  const passwords = 'Passwords and API keys are not part of an export. Users request a new password by mail.';
  const state = 'The organization is deactivated, as in the export. Activate it with: reactivate-realm';
  return isDeactivated ? [passwords, state] : [passwords];
}
