import { allUnicodeEmoji } from './unicode-emoji.js';

/** URL path of the list of Unicode emoji that clients load. The number in the path increases when the list changes. */
export const emojiDataPath = '/static/generated/emoji/emoji_api.1.json';

/** Map from the codes of all Unicode emoji to their names. Clients show the first name. */
export const emojiNamesByCode = {
  code_to_names: Object.fromEntries(allUnicodeEmoji.map(({ code, names }) => [code, names])),
};
