import type { UserReference } from '../../access/find-users.js';
import { createBadRequestError } from '../../../errors.js';

/** Reference to a channel in a request of a sender: the channel's id or name. */
export type ChannelReference = { readonly id: number } | { readonly name: string };

/** Returns true if a message type in a request means a channel message. */
export function isChannelMessageType(type: string): boolean {
  return type === 'channel' || type === 'stream';
}

/** Parses decimal digits as a number. Returns null for any other text, such as the name of a channel. */
export function parseDecimalDigits(name: string): number | null {
  return /^\d{1,15}$/.test(name) ? Number(name) : null;
}

/**
 * Parses the parameter `to` of a channel message. The value is a channel id or name, as JSON or plain text, or a list
 * with exactly one id or name (docs/contract/chat.md 5.2).
 * @throws ApplicationError BAD_REQUEST
 */
export function parseChannelReference(to: string): ChannelReference {
  const sent = parseJsonOrText(to);
  if (Array.isArray(sent) && sent.length > 1) throw createBadRequestError('Cannot send to multiple channels');
  const target: unknown = Array.isArray(sent) ? sent[0] : sent;
  if (typeof target === 'number' && Number.isSafeInteger(target)) return { id: target };
  if (typeof target !== 'string') throw createBadRequestError('Invalid data type for channel');
  const name = target.trim();
  if (name === '') throw createBadRequestError('Missing channel');
  return { name };
}

/**
 * Parses the parameter `to` of a direct message. The value contains user ids or email addresses: as a JSON list, as a
 * single value, or as text separated by commas.
 * @throws ApplicationError BAD_REQUEST
 */
export function parseUserReferences(to: string): UserReference[] {
  const sent = parseJsonOrText(to);
  const list: unknown[] = Array.isArray(sent) ? sent : typeof sent === 'string' ? sent.split(',') : [sent];
  if (list.length > maxDirectMessageRecipients)
    throw createBadRequestError(`to is too long (limit: ${maxDirectMessageRecipients} items)`);
  const references = list.map((item) => {
    if (typeof item === 'number' && Number.isSafeInteger(item)) return item;
    if (typeof item !== 'string') throw createBadRequestError('Invalid data type for recipients');
    const text = item.trim();
    return /^\d{1,15}$/.test(text) ? Number(text) : text;
  });
  const named = references.filter((reference) => reference !== '');
  if (named.length === 0) throw createBadRequestError('Message must have recipients');
  return [...new Set(named)];
}

/**
 * Maximum number of recipients of a direct message. Each recipient receives the names of all other recipients with
 * every message.
 */
export const maxDirectMessageRecipients = 500;

const jsonStartPattern = /^\s*[[{"\d-]|^\s*(?:null|true|false)\s*$/;

/** Parses a text as JSON. Returns the unchanged text if it is not JSON, because clients send both forms. */
function parseJsonOrText(text: string): unknown {
  // Names are the usual case, and creating an error with its stack is comparatively expensive.
  if (!jsonStartPattern.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
