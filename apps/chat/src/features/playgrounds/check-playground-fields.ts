import { badRequest } from '../../errors.js';
import { parseRequiredText } from '../../infra/http/parse-text-parameters.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { LinkifierError, urlTemplateVariables } from '../../infra/markdown/index.js';
import type { addPlaygroundParameters } from './playgrounds.schemas.js';
import type { WirePlayground } from './wire-playground.js';

const maxNameLength = 100;
const maxLanguageLength = 40;
const maxTemplateLength = 2000;

/**
 * Validates a requested playground (docs/contract/chat.md 2.H).
 *
 * @param others the playgrounds of the realm, because names are unique per language
 * @throws AppError BAD_REQUEST
 */
export function playgroundFields(
  sent: ParametersOf<typeof addPlaygroundParameters>,
  others: readonly WirePlayground[],
): Omit<WirePlayground, 'id'> {
  const language = parseRequiredText('pygments_language', sent.pygments_language, maxLanguageLength);
  if (!/^[ \w+./#-]+$/.test(language)) throw badRequest('Invalid characters in pygments language');
  const name = parseRequiredText('name', sent.name, maxNameLength);
  const urlTemplate = parseRequiredText('url_template', sent.url_template, maxTemplateLength);
  checkTemplate(urlTemplate);
  if (others.some((other) => other.name === name && other.pygments_language === language)) {
    throw badRequest('Realm playground with this Realm, Pygments language and Name already exists.');
  }
  return { name, pygments_language: language, url_template: urlTemplate };
}

function checkTemplate(urlTemplate: string): void {
  const names = new Set(templateVariablesOf(urlTemplate));
  if (!names.has('code')) throw badRequest('Missing the required variable "code" in the URL template');
  if (names.size > 1) throw badRequest('"code" should be the only variable present in the URL template');
}

function templateVariablesOf(urlTemplate: string): string[] {
  try {
    return urlTemplateVariables(urlTemplate);
  } catch (error) {
    if (error instanceof LinkifierError) throw badRequest(error.message);
    throw error;
  }
}
