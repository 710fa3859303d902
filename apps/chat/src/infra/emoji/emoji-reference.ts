import { createBadRequestError } from '../../errors.js';
import { findUnicodeEmojiByCode, findUnicodeEmojiByName } from './unicode-emoji.js';

/** Names of the emoji types in the database and the API (chat-4.10-1, docs/contract/chat.md 0.6). */
const emojiTypesByApiName = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;

export type EmojiTypeName = (typeof emojiTypesByApiName)[number];

/** A stored emoji: code, type, and the name that the user chose for the emoji. */
export interface EmojiReference {
  readonly emojiName: string;
  readonly emojiCode: string;
  readonly reactionType: EmojiTypeName;
}

/** Name, code and type of an emoji in a client's request. */
export interface EmojiParameters {
  readonly emoji_name: string;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: string | undefined;
}

/** A custom emoji of a realm, with the properties that determine whether clients may use the emoji. */
export interface CustomEmojiRecord {
  readonly id: string;
  readonly name: string;
  readonly deactivated: boolean;
}

/** Name, and also code, of the only emoji of the type `zulip_extra_emoji`. */
const zulipExtraEmoji = 'zulip';

const emojiNamePattern = /^[\p{L}\p{N}+_.-]{1,100}$/u;

/**
 * Converts a name of an emoji type in the API to the stored name.
 *
 * @throws ApplicationError BAD_REQUEST `Invalid emoji type.`
 */
export function parseEmojiTypeName(sent: string): EmojiTypeName {
  const name = sent === 'service_extra_emoji' ? 'zulip_extra_emoji' : sent;
  const type = emojiTypesByApiName.find((known) => known === name);
  if (type === undefined) throw createBadRequestError('Invalid emoji type.');
  return type;
}

/**
 * Returns the emoji with the given name, or undefined if no emoji has the name. Custom emoji of the realm take
 * precedence.
 */
export function findEmojiByReference(
  name: string,
  custom: readonly CustomEmojiRecord[] = [],
): EmojiReference | undefined {
  const own = custom.find((emoji) => emoji.name === name && !emoji.deactivated);
  if (own !== undefined) return { emojiName: name, emojiCode: own.id, reactionType: 'realm_emoji' };
  if (name === zulipExtraEmoji)
    return { emojiName: name, emojiCode: zulipExtraEmoji, reactionType: 'zulip_extra_emoji' };
  const emoji = findUnicodeEmojiByName(name);
  return emoji && { emojiName: name, emojiCode: emoji.code, reactionType: 'unicode_emoji' };
}

/**
 * Completes the emoji that a client sent, with code and type found by its name.
 *
 * @param custom Custom emoji of the realm that the name or the code may refer to.
 * @throws ApplicationError BAD_REQUEST for an unknown name if a code or type is missing, or for an unknown type
 */
export function completeEmojiReference(sent: EmojiParameters, custom: readonly CustomEmojiRecord[]): EmojiReference {
  const type = sent.reaction_type === undefined ? undefined : parseEmojiTypeName(sent.reaction_type);
  if (sent.emoji_code !== undefined && type !== undefined) {
    return { emojiName: sent.emoji_name, emojiCode: sent.emoji_code, reactionType: type };
  }
  const named = findEmojiByReference(sent.emoji_name, type === undefined || type === 'realm_emoji' ? custom : []);
  if (named === undefined) throw createBadRequestError(`Emoji '${sent.emoji_name}' does not exist`);
  return {
    emojiName: sent.emoji_name,
    emojiCode: sent.emoji_code ?? named.emojiCode,
    reactionType: type ?? named.reactionType,
  };
}

/**
 * Checks that an emoji exists. Clients use different names for some emoji. A name is therefore valid unless the name
 * belongs to another emoji.
 * @throws ApplicationError BAD_REQUEST, such as `Invalid emoji code.`, `Invalid emoji name.` or `Invalid custom emoji.`
 */
export function checkEmojiReference(emoji: EmojiReference, custom: readonly CustomEmojiRecord[]): void {
  const { emojiName, emojiCode, reactionType } = emoji;
  if (reactionType === 'realm_emoji') {
    checkCustomEmoji(emoji, custom);
    return;
  }
  if (!isEmojiCode(emojiCode, reactionType)) throw createBadRequestError('Invalid emoji code.');
  const named = findEmojiByReference(emojiName);
  const isOthers = named !== undefined && (named.emojiCode !== emojiCode || named.reactionType !== reactionType);
  if (isOthers || !emojiNamePattern.test(emojiName)) throw createBadRequestError('Invalid emoji name.');
}

function checkCustomEmoji({ emojiName, emojiCode }: EmojiReference, custom: readonly CustomEmojiRecord[]): void {
  const own = custom.find(({ id }) => id === emojiCode);
  if (own === undefined) throw createBadRequestError('Invalid custom emoji.');
  if (own.deactivated) throw createBadRequestError('This custom emoji has been deactivated.');
  if (own.name !== emojiName) throw createBadRequestError('Invalid custom emoji name.');
}

/** Returns true if a text is a valid code for an emoji of the given type. Codes of custom emoji are ids. */
export function isEmojiCode(code: string, type: EmojiTypeName): boolean {
  if (type === 'realm_emoji') return /^\d{1,15}$/.test(code);
  return type === 'unicode_emoji' ? findUnicodeEmojiByCode(code) !== undefined : code === zulipExtraEmoji;
}
