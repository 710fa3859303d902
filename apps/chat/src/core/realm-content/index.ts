export { emojiUrl } from './realm-content.repository.js';
export { RealmMarkdownSettings } from './realm-markdown-settings.js';
