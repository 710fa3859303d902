import { z } from 'zod';
import { realmSettings } from '../../../core/realms/index.js';
import { userSettings } from '../../../core/users/index.js';
import type { ChatTx } from '../../../infra/prisma.js';
import { AdminError } from '../admin-error.js';
import { archivedSettings } from './archived-settings.js';
import type { ArchiveRow } from './archive/archive-row.js';
import type { Archive } from './archive/open-archive.js';
import type { ImportReport } from './import-report.js';
import { insertRows } from './insert-rows.js';

/** Id, host and URL with which the organization is created. */
export interface RealmPlace {
  /** `string_id` of the organization; undefined for the one in the archive. */
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

/** Settings that describe the plan of a hosting company, or that have another name in the archive. */
const omittedSettings = ['plan_type', 'upload_quota_mib'];

/** Inserts the organization of the archive, without the groups and channels that it refers to. Returns its row. */
export async function importRealmRow(
  tx: ChatTx,
  { tables }: Archive,
  report: ImportReport,
  place: RealmPlace,
): Promise<ArchiveRow> {
  const [realm, ...others] = await tables.all('zerver_realm');
  if (realm === undefined || others.length > 0) throw new AdminError('The archive does not have exactly one realm.');
  const [defaults] = await tables.all('zerver_realmuserdefault');
  const uuid = z.uuid().safeParse(realm.value('uuid'));
  const row = {
    id: realm.id(),
    string_id: place.stringId ?? stringIdOf(realm, place.host),
    host: place.host,
    public_url: place.publicUrl,
    uuid: uuid.success ? uuid.data : crypto.randomUUID(),
    fake_email_domain: place.host,
    name: realm.text('name'),
    description: realm.optionalText('description') ?? '',
    date_created: realm.time('date_created'),
    deactivated: realm.boolean('deactivated'),
    settings: { ...archivedSettings(realmSettings, realm, report, omittedSettings), ...uploadQuota(realm) },
    user_settings_defaults: defaults === undefined ? {} : userDefaults(defaults, report),
  };
  await insertRows(tx, 'realms', realmColumns, [row]);
  return realm;
}

/** The name in the archive may be empty or have other characters than a subdomain. */
function stringIdOf(realm: ArchiveRow, host: string): string {
  const archived = realm.optionalText('string_id') ?? '';
  return /^[a-z0-9-]{1,40}$/.test(archived) ? archived : (host.split('.', 1)[0] ?? host);
}

function uploadQuota(realm: ArchiveRow): { upload_quota_mib?: number } {
  const gibibytes = realm.optionalInteger('custom_upload_quota_gb');
  return gibibytes === null || gibibytes < 0 ? {} : { upload_quota_mib: gibibytes * 1024 };
}

function userDefaults(defaults: ArchiveRow, report: ImportReport): Record<string, unknown> {
  const visibility = archivedVisibility(defaults);
  // The clock format of new users may depend on their language.
  const clock = defaults.value('twenty_four_hour_time') === null ? { twenty_four_hour_time: null } : {};
  return {
    ...archivedSettings(userSettings, defaults, report, Object.keys(clock)),
    ...clock,
    ...(visibility !== null && { email_address_visibility: visibility }),
  };
}

/** Returns who may see an address, as a number from 1 to 5; null if the row does not have it. */
export function archivedVisibility(row: ArchiveRow): number | null {
  const visibility = row.optionalInteger('email_address_visibility');
  return visibility !== null && visibility >= 1 && visibility <= 5 ? visibility : null;
}
