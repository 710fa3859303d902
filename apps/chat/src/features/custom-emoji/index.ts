export { customEmojiSlice } from './custom-emoji.slice.js';
export { addEmoji, findCustomEmoji, listEmoji } from './custom-emoji.repository.js';
export { listEmojiFiles, createEmojiPicture } from './create-emoji-picture.js';
