import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateSyntaxError } from '../template-errors.js';
import type { TemplateSyntax } from './template-syntax.js';
import { TemplateExpressionParser } from './expression-parser.js';
import { splitTemplateIntoSegments, type TemplateSegment } from './split-into-segments.js';
import { parseImportedTemplateNames } from './imported-names.js';
import type {
  TemplateBlockNode,
  ConditionalTemplateBranch,
  TemplateExpression,
  TemplateFilterNode,
  TemplateMacroNode,
  TemplateMacroParameter,
  ParsedTemplate,
  TemplateStatement,
  AssignmentTarget,
} from './syntax-tree.js';
import { TemplateTokenReader } from './token-stream.js';

/**
 * Parses the text of a template and returns its syntax tree.
 *
 * @throws TemplateSyntaxError for an invalid template
 */
export function parseTemplate(
  template: string,
  syntax: TemplateSyntax,
  budget: TemplateResourceCounter,
): ParsedTemplate {
  return new TemplateParser(splitTemplateIntoSegments(template, syntax, budget), budget).parseTemplate();
}

/** Start of a template tag: its first word, and the stream with the remaining tokens. */
interface TemplateTagHead {
  readonly word: string;
  readonly line: number;
  readonly stream: TemplateTokenReader;
  readonly expressions: TemplateExpressionParser;
}

class TemplateParser {
  readonly #blocks = new Map<string, TemplateBlockNode>();
  #fileStatement: ParsedTemplate['fileStatement'] = null;
  #position = 0;
  #loopDepth = 0;
  /** Number of statements that enclose the next statement, without `if` statements. */
  #level = 0;

  constructor(
    private readonly segments: readonly TemplateSegment[],
    private readonly budget: TemplateResourceCounter,
  ) {}

  parseTemplate(): ParsedTemplate {
    const { body, end } = this.#parseBody([]);
    if (end !== null) throw new TemplateSyntaxError(`Encountered unknown tag '${end.word}'`, end.line);
    return { statements: body, blocks: this.#blocks, fileStatement: this.#fileStatement };
  }

  /** Parses statements of a template until one of the given end tags, or the end of the template. */
  #parseBody(ends: readonly string[]): { body: readonly TemplateStatement[]; end: TemplateTagHead | null } {
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
        body.push(this.budget.runOneLevelDeeper(() => this.#parseStatement(head)));
      }
    }
  }

