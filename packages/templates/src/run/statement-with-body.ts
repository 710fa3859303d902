import type { TemplateStatement } from '../language/syntax-tree.js';
import type { TemplateCompositionStatement } from './template-composition.js';

/** A template statement that contains other statements, or runs the statements of another template. */
export type StatementWithBody =
  | Extract<TemplateStatement, { kind: 'if' | 'for' | 'with' | 'capture' | 'filtered' }>
  | TemplateCompositionStatement;

const statementKindsWithBody: ReadonlySet<TemplateStatement['kind']> = new Set<StatementWithBody['kind']>([
  'if',
  'for',
  'with',
  'capture',
  'filtered',
  'include',
  'import',
  'extends',
  'block',
]);

/** Returns true if a template statement contains other statements, or runs those of another template. */
export function isStatementWithBody(statement: TemplateStatement): statement is StatementWithBody {
  return statementKindsWithBody.has(statement.kind);
}
