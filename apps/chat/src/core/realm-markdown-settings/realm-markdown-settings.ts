import { RealmCache, type RealmCacheDependencies } from '../access/realm-cache.js';
import type { SqlReader } from '../../infra/sql-reader.js';
import { defaultRealmContent, type RealmContent } from '../../infra/markdown/index.js';
import { findRealmContent } from './realm-markdown-settings.repository.js';

/** Dependencies of {@link RealmMarkdownSettings}. */
export interface RealmMarkdownSettingsDependencies extends Pick<
  RealmCacheDependencies<RealmContent>,
  'invalidations' | 'clock'
> {
  readonly database: SqlReader;
}

/** Cache of the Markdown settings of realms, such as linkifiers and custom emoji. */
export class RealmMarkdownSettings {
  readonly #cache: RealmCache<RealmContent>;

  constructor({ database, ...parts }: RealmMarkdownSettingsDependencies) {
    this.#cache = new RealmCache({ ...parts, name: 'content', load: (realmId) => findRealmContent(database, realmId) });
  }

  /**
   * Returns the Markdown settings of a realm.
   * @param origin The origin that the author used to reach the server; links to it are treated as internal.
   */
  async get(realmId: number, origin?: string): Promise<RealmContent> {
    const content = (await this.#cache.get(realmId)) ?? defaultRealmContent;
    if (origin === undefined || content.origins.includes(origin)) return content;
    return { ...content, origins: [...content.origins, origin] };
  }

  /**
   * Invalidates the cached Markdown settings of the realm in all processes. Call it after the commit of a change to
   * them. Never rejects.
   */
  invalidate(realmId: number): Promise<void> {
    return this.#cache.invalidate(realmId);
  }
}
