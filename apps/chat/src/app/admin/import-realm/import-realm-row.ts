import { z } from 'zod';
import { realmSettings } from '../../../core/realms/index.js';
import { userSettings } from '../../../core/users/index.js';
import type { ChatTx } from '../../../infra/open-prisma.js';
import { AdminError } from '../admin-error.js';
import { readArchivedSettings } from './archived-settings.js';
import type { ArchiveRow } from './archive/archive-row.js';
import type { RealmArchive } from './archive/open-archive.js';
import type { ImportReport } from './import-report.js';
import { insertRows } from './insert-rows.js';

/** Id, host and URL of the organization to be created. */
export interface RealmAddress {
  /** Value of `string_id` for the organization; undefined for the value in the archive. */
  readonly stringId: string | undefined;
  readonly host: string;
  readonly publicUrl: string | null;
}

const realmColumns = {
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
  tx: ChatTx,
  { tables }: RealmArchive,
  report: ImportReport,
  place: RealmAddress,
): Promise<ArchiveRow> {
  const [realm, ...others] = await tables.readTable('zerver_realm');
  if (realm === undefined || others.length > 0) throw new AdminError('The archive does not have exactly one realm.');
  const [defaults] = await tables.readTable('zerver_realmuserdefault');
  const uuid = z.uuid().safeParse(realm.getUnchecked('uuid'));
  const row = {
    id: realm.id(),
    string_id: place.stringId ?? getValidSubdomain(realm, place.host),
    host: place.host,
    public_url: place.publicUrl,
    uuid: uuid.success ? uuid.data : crypto.randomUUID(),
    fake_email_domain: place.host,
    name: realm.text('name'),
    description: realm.optionalText('description') ?? '',
    date_created: realm.time('date_created'),
    deactivated: realm.boolean('deactivated'),
    settings: {
      ...readArchivedSettings(realmSettings, realm, report, realmSettingsNotImported),
      ...convertUploadQuota(realm),
    },
    user_settings_defaults: defaults === undefined ? {} : defaultUserSettings(defaults, report),
  };
  await insertRows(tx, 'realms', realmColumns, [row]);
  return realm;
}

/**
 * Returns a valid subdomain for the imported organization. The name in the archive may be empty or contain invalid
 * characters.
 */
function getValidSubdomain(realm: ArchiveRow, host: string): string {
  const archived = realm.optionalText('string_id') ?? '';
  return /^[a-z0-9-]{1,40}$/.test(archived) ? archived : (host.split('.', 1)[0] ?? host);
}

function convertUploadQuota(realm: ArchiveRow): { upload_quota_mib?: number } {
  const gibibytes = realm.optionalInteger('custom_upload_quota_gb');
  return gibibytes === null || gibibytes < 0 ? {} : { upload_quota_mib: gibibytes * 1024 };
}

function defaultUserSettings(defaults: ArchiveRow, report: ImportReport): Record<string, unknown> {
  const visibility = readEmailVisibility(defaults);
  // The clock format of new users may depend on their language.
  const clock = defaults.getUnchecked('twenty_four_hour_time') === null ? { twenty_four_hour_time: null } : {};
  return {
    ...readArchivedSettings(userSettings, defaults, report, Object.keys(clock)),
    ...clock,
    ...(visibility !== null && { email_address_visibility: visibility }),
  };
}

/**
 * Returns the visibility of a user's email address as a number from 1 to 5; null if the archived row does not contain
 * the setting.
 */
export function readEmailVisibility(row: ArchiveRow): number | null {
  const visibility = row.optionalInteger('email_address_visibility');
  return visibility !== null && visibility >= 1 && visibility <= 5 ? visibility : null;
}
