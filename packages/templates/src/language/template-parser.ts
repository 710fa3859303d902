import type { Budget } from '../budget.js';
import { TemplateSyntaxError } from '../errors.js';
import type { Syntax } from './delimiters.js';
import { ExpressionParser } from './expression-parser.js';
import { segmentsOf, type Segment } from './segments.js';
import type { Branch, Expression, FilterNode, MacroNode, Parameter, Statement, Target } from './syntax-tree.js';
import { TokenStream } from './token-stream.js';

/**
 * Parses a template into statements.
 *
 * @throws TemplateSyntaxError for an invalid template
 */
export function parseTemplate(template: string, syntax: Syntax, budget: Budget): readonly Statement[] {
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
  #position = 0;
  #loops = 0;

  constructor(
    private readonly segments: readonly Segment[],
    private readonly budget: Budget,
  ) {}

  parse(): readonly Statement[] {
    const { body, end } = this.#body([]);
    if (end !== null) throw new TemplateSyntaxError(`Encountered unknown tag '${end.word}'`, end.line);
    return body;
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
    const { body, end } = this.#body(ends);
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
    if (word === 'include') return this.#include(head);
    if (word === 'block') return this.#block(head);
    if (['extends', 'import', 'from'].includes(word)) {
      throw new TemplateSyntaxError(`'${word}' is not available: a template stands alone`, head.line);
    }
    throw new TemplateSyntaxError(`Encountered unknown tag '${word}'`, head.line);
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

  // A macro cannot break out of a loop around it.
  #macroBody(head: Head, end: string): readonly Statement[] {
    const loops = this.#loops;
    this.#loops = 0;
    const { body } = this.#until(head, end);
    this.#loops = loops;
    return body;
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
    if (stream.skipName('with') || stream.skipName('without')) stream.expectName('context');
    return this.#ended(head, { kind: 'include', name, ignoreMissing });
  }

  // Template inheritance is not supported, so a block is replaced by its content.
  #block(head: Head): Statement {
    head.stream.expectName();
    while (!head.stream.isAtEnd) head.stream.expectName();
    return { kind: 'with', sets: [], body: this.#until(head, 'endblock').body };
  }
}
