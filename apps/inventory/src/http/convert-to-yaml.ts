import { setImmediate as nextRound } from 'node:timers/promises';

/**
 * Number of characters of YAML that are created before the event loop runs other work. Creating the YAML of an OpenAPI
 * document takes a long time.
 */
const yamlCharactersBetweenPauses = 100_000;

const yamlIndentation = '  ';

/**
 * Regular expression of YAML keys that need no quotes. A few matching keys still need quotes, because a YAML parser may
 * read them as a boolean or null.
 */
const unquotedYamlKeyPattern = /^[A-Za-z_$][\w$-]*$/;
const reservedYamlKeyPattern = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/**
 * Returns a JSON value as YAML 1.2 in block style. The event loop runs other work in between. Texts are quoted as in
 * JSON, and keys that are not identifiers are also quoted.
 */
export async function convertJsonToYaml(value: object): Promise<string> {
  const lines: string[] = [];
  let written = 0;
  for (const line of createYamlLinesOfObject(value, '')) {
    lines.push(line);
    written += line.length;
    if (written < yamlCharactersBetweenPauses) continue;
    written = 0;
    await nextRound();
  }
  return `${lines.join('\n')}\n`;
}

/** Yields the YAML lines of a JSON object. */
function* createYamlLinesOfObject(value: object, indent: string): Generator<string> {
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined)
      yield* createYamlLinesOfValue(item, `${indent}${formatYamlKey(key)}:`, `${indent}${yamlIndentation}`);
  }
}

/** Yields the YAML lines of a JSON value, starting with the key of the value. */
function* createYamlLinesOfValue(value: unknown, key: string, indent: string): Generator<string> {
  const inline = convertToSingleLineYaml(value);
  if (inline !== null) return yield `${key} ${inline}`;
  yield key;
  yield* Array.isArray(value) ? createYamlLinesOfList(value, indent) : createYamlLinesOfObject(Object(value), indent);
}

/** Yields the YAML lines of a list. The first line of each item begins after a dash. */
function* createYamlLinesOfList(list: readonly unknown[], indent: string): Generator<string> {
  for (const item of list) {
    const inline = convertToSingleLineYaml(item);
    if (inline !== null) {
      yield `${indent}- ${inline}`;
      continue;
    }
    const inner = `${indent}${yamlIndentation}`;
    let isFirst = true;
    for (const line of Array.isArray(item)
      ? createYamlLinesOfList(item, inner)
      : createYamlLinesOfObject(Object(item), inner)) {
      yield isFirst ? `${indent}- ${line.slice(inner.length)}` : line;
      isFirst = false;
    }
  }
}

/**
 * Returns the YAML of a value that fits on one line, such as a number or an empty list. Returns null for other values.
 */
function convertToSingleLineYaml(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : null;
  return Object.values(value).every((item) => item === undefined) ? '{}' : null;
}

function formatYamlKey(key: string): string {
  return unquotedYamlKeyPattern.test(key) && !reservedYamlKeyPattern.test(key) ? key : JSON.stringify(key);
}