  #parseOutput(tokens: ConstructorParameters<typeof TemplateTokenReader>[0]): TemplateStatement {
    const stream = new TemplateTokenReader(tokens);
    const value = new TemplateExpressionParser(stream, this.budget).parseExpressionOrTuple();
    stream.requireEndOfTag();
    return { kind: 'output', value };
  }

  #parseHead(tokens: ConstructorParameters<typeof TemplateTokenReader>[0]): TemplateTagHead {
    const stream = new TemplateTokenReader(tokens);
    const { line } = stream.nextToken;
    return { word: stream.requireName(), line, stream, expressions: new TemplateExpressionParser(stream, this.budget) };
  }

  /**
   * Parses statements of a template until one of the given end tags, which must exist. If only one end tag is possible,
   * the end tag must contain only its name.
   */
  #parseUntil(
    head: TemplateTagHead,
    ...ends: readonly string[]
  ): { body: readonly TemplateStatement[]; end: TemplateTagHead } {
    const level = head.word === 'if' ? 0 : 1;
    this.#level += level;
    const { body, end } = this.#parseBody(ends);
    this.#level -= level;
    if (end === null) {
      throw new TemplateSyntaxError(`Unexpected end of template: '${head.word}' is not closed`, head.line);
    }
    if (ends.length === 1 && end.word !== 'endmacro' && end.word !== 'endblock') end.stream.requireEndOfTag();
    return { body, end };
  }

  #parseStatement(head: TemplateTagHead): TemplateStatement {
    const { word, expressions } = head;
    if (word === 'if') return this.#parseIf(head);
    if (word === 'for') return this.#parseFor(head);
    if (word === 'set') return this.#parseSet(head);
    if (word === 'macro') return { kind: 'macro', macro: this.#parseMacro(head) };
    if (word === 'call') return this.#parseCallBlock(head);
    if (word === 'filter') return this.#parseFilterBlock(head);
    if (word === 'with') return this.#parseWith(head);
    if (word === 'do') return this.#requireTagEnd(head, { kind: 'do', value: expressions.parseExpressionOrTuple() });
    if (word === 'break' || word === 'continue') return this.#parseLoopExit(head, word);
    return this.#parseComposition(head);
  }

  /** Parses an `include`, `import`, `from` or `extends` tag of a template. */
  #parseComposition(head: TemplateTagHead): TemplateStatement {
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
    stream.requireName(word === 'import' ? 'as' : 'import');
    const [target, names] = word === 'import' ? [stream.requireName(), []] : [null, parseImportedTemplateNames(stream)];
    return this.#requireTagEnd(head, {
      kind: 'import',
      name,
      target,
      names,
      withContext: this.#parseContextClause(head, false),
    });
  }

  /** Parses `with context` or `without context` if the template tag continues with one of these clauses. */
  #parseContextClause({ stream }: TemplateTagHead, otherwise: boolean): boolean {
    const isGiven = stream.isNextTokenName('with', 'without');
    if (!isGiven) return otherwise;
    const { text } = stream.readNextToken();
    stream.requireName('context');
    return text === 'with';
  }

  #requireTagEnd(head: TemplateTagHead, statement: TemplateStatement): TemplateStatement {
    head.stream.requireEndOfTag();
    return statement;
  }

  #parseIf(head: TemplateTagHead): TemplateStatement {
    const branches: ConditionalTemplateBranch[] = [];
    let current = head;
    for (;;) {
      const condition = current.expressions.parseExpressionOrTuple();
      current.stream.requireEndOfTag();
      const { body, end } = this.#parseUntil(head, 'elif', 'else', 'endif');
      branches.push({ condition, body });
      if (end.word === 'elif') {
        current = end;
        continue;
      }
      end.stream.requireEndOfTag();
      const otherwise = end.word === 'else' ? this.#parseUntil(head, 'endif').body : [];
      return { kind: 'if', branches, otherwise };
    }
  }

  #parseFor(head: TemplateTagHead): TemplateStatement {
    const { stream, expressions } = head;
    const target = expressions.parseAssignmentTarget();
    stream.requireName('in');
    const over = expressions.parseExpressionOrTuple({ condition: false });
    const condition = stream.skipName('if') ? expressions.parseExpression() : null;
    const recursive = stream.skipName('recursive');
    stream.requireEndOfTag();
    this.#loopDepth += 1;
    const { body, end } = this.#parseUntil(head, 'else', 'endfor');
    this.#loopDepth -= 1;
    end.stream.requireEndOfTag();
    const otherwise = end.word === 'else' ? this.#parseUntil(head, 'endfor').body : [];
    return { kind: 'for', target, over, condition, recursive, body, otherwise };
  }

  #parseLoopExit(head: TemplateTagHead, kind: 'break' | 'continue'): TemplateStatement {
    if (this.#loopDepth === 0) throw new TemplateSyntaxError(`'${kind}' outside of a loop`, head.line);
    return this.#requireTagEnd(head, { kind });
  }

  #parseSet(head: TemplateTagHead): TemplateStatement {
    const { stream, expressions } = head;
    const target = expressions.parseAssignmentTarget();
    if (stream.skipOperator('='))
      return this.#requireTagEnd(head, { kind: 'set', target, value: expressions.parseExpressionOrTuple() });
    const filters = this.#parseFilters(head);
    return { kind: 'capture', target, filters, body: this.#parseUntil(head, 'endset').body };
  }

  #parseFilters({ stream, expressions }: TemplateTagHead): readonly TemplateFilterNode[] {
    const filters: TemplateFilterNode[] = [];
    while (stream.skipOperator('|')) filters.push(expressions.parseTemplateFilter());
    stream.requireEndOfTag();
    return filters;
  }

  #parseMacro(head: TemplateTagHead): TemplateMacroNode {
    const name = head.stream.requireName();
    const parameters = this.#parseParameters(head);
    head.stream.requireEndOfTag();
    return { name, parameters, body: this.#parseMacroBody(head, 'endmacro') };
  }

  #parseMacroBody(head: TemplateTagHead, end: string): readonly TemplateStatement[] {
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

  #parseParameters({ stream, expressions }: TemplateTagHead): readonly TemplateMacroParameter[] {
    const parameters: TemplateMacroParameter[] = [];
    stream.requireOperator('(');
    while (!stream.skipOperator(')')) {
      if (parameters.length > 0) stream.requireOperator(',');
      const name = stream.requireName();
      parameters.push({ name, otherwise: stream.skipOperator('=') ? expressions.parseExpression() : null });
    }
    return parameters;
  }

  #parseCallBlock(head: TemplateTagHead): TemplateStatement {
    const { stream, expressions } = head;
    const parameters = stream.isNextTokenOperator('(') ? this.#parseParameters(head) : [];
    const call: TemplateExpression = expressions.parseExpression();
    if (call.kind !== 'call') throw stream.createUnexpectedTokenError('expected a call');
    stream.requireEndOfTag();
    return {
      kind: 'call block',
      call,
      caller: { name: 'caller', parameters, body: this.#parseMacroBody(head, 'endcall') },
    };
  }

  #parseFilterBlock(head: TemplateTagHead): TemplateStatement {
    const filters = [head.expressions.parseTemplateFilter(), ...this.#parseFilters(head)];
    return { kind: 'filtered', filters, body: this.#parseUntil(head, 'endfilter').body };
  }

  #parseWith(head: TemplateTagHead): TemplateStatement {
    const { stream, expressions } = head;
    const sets: (readonly [AssignmentTarget, TemplateExpression])[] = [];
    while (!stream.isAtEnd) {
      if (sets.length > 0) stream.requireOperator(',');
      const target: AssignmentTarget = { kind: 'name', name: stream.requireName() };
      stream.requireOperator('=');
      sets.push([target, expressions.parseExpression()]);
    }
    return { kind: 'with', sets, body: this.#parseUntil(head, 'endwith').body };
  }

  #parseInclude(head: TemplateTagHead): TemplateStatement {
    const { stream, expressions } = head;
    const name = expressions.parseExpression();
    const ignoreMissing = stream.skipName('ignore');
    if (ignoreMissing) stream.requireName('missing');
    const withContext = this.#parseContextClause(head, true);
    return this.#requireTagEnd(head, { kind: 'include', name, ignoreMissing, withContext });
  }

  #parseBlock(head: TemplateTagHead): TemplateStatement {
    const { stream, line } = head;
    const name = stream.requireName();
    if (this.#blocks.has(name)) throw new TemplateSyntaxError(`block '${name}' defined twice`, line);
    const isScoped = stream.skipName('scoped');
    const isRequired = stream.skipName('required');
    stream.requireEndOfTag();
    const block = { kind: 'block', name, isScoped, isRequired } as const;
    // Reserves the name, so that a block within the block cannot have it.
    this.#blocks.set(name, { ...block, body: [] });
    const { body, end } = this.#parseOutsideLoop(() => this.#parseUntil(head, 'endblock'));
    if (!end.stream.skipName(name)) end.stream.requireEndOfTag();
    if (isRequired && body.some((statement) => statement.kind !== 'text' || statement.text.trim() !== '')) {
      throw new TemplateSyntaxError('Required blocks can only contain comments or whitespace', line);
    }
    const parsed: TemplateBlockNode = { ...block, body };
    this.#blocks.set(name, parsed);
    return parsed;
  }
}
