import { TemplateLimitError } from './template-errors.js';

/**
 * Returns the error of a template for a RangeError of the JavaScript engine (a text is too long, calls are nested too
 * deep). Returns other errors unchanged.
 */
export function toTemplateError(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  return new TemplateLimitError('memory', 'The template takes more memory than there is');
}
