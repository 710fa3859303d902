import { z } from 'zod';
import { realmSettingsSchema } from '../../../core/realms/index.js';
import { userSettingsSchema } from '../../../core/users/index.js';
import type { ChatTransaction } from '../../../infra/open-prisma.js';
import { AdminError } from '../admin-error.js';
import { readArchivedSettings } from './archived-settings.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmArchive } from './archive/open-archive.js';
import type { RealmImportReport } from './import-report.js';
import { insertImportedRows } from './insert-rows.js';

/** Id, host and URL of the organization to be created. */
export interface ImportedRealmAddress {
  /** Value of `string_id` for the organization; undefined for the value in the archive. */
  readonly stringId: string | undefined;
  readonly host: string;
  readonly publicUrl: string | null;
}

const importedRealmColumns = {
  id: 'int',
  string_id: 'text',
  host: 'text',
  public_url: 'text',
  uuid: 'uuid',
  fake_email_domain: 'text',
  name: 'text',
  description: 'text',
  date_created: 'timestamptz',
  deactivated: 'boolean',
  settings: 'jsonb',
  user_settings_defaults: 'jsonb',
};

/**
 * Names of archived realm columns that are not imported as settings. These columns describe the plan of a hosting
 * company, or have another name in this service.
 */
const realmSettingsNotImported = ['plan_type', 'upload_quota_mib'];

/** Inserts the organization of the archive, without references to groups and channels. Returns the inserted row. */
export async function importRealmRow(
  tx: ChatTransaction,
  { tables }: RealmArchive,
  report: RealmImportReport,
  place: ImportedRealmAddress,
): Promise<ArchivedTableRow> {
  const [realm, ...others] = await tables.readTable('zerver_realm');
  if (realm === undefined || others.length > 0) throw new AdminError('The archive does not have exactly one realm.');
  const [defaults] = await tables.readTable('zerver_realmuserdefault');
  const uuid = z.uuid().safeParse(realm.getUncheckedColumnValue('uuid'));
  const row = {
    id: realm.readId(),
    string_id: place.stringId ?? getValidSubdomain(realm, place.host),
    host: place.host,
    public_url: place.publicUrl,
    uuid: uuid.success ? uuid.data : crypto.randomUUID(),
    fake_email_domain: place.host,
    name: realm.readText('name'),
    description: realm.readOptionalText('description') ?? '',
    date_created: realm.readTime('date_created'),
    deactivated: realm.readBoolean('deactivated'),
    settings: {
      ...readArchivedSettings(realmSettingsSchema, realm, report, realmSettingsNotImported),
      ...convertArchivedUploadQuota(realm),
    },
    user_settings_defaults: defaults === undefined ? {} : convertArchivedDefaultUserSettings(defaults, report),
  };
  await insertImportedRows(tx, 'realms', importedRealmColumns, [row]);
  return realm;
}

/**
 * Returns a valid subdomain for the imported organization. The name in the archive may be empty or contain invalid
 * characters.
 */
function getValidSubdomain(realm: ArchivedTableRow, host: string): string {
  const archived = realm.readOptionalText('string_id') ?? '';
  return /^[a-z0-9-]{1,40}$/.test(archived) ? archived : (host.split('.', 1)[0] ?? host);
}

function convertArchivedUploadQuota(realm: ArchivedTableRow): { upload_quota_mib?: number } {
  const gibibytes = realm.readOptionalInteger('custom_upload_quota_gb');
  return gibibytes === null || gibibytes < 0 ? {} : { upload_quota_mib: gibibytes * 1024 };
}

function convertArchivedDefaultUserSettings(
  defaults: ArchivedTableRow,
  report: RealmImportReport,
): Record<string, unknown> {
  const visibility = readEmailVisibility(defaults);
  // The clock format of new users may depend on their language.
  const clock =
    defaults.getUncheckedColumnValue('twenty_four_hour_time') === null ? { twenty_four_hour_time: null } : {};
  return {
    ...readArchivedSettings(userSettingsSchema, defaults, report, Object.keys(clock)),
    ...clock,
    ...(visibility !== null && { email_address_visibility: visibility }),
  };
}

/**
 * Returns the visibility of a user's email address as a number from 1 to 5; null if the archived row does not contain
 * the setting.
 */
export function readEmailVisibility(row: ArchivedTableRow): number | null {
  const visibility = row.readOptionalInteger('email_address_visibility');
  return visibility !== null && visibility >= 1 && visibility <= 5 ? visibility : null;
}
