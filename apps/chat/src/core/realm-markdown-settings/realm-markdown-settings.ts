import { RealmCache, type RealmCacheDependencies } from '../access/realm-cache.js';
import type { SqlReader } from '../../infra/sql-reader.js';
import { defaultRealmContent, type RealmContent } from '../../infra/markdown/index.js';
import { findRealmContent } from './realm-markdown-settings.repository.js';

/** Objects and values that {@link RealmMarkdownSettings} receives from its caller. */
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
   * @param origin URL origin through which the author reached the server. Links to this origin are treated as internal.
   */
  async get(realmId: number, origin?: string): Promise<RealmContent> {
    const content = (await this.#cache.get(realmId)) ?? defaultRealmContent;
    if (origin === undefined || content.origins.includes(origin)) return content;
    return { ...content, origins: [...content.origins, origin] };
  }

  /**
   * Invalidates the cached Markdown settings of the realm in all processes. Must be called after the commit of a change
   * to these settings. The returned promise never rejects.
   */
  invalidate(realmId: number): Promise<void> {
    return this.#cache.invalidate(realmId);
  }
}
