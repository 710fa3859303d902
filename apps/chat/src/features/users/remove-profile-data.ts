import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { listAvatarStorageKeys } from '../avatars/index.js';
import { profileValueEvent } from '../profile-fields/index.js';
import {
  getAudienceOfUserEvents,
  realmUserAvatarEvent,
  realmUserUpdateEvent,
  type UserRecord,
  userStatusEvent,
} from '../../core/users/index.js';

interface RemovedProfileRow {
  timezone: string;
  avatar_key: string | null;
  avatar_source: 'G' | 'U';
  avatar_version: number;
  has_status: boolean;
  field_ids: number[];
}

/**
 * Removes the profile data of an account (avatar, time zone, status, custom fields), and emits the removals to all
 * users.
 *
 * @returns storage keys of files that are unused after the commit
 */
export async function removeProfileData(
  { events, files }: { readonly events: ChatEventWriter; readonly files: StoredFileDeletionSchedule },
  tx: Tx,
  realmId: number,
  user: UserRecord,
): Promise<string[]> {
  const { rows } = await tx.query<RemovedProfileRow>(removeProfileSql, [user.id]);
  const [before] = rows;
  if (before === undefined) return [];
  const { audience } = await getAudienceOfUserEvents(tx, realmId, user.id);
  if (before.avatar_source === 'U') {
    const { id, deliveryEmail, emailVisibility, isBot } = user;
    const picture = { avatarSource: 'G' as const, avatarVersion: before.avatar_version + 1 };
    const payload = { id, deliveryEmail, emailVisibility, isBot, ...picture };
    events.write(tx, realmId, realmUserAvatarEvent, { audience, payload });
  }
  if (before.timezone !== '') {
    const payload = { userId: user.id, change: { timezone: '' } };
    events.write(tx, realmId, realmUserUpdateEvent, { audience, payload });
  }
  if (before.has_status) {
    const payload = { user_id: user.id, status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' };
    events.write(tx, realmId, userStatusEvent, { audience, payload });
  }
  if (before.field_ids.length > 0) {
    const payload = { userId: user.id, changes: before.field_ids.map((id) => ({ id, value: null })) };
    events.write(tx, realmId, profileValueEvent, { audience, payload });
  }
  const unused = before.avatar_key === null ? [] : listAvatarStorageKeys(realmId, before.avatar_key);
  await files.scheduleDeletion(tx, unused);
  return unused;
}

const removeProfileSql = `
  WITH fields AS (
    DELETE FROM profile_values WHERE user_id = $1 RETURNING field_id
  ), status AS (
    DELETE FROM user_statuses WHERE user_id = $1 RETURNING status_text, emoji_name
  )
  UPDATE users u SET timezone = '', avatar_source = 'G', avatar_key = NULL,
    avatar_version = u.avatar_version + CASE WHEN before.avatar_source = 'U' THEN 1 ELSE 0 END
  FROM users before WHERE u.id = $1 AND before.id = u.id
  RETURNING before.timezone, before.avatar_key, before.avatar_source, before.avatar_version,
    EXISTS (SELECT 1 FROM status WHERE status_text <> '' OR emoji_name <> '') AS has_status,
    ARRAY(SELECT field_id FROM fields ORDER BY field_id) AS field_ids`;
