/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A template whose values are escaped, unless they are HTML already; null and undefined are nothing. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (Html | string | number | null | undefined)[]
): Html {
  return new Html(parts.reduce((text, part, index) => `${text}${shown(values[index - 1])}${part}`));
}

function shown(value: Html | string | number | null | undefined): string {
  if (value instanceof Html) return value.text;
  return String(value ?? '').replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
