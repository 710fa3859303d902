import { renderTemplate, TemplateError } from '@switchboard/templates';

/** Columns of a stored template: its code and the parameters of its Jinja environment. */
export interface StoredTemplate {
  readonly code: string;
  readonly environment: unknown;
}

/** Text of a rendered template, or an error message for its author. */
export type Rendered = { readonly text: string } | { readonly failure: string };

/** Returns the Jinja environment parameters of a stored template; empty unless they are an object. */
export function environmentOf({ environment }: StoredTemplate): Readonly<Record<string, unknown>> {
  return typeof environment === 'object' && environment !== null ? { ...environment } : {};
}

/** Renders a stored template. Line breaks in the text become LF. */
export function renderStored(
  template: StoredTemplate,
  context: Readonly<Record<string, unknown>>,
  { timeoutMs }: { readonly timeoutMs: number },
): Rendered {
  try {
    const environment = environmentOf(template);
    const text = renderTemplate(template.code, context, { environment, limits: { timeoutMs } });
    return { text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { failure: `${error.name}: ${error.message}` };
  }
}
