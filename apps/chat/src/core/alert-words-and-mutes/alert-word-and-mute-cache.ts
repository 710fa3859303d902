import { PerRealmValueCache, type PerRealmValueCacheDependencies } from '../access/realm-cache.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { type AlertWordsAndMutes, readAlertWordsAndMutes } from './alert-words-and-mutes.repository.js';

/** Objects and values that {@link AlertWordAndMuteCache} receives from its caller. */
export interface AlertWordAndMuteCacheDependencies extends Pick<
  PerRealmValueCacheDependencies<AlertWordsAndMutes>,
  'invalidations' | 'clock'
> {
  readonly database: SqlQueryRunner;
}

/**
 * Users with an alert word that occurs in a message, and users who muted its sender. Some of these users may not
 * receive the message.
 */
export interface AlertedAndMutingUsers {
  readonly alertedIds: readonly number[];
  readonly muterIds: readonly number[];
}

/** Cache of the alert words of users, and of the accounts that users have muted. Contains one entry per realm. */
export class AlertWordAndMuteCache {
  readonly #cache: PerRealmValueCache<AlertWordsAndMutes>;

  constructor({ database, ...parts }: AlertWordAndMuteCacheDependencies) {
    this.#cache = new PerRealmValueCache({
      ...parts,
      name: 'attention',
      load: (realmId) => readAlertWordsAndMutes(database, realmId),
    });
  }

  /**
   * Returns the ids of the users whose alert words occur in the Markdown of a message, and of the users who muted the
   * message's sender.
   */
  async findAlertedAndMutingUsers(realmId: number, senderId: number, content: string): Promise<AlertedAndMutingUsers> {
    const { words = [], muters } = (await this.#cache.get(realmId)) ?? {};
    const text = words.length === 0 ? '' : normalizeTextForComparison(content);
    const alerted = words.filter(({ word }) => containsAlertWord(text, word)).flatMap(({ userIds }) => userIds);
    return { alertedIds: [...new Set(alerted)], muterIds: muters?.get(senderId) ?? [] };
  }

  /**
   * Invalidates the realm's cached alert words and mutes in all processes. Must be called after the commit of a change
   * to alert words or mutes. The returned promise never rejects.
   */
  invalidate(realmId: number): Promise<void> {
    return this.#cache.invalidate(realmId);
  }
}

const wordCharacterPattern = /[\p{L}\p{N}_]/u;
const nonWordCharacterPattern = String.raw`[^\p{L}\p{N}_]`;

/** Returns true if a text contains an alert word as a separate word. Reads each sequence of word characters once. */
export function containsAlertWord(text: string, word: string): boolean {
  const wordBegins = wordCharacterPattern.test(word.charAt(0));
  const wordEnds = wordCharacterPattern.test(word.charAt(word.length - 1));
  for (let at = text.indexOf(word); at !== -1;) {
    const joinsBefore = wordBegins && wordCharacterPattern.test(text.slice(Math.max(0, at - 1), at));
    const joinsAfter = wordEnds && wordCharacterPattern.test(text.charAt(at + word.length));
    if (!joinsBefore && !joinsAfter) return true;
    // Every later start within the same run of word characters follows a word character, too.
    at = text.indexOf(word, wordBegins ? findEndOfWordCharacters(text, at) : at + 1);
  }
  return false;
}

function findEndOfWordCharacters(text: string, from: number): number {
  const other = new RegExp(nonWordCharacterPattern, 'gu');
  other.lastIndex = from;
  return other.exec(text)?.index ?? text.length;
}
