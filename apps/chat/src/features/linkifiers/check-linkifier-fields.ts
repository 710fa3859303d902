import { createBadRequestError } from '../../errors.js';
import { parseRequiredText, parseOptionalText } from '../../infra/http/parse-text-parameters.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { compileLinkifier, LinkifierError, findLinksOfLinkifier } from '../../infra/markdown/index.js';
import type { addLinkifierParameters } from './linkifiers.schemas.js';
import type { WireLinkifier } from './wire-linkifier.js';

/** Pattern, URL template and other fields of a linkifier in their stored form. Absent fields are null or empty. */
export interface LinkifierFields {
  readonly pattern: string;
  readonly urlTemplate: string;
  readonly exampleInput: string | null;
  readonly reverseTemplate: string | null;
  readonly alternativeUrlTemplates: readonly string[];
}

const maxLinkifierPatternLength = 1000;
const maxLinkifierTemplateLength = 2000;
const maxLinkifierExampleLength = 1000;
const maxAlternativeTemplates = 10;

/**
 * Validates a requested linkifier (docs/contract/chat.md 2.H).
 *
 * @param others the other linkifiers of the realm, because patterns are unique
 * @throws ApplicationError BAD_REQUEST
 */
export function validateLinkifierFields(
  sent: DecodedParametersOfDefinition<typeof addLinkifierParameters>,
  others: readonly WireLinkifier[],
): LinkifierFields {
  const pattern = parseRequiredText('pattern', sent.pattern, maxLinkifierPatternLength);
  const urlTemplate = parseRequiredText('url_template', sent.url_template, maxLinkifierTemplateLength);
  const alternatives = (sent.alternative_url_templates ?? []).map((template, index) =>
    parseRequiredText(`alternative_url_templates[${index}]`, template, maxLinkifierTemplateLength),
  );
  if (alternatives.length > maxAlternativeTemplates) {
    throw createBadRequestError(`alternative_url_templates is too long (limit: ${maxAlternativeTemplates} items)`);
  }
  const fields = {
    pattern,
    urlTemplate,
    exampleInput: parseOptionalText('example_input', sent.example_input ?? '', maxLinkifierExampleLength) || null,
    reverseTemplate:
      parseOptionalText('reverse_template', sent.reverse_template ?? '', maxLinkifierTemplateLength) || null,
    alternativeUrlTemplates: alternatives,
  };
  checkPatternAndTemplates(fields);
  if (others.some((other) => other.pattern === pattern)) {
    throw createBadRequestError('A linkifier with this pattern already exists.');
  }
  return fields;
}

function checkPatternAndTemplates(fields: LinkifierFields): void {
  try {
    const linkifier = compileLinkifier(fields.pattern, fields.urlTemplate);
    for (const template of fields.alternativeUrlTemplates) compileLinkifier(fields.pattern, template);
    checkExampleInput(fields.exampleInput, linkifier);
    checkReverseTemplate(fields.reverseTemplate, linkifier.groups);
  } catch (error) {
    if (error instanceof LinkifierError) throw createBadRequestError(error.message);
    throw error;
  }
}

function checkExampleInput(example: string | null, linkifier: Parameters<typeof findLinksOfLinkifier>[0]): void {
  if (example === null) return;
  const [found] = findLinksOfLinkifier(linkifier, example);
  if (found?.start !== 0 || found.end !== example.length)
    throw createBadRequestError('Example input does not match the pattern.');
}

function checkReverseTemplate(template: string | null, groups: readonly string[]): void {
  if (template === null) return;
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const isValid = groups.every((group) => names.includes(group)) && names.every((name) => groups.includes(name));
  if (!isValid) throw createBadRequestError('Invalid reverse template.');
}
