/** A JSON value as YAML 1.2 in block style. Texts are quoted as in JSON, which YAML reads alike. */
export function toYaml(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]\n';
    return `\n${value.map((item: unknown) => `${indent}- ${nested(item, `${indent}  `)}`).join('')}`;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return '{}\n';
    return `\n${entries.map(([key, item]) => `${indent}${plainKey(key)}:${after(toYaml(item, `${indent}  `))}`).join('')}`;
  }
  return `${JSON.stringify(value)}\n`;
}

/** A value on the line of its key stands one blank away. */
function after(text: string): string {
  return text.startsWith('\n') ? text : ` ${text}`;
}

/** An item of a list begins on the line of its dash. */
function nested(value: unknown, indent: string): string {
  const text = toYaml(value, indent);
  return text.startsWith('\n') ? text.slice(1 + indent.length) : text;
}

function plainKey(key: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(key) ? key : JSON.stringify(key);
}
