import { parseYaml } from './parse-yaml.js';

/**
 * Maximum length of a YAML text in characters. Parsing a longer YAML text would delay other requests. JSON is parsed
 * much faster and has no such limit.
 */
const maxYamlLength = 262_144;

/** Maximum nesting depth of a parsed value. Serializing a value with deeper nesting would overflow the stack. */
const maxStoredValueDepth = 100;

/** Value of a JSON or YAML text, or the reason why the text is invalid. */
export type StructuredTextParseResult = { readonly value: unknown } | { readonly error: string };

/**
 * Parses a text as JSON. If the text is not JSON, parses it as YAML 1.1, as the reference API does. Returns only values
 * that the database can store.
 */
export async function parseStructuredText(text: string): Promise<StructuredTextParseResult> {
  const parsed = await parseJsonOrYaml(text);
  const fault = 'error' in parsed ? null : findStorageProblem(parsed.value, maxStoredValueDepth);
  return fault === null ? parsed : { error: fault };
}

async function parseJsonOrYaml(text: string): Promise<StructuredTextParseResult> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    if (text.length > maxYamlLength) return { error: `A YAML file has at most ${maxYamlLength} characters.` };
  }
  const parsed = await parseYaml(text);
  if ('json' in parsed) return { value: JSON.parse(parsed.json) as unknown };
  return { error: `The file is neither JSON nor YAML: ${parsed.error.split('\n')[0] ?? ''}` };
}

/** Returns the reason why the database cannot store a value, or null if it can store the value. */
function findStorageProblem(value: unknown, levels: number): string | null {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed() ? 'The file contains characters that cannot be stored.' : null;
  }
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0) return `The file has more than ${maxStoredValueDepth} levels of nesting.`;
  for (const [key, member] of Object.entries(value)) {
    const fault = findStorageProblem(key, levels) ?? findStorageProblem(member, levels - 1);
    if (fault !== null) return fault;
  }
  return null;
}
