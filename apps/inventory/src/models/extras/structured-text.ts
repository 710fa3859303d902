import { parse } from 'yaml';

/** Maximum length of a YAML text. A longer one would delay other requests. JSON is parsed much faster. */
const maxYamlLength = 262_144;

/** Value of a JSON or YAML text, or a message why it has none. */
export type ParsedText = { readonly value: unknown } | { readonly error: string };

/** Parses a text as JSON, or else as YAML 1.1, as in the reference API. The value is one that JSON can express. */
export function parseStructuredText(text: string): ParsedText {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    if (text.length > maxYamlLength) return { error: `A YAML file has at most ${maxYamlLength} characters.` };
  }
  try {
    const value: unknown = parse(text, { version: '1.1', maxAliasCount: 100, logLevel: 'error' });
    return { value: JSON.parse(JSON.stringify(value ?? null)) as unknown };
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : '').split('\n');
    return { error: `The file is neither JSON nor YAML: ${line ?? ''}` };
  }
}
