import { checkTemplate, TemplateError } from '@switchboard/templates';
import type { Problems } from '../../engine/declaration/model.js';

/** What is wrong with a template that is about to be stored, under its field (contract 5.1); null when it can be read. */
export function checkTemplateText(field: string, template: string | null | undefined): Problems | null {
  try {
    checkTemplate(template ?? '');
    return null;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { [field]: [`Invalid template: ${error.message}`] };
  }
}
