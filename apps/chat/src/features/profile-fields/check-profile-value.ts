import { z } from 'zod';
import { createBadRequestError } from '../../errors.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { listChoiceKeys, isHttpUrl } from './check-profile-field-data.js';
import { profileFieldTypeNumbers, type WireProfileField } from './wire-profile-field.js';

const maxShortTextLength = 50;
const maxLongTextLength = 500;
const maxUsersInProfileValue = 1000;
const dateTextSchema = z.iso.date();

/**
 * Validates a user's value of a profile field and converts the value to the stored text (chat-4.3 and chat-4.14). Does
 * not check that users in the value exist.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function toStoredProfileValue(field: WireProfileField, sent: string | readonly number[]): string {
  if (field.type === profileFieldTypeNumbers.users) {
    if (typeof sent === 'string') throw createBadRequestError(`${field.name} is not a list`);
    if (sent.length > maxUsersInProfileValue) throw createBadRequestError(`Invalid ${field.name}`);
    return JSON.stringify([...new Set(sent)]);
  }
  if (typeof sent !== 'string') throw createBadRequestError(`${field.name} is not a string`);
  return checkProfileText(field, sent);
}

function checkProfileText(field: WireProfileField, sent: string): string {
  switch (field.type) {
    case profileFieldTypeNumbers.dropdown:
      if (listChoiceKeys(field.field_data).includes(sent)) return sent;
      throw createBadRequestError(`'${sent}' is not a valid choice for '${field.name}'.`);
    case profileFieldTypeNumbers.date:
      if (dateTextSchema.safeParse(sent).success) return sent;
      throw createBadRequestError(`${field.name} is not a date`);
    case profileFieldTypeNumbers.link:
      if (isHttpUrl(sent) && sent.length <= 2000) return sent;
      throw createBadRequestError(`${field.name} is not a URL`);
    default: {
      const limit = field.type === profileFieldTypeNumbers.paragraph ? maxLongTextLength : maxShortTextLength;
      if ([...sent].length <= limit) return sent;
      throw createBadRequestError(`${field.name} is too long (limit: ${limit} characters)`);
    }
  }
}

/** Returns a user's value of a profile field as HTML if the field's type supports Markdown, otherwise null. */
export function toRenderedProfileValue(
  renderer: MessageRenderer,
  field: WireProfileField,
  value: string,
): string | null {
  const isMarkdown =
    field.type === profileFieldTypeNumbers.shortText || field.type === profileFieldTypeNumbers.paragraph;
  return isMarkdown ? renderer.renderPlain(value) : null;
}
