import { setImmediate as nextRound } from 'node:timers/promises';
import { Document, isScalar, visit } from 'yaml';

/**
 * Number of levels of a JSON value whose entries are written one by one: those above the methods of a path and above
 * the properties of a schema in an OpenAPI document.
 */
const DIVIDED_LEVELS = 4;

const indentation = '  ';

/**
 * Returns a JSON value as YAML 1.2 in block style. The event loop runs in between, because an OpenAPI document takes
 * seconds. Texts are quoted as in JSON, and so are keys that are no identifiers.
 */
export async function toYaml(value: object): Promise<string> {
  const parts: string[] = [];
  for (const part of partsOf(value, 0)) {
    parts.push(part);
    await nextRound();
  }
  return parts.join('');
}

function* partsOf(value: object, level: number): Generator<string> {
  const indent = indentation.repeat(level);
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (isDivided(item, level)) {
      // Writes the key without `{}`; its content follows.
      yield `${indent}${textOf({ [key]: {} }).slice(0, -' {}\n'.length)}\n`;
      yield* partsOf(item, level + 1);
    } else {
      yield textOf({ [key]: item }).replaceAll(/(?<=^|\n)(?=.)/g, indent);
    }
  }
}

function isDivided(item: unknown, level: number): item is object {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
  return isObject && level + 1 < DIVIDED_LEVELS && Object.keys(item).length > 0;
}

function textOf(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Pair: (_position, { key }) => {
      if (isScalar(key) && !/^[A-Za-z_$][\w$-]*$/.test(String(key.value))) key.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({
    defaultKeyType: 'PLAIN',
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedAsJSON: true,
    lineWidth: 0,
  });
}
