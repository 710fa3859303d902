/**
 * Formats a JSON value in Python syntax, as error messages of the reference API do: `{'name': 'x', 'site': None}`.
 * Clients and tests compare these messages.
 */
export function formatAsPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoteForPython(value);
  if (Array.isArray(value)) return `[${value.map(formatAsPython).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, item]) => `${quoteForPython(key)}: ${formatAsPython(item)}`)
      .join(', ')}}`;
  }
  return String(value);
}

function quoteForPython(value: string): string {
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(mark, `\\${mark}`);
  return `${mark}${escaped}${mark}`;
}
