import { CredentialCache, type CredentialCacheOptions } from '@switchboard/auth';
import type { SqlReader } from '../../access/sql-reader.js';
import { plainRealm, type RealmContent } from '../../markdown/index.js';
import { findRealmContent } from './realm-content.repository.js';

/** What one process needs to know realms by. */
export interface RealmContentsParts {
  readonly database: SqlReader;
  readonly invalidations: CredentialCacheOptions<Entry>['invalidations'];
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
}

interface Entry {
  readonly realmId: number;
  readonly content: RealmContent;
}

/**
 * What realms add to the dialect of their messages, remembered so that the usual message costs no statement for it. The
 * cache is the one of credentials, for what it promises: an answer is at most 10 s old, in every process gone once it
 * is invalidated, and not from memory while invalidations may be lost.
 */
export class RealmContents {
  readonly #database: SqlReader;
  readonly #cache: CredentialCache<Entry>;

  constructor({ database, invalidations, clock }: RealmContentsParts) {
    this.#database = database;
    this.#cache = new CredentialCache<Entry>({
      invalidations,
      clock,
      tagsOf: ({ realmId }) => [tagOf(realmId)],
      maxEntries: 1000,
    });
  }

  /**
   * @param origin By which the author has reached the server: links that begin with it stay within the server.
   */
  async get(realmId: number, origin?: string): Promise<RealmContent> {
    const entry = await this.#cache.get(String(realmId), () => this.#load(realmId));
    const content = entry?.content ?? plainRealm;
    if (origin === undefined || content.origins.includes(origin)) return content;
    return { ...content, origins: [...content.origins, origin] };
  }

  /** Every process reads the realm's content anew. Call it after the commit that changes it. Never rejects. */
  async refresh(realmId: number): Promise<void> {
    await this.#cache.invalidate(tagOf(realmId));
  }

  async #load(realmId: number): Promise<Entry | null> {
    const content = await findRealmContent(this.#database, realmId);
    return content === null ? null : { realmId, content };
  }
}

/** A name that no credential is tagged with. */
function tagOf(realmId: number): string {
  return `content:${realmId}`;
}
