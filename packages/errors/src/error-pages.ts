import type { ErrorCatalog, ErrorDefinition } from './catalog.js';

/**
 * The catalog as Markdown for `docs/errors`: one second-level heading per code, in the order of the catalog,
 * with status, message and the situation in which it is answered. Ends with a newline.
 */
export function errorPages<C extends Record<string, ErrorDefinition>>(catalog: ErrorCatalog<C>): string {
  const sections = Object.entries(catalog.definitions).map(([code, { status, message, description }]) =>
    [`## ${code}`, `- Status: ${status}`, `- Message: ${inlineCode(message)}`, '', description].join('\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

/** Messages may contain backticks of their own, so the fence is one longer than the longest run inside. */
function inlineCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
