import { unicodeEmoji } from './unicode-emoji.js';

/** URL path of the list of Unicode emoji that clients load. The number in it increases when the list changes. */
export const emojiDataPath = '/static/generated/emoji/emoji_api.1.json';

/** Names of all Unicode emoji by their code. The first name is the one shown. */
export const emojiData = {
  code_to_names: Object.fromEntries(unicodeEmoji.map(({ code, names }) => [code, names])),
};
