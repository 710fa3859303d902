import { badRequest } from '../../errors.js';
import { findEmojiByCode, findEmojiByName } from './unicode-emoji.js';

/** The kinds of emoji as they are stored and told (chat-4.10-1, docs/contract/chat.md 0.6). */
const reactionTypes = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;

export type ReactionType = (typeof reactionTypes)[number];

/** An emoji as it is stored: which one, and by which of its names. */
export interface EmojiReference {
  readonly emojiName: string;
  readonly emojiCode: string;
  readonly reactionType: ReactionType;
}

/** An emoji as a client names it. */
export interface EmojiParameters {
  readonly emoji_name: string;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: string | undefined;
}

/** An emoji of a realm's own, as far as it matters for what a client may name. */
export interface CustomEmojiRecord {
  readonly id: string;
  readonly name: string;
  readonly deactivated: boolean;
}

/** The one special emoji there is. */
const extraEmoji = 'zulip';

const nameStyle = /^[\p{L}\p{N}+_.-]{1,100}$/u;

/**
 * The stored name of a kind of emoji, for any of its names on the wire.
 *
 * @throws AppError BAD_REQUEST `Invalid emoji type.`
 */
export function reactionTypeOf(sent: string): ReactionType {
  const name = sent === 'service_extra_emoji' ? 'zulip_extra_emoji' : sent;
  const type = reactionTypes.find((known) => known === name);
  if (type === undefined) throw badRequest('Invalid emoji type.');
  return type;
}

/**
 * The emoji that a name alone stands for; undefined for a name that nobody gave one. A realm's own goes before others
 * of its name.
 */
export function findEmoji(name: string, custom: readonly CustomEmojiRecord[] = []): EmojiReference | undefined {
  const own = custom.find((emoji) => emoji.name === name && !emoji.deactivated);
  if (own !== undefined) return { emojiName: name, emojiCode: own.id, reactionType: 'realm_emoji' };
  if (name === extraEmoji) return { emojiName: name, emojiCode: extraEmoji, reactionType: 'zulip_extra_emoji' };
  const emoji = findEmojiByName(name);
  return emoji && { emojiName: name, emojiCode: emoji.code, reactionType: 'unicode_emoji' };
}

/**
 * Completes what a client says of an emoji from its name.
 *
 * @param custom Emoji of the realm's own that the name or the code may mean.
 * @throws AppError BAD_REQUEST for a name that stands for none where it has to say which it is, or an unknown type
 */
export function completeEmoji(sent: EmojiParameters, custom: readonly CustomEmojiRecord[]): EmojiReference {
  const type = sent.reaction_type === undefined ? undefined : reactionTypeOf(sent.reaction_type);
  if (sent.emoji_code !== undefined && type !== undefined) {
    return { emojiName: sent.emoji_name, emojiCode: sent.emoji_code, reactionType: type };
  }
  const named = findEmoji(sent.emoji_name, type === undefined || type === 'realm_emoji' ? custom : []);
  if (named === undefined) throw badRequest(`Emoji '${sent.emoji_name}' does not exist`);
  return {
    emojiName: sent.emoji_name,
    emojiCode: sent.emoji_code ?? named.emojiCode,
    reactionType: type ?? named.reactionType,
  };
}

/**
 * Checks that there is such an emoji. Clients call some by names of their own, so any name goes that is not another
 * emoji's.
 *
 * @throws AppError BAD_REQUEST `Invalid emoji code.`, `Invalid emoji name.`, `Invalid custom emoji.` and its like
 */
export function checkEmoji(emoji: EmojiReference, custom: readonly CustomEmojiRecord[]): void {
  const { emojiName, emojiCode, reactionType } = emoji;
  if (reactionType === 'realm_emoji') {
    checkCustomEmoji(emoji, custom);
    return;
  }
  if (!isEmojiCode(emojiCode, reactionType)) throw badRequest('Invalid emoji code.');
  const named = findEmoji(emojiName);
  const isOthers = named !== undefined && (named.emojiCode !== emojiCode || named.reactionType !== reactionType);
  if (isOthers || !nameStyle.test(emojiName)) throw badRequest('Invalid emoji name.');
}

function checkCustomEmoji({ emojiName, emojiCode }: EmojiReference, custom: readonly CustomEmojiRecord[]): void {
  const own = custom.find(({ id }) => id === emojiCode);
  if (own === undefined) throw badRequest('Invalid custom emoji.');
  if (own.deactivated) throw badRequest('This custom emoji has been deactivated.');
  if (own.name !== emojiName) throw badRequest('Invalid custom emoji name.');
}

/** Whether a code could stand for an emoji of a kind; of custom ones it is an id. */
export function isEmojiCode(code: string, type: ReactionType): boolean {
  if (type === 'realm_emoji') return /^\d{1,15}$/.test(code);
  return type === 'unicode_emoji' ? findEmojiByCode(code) !== undefined : code === extraEmoji;
}
