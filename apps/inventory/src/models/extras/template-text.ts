import { checkTemplate, TemplateError } from '@switchboard/templates';
import type { Problems } from '../../engine/declaration/model.js';

/**
 * Returns the syntax errors of templates that are about to be stored, by field (docs/contract/inventory.md 5.1); null
 * when all can be read. They are rendered when there is something to send.
 */
export function checkTemplates(templates: Readonly<Record<string, string | null | undefined>>): Problems | null {
  const wrong = Object.entries(templates).flatMap(([field, template]) => {
    const messages = checkSyntax(template ?? '');
    return messages.length === 0 ? [] : [[field, messages] as const];
  });
  return wrong.length === 0 ? null : Object.fromEntries(wrong);
}

function checkSyntax(template: string): string[] {
  try {
    checkTemplate(template, { limits: { timeoutMs: 500 } });
    return [];
  } catch (error) {
    if (error instanceof TemplateError) return [`Invalid template: ${error.message}`];
    throw error;
  }
}
