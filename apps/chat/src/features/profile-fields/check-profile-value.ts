import { z } from 'zod';
import { badRequest } from '../../errors.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { choiceKeys, isWebAddress } from './check-profile-field-data.js';
import { fieldType, type WireProfileField } from './wire-profile-field.js';

const maxShortLength = 50;
const maxLongLength = 500;
const maxUsers = 1000;
const dateText = z.iso.date();

/**
 * Returns a user's value of a profile field as stored text (chat-4.3 and chat-4.14). Does not check that named users
 * exist.
 *
 * @throws AppError BAD_REQUEST
 */
export function storedProfileValue(field: WireProfileField, sent: string | readonly number[]): string {
  if (field.type === fieldType.users) {
    if (typeof sent === 'string') throw badRequest(`${field.name} is not a list`);
    if (sent.length > maxUsers) throw badRequest(`Invalid ${field.name}`);
    return JSON.stringify([...new Set(sent)]);
  }
  if (typeof sent !== 'string') throw badRequest(`${field.name} is not a string`);
  return checkText(field, sent);
}

function checkText(field: WireProfileField, sent: string): string {
  switch (field.type) {
    case fieldType.dropdown:
      if (choiceKeys(field.field_data).includes(sent)) return sent;
      throw badRequest(`'${sent}' is not a valid choice for '${field.name}'.`);
    case fieldType.date:
      if (dateText.safeParse(sent).success) return sent;
      throw badRequest(`${field.name} is not a date`);
    case fieldType.link:
      if (isWebAddress(sent) && sent.length <= 2000) return sent;
      throw badRequest(`${field.name} is not a URL`);
    default: {
      const limit = field.type === fieldType.paragraph ? maxLongLength : maxShortLength;
      if ([...sent].length <= limit) return sent;
      throw badRequest(`${field.name} is too long (limit: ${limit} characters)`);
    }
  }
}

/** Returns a user's value of a profile field as HTML if the field's type supports Markdown, otherwise null. */
export function renderedProfileValue(renderer: MessageRenderer, field: WireProfileField, value: string): string | null {
  const isMarkdown = field.type === fieldType.shortText || field.type === fieldType.paragraph;
  return isMarkdown ? renderer.renderPlain(value) : null;
}
