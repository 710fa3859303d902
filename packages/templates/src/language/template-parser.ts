import type { TemplateBudget } from '../template-budget.js';
import { TemplateSyntaxError } from '../template-errors.js';
import type { TemplateSyntax } from './template-syntax.js';
import { ExpressionParser } from './expression-parser.js';
import { splitIntoSegments, type TemplateSegment } from './split-into-segments.js';
import { parseImportedNames } from './imported-names.js';
import type {
  BlockNode,
  ConditionalBranch,
  TemplateExpression,
  FilterNode,
  MacroNode,
  MacroParameter,
  ParsedTemplate,
  TemplateStatement,
  AssignmentTarget,
} from './syntax-tree.js';
import { TokenStream } from './token-stream.js';

/**
 * Parses the text of a template and returns its syntax tree.
 *
 * @throws TemplateSyntaxError for an invalid template
 */
export function parseTemplate(template: string, syntax: TemplateSyntax, budget: TemplateBudget): ParsedTemplate {
  return new TemplateParser(splitIntoSegments(template, syntax, budget), budget).parseTemplate();
}

/** Start of a template tag: its first word, and the stream with the remaining tokens. */
interface TagHead {
  readonly word: string;
  readonly line: number;
  readonly stream: TokenStream;
  readonly expressions: ExpressionParser;
}

class TemplateParser {
  readonly #blocks = new Map<string, BlockNode>();
  #fileStatement: ParsedTemplate['fileStatement'] = null;
  #position = 0;
  #loopDepth = 0;
  /** Number of statements that enclose the next statement, without `if` statements. */
  #level = 0;

  constructor(
    private readonly segments: readonly TemplateSegment[],
    private readonly budget: TemplateBudget,
  ) {}

