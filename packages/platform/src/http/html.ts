/** Text that is HTML already and must not be escaped. */
export class Html {
  constructor(readonly text: string) {}
}

const escapeByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Template tag for HTML. Values are escaped unless they are {@link Html}; null and undefined become empty. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (Html | string | number | null | undefined)[]
): Html {
  return new Html(parts.reduce((text, part, index) => `${text}${escapeHtmlValue(values[index - 1])}${part}`));
}

function escapeHtmlValue(value: Html | string | number | null | undefined): string {
  if (value instanceof Html) return value.text;
  return String(value ?? '').replaceAll(/[&<>"']/g, (character) => escapeByCharacter[character] ?? '');
}
