export { emojiUrlSql, findRealmContent } from './realm-markdown-settings.repository.js';
export { RealmMarkdownSettings } from './realm-markdown-settings.js';
