import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatDatabaseWithPrisma, PrismaReader } from '../../infra/open-prisma.js';
import { lockUserRow } from '../../core/database-locks.js';
import { createBadRequestError } from '../../errors.js';
import { DATABASE_TOKEN } from '../../tokens.js';

/** Maximum number of characters that one bot can store in total, including keys. */
const maxBotStorageCharacters = 10_000;

/** Texts that a bot has stored, by their keys. */
export type BotStorageTexts = Readonly<Record<string, string>>;

/**
 * Stores texts of bots, by keys that the bots choose (docs/contract/chat.md 2.F). A bot can read only its own texts.
 */
@Injectable()
export class BotStorage {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma) {}

  /**
   * Returns the bot's stored texts with the given keys, or all stored texts if no keys are given.
   *
   * @throws ApplicationError BAD_REQUEST for an unknown key
   */
  async getStoredTexts(actor: ChatActor, keys: readonly string[] | undefined): Promise<{ storage: BotStorageTexts }> {
    const all = await readBotStorageTexts(this.database, actor.id);
    if (keys === undefined) return { storage: Object.fromEntries(all) };
    return { storage: Object.fromEntries(keys.map((key) => [key, all.get(key) ?? throwUnknownStorageKeyError()])) };
  }

  /**
   * Stores texts of the bot. An existing text with the same key is replaced.
   *
   * @throws ApplicationError BAD_REQUEST beyond the quota
   */
  async storeTexts(actor: ChatActor, storage: BotStorageTexts): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockUserRow(tx, actor.id);
      const all = new Map([...(await readBotStorageTexts(tx, actor.id)), ...Object.entries(storage)]);
      const size = [...all].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
      if (size > maxBotStorageCharacters)
        throw createBadRequestError(
          `The storage of a bot holds ${maxBotStorageCharacters} characters; this would make ${size}.`,
        );
      const rows = Object.entries(storage).map(([key, value]) => ({ userId: actor.id, key, value }));
      await tx.prisma.botStorage.deleteMany({ where: { userId: actor.id, key: { in: rows.map(({ key }) => key) } } });
      await tx.prisma.botStorage.createMany({ data: rows });
    });
  }

  /**
   * Removes the bot's stored texts with the given keys, or all stored texts if no keys are given.
   *
   * @throws ApplicationError BAD_REQUEST for an unknown key
   */
  async removeStoredTexts(actor: ChatActor, keys: readonly string[] | undefined): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockUserRow(tx, actor.id);
      const stored = await readBotStorageTexts(tx, actor.id);
      if (keys?.some((key) => !stored.has(key))) throwUnknownStorageKeyError();
      const where = { userId: actor.id, ...(keys && { key: { in: [...new Set(keys)] } }) };
      await tx.prisma.botStorage.deleteMany({ where });
    });
  }
}

async function readBotStorageTexts({ prisma }: PrismaReader, userId: number): Promise<Map<string, string>> {
  const rows = await prisma.botStorage.findMany({ where: { userId }, orderBy: { key: 'asc' } });
  return new Map(rows.map(({ key, value }) => [key, value]));
}

function throwUnknownStorageKeyError(): never {
  throw createBadRequestError('Key does not exist.');
}
