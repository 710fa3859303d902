import { CredentialCache, type CredentialCacheOptions } from '@switchboard/auth';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/** The host, public URL and state of an organization (realm). */
export interface RealmHost {
  readonly realmId: number;
  /** Host name of the realm; null if the realm serves requests for every host. */
  readonly host: string | null;
  /**
   * Scheme, host and port of the realm's URL as configured by the operator, for example
   * `https://chat.example.com:8443`; null if not configured.
   */
  readonly publicUrl: string | null;
  readonly isDeactivated: boolean;
}

/** Objects and values that {@link RealmByHostCache} receives from its caller. */
export interface RealmByHostCacheDependencies {
  readonly database: SqlQueryRunner;
  readonly invalidations: CredentialCacheOptions<RealmHost>['invalidations'];
  /** Clock of the cache, which returns milliseconds since the epoch. */
  readonly clock: { now(): number };
}

const realmByHostCacheTag = 'realm-sites';

/**
 * Cache of realms by the host of a request. Entries behave like the entries of {@link CredentialCache} and are at most
 * 10 s old.
 */
export class RealmByHostCache {
  readonly #cache: CredentialCache<RealmHost>;

  constructor(private readonly parts: RealmByHostCacheDependencies) {
    const { invalidations, clock } = parts;
    this.#cache = new CredentialCache<RealmHost>({
      invalidations,
      clock,
      tagsOf: () => [realmByHostCacheTag],
      maxEntries: 1000,
    });
  }

  /**
   * Returns the realm of a host, or null if no realm has this host. If the database contains only one realm, every host
   * belongs to that realm (docs/contract/chat.md 1.1).
   */
  find(host: string): Promise<RealmHost | null> {
    return this.#cache.getOrLoadActor(host, async () => {
      const { rows } = await this.parts.database.query<RealmHost>(
        `SELECT r.id AS "realmId", r.host, r.public_url AS "publicUrl", r.deactivated AS "isDeactivated" FROM realms r
         WHERE r.host = $1 OR NOT EXISTS (SELECT 1 FROM realms other WHERE other.id <> r.id)`,
        [host],
      );
      return rows[0] ?? null;
    });
  }

  /**
   * Invalidates the cached realms in all processes. Must be called after the commit of a change to a realm's host, URL
   * or state. The returned promise never rejects.
   */
  async invalidate(): Promise<void> {
    await this.#cache.evictByTag(realmByHostCacheTag);
  }
}
