import { z } from 'zod';
import { createBadRequestError } from '../../errors.js';
import { externalAccountServicesByKey } from '../../core/realms/index.js';
import { profileFieldTypeNumbers } from './wire-profile-field.js';

const profileFieldChoicesSchema = z.record(
  z.string().regex(/^.{1,50}$/su),
  z.strictObject({ text: z.string().trim().min(1).max(200), order: z.string().regex(/^\d{1,9}$/) }),
);

const customAccountSchema = z.strictObject({ subtype: z.literal('custom'), url_pattern: z.string().max(1000) });

/**
 * Schema of the data of a profile field for an account at a known external service. The data contain only the service's
 * name.
 */
const knownAccountSchema = z.strictObject({
  subtype: z.enum(Object.keys(externalAccountServicesByKey) as (keyof typeof externalAccountServicesByKey)[]),
});

/**
 * Validates the type-specific data of a profile field and returns the data as JSON text. Returns an empty string for
 * field types without specific data (chat-4.9-1).
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function checkProfileFieldData(type: number, sent: Readonly<Record<string, unknown>> | undefined): string {
  if (type === profileFieldTypeNumbers.dropdown) return JSON.stringify(checkFieldChoices(sent ?? {}));
  if (type === profileFieldTypeNumbers.externalAccount) return JSON.stringify(checkExternalAccount(sent ?? {}));
  return '';
}

function checkFieldChoices(sent: Readonly<Record<string, unknown>>): z.infer<typeof profileFieldChoicesSchema> {
  if (Object.keys(sent).length === 0) throw createBadRequestError('Field must have at least one choice.');
  const parsed = profileFieldChoicesSchema.safeParse(sent);
  if (!parsed.success) throw createBadRequestError('Invalid field_data: every choice has a text and an order');
  const texts = Object.values(parsed.data).map(({ text }) => text);
  if (new Set(texts).size !== texts.length) throw createBadRequestError('Field must not have duplicate choices.');
  return parsed.data;
}

function checkExternalAccount(sent: Readonly<Record<string, unknown>>) {
  if (sent['subtype'] !== 'custom') {
    const parsed = knownAccountSchema.safeParse(sent);
    if (!parsed.success) throw createBadRequestError('Invalid external account type');
    return parsed.data;
  }
  const parsed = customAccountSchema.safeParse(sent);
  if (!parsed.success) throw createBadRequestError('Custom external account must define URL pattern');
  const { url_pattern: pattern } = parsed.data;
  if (pattern.split('%(username)s').length !== 2)
    throw createBadRequestError('URL pattern must contain %(username)s once');
  if (!isHttpUrl(pattern.replace('%(username)s', 'username'))) throw createBadRequestError('url_pattern is not a URL');
  return parsed.data;
}

/** Returns true if a text is an http or https URL. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/\S/i.test(text) && URL.canParse(text);
}

/** Returns the keys of the choices of a dropdown profile field. */
export function listChoiceKeys(fieldData: string): string[] {
  return Object.keys(profileFieldChoicesSchema.parse(JSON.parse(fieldData)));
}

/**
 * Returns the default name and hint of a profile field for an account at a known external service. Returns undefined
 * for other fields.
 */
export function parseExternalAccountTexts(type: number, fieldData: string): { name: string; hint: string } | undefined {
  if (type !== profileFieldTypeNumbers.externalAccount) return undefined;
  const { data } = knownAccountSchema.safeParse(JSON.parse(fieldData));
  return data && externalAccountServicesByKey[data.subtype];
}
