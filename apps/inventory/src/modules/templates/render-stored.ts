import { renderTemplate, TemplateError } from '@switchboard/templates';

/** A template as it is stored. */
export interface StoredTemplate {
  readonly code: string;
  readonly environment: unknown;
}

/** Text of a stored template, or the error for its author. */
export type Rendered = { readonly text: string } | { readonly failure: string };

/** The parameters of the environment of a stored template. */
export function environmentOf({ environment }: StoredTemplate): Readonly<Record<string, unknown>> {
  return typeof environment === 'object' && environment !== null ? { ...environment } : {};
}

/** Renders a stored template; lines end as on Unix. */
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
