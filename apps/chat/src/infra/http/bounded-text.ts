import { badRequest } from '../../errors.js';

/**
 * A text that a client sent, without the spaces around it.
 *
 * @param name Of the parameter, for the refusal.
 * @param maxLength In code points.
 * @throws AppError BAD_REQUEST with the texts of docs/contract/chat.md 1.6 when it is empty or too long
 */
export function boundedText(name: string, sent: string, maxLength: number): string {
  const text = sent.trim();
  if (text === '') throw badRequest(`${name} cannot be blank`);
  return shortText(name, text, maxLength);
}

/**
 * Schema of a text that may be empty.
 * @throws AppError BAD_REQUEST
 */
export function shortText(name: string, sent: string, maxLength: number): string {
  const text = sent.trim();
  if ([...text].length > maxLength) throw badRequest(`${name} is too long (limit: ${maxLength} characters)`);
  return text;
}
