import { z } from 'zod';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { botAccountColumns, type BotRow, botTables } from './bots.repository.js';
import { listUsers } from './users.repository.js';
import { toWireBot, wireBotSchema } from './wire-bot.js';

const botJsonFieldsSql = Object.entries(botAccountColumns)
  .map(([name, expression]) => `'${name}', ${expression}`)
  .join(', ');

/**
 * Part of the POST /register response with the bots that the registering user owns. For administrators, the part
 * contains all bots.
 */
export const ownBotsSnapshotPart = defineSqlSnapshotPart({
  types: ['realm_bot'],
  maintainedBy: ['realm_bot', 'realm_user'],
  shape: { realm_bots: z.array(wireBotSchema) },
  sql: `SELECT json_agg(json_build_object(${botJsonFieldsSql}) ORDER BY u.id) FROM ${botTables}
    WHERE u.realm_id = $1 AND u.bot_type IS NOT NULL AND NOT u.is_system_bot AND (u.bot_owner_id = $2
      OR (SELECT role FROM users WHERE id = $2) <= ${userRoleNumbers.administrator})`,
  async fields(rows: BotRow[] | null, context) {
    if (rows === null) return { realm_bots: [] };
    const ids = rows.map((row) => row.id);
    const users = new Map((await listUsers(context.tx, context.actor.realmId, ids)).map((user) => [user.id, user]));
    return {
      realm_bots: rows.flatMap((row) => {
        const user = users.get(row.id);
        return user === undefined ? [] : [toWireBot(row, user, context)];
      }),
    };
  },
});
