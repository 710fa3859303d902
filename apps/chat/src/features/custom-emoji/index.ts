export { customEmojiSlice } from './custom-emoji.slice.js';
export { addEmoji, findCustomEmoji, listEmoji } from './custom-emoji.repository.js';
export { emojiFiles, emojiPicture } from './create-emoji-picture.js';
