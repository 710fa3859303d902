import { z } from 'zod';
import { isSpectator } from '../../core/access/spectator-actor.js';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { getSnapshotHiddenUsers } from '../../core/users/index.js';
import { type UserStatusInResponse, userStatusResponseSchema } from './wire-user-status.js';

/** SQL of the API's JSON form for the status in a row of `users u` with left-joined `user_statuses us`. */
const userStatusJsonSql = `json_strip_nulls(json_build_object('status_text', nullif(us.status_text, ''),
  'emoji_name', nullif(us.emoji_name, ''), 'emoji_code', nullif(us.emoji_code, ''),
  'reaction_type', nullif(us.reaction_type, ''),
  'away', CASE WHEN (u.settings ->> 'presence_enabled')::boolean = false THEN true END))`;

const userStatusSnapshotPart = defineSqlSnapshotPart({
  types: ['user_status'],
  shape: { user_status: z.record(z.string(), userStatusResponseSchema) },
  sql: `SELECT json_object_agg(u.id, ${userStatusJsonSql})
    FROM users u LEFT JOIN user_statuses us ON us.user_id = u.id
    WHERE u.realm_id = $1 AND (us.status_text <> '' OR us.emoji_name <> ''
      OR (u.settings ->> 'presence_enabled')::boolean = false)`,
  async fields(statuses: Record<string, UserStatusInResponse> | null, context) {
    if (statuses === null || isSpectator(context.actor)) return { user_status: {} };
    const hidden = await getSnapshotHiddenUsers(context);
    return { user_status: Object.fromEntries(Object.entries(statuses).filter(([id]) => !hidden.has(Number(id)))) };
  },
});

/** Snapshot part that lists the status of each user who has set a status: a field of the `POST /register` response. */
export const userStatusSnapshotParts = [userStatusSnapshotPart];
