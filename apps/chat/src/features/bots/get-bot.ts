import type { SqlReader } from '../../infra/sql-reader.js';
import { type BotRow, listBotRows, listUsers, type UserRecord } from '../../core/users/index.js';

/** A bot with everything that those see who manage it: two statements. @throws Error when there is none */
export async function getBot(
  tx: SqlReader,
  realmId: number,
  id: number,
): Promise<{ readonly row: BotRow; readonly user: UserRecord }> {
  const [row] = await listBotRows(tx, [id]);
  const [user] = await listUsers(tx, realmId, [id]);
  if (row === undefined || user === undefined) throw new Error(`There is no bot ${id}`);
  return { row, user };
}
