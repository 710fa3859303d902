/** Text that is already HTML, so that {@link renderHtml} does not escape it. */
export class SafeHtml {
  constructor(readonly text: string) {}
}

const htmlEscapeByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Template tag that creates HTML. Inserted values are escaped unless they are {@link SafeHtml}; null and undefined
 * become empty strings.
 */
export function renderHtml(
  parts: TemplateStringsArray,
  ...values: readonly (SafeHtml | string | number | null | undefined)[]
): SafeHtml {
  return new SafeHtml(parts.reduce((text, part, index) => `${text}${escapeHtmlValue(values[index - 1])}${part}`));
}

function escapeHtmlValue(value: SafeHtml | string | number | null | undefined): string {
  if (value instanceof SafeHtml) return value.text;
  return String(value ?? '').replaceAll(/[&<>"']/g, (character) => htmlEscapeByCharacter[character] ?? '');
}
