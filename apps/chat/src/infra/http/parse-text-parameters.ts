import { createBadRequestError } from '../../errors.js';

/**
 * Validates and trims a text parameter that must not be empty.
 * @param name Name of the parameter, for the error message.
 * @param maxLength In code points.
 * @throws ApplicationError BAD_REQUEST with the texts of docs/contract/chat.md 1.6 when the text is empty or too long
 */
export function parseRequiredText(name: string, sent: string, maxLength: number): string {
  const text = sent.trim();
  if (text === '') throw createBadRequestError(`${name} cannot be blank`);
  return parseOptionalText(name, text, maxLength);
}

/**
 * Validates and trims a text parameter that may be empty.
 * @throws ApplicationError BAD_REQUEST when the text is too long
 */
export function parseOptionalText(name: string, sent: string, maxLength: number): string {
  const text = sent.trim();
  if ([...text].length > maxLength) throw createBadRequestError(`${name} is too long (limit: ${maxLength} characters)`);
  return text;
}
