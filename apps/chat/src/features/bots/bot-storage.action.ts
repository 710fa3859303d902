import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatDatabase, PrismaReader } from '../../infra/open-prisma.js';
import { lockRowOwner } from '../../core/database-locks.js';
import { createBadRequestError } from '../../errors.js';
import { DATABASE } from '../../tokens.js';

/** Maximum number of characters that one bot can store in total, including keys. */
const maxStoredCharacters = 10_000;

/** Texts that a bot has stored, by their keys. */
export type StoredTexts = Readonly<Record<string, string>>;

/**
 * Stores texts of bots, by keys that the bots choose (docs/contract/chat.md 2.F). A bot can read only its own texts.
 */
@Injectable()
export class BotStorage {
  constructor(@Inject(DATABASE) private readonly database: ChatDatabase) {}

  /**
   * Returns the bot's stored texts with the given keys, or all stored texts if no keys are given.
   *
   * @throws AppError BAD_REQUEST for an unknown key
   */
  async get(actor: ChatActor, keys: readonly string[] | undefined): Promise<{ storage: StoredTexts }> {
    const all = await readStoredTexts(this.database, actor.id);
    if (keys === undefined) return { storage: Object.fromEntries(all) };
    return { storage: Object.fromEntries(keys.map((key) => [key, all.get(key) ?? createUnknownKeyError()])) };
  }

  /**
   * Stores texts of the bot. An existing text with the same key is replaced.
   *
   * @throws AppError BAD_REQUEST beyond the quota
   */
  async put(actor: ChatActor, storage: StoredTexts): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRowOwner(tx, actor.id);
      const all = new Map([...(await readStoredTexts(tx, actor.id)), ...Object.entries(storage)]);
      const size = [...all].reduce((sum, [key, value]) => sum + key.length + value.length, 0);
      if (size > maxStoredCharacters)
        throw createBadRequestError(
          `The storage of a bot holds ${maxStoredCharacters} characters; this would make ${size}.`,
        );
      const rows = Object.entries(storage).map(([key, value]) => ({ userId: actor.id, key, value }));
      await tx.prisma.botStorage.deleteMany({ where: { userId: actor.id, key: { in: rows.map(({ key }) => key) } } });
      await tx.prisma.botStorage.createMany({ data: rows });
    });
  }

  /**
   * Removes the bot's stored texts with the given keys, or all stored texts if no keys are given.
   *
   * @throws AppError BAD_REQUEST for an unknown key
   */
  async remove(actor: ChatActor, keys: readonly string[] | undefined): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      await lockRowOwner(tx, actor.id);
      const stored = await readStoredTexts(tx, actor.id);
      if (keys?.some((key) => !stored.has(key))) createUnknownKeyError();
      const where = { userId: actor.id, ...(keys && { key: { in: [...new Set(keys)] } }) };
      await tx.prisma.botStorage.deleteMany({ where });
    });
  }
}

async function readStoredTexts({ prisma }: PrismaReader, userId: number): Promise<Map<string, string>> {
  const rows = await prisma.botStorage.findMany({ where: { userId }, orderBy: { key: 'asc' } });
  return new Map(rows.map(({ key, value }) => [key, value]));
}

function createUnknownKeyError(): never {
  throw createBadRequestError('Key does not exist.');
}
