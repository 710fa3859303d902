import { checkTemplate, TemplateError } from '@switchboard/templates';
import type { ValidationMessagesByField } from '../../engine/declaration/define-model.js';

/**
 * Returns the syntax errors of templates, by the name of the field that contains the template
 * (docs/contract/inventory.md 5.1). Returns null without errors. The templates are parsed before they are stored, but
 * not rendered.
 */
export function listTemplateSyntaxErrors(
  templates: Readonly<Record<string, string | null | undefined>>,
): ValidationMessagesByField | null {
  const wrong = Object.entries(templates).flatMap(([field, template]) => {
    const messages = checkTemplateSyntax(template ?? '');
    return messages.length === 0 ? [] : [[field, messages] as const];
  });
  return wrong.length === 0 ? null : Object.fromEntries(wrong);
}

function checkTemplateSyntax(template: string): string[] {
  try {
    checkTemplate(template, { limits: { timeoutMs: 500 } });
    return [];
  } catch (error) {
    if (error instanceof TemplateError) return [`Invalid template: ${error.message}`];
    throw error;
  }
}
