import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireMutedUser, wireMutedUser } from './muted-users.events.js';
import { mutedUserJson } from './muted-users.repository.js';

const mutedUsersPart = defineSqlSnapshotPart({
  types: ['muted_users'],
  maintainedBy: ['muted_users'],
  shape: { muted_users: z.array(wireMutedUser) },
  sql: `SELECT json_agg(${mutedUserJson} ORDER BY mu.date_muted, mu.muted_user_id)
    FROM muted_users mu WHERE mu.user_id = $2`,
  fields: (muted: WireMutedUser[] | null) => ({ muted_users: muted ?? [] }),
});

/** Snapshot parts of muted users. */
export const mutedUserSnapshotParts = [mutedUsersPart];
