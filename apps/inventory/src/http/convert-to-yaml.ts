import { setImmediate as nextRound } from 'node:timers/promises';

/** Number of characters of YAML after which the event loop runs, because writing an OpenAPI document takes long. */
const yamlCharactersPerTurn = 100_000;

const indentation = '  ';

/** Regular expression of YAML keys that need no quotes, except those that a parser may read as a boolean or null. */
const plainKeyPattern = /^[A-Za-z_$][\w$-]*$/;
const reservedKeyPattern = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/**
 * Returns a JSON value as YAML 1.2 in block style. The event loop runs in between. Texts are quoted as in JSON. Keys
 * that are not identifiers are quoted too.
 */
export async function toYaml(value: object): Promise<string> {
  const lines: string[] = [];
  let written = 0;
  for (const line of yamlLinesOfObject(value, '')) {
    lines.push(line);
    written += line.length;
    if (written < yamlCharactersPerTurn) continue;
    written = 0;
    await nextRound();
  }
  return `${lines.join('\n')}\n`;
}

/** Yields the YAML lines of an object. */
function* yamlLinesOfObject(value: object, indent: string): Generator<string> {
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) yield* yamlLinesOfValue(item, `${indent}${keyText(key)}:`, `${indent}${indentation}`);
  }
}

/** Yields the YAML lines of a value, starting with its key. */
function* yamlLinesOfValue(value: unknown, key: string, indent: string): Generator<string> {
  const inline = inlineYaml(value);
  if (inline !== null) return yield `${key} ${inline}`;
  yield key;
  yield* Array.isArray(value) ? yamlLinesOfList(value, indent) : yamlLinesOfObject(Object(value), indent);
}

/** Yields the YAML lines of a list. The first line of an item follows its dash. */
function* yamlLinesOfList(list: readonly unknown[], indent: string): Generator<string> {
  for (const item of list) {
    const inline = inlineYaml(item);
    if (inline !== null) {
      yield `${indent}- ${inline}`;
      continue;
    }
    const inner = `${indent}${indentation}`;
    let isFirst = true;
    for (const line of Array.isArray(item) ? yamlLinesOfList(item, inner) : yamlLinesOfObject(Object(item), inner)) {
      yield isFirst ? `${indent}- ${line.slice(inner.length)}` : line;
      isFirst = false;
    }
  }
}

/** Returns the YAML of a value that fits on one line, such as a scalar or an empty list; null for other values. */
function inlineYaml(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : null;
  return Object.values(value).every((item) => item === undefined) ? '{}' : null;
}

function keyText(key: string): string {
  return plainKeyPattern.test(key) && !reservedKeyPattern.test(key) ? key : JSON.stringify(key);
}
