import { unicodeEmoji } from './unicode-emoji.js';

/** Path of the list of Unicode emoji that clients load; the number rises with the list. */
export const emojiDataPath = '/static/generated/emoji/emoji_api.1.json';

/** The names of every Unicode emoji by its code; the name that is shown comes first. */
export const emojiData = {
  code_to_names: Object.fromEntries(unicodeEmoji.map(({ code, names }) => [code, names])),
};
