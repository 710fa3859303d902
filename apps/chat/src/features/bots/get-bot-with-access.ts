import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { type BotRow, listBotRows, listUsers, type UserRecord } from '../../core/users/index.js';

/**
 * Reads a bot with all fields that its managers see, in two statements.
 *
 * @throws Error if the bot does not exist
 */
export async function getBotForManagers(
  tx: SqlQueryRunner,
  realmId: number,
  id: number,
): Promise<{ readonly row: BotRow; readonly user: UserRecord }> {
  const [row] = await listBotRows(tx, [id]);
  const [user] = await listUsers(tx, realmId, [id]);
  if (row === undefined || user === undefined) throw new Error(`There is no bot ${id}`);
  return { row, user };
}
