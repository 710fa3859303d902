import type { ErrorCatalog, ErrorDefinition } from './error-catalog.js';

/**
 * Returns the error catalog as Markdown for `docs/errors`: one second-level heading per error code, in the order of the
 * catalog, with status, message and description. The text ends with a newline.
 */
export function renderErrorCatalogAsMarkdown<C extends Record<string, ErrorDefinition>>(
  catalog: ErrorCatalog<C>,
): string {
  const sections = Object.entries(catalog.definitions).map(([code, { status, message, description }]) =>
    [`## ${code}`, `- Status: ${status}`, `- Message: ${toInlineMarkdownCode(message)}`, '', description].join('\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

/**
 * Returns a text as inline code in Markdown. The delimiter is one backtick longer than the longest run of backticks in
 * the text.
 */
function toInlineMarkdownCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
