import type { Tx } from '@switchboard/database';
import { createBadRequestError } from '../../errors.js';
import { getEffectiveRealmSettings } from './realm-settings.js';
import { ordinaryRealmSettingNames, specialChannelColumnBySetting } from './update-realm.schemas.js';

/** Changed realm settings with their API values, by API name without the prefix `realm_`. */
export type ChangedRealmSettings = Readonly<Record<string, string | number | boolean | null>>;

interface RealmNameAndDescription {
  name: string;
  description: string;
  settings: object;
}

/**
 * Stores the requested realm settings that differ from the current ones, and returns the changed settings with their
 * former values. Permissions and channel settings are handled elsewhere. The caller must have locked the realm.
 */
export async function changeOrdinaryRealmSettings(
  tx: Tx,
  realmId: number,
  requested: Readonly<Record<string, unknown>>,
): Promise<{ readonly changed: ChangedRealmSettings; readonly before: Readonly<Record<string, unknown>> }> {
  const { rows } = await tx.query<RealmNameAndDescription>(
    'SELECT name, description, settings FROM realms WHERE id = $1',
    [realmId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no realm ${realmId}`);
  const current: Readonly<Record<string, unknown>> = {
    ...getEffectiveRealmSettings(row.settings),
    name: row.name,
    description: row.description,
  };
  const changed: Record<string, string | number | boolean | null> = {};
  for (const setting of ordinaryRealmSettingNames) {
    const value = requested[setting];
    if (isScalarSettingValue(value) && value !== current[setting]) changed[setting] = value;
  }
  await writeRealmSettings(tx, realmId, changed);
  return { changed, before: Object.fromEntries(Object.keys(changed).map((name) => [name, current[name]])) };
}

async function writeRealmSettings(tx: Tx, realmId: number, changed: ChangedRealmSettings): Promise<void> {
  if (Object.keys(changed).length === 0) return;
  const { name = null, description = null, ...settings } = changed;
  await tx.query(
    `UPDATE realms SET name = coalesce($2, name), description = coalesce($3, description), settings = settings || $4
     WHERE id = $1`,
    [realmId, name, description, JSON.stringify(settings)],
  );
}

function isScalarSettingValue(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * Stores the channels of a realm that have a special use, such as announcements. Executes one statement for the
 * channels and one for the realm. Returns the changed settings with their former values; -1 means no channel.
 *
 * @throws ApplicationError BAD_REQUEST `Invalid channel ID`
 */
export async function changeSpecialChannels(
  tx: Tx,
  realmId: number,
  requested: Readonly<Record<string, unknown>>,
): Promise<{ readonly changed: ChangedRealmSettings; readonly before: ChangedRealmSettings }> {
  const entries = Object.entries(specialChannelColumnBySetting).flatMap(([setting, column]) => {
    const value = requested[setting];
    return typeof value === 'number' ? [{ setting, column, value }] : [];
  });
  if (entries.length === 0) return { changed: {}, before: {} };
  await checkSpecialChannels(
    tx,
    realmId,
    entries.map(({ value }) => value).filter((value) => value !== -1),
  );
  const { rows } = await tx.query<Record<string, number | null>>(
    `SELECT ${entries.map(({ column }) => column).join(', ')} FROM realms WHERE id = $1`,
    [realmId],
  );
  const different = entries.filter(({ column, value }) => (rows[0]?.[column] ?? -1) !== value);
  if (different.length === 0) return { changed: {}, before: {} };
  const assignments = different.map(({ column }, index) => `${column} = nullif($${index + 2}, -1)`);
  await tx.query(`UPDATE realms SET ${assignments.join(', ')} WHERE id = $1`, [
    realmId,
    ...different.map(({ value }) => value),
  ]);
  return {
    changed: Object.fromEntries(different.map(({ setting, value }) => [setting, value])),
    before: Object.fromEntries(different.map(({ setting, column }) => [setting, rows[0]?.[column] ?? -1])),
  };
}

async function checkSpecialChannels(tx: Tx, realmId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM channels WHERE realm_id = $1 AND id = ANY($2::bigint[]) AND NOT is_archived ORDER BY id FOR SHARE',
    [realmId, ids],
  );
  const known = new Set(rows.map(({ id }) => id));
  if (ids.some((id) => !known.has(id))) throw createBadRequestError('Invalid channel ID');
}
