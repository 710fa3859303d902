export { emojiUrl } from './realm-content.repository.js';
export { RealmContents } from './realm-contents.js';
