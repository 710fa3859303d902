import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireMutedUser, wireMutedUserSchema } from './muted-users.events.js';
import { mutedUserJsonSql } from './muted-users.repository.js';

const mutedUsersSnapshotPart = defineSqlSnapshotPart({
  types: ['muted_users'],
  maintainedBy: ['muted_users'],
  shape: { muted_users: z.array(wireMutedUserSchema) },
  sql: `SELECT json_agg(${mutedUserJsonSql} ORDER BY mu.date_muted, mu.muted_user_id)
    FROM muted_users mu WHERE mu.user_id = $2`,
  fields: (muted: WireMutedUser[] | null) => ({ muted_users: muted ?? [] }),
});

/**
 * Snapshot part with the field of the `POST /register` response that lists the muted users.
 */
export const mutedUserSnapshotParts = [mutedUsersSnapshotPart];
