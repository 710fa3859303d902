import { parse } from 'yaml';

/**
 * Maximum length of a YAML text. Parsing a longer text would delay other requests. JSON is parsed much faster and has
 * no such limit.
 */
const maxYamlLength = 262_144;

/**
 * Maximum length of the texts, and number of values, in a parsed YAML text. Each alias repeats what it refers to, so that a
 * short text can stand for a long value.
 */
const maxYamlContent = 1_048_576;

/** Maximum depth of a parsed value. Serializing a deeper value would overflow the stack. */
const deepestNesting = 100;

/** Value of a JSON or YAML text, or the reason why the text is invalid. */
export type ParsedText = { readonly value: unknown } | { readonly error: string };

/**
 * Parses a text as JSON, or else as YAML 1.1, as in the reference API. Returns only values that the database can store.
 */
export function parseStructuredText(text: string): ParsedText {
  const parsed = parseAny(text);
  const fault = 'error' in parsed ? null : faultOf(parsed.value, deepestNesting);
  return fault === null ? parsed : { error: fault };
}

function parseAny(text: string): ParsedText {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    if (text.length > maxYamlLength) return { error: `A YAML file has at most ${maxYamlLength} characters.` };
  }
  try {
    const value: unknown = parse(text, { version: '1.1', maxAliasCount: 100, logLevel: 'error' });
    if (isTooLarge(value))
      return { error: `A YAML file contains at most ${maxYamlContent} characters with its aliases.` };
    return { value: JSON.parse(JSON.stringify(value ?? null)) as unknown };
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : '').split('\n');
    return { error: `The file is neither JSON nor YAML: ${line ?? ''}` };
  }
}

/** Returns true for a value with too many characters and members, also for one that contains itself. */
function isTooLarge(value: unknown): boolean {
  const open = [value];
  for (let left = maxYamlContent; open.length > 0;) {
    const one = open.pop();
    left -= 1 + (typeof one === 'string' ? one.length : 0);
    if (left < 0) return true;
    if (typeof one === 'object' && one !== null) {
      for (const [key, member] of Object.entries(one)) open.push(key, member);
    }
  }
  return false;
}

/** Returns the reason why a value cannot be stored, or null if it can be stored. */
function faultOf(value: unknown, levels: number): string | null {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed() ? 'The file contains characters that cannot be stored.' : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0) return `The file has more than ${deepestNesting} levels of nesting.`;
  for (const [key, member] of Object.entries(value)) {
    const fault = faultOf(key, levels) ?? faultOf(member, levels - 1);
    if (fault !== null) return fault;
  }
  return null;
}
