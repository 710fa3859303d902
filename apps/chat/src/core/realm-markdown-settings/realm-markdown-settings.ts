import { PerRealmValueCache, type PerRealmValueCacheDependencies } from '../access/realm-cache.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { defaultRealmMarkdownSettings, type RealmMarkdownRenderingSettings } from '../../infra/markdown/index.js';
import { readRealmMarkdownSettings } from './realm-markdown-settings.repository.js';

/** Objects and values that {@link RealmMarkdownSettingsCache} receives from its caller. */
export interface RealmMarkdownSettingsDependencies extends Pick<
  PerRealmValueCacheDependencies<RealmMarkdownRenderingSettings>,
  'invalidations' | 'clock'
> {
  readonly database: SqlQueryRunner;
}

/** Cache of the Markdown settings of realms, such as linkifiers and custom emoji. */
export class RealmMarkdownSettingsCache {
  readonly #cache: PerRealmValueCache<RealmMarkdownRenderingSettings>;

  constructor({ database, ...parts }: RealmMarkdownSettingsDependencies) {
    this.#cache = new PerRealmValueCache({
      ...parts,
      name: 'content',
      load: (realmId) => readRealmMarkdownSettings(database, realmId),
    });
  }

  /**
   * Returns the Markdown settings of a realm.
   * @param origin URL origin through which the author reached the server. Links to this origin are treated as internal.
   */
  async get(realmId: number, origin?: string): Promise<RealmMarkdownRenderingSettings> {
    const content = (await this.#cache.get(realmId)) ?? defaultRealmMarkdownSettings;
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