  parseTemplate(): ParsedTemplate {
    const { body, end } = this.#parseBody([]);
    if (end !== null) throw new TemplateSyntaxError(`Encountered unknown tag '${end.word}'`, end.line);
    return { statements: body, blocks: this.#blocks, fileStatement: this.#fileStatement };
  }

  /** Parses statements of a template until one of the given end tags, or the end of the template. */
  #parseBody(ends: readonly string[]): { body: readonly TemplateStatement[]; end: TagHead | null } {
    const body: TemplateStatement[] = [];
    for (;;) {
      this.budget.countSteps();
      const segment = this.segments[this.#position];
      this.#position += 1;
      if (segment === undefined) return { body, end: null };
      if (segment.kind === 'text') body.push(segment);
      else if (segment.kind === 'output') body.push(this.#parseOutput(segment.tokens));
      else {
        const head = this.#parseHead(segment.tokens);
        if (ends.includes(head.word)) return { body, end: head };
        body.push(this.budget.runNested(() => this.#parseStatement(head)));
      }
    }
  }

  #parseOutput(tokens: ConstructorParameters<typeof TokenStream>[0]): TemplateStatement {
    const stream = new TokenStream(tokens);
    const value = new ExpressionParser(stream, this.budget).parseTuple();
    stream.expectEnd();
    return { kind: 'output', value };
  }

  #parseHead(tokens: ConstructorParameters<typeof TokenStream>[0]): TagHead {
    const stream = new TokenStream(tokens);
    const { line } = stream.current;
    return { word: stream.expectName(), line, stream, expressions: new ExpressionParser(stream, this.budget) };
  }

  /**
   * Parses statements of a template until one of the given end tags, which must exist. If only one end tag is possible,
   * the end tag must contain only its name.
   */
  #parseUntil(head: TagHead, ...ends: readonly string[]): { body: readonly TemplateStatement[]; end: TagHead } {
    const level = head.word === 'if' ? 0 : 1;
    this.#level += level;
    const { body, end } = this.#parseBody(ends);
    this.#level -= level;
    if (end === null) {
      throw new TemplateSyntaxError(`Unexpected end of template: '${head.word}' is not closed`, head.line);
    }
    if (ends.length === 1 && end.word !== 'endmacro' && end.word !== 'endblock') end.stream.expectEnd();
    return { body, end };
  }

  #parseStatement(head: TagHead): TemplateStatement {
    const { word, expressions } = head;
    if (word === 'if') return this.#parseIf(head);
    if (word === 'for') return this.#parseFor(head);
    if (word === 'set') return this.#parseSet(head);
    if (word === 'macro') return { kind: 'macro', macro: this.#parseMacro(head) };
    if (word === 'call') return this.#parseCallBlock(head);
    if (word === 'filter') return this.#parseFilterBlock(head);
    if (word === 'with') return this.#parseWith(head);
    if (word === 'do') return this.#requireTagEnd(head, { kind: 'do', value: expressions.parseTuple() });
    if (word === 'break' || word === 'continue') return this.#parseLoopExit(head, word);
    return this.#parseComposition(head);
  }

  /** Parses an `include`, `import`, `from` or `extends` tag of a template. */
  #parseComposition(head: TagHead): TemplateStatement {
    const { word, line, expressions, stream } = head;
    if (word !== 'block') this.#fileStatement ??= { word, line };
    if (word === 'include') return this.#parseInclude(head);
    if (word === 'block') return this.#parseBlock(head);
    if (word === 'extends') {
      if (this.#level > 0) throw new TemplateSyntaxError('cannot use extends from a non top-level scope', head.line);
      return this.#requireTagEnd(head, { kind: 'extends', name: expressions.parseExpression() });
    }
    if (word !== 'import' && word !== 'from') {
      throw new TemplateSyntaxError(`Encountered unknown tag '${word}'`, head.line);
    }
    const name = expressions.parseExpression();
    stream.expectName(word === 'import' ? 'as' : 'import');
    const [target, names] = word === 'import' ? [stream.expectName(), []] : [null, parseImportedNames(stream)];
    return this.#requireTagEnd(head, {
      kind: 'import',
      name,
      target,
      names,
      withContext: this.#parseContextClause(head, false),
    });
  }

  /** Parses `with context` or `without context` if the template tag continues with one of these clauses. */
  #parseContextClause({ stream }: TagHead, otherwise: boolean): boolean {
    const isGiven = stream.isName('with', 'without');
    if (!isGiven) return otherwise;
    const { text } = stream.takeToken();
    stream.expectName('context');
    return text === 'with';
  }

  #requireTagEnd(head: TagHead, statement: TemplateStatement): TemplateStatement {
    head.stream.expectEnd();
    return statement;
  }

  #parseIf(head: TagHead): TemplateStatement {
    const branches: ConditionalBranch[] = [];
    let current = head;
    for (;;) {
      const condition = current.expressions.parseTuple();
      current.stream.expectEnd();
      const { body, end } = this.#parseUntil(head, 'elif', 'else', 'endif');
      branches.push({ condition, body });
      if (end.word === 'elif') {
        current = end;
        continue;
      }
      end.stream.expectEnd();
      const otherwise = end.word === 'else' ? this.#parseUntil(head, 'endif').body : [];
      return { kind: 'if', branches, otherwise };
    }
  }

  #parseFor(head: TagHead): TemplateStatement {
    const { stream, expressions } = head;
    const target = expressions.parseTarget();
    stream.expectName('in');
    const over = expressions.parseTuple({ condition: false });
    const condition = stream.skipName('if') ? expressions.parseExpression() : null;
    const recursive = stream.skipName('recursive');
    stream.expectEnd();
    this.#loopDepth += 1;
    const { body, end } = this.#parseUntil(head, 'else', 'endfor');
    this.#loopDepth -= 1;
    end.stream.expectEnd();
    const otherwise = end.word === 'else' ? this.#parseUntil(head, 'endfor').body : [];
    return { kind: 'for', target, over, condition, recursive, body, otherwise };
  }

  #parseLoopExit(head: TagHead, kind: 'break' | 'continue'): TemplateStatement {
    if (this.#loopDepth === 0) throw new TemplateSyntaxError(`'${kind}' outside of a loop`, head.line);
    return this.#requireTagEnd(head, { kind });
  }

  #parseSet(head: TagHead): TemplateStatement {
    const { stream, expressions } = head;
    const target = expressions.parseTarget();
    if (stream.skipOperator('='))
      return this.#requireTagEnd(head, { kind: 'set', target, value: expressions.parseTuple() });
    const filters = this.#parseFilters(head);
    return { kind: 'capture', target, filters, body: this.#parseUntil(head, 'endset').body };
  }

  #parseFilters({ stream, expressions }: TagHead): readonly FilterNode[] {
    const filters: FilterNode[] = [];
    while (stream.skipOperator('|')) filters.push(expressions.parseFilter());
    stream.expectEnd();
    return filters;
  }

  #parseMacro(head: TagHead): MacroNode {
    const name = head.stream.expectName();
    const parameters = this.#parseParameters(head);
    head.stream.expectEnd();
    return { name, parameters, body: this.#parseMacroBody(head, 'endmacro') };
  }

  #parseMacroBody(head: TagHead, end: string): readonly TemplateStatement[] {
    return this.#parseOutsideLoop(() => this.#parseUntil(head, end)).body;
  }

  // A macro or block cannot break out of a loop around it.
  #parseOutsideLoop<T>(parse: () => T): T {
    const loops = this.#loopDepth;
    this.#loopDepth = 0;
    const parsed = parse();
    this.#loopDepth = loops;
    return parsed;
  }

  #parseParameters({ stream, expressions }: TagHead): readonly MacroParameter[] {
    const parameters: MacroParameter[] = [];
    stream.expectOperator('(');
    while (!stream.skipOperator(')')) {
      if (parameters.length > 0) stream.expectOperator(',');
      const name = stream.expectName();
      parameters.push({ name, otherwise: stream.skipOperator('=') ? expressions.parseExpression() : null });
    }
    return parameters;
  }

  #parseCallBlock(head: TagHead): TemplateStatement {
    const { stream, expressions } = head;
    const parameters = stream.isOperator('(') ? this.#parseParameters(head) : [];
    const call: TemplateExpression = expressions.parseExpression();
    if (call.kind !== 'call') throw stream.unexpectedTokenError('expected a call');
    stream.expectEnd();
    return {
      kind: 'call block',
      call,
      caller: { name: 'caller', parameters, body: this.#parseMacroBody(head, 'endcall') },
    };
  }

  #parseFilterBlock(head: TagHead): TemplateStatement {
    const filters = [head.expressions.parseFilter(), ...this.#parseFilters(head)];
    return { kind: 'filtered', filters, body: this.#parseUntil(head, 'endfilter').body };
  }

  #parseWith(head: TagHead): TemplateStatement {
    const { stream, expressions } = head;
    const sets: (readonly [AssignmentTarget, TemplateExpression])[] = [];
    while (!stream.isAtEnd) {
      if (sets.length > 0) stream.expectOperator(',');
      const target: AssignmentTarget = { kind: 'name', name: stream.expectName() };
      stream.expectOperator('=');
      sets.push([target, expressions.parseExpression()]);
    }
    return { kind: 'with', sets, body: this.#parseUntil(head, 'endwith').body };
  }

  #parseInclude(head: TagHead): TemplateStatement {
    const { stream, expressions } = head;
    const name = expressions.parseExpression();
    const ignoreMissing = stream.skipName('ignore');
    if (ignoreMissing) stream.expectName('missing');
    const withContext = this.#parseContextClause(head, true);
    return this.#requireTagEnd(head, { kind: 'include', name, ignoreMissing, withContext });
  }

  #parseBlock(head: TagHead): TemplateStatement {
    const { stream, line } = head;
    const name = stream.expectName();
    if (this.#blocks.has(name)) throw new TemplateSyntaxError(`block '${name}' defined twice`, line);
    const isScoped = stream.skipName('scoped');
    const isRequired = stream.skipName('required');
    stream.expectEnd();
    const block = { kind: 'block', name, isScoped, isRequired } as const;
    // Reserves the name, so that a block within the block cannot have it.
    this.#blocks.set(name, { ...block, body: [] });
    const { body, end } = this.#parseOutsideLoop(() => this.#parseUntil(head, 'endblock'));
    if (!end.stream.skipName(name)) end.stream.expectEnd();
    if (isRequired && body.some((statement) => statement.kind !== 'text' || statement.text.trim() !== '')) {
      throw new TemplateSyntaxError('Required blocks can only contain comments or whitespace', line);
    }
    const parsed: BlockNode = { ...block, body };
    this.#blocks.set(name, parsed);
    return parsed;
  }
}
