import { TemplateLimitError } from './template-errors.js';

/**
 * Returns a template error for a RangeError of the JavaScript engine, which the engine throws for too long texts and
 * too deeply nested calls. Returns other errors unchanged.
 */
export function convertRangeErrorForTemplate(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  return new TemplateLimitError('memory', 'The template takes more memory than there is');
}
