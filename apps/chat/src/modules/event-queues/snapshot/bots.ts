import { z } from 'zod';
import { isAdmin } from '../../../access/actor.js';
import { avatarUrl } from '../../../access/avatar.js';
import type { UserRecord } from '../../users/index.js';
import type { SnapshotBasics, SnapshotContext } from './snapshot-context.js';

/** A bot as its owner sees it (chat-contract 2.A). */
export const wireBot = z
  .strictObject({
    user_id: z.int(),
    email: z.string(),
    full_name: z.string(),
    bot_type: z.int(),
    is_active: z.boolean(),
    api_key: z.string(),
    default_sending_stream: z.string().nullable(),
    default_events_register_stream: z.string().nullable(),
    default_all_public_streams: z.boolean(),
    avatar_url: z.string(),
    owner_id: z.int().nullable(),
    services: z.array(z.never()).meta({ description: 'Always empty: no outgoing services yet.' }),
  })
  .meta({ id: 'Bot' });

/** The field of fetch type realm_bot. */
export const botsShape = { realm_bots: z.array(wireBot) };

interface BotRow {
  id: number;
  api_key_sealed: string | null;
  sending: string | null;
  registering: string | null;
  default_all_public_channels: boolean;
}

/** The bots that the actor owns; all of them for administrators: one statement. */
export async function botsSnapshot(context: SnapshotContext, basics: SnapshotBasics): Promise<object> {
  const { wants, tx, actor, apiKeys } = context;
  if (!wants('realm_bot')) return {};
  const { rows } = await tx.query<BotRow>(
    `SELECT u.id, u.api_key_sealed, sending.name AS sending, registering.name AS registering,
       u.default_all_public_channels
     FROM users u
     LEFT JOIN channels sending ON sending.id = u.default_sending_channel_id
     LEFT JOIN channels registering ON registering.id = u.default_events_register_channel_id
     WHERE u.realm_id = $1 AND u.bot_type IS NOT NULL AND NOT u.is_system_bot AND ($3 OR u.bot_owner_id = $2)
     ORDER BY u.id`,
    [actor.realmId, actor.id, isAdmin(actor)],
  );
  const users = new Map(basics.users.map((user) => [user.id, user]));
  return {
    realm_bots: rows.flatMap((row) => {
      const user = users.get(row.id);
      // A bot without a key has never been used; it gets its key when somebody asks for it.
      const key = row.api_key_sealed === null ? '' : apiKeys.open(row.id, row.api_key_sealed);
      return user === undefined ? [] : [botOf(context, row, user, key)];
    }),
  };
}

function botOf({ actor }: SnapshotContext, row: BotRow, user: UserRecord, apiKey: string): z.infer<typeof wireBot> {
  return {
    user_id: user.id,
    email: user.deliveryEmail,
    full_name: user.fullName,
    bot_type: user.botType ?? 1,
    is_active: user.isActive,
    api_key: apiKey,
    default_sending_stream: row.sending,
    default_events_register_stream: row.registering,
    default_all_public_streams: row.default_all_public_channels,
    avatar_url: avatarUrl(actor, user, false) ?? '',
    owner_id: user.botOwnerId,
    services: [],
  };
}
