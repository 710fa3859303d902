export { CustomEmojiController } from './custom-emoji.controller.js';
export { customEmojiEvents } from './custom-emoji.events.js';
export { addEmoji, findCustomEmoji, listEmoji, lockEmoji } from './custom-emoji.repository.js';
export { emojiPicture } from './emoji-picture.js';
export { customEmojiSnapshotParts } from './custom-emoji.snapshot.js';
export { ManageEmoji } from './manage-emoji.action.js';
