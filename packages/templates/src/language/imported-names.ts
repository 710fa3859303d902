import { TemplateSyntaxError } from '../template-errors.js';
import type { TemplateTokenReader } from './token-stream.js';

/**
 * Parses the names that the tag `from … import` imports. Returns each imported name with the name of the variable that
 * receives its value.
 */
export function parseImportedTemplateNames(
  stream: TemplateTokenReader,
): readonly (readonly [name: string, variable: string])[] {
  const names: (readonly [string, string])[] = [];
  while (!stream.isAtEnd && !isImportContextClause(stream)) {
    if (names.length > 0) {
      stream.requireOperator(',');
      if (stream.isAtEnd || isImportContextClause(stream)) break;
    }
    const { line } = stream.nextToken;
    const name = stream.requireName();
    if (name.startsWith('_')) {
      throw new TemplateSyntaxError('names starting with an underline can not be imported', line);
    }
    names.push([name, stream.skipName('as') ? stream.requireName() : name]);
  }
  if (names.length === 0) throw stream.createUnexpectedTokenError('expected a name');
  return names;
}

function isImportContextClause(stream: TemplateTokenReader): boolean {
  const next = stream.getTokenAhead(1);
  return stream.isNextTokenName('with', 'without') && next.kind === 'name' && next.text === 'context';
}
