export { emojiUrlSql, readRealmMarkdownSettings } from './realm-markdown-settings.repository.js';
export { RealmMarkdownSettingsCache } from './realm-markdown-settings.js';
