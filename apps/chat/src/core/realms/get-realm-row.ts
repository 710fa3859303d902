import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { type RealmImages, realmImagesSchema } from './realm-images.js';
import { getEffectiveRealmSettings, type RealmSettings } from './realm-settings.js';

/** A realm with its settings and permissions, as the service reads it from the database. */
export interface RealmRecord {
  readonly id: number;
  readonly stringId: string;
  readonly uuid: string;
  readonly name: string;
  readonly description: string;
  /** Time at which the realm was created, in UNIX seconds with a fraction. */
  readonly dateCreated: number;
  readonly images: RealmImages;
  readonly settings: RealmSettings;
  readonly userSettingsDefaults: object;
  /** Ids of the user groups that have permissions of the realm, by name of the permission. */
  readonly permissions: Readonly<Record<string, number>>;
  readonly newStreamAnnouncementsChannelId: number | null;
  readonly signupAnnouncementsChannelId: number | null;
  readonly updateAnnouncementsChannelId: number | null;
  readonly moderationRequestChannelId: number | null;
}

interface RealmRow {
  id: number;
  string_id: string;
  uuid: string;
  name: string;
  description: string;
  date_created: number;
  images: object;
  settings: object;
  user_settings_defaults: object;
  permissions: Record<string, number> | null;
  new_stream_announcements_channel_id: number | null;
  signup_announcements_channel_id: number | null;
  zulip_update_announcements_channel_id: number | null;
  moderation_request_channel_id: number | null;
}

/**
 * Reads a realm with its settings and permissions, in one SQL statement.
 *
 * @throws Error when the realm does not exist
 */
export async function getRealmRow(tx: SqlQueryRunner, realmId: number): Promise<RealmRecord> {
  const { rows } = await tx.query<RealmRow>(
    `SELECT id, string_id, uuid, name, description, extract(epoch FROM date_created)::float8 AS date_created,
       images, settings, user_settings_defaults, new_stream_announcements_channel_id, signup_announcements_channel_id,
       zulip_update_announcements_channel_id, moderation_request_channel_id,
       (SELECT json_object_agg(setting, group_id) FROM realm_permissions WHERE realm_id = realms.id) AS permissions
     FROM realms WHERE id = $1`,
    [realmId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no realm ${realmId}`);
  return {
    id: row.id,
    stringId: row.string_id,
    uuid: row.uuid,
    name: row.name,
    description: row.description,
    dateCreated: row.date_created,
    images: realmImagesSchema.parse(row.images),
    settings: getEffectiveRealmSettings(row.settings),
    userSettingsDefaults: row.user_settings_defaults,
    permissions: row.permissions ?? {},
    newStreamAnnouncementsChannelId: row.new_stream_announcements_channel_id,
    signupAnnouncementsChannelId: row.signup_announcements_channel_id,
    updateAnnouncementsChannelId: row.zulip_update_announcements_channel_id,
    moderationRequestChannelId: row.moderation_request_channel_id,
  };
}
