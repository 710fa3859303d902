import { CredentialCache, type CredentialCacheOptions } from '@switchboard/auth';
import type { SqlReader } from '../../access/sql-reader.js';
import { textKey } from '../../text-key.js';
import { type RealmAttention, readAttention } from './attention.repository.js';

/** What one process needs to know by whom messages are looked for. */
export interface AttentionParts {
  readonly database: SqlReader;
  readonly invalidations: CredentialCacheOptions<Entry>['invalidations'];
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
}

interface Entry {
  readonly realmId: number;
  readonly attention: RealmAttention;
}

/** Who looks up at a message, and who has muted its sender: whether they receive it is not looked at. */
export interface MessageAttention {
  readonly alertedIds: readonly number[];
  readonly muterIds: readonly number[];
}

/**
 * Alert words and muted users, remembered so that the usual message costs no statement for them. As the cache of
 * credentials promises, an answer is at most 10 s old, and gone in every process once it is invalidated.
 */
export class Attention {
  readonly #database: SqlReader;
  readonly #cache: CredentialCache<Entry>;

  constructor({ database, invalidations, clock }: AttentionParts) {
    this.#database = database;
    this.#cache = new CredentialCache<Entry>({
      invalidations,
      clock,
      tagsOf: ({ realmId }) => [tagOf(realmId)],
      maxEntries: 1000,
    });
  }

  /** Who is concerned by a message with this source. */
  async of(realmId: number, senderId: number, content: string): Promise<MessageAttention> {
    const entry = await this.#cache.get(String(realmId), async () => {
      return { realmId, attention: await readAttention(this.#database, realmId) };
    });
    const { words = [], muters } = entry?.attention ?? {};
    const text = words.length === 0 ? '' : textKey(content);
    const alerted = words.filter(({ word }) => hasWord(text, word)).flatMap(({ userIds }) => userIds);
    return { alertedIds: [...new Set(alerted)], muterIds: muters?.get(senderId) ?? [] };
  }

  /** Every process reads the realm's words and mutes anew. Call it after the commit that changes them. Never rejects. */
  async refresh(realmId: number): Promise<void> {
    await this.#cache.invalidate(tagOf(realmId));
  }
}

/** A name that no credential is tagged with. */
function tagOf(realmId: number): string {
  return `attention:${realmId}`;
}

const wordCharacter = /[\p{L}\p{N}_]/u;

/** Whether a text has a word that is not part of a longer one. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const joinsBefore = wordCharacter.test(text.slice(Math.max(0, at - 1), at)) && wordCharacter.test(word.charAt(0));
    const end = at + word.length;
    const joinsAfter = wordCharacter.test(text.charAt(end)) && wordCharacter.test(word.charAt(word.length - 1));
    if (!joinsBefore && !joinsAfter) return true;
  }
  return false;
}
