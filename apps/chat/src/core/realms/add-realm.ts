import type { Tx } from '@switchboard/database';
import { addSystemGroupsOfRealm, type SystemGroupIdByName } from '../user-groups/index.js';
import { realmPermissions } from '../access/permission-settings.js';
import type { RealmSettings } from './realm-settings.js';

/** Name, host and other properties of an organization (realm) that will be created. */
export interface NewRealm {
  readonly stringId: string;
  /** Host name of the realm; null if the realm serves requests for every host. */
  readonly host: string | null;
  /** Scheme, host and port with which links to the realm begin; null for the default URL. */
  readonly publicUrl?: string | null;
  /** Domain of the placeholder email addresses that replace hidden addresses. */
  readonly fakeEmailDomain: string;
  readonly name: string;
  readonly description: string;
  readonly settings?: Partial<RealmSettings>;
  readonly userSettingsDefaults?: object;
}

/**
 * Creates a realm with its system groups and permissions. Returns the ids of the realm and of the groups.
 *
 * @throws a unique violation of the database when the realm's string_id or host is taken
 */
export async function addRealm(
  tx: Tx,
  realm: NewRealm,
): Promise<{ realmId: number; systemGroups: SystemGroupIdByName }> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO realms (string_id, host, fake_email_domain, name, description, settings, user_settings_defaults, public_url)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [
      realm.stringId,
      realm.host,
      realm.fakeEmailDomain,
      realm.name,
      realm.description,
      JSON.stringify(realm.settings ?? {}),
      JSON.stringify(realm.userSettingsDefaults ?? {}),
      realm.publicUrl ?? null,
    ],
  );
  const realmId = rows[0]?.id ?? 0;
  const systemGroups = await addSystemGroupsOfRealm(tx, realmId);
  const settings = Object.entries(realmPermissions);
  await tx.query(
    'INSERT INTO realm_permissions (realm_id, setting, group_id) SELECT $1, * FROM unnest($2::text[], $3::int[])',
    [realmId, settings.map(([name]) => name), settings.map(([, { initial }]) => systemGroups.get(initial))],
  );
  return { realmId, systemGroups };
}
