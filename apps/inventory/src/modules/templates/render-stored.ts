import { renderTemplate, TemplateError } from '@switchboard/templates';

/** A template as it is stored. */
export interface StoredTemplate {
  readonly code: string;
  readonly environment: unknown;
}

/** What a stored template gives, or what is wrong with it, in words for whoever wrote it. */
export type Rendered = { readonly text: string } | { readonly failure: string };

/** Renders a stored template; lines end as on Unix. */
export function renderStored(
  { code, environment }: StoredTemplate,
  context: Readonly<Record<string, unknown>>,
  { timeoutMs }: { readonly timeoutMs: number },
): Rendered {
  try {
    const parameters = typeof environment === 'object' && environment !== null ? { ...environment } : {};
    const text = renderTemplate(code, context, { environment: parameters, limits: { timeoutMs } });
    return { text: text.replaceAll('\r\n', '\n') };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { failure: `${error.name}: ${error.message}` };
  }
}
