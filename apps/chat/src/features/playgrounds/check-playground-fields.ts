import { createBadRequestError } from '../../errors.js';
import { parseRequiredText } from '../../infra/http/parse-text-parameters.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { LinkifierError, listUrlTemplateVariables } from '../../infra/markdown/index.js';
import type { addPlaygroundParameters } from './playgrounds.schemas.js';
import type { WirePlayground } from './wire-playground.js';

const maxPlaygroundNameLength = 100;
const maxPlaygroundLanguageLength = 40;
const maxPlaygroundTemplateLength = 2000;

/**
 * Validates a code playground to be added, and returns the playground's fields (docs/contract/chat.md 2.H).
 *
 * @param others existing playgrounds of the realm; playground names must be unique per language
 * @throws ApplicationError BAD_REQUEST
 */
export function validatePlaygroundFields(
  sent: DecodedParametersOfDefinition<typeof addPlaygroundParameters>,
  others: readonly WirePlayground[],
): Omit<WirePlayground, 'id'> {
  const language = parseRequiredText('pygments_language', sent.pygments_language, maxPlaygroundLanguageLength);
  if (!/^[ \w+./#-]+$/.test(language)) throw createBadRequestError('Invalid characters in pygments language');
  const name = parseRequiredText('name', sent.name, maxPlaygroundNameLength);
  const urlTemplate = parseRequiredText('url_template', sent.url_template, maxPlaygroundTemplateLength);
  checkTemplate(urlTemplate);
  if (others.some((other) => other.name === name && other.pygments_language === language)) {
    throw createBadRequestError('Realm playground with this Realm, Pygments language and Name already exists.');
  }
  return { name, pygments_language: language, url_template: urlTemplate };
}

function checkTemplate(urlTemplate: string): void {
  const names = new Set(listTemplateVariables(urlTemplate));
  if (!names.has('code')) throw createBadRequestError('Missing the required variable "code" in the URL template');
  if (names.size > 1) throw createBadRequestError('"code" should be the only variable present in the URL template');
}

function listTemplateVariables(urlTemplate: string): string[] {
  try {
    return listUrlTemplateVariables(urlTemplate);
  } catch (error) {
    if (error instanceof LinkifierError) throw createBadRequestError(error.message);
    throw error;
  }
}
