export { customEmojiFeatureModule } from './custom-emoji.slice.js';
export { addEmoji, findCustomEmoji, listEmoji } from './custom-emoji.repository.js';
export { listCustomEmojiStorageKeys, createCustomEmojiImageFiles } from './create-emoji-picture.js';
