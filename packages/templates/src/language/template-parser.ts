import type { Budget } from '../budget.js';
import { TemplateSyntaxError } from '../errors.js';
import type { Syntax } from './delimiters.js';
import { ExpressionParser } from './expression-parser.js';
import { segmentsOf, type Segment } from './segments.js';
import { importedNames } from './imported-names.js';
import type {
  BlockNode,
  Branch,
  Expression,
  FilterNode,
  MacroNode,
  Parameter,
  ParsedTemplate,
  Statement,
  Target,
} from './syntax-tree.js';
import { TokenStream } from './token-stream.js';

/**
 * Parses a template.
 *
 * @throws TemplateSyntaxError for an invalid template
 */
export function parseTemplate(template: string, syntax: Syntax, budget: Budget): ParsedTemplate {
  return new TemplateParser(segmentsOf(template, syntax, budget), budget).parse();
}

/** Start of a template tag: its first word, and the stream with the remaining tokens. */
interface Head {
  readonly word: string;
  readonly line: number;
  readonly stream: TokenStream;
  readonly expressions: ExpressionParser;
}

class TemplateParser {
  readonly #blocks = new Map<string, BlockNode>();
  #fileStatement: ParsedTemplate['fileStatement'] = null;
  #position = 0;
  #loops = 0;
  /** Number of statements around the next one, except conditions. */
  #level = 0;

  constructor(
    private readonly segments: readonly Segment[],
    private readonly budget: Budget,
  ) {}

  parse(): ParsedTemplate {
    const { body, end } = this.#body([]);
    if (end !== null) throw new TemplateSyntaxError(`Encountered unknown tag '${end.word}'`, end.line);
    return { statements: body, blocks: this.#blocks, fileStatement: this.#fileStatement };
  }

  /** Parses statements of a template up to one of the end tags. */
  #body(ends: readonly string[]): { body: readonly Statement[]; end: Head | null } {
    const body: Statement[] = [];
    for (;;) {
      this.budget.tick();
      const segment = this.segments[this.#position];
      this.#position += 1;
      if (segment === undefined) return { body, end: null };
      if (segment.kind === 'text') body.push(segment);
      else if (segment.kind === 'output') body.push(this.#output(segment.tokens));
      else {
        const head = this.#head(segment.tokens);
        if (ends.includes(head.word)) return { body, end: head };
        body.push(this.budget.within(() => this.#statement(head)));
      }
    }
  }

  #output(tokens: ConstructorParameters<typeof TokenStream>[0]): Statement {
    const stream = new TokenStream(tokens);
    const value = new ExpressionParser(stream, this.budget).tuple();
    stream.expectEnd();
    return { kind: 'output', value };
  }

  #head(tokens: ConstructorParameters<typeof TokenStream>[0]): Head {
    const stream = new TokenStream(tokens);
    const { line } = stream.current;
    return { word: stream.expectName(), line, stream, expressions: new ExpressionParser(stream, this.budget) };
  }

  /**
   * Parses statements of a template up to one of the required end tags. If there is only one, nothing may follow its
   * name.
   */
  #until(head: Head, ...ends: readonly string[]): { body: readonly Statement[]; end: Head } {
    const level = head.word === 'if' ? 0 : 1;
    this.#level += level;
    const { body, end } = this.#body(ends);
    this.#level -= level;
    if (end === null) {
      throw new TemplateSyntaxError(`Unexpected end of template: '${head.word}' is not closed`, head.line);
    }
    if (ends.length === 1 && end.word !== 'endmacro' && end.word !== 'endblock') end.stream.expectEnd();
    return { body, end };
  }

  #statement(head: Head): Statement {
    const { word, expressions } = head;
    if (word === 'if') return this.#if(head);
    if (word === 'for') return this.#for(head);
    if (word === 'set') return this.#set(head);
    if (word === 'macro') return { kind: 'macro', macro: this.#macro(head) };
    if (word === 'call') return this.#callBlock(head);
    if (word === 'filter') return this.#filtered(head);
    if (word === 'with') return this.#with(head);
    if (word === 'do') return this.#ended(head, { kind: 'do', value: expressions.tuple() });
    if (word === 'break' || word === 'continue') return this.#leaveLoop(head, word);
    return this.#composition(head);
  }

  /** Parses a statement that concerns other templates. */
  #composition(head: Head): Statement {
    const { word, line, expressions, stream } = head;
    if (word !== 'block') this.#fileStatement ??= { word, line };
    if (word === 'include') return this.#include(head);
    if (word === 'block') return this.#block(head);
    if (word === 'extends') {
      if (this.#level > 0) throw new TemplateSyntaxError('cannot use extends from a non top-level scope', head.line);
      return this.#ended(head, { kind: 'extends', name: expressions.expression() });
    }
    if (word !== 'import' && word !== 'from') {
      throw new TemplateSyntaxError(`Encountered unknown tag '${word}'`, head.line);
    }
    const name = expressions.expression();
    stream.expectName(word === 'import' ? 'as' : 'import');
    const [target, names] = word === 'import' ? [stream.expectName(), []] : [null, importedNames(stream)];
    return this.#ended(head, { kind: 'import', name, target, names, withContext: this.#context(head, false) });
  }

  /** Reads `with context` or `without context`, if it comes next. */
  #context({ stream }: Head, otherwise: boolean): boolean {
    const isGiven = stream.isName('with', 'without');
    if (!isGiven) return otherwise;
    const { text } = stream.take();
    stream.expectName('context');
    return text === 'with';
  }

