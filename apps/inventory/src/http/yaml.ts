import { setImmediate as nextRound } from 'node:timers/promises';
import { Document, isScalar, visit } from 'yaml';

/**
 * Number of top levels of a JSON value whose entries are written one by one. In an OpenAPI document these are the
 * levels above the methods of a path and above the properties of a schema.
 */
const DIVIDED_LEVELS = 4;

const yamlIndentation = '  ';

/**
 * Returns a JSON value as YAML 1.2 in block style. The event loop runs between entries, because writing an OpenAPI
 * document takes seconds. Texts are quoted as in JSON. Keys that are not identifiers are quoted too.
 */
export async function toYaml(value: object): Promise<string> {
  const parts: string[] = [];
  for (const part of yamlPartsOf(value, 0)) {
    parts.push(part);
    await nextRound();
  }
  return parts.join('');
}

function* yamlPartsOf(value: object, level: number): Generator<string> {
  const indent = yamlIndentation.repeat(level);
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    if (isWrittenByEntry(item, level)) {
      // Writes the key without `{}`; its content follows.
      yield `${indent}${yamlTextOf({ [key]: {} }).slice(0, -' {}\n'.length)}\n`;
      yield* yamlPartsOf(item, level + 1);
    } else {
      yield yamlTextOf({ [key]: item }).replaceAll(/(?<=^|\n)(?=.)/g, indent);
    }
  }
}

function isWrittenByEntry(item: unknown, level: number): item is object {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item);
  return isObject && level + 1 < DIVIDED_LEVELS && Object.keys(item).length > 0;
}

function yamlTextOf(value: object): string {
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
