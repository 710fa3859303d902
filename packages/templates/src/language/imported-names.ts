import { TemplateSyntaxError } from '../template-errors.js';
import type { TokenStream } from './token-stream.js';

/**
 * Parses the names that the tag `from … import` imports. Returns each imported name with the name of the variable that
 * receives its value.
 */
export function parseImportedNames(stream: TokenStream): readonly (readonly [name: string, variable: string])[] {
  const names: (readonly [string, string])[] = [];
  while (!stream.isAtEnd && !isContextClause(stream)) {
    if (names.length > 0) {
      stream.expectOperator(',');
      if (stream.isAtEnd || isContextClause(stream)) break;
    }
    const { line } = stream.current;
    const name = stream.expectName();
    if (name.startsWith('_')) {
      throw new TemplateSyntaxError('names starting with an underline can not be imported', line);
    }
    names.push([name, stream.skipName('as') ? stream.expectName() : name]);
  }
  if (names.length === 0) throw stream.unexpectedTokenError('expected a name');
  return names;
}

function isContextClause(stream: TokenStream): boolean {
  const next = stream.tokenAhead(1);
  return stream.isName('with', 'without') && next.kind === 'name' && next.text === 'context';
}