  #ended(head: Head, statement: Statement): Statement {
    head.stream.expectEnd();
    return statement;
  }

  #if(head: Head): Statement {
    const branches: Branch[] = [];
    let current = head;
    for (;;) {
      const condition = current.expressions.tuple();
      current.stream.expectEnd();
      const { body, end } = this.#until(head, 'elif', 'else', 'endif');
      branches.push({ condition, body });
      if (end.word === 'elif') {
        current = end;
        continue;
      }
      end.stream.expectEnd();
      const otherwise = end.word === 'else' ? this.#until(head, 'endif').body : [];
      return { kind: 'if', branches, otherwise };
    }
  }

  #for(head: Head): Statement {
    const { stream, expressions } = head;
    const target = expressions.target();
    stream.expectName('in');
    const over = expressions.tuple({ condition: false });
    const condition = stream.skipName('if') ? expressions.expression() : null;
    const recursive = stream.skipName('recursive');
    stream.expectEnd();
    this.#loops += 1;
    const { body, end } = this.#until(head, 'else', 'endfor');
    this.#loops -= 1;
    end.stream.expectEnd();
    const otherwise = end.word === 'else' ? this.#until(head, 'endfor').body : [];
    return { kind: 'for', target, over, condition, recursive, body, otherwise };
  }

  #leaveLoop(head: Head, kind: 'break' | 'continue'): Statement {
    if (this.#loops === 0) throw new TemplateSyntaxError(`'${kind}' outside of a loop`, head.line);
    return this.#ended(head, { kind });
  }

  #set(head: Head): Statement {
    const { stream, expressions } = head;
    const target = expressions.target();
    if (stream.skipOperator('=')) return this.#ended(head, { kind: 'set', target, value: expressions.tuple() });
    const filters = this.#filters(head);
    return { kind: 'capture', target, filters, body: this.#until(head, 'endset').body };
  }

  #filters({ stream, expressions }: Head): readonly FilterNode[] {
    const filters: FilterNode[] = [];
    while (stream.skipOperator('|')) filters.push(expressions.filter());
    stream.expectEnd();
    return filters;
  }

  #macro(head: Head): MacroNode {
    const name = head.stream.expectName();
    const parameters = this.#parameters(head);
    head.stream.expectEnd();
    return { name, parameters, body: this.#macroBody(head, 'endmacro') };
  }

  #macroBody(head: Head, end: string): readonly Statement[] {
    return this.#apart(() => this.#until(head, end)).body;
  }

  // A macro or block cannot break out of a loop around it.
  #apart<T>(parse: () => T): T {
    const loops = this.#loops;
    this.#loops = 0;
    const parsed = parse();
    this.#loops = loops;
    return parsed;
  }

  #parameters({ stream, expressions }: Head): readonly Parameter[] {
    const parameters: Parameter[] = [];
    stream.expectOperator('(');
    while (!stream.skipOperator(')')) {
      if (parameters.length > 0) stream.expectOperator(',');
      const name = stream.expectName();
      parameters.push({ name, otherwise: stream.skipOperator('=') ? expressions.expression() : null });
    }
    return parameters;
  }

  #callBlock(head: Head): Statement {
    const { stream, expressions } = head;
    const parameters = stream.isOperator('(') ? this.#parameters(head) : [];
    const call: Expression = expressions.expression();
    if (call.kind !== 'call') throw stream.unexpected('expected a call');
    stream.expectEnd();
    return { kind: 'call block', call, caller: { name: 'caller', parameters, body: this.#macroBody(head, 'endcall') } };
  }

  #filtered(head: Head): Statement {
    const filters = [head.expressions.filter(), ...this.#filters(head)];
    return { kind: 'filtered', filters, body: this.#until(head, 'endfilter').body };
  }

  #with(head: Head): Statement {
    const { stream, expressions } = head;
    const sets: (readonly [Target, Expression])[] = [];
    while (!stream.isAtEnd) {
      if (sets.length > 0) stream.expectOperator(',');
      const target: Target = { kind: 'name', name: stream.expectName() };
      stream.expectOperator('=');
      sets.push([target, expressions.expression()]);
    }
    return { kind: 'with', sets, body: this.#until(head, 'endwith').body };
  }

  #include(head: Head): Statement {
    const { stream, expressions } = head;
    const name = expressions.expression();
    const ignoreMissing = stream.skipName('ignore');
    if (ignoreMissing) stream.expectName('missing');
    const withContext = this.#context(head, true);
    return this.#ended(head, { kind: 'include', name, ignoreMissing, withContext });
  }

  #block(head: Head): Statement {
    const { stream, line } = head;
    const name = stream.expectName();
    if (this.#blocks.has(name)) throw new TemplateSyntaxError(`block '${name}' defined twice`, line);
    const isScoped = stream.skipName('scoped');
    const isRequired = stream.skipName('required');
    stream.expectEnd();
    const block = { kind: 'block', name, isScoped, isRequired } as const;
    // Reserves the name, so that a block within the block cannot have it.
    this.#blocks.set(name, { ...block, body: [] });
    const { body, end } = this.#apart(() => this.#until(head, 'endblock'));
    if (!end.stream.skipName(name)) end.stream.expectEnd();
    if (isRequired && body.some((statement) => statement.kind !== 'text' || statement.text.trim() !== '')) {
      throw new TemplateSyntaxError('Required blocks can only contain comments or whitespace', line);
    }
    const parsed: BlockNode = { ...block, body };
    this.#blocks.set(name, parsed);
    return parsed;
  }
}
