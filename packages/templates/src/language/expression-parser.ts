import type { Budget } from '../budget.js';
import { TemplateSyntaxError } from '../errors.js';
import type { ArithmeticOperator } from '../values/arithmetic.js';
import { Float } from '../values/value.js';
import type { ArgumentNodes, Comparison, Expression, FilterNode, Target } from './syntax-tree.js';
import type { TokenStream } from './token-stream.js';

const comparisons: readonly string[] = ['==', '!=', '<', '<=', '>', '>='] satisfies Comparison[];
const constants: Readonly<Record<string, null | boolean>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const reserved = new Set(['and', 'or', 'not', 'if', 'else', 'in', 'is']);

/** Parser of template expressions. Operators have the precedence of Jinja. */
export class ExpressionParser {
  constructor(
    private readonly stream: TokenStream,
    private readonly budget: Budget,
  ) {}

  /** Parses an expression, or several expressions separated by commas, which form a list. */
  tuple(options: { condition?: boolean } = {}): Expression {
    const one = (): Expression => (options.condition === false ? this.#any() : this.expression());
    const first = one();
    if (!this.stream.isOperator(',')) return first;
    const items = [first];
    while (this.stream.skipOperator(',')) {
      if (this.stream.isAtEnd || this.stream.isOperator(')', '=') || this.stream.isName('in', 'if', 'recursive')) break;
      items.push(one());
    }
    return { kind: 'list', items };
  }

  /** Parses an expression of a template. */
  expression(): Expression {
    return this.budget.within(() => {
      let value = this.#any();
      while (this.stream.skipName('if')) {
        const condition = this.#any();
        const otherwise = this.stream.skipName('else') ? this.expression() : null;
        value = { kind: 'choice', condition, chosen: value, otherwise };
      }
      return value;
    });
  }

  /** Parses the target of an assignment, such as a name. */
  target(): Target {
    const targets: Target[] = [this.#oneTarget()];
    const several = this.stream.isOperator(',');
    while (this.stream.skipOperator(',')) {
      if (this.stream.isOperator('=', ')') || this.stream.isName('in')) break;
      targets.push(this.#oneTarget());
    }
    const [first] = targets;
    return several || first === undefined ? { kind: 'names', targets } : first;
  }

  #oneTarget(): Target {
    if (this.stream.skipOperator('(')) {
      const target = this.budget.within(() => this.target());
      this.stream.expectOperator(')');
      return target;
    }
    const { line } = this.stream.current;
    const name = this.stream.expectName();
    if (reserved.has(name) || Object.hasOwn(constants, name)) {
      throw new TemplateSyntaxError(`can't assign to '${name}'`, line);
    }
    if (!this.stream.skipOperator('.')) return { kind: 'name', name };
    return { kind: 'member', of: name, name: this.stream.expectName() };
  }

  /** Parses the name and arguments of a template filter. */
  filter(): FilterNode {
    const name = this.#dottedName();
    return { name, given: this.stream.isOperator('(') ? this.arguments() : nothing };
  }

  /** Parses the arguments of a call, in parentheses. */
  arguments(): ArgumentNodes {
    this.stream.expectOperator('(');
    const positional: Expression[] = [];
    const named: (readonly [string, Expression])[] = [];
    while (!this.stream.skipOperator(')')) {
      if (positional.length + named.length > 0) {
        this.stream.expectOperator(',');
        if (this.stream.skipOperator(')')) break;
      }
      const next = this.stream.ahead(1);
      if (this.stream.current.kind === 'name' && next.kind === 'operator' && next.text === '=') {
        const name = this.stream.expectName();
        this.stream.expectOperator('=');
        named.push([name, this.expression()]);
      } else if (named.length > 0) throw this.stream.unexpected('expected a named argument');
      else positional.push(this.expression());
    }
    return { positional, named };
  }

  #any(): Expression {
    let left = this.#all();
    while (this.stream.skipName('or')) left = { kind: 'any', sides: [left, this.#all()] };
    return left;
  }

  #all(): Expression {
    let left = this.#not();
    while (this.stream.skipName('and')) left = { kind: 'all', sides: [left, this.#not()] };
    return left;
  }

  #not(): Expression {
    if (!this.stream.skipName('not')) return this.#comparison();
    return { kind: 'not', of: this.budget.within(() => this.#not()) };
  }

  #comparison(): Expression {
    const first = this.#sum();
    const rest: (readonly [Comparison, Expression])[] = [];
    for (let operator = this.#comparer(); operator !== null; operator = this.#comparer()) {
      rest.push([operator, this.#sum()]);
    }
    return rest.length === 0 ? first : { kind: 'comparison', first, rest };
  }

  #comparer(): Comparison | null {
    if (this.stream.isOperator(...comparisons)) return this.stream.take().text as Comparison;
    if (this.stream.skipName('in')) return 'in';
    const next = this.stream.ahead(1);
    if (!this.stream.isName('not') || next.kind !== 'name' || next.text !== 'in') return null;
    this.stream.take();
    this.stream.take();
    return 'not in';
  }

  #sum(): Expression {
    return this.#calculation(['+', '-'], () => this.#concatenation());
  }

  #concatenation(): Expression {
    const parts = [this.#product()];
    while (this.stream.skipOperator('~')) parts.push(this.#product());
    const [first] = parts;
    return parts.length > 1 || first === undefined ? { kind: 'concatenation', parts } : first;
  }

  #product(): Expression {
    return this.#calculation(['*', '/', '//', '%'], () => this.#power());
  }

  #power(): Expression {
    return this.#calculation(['**'], () => this.#signed(true));
  }

  #calculation(operators: readonly ArithmeticOperator[], side: () => Expression): Expression {
    let left = side();
    while (this.stream.isOperator(...operators)) {
      const operator = this.stream.take().text as ArithmeticOperator;
      left = { kind: 'calculation', operator, sides: [left, side()] };
    }
    return left;
  }

  #signed(filtered: boolean): Expression {
    let value: Expression;
    if (this.stream.isOperator('-', '+')) {
      const sign = this.stream.take().text === '-' ? '-' : '+';
      value = { kind: 'sign', sign, of: this.budget.within(() => this.#signed(false)) };
    } else value = this.#primary();
    value = this.#postfix(value);
    return filtered ? this.#filtersAndTests(value) : value;
  }

  #primary(): Expression {
    const token = this.stream.current;
    if (token.kind === 'name') return this.#named();
    if (token.kind === 'string') return this.#text();
    if (token.kind === 'integer') return { kind: 'literal', value: Number(this.stream.take().text) };
    if (token.kind === 'float') return { kind: 'literal', value: new Float(Number(this.stream.take().text)) };
    if (this.stream.isOperator('(')) return this.#inBrackets();
    if (this.stream.isOperator('[')) return this.#list();
    if (this.stream.isOperator('{')) return this.#dict();
    throw this.stream.unexpected('expected an expression');
  }

  #named(): Expression {
    const { text } = this.stream.current;
    if (reserved.has(text)) throw this.stream.unexpected('expected an expression');
    this.stream.take();
    if (Object.hasOwn(constants, text)) return { kind: 'literal', value: constants[text] ?? null };
    return { kind: 'name', name: text };
  }

  // Adjacent string literals are concatenated.
  #text(): Expression {
    let value = '';
    while (this.stream.current.kind === 'string') value += this.stream.take().text;
    return { kind: 'literal', value };
  }

  #inBrackets(): Expression {
    this.stream.expectOperator('(');
    if (this.stream.skipOperator(')')) return { kind: 'list', items: [] };
    const value = this.tuple();
    this.stream.expectOperator(')');
    return value;
  }

  #list(): Expression {
    this.stream.expectOperator('[');
    const items: Expression[] = [];
    while (!this.stream.skipOperator(']')) {
      if (items.length > 0) this.stream.expectOperator(',');
      if (this.stream.skipOperator(']')) break;
      items.push(this.expression());
    }
    return { kind: 'list', items };
  }

  #dict(): Expression {
    this.stream.expectOperator('{');
    const pairs: (readonly [Expression, Expression])[] = [];
    while (!this.stream.skipOperator('}')) {
      if (pairs.length > 0) this.stream.expectOperator(',');
      if (this.stream.skipOperator('}')) break;
      const key = this.expression();
      this.stream.expectOperator(':');
      pairs.push([key, this.expression()]);
    }
    return { kind: 'dict', pairs };
  }

  #postfix(value: Expression): Expression {
    let found = value;
    for (;;) {
      if (this.stream.skipOperator('.')) found = this.#member(found);
      else if (this.stream.skipOperator('[')) found = this.#itemOf(found);
      else if (this.stream.isOperator('(')) found = { kind: 'call', callee: found, given: this.arguments() };
      else return found;
    }
  }

  #member(of: Expression): Expression {
    const { kind, text } = this.stream.current;
    if (kind !== 'integer') return { kind: 'member', of, name: this.stream.expectName() };
    this.stream.take();
    return { kind: 'item', of, key: { kind: 'literal', value: Number(text) } };
  }

  #itemOf(of: Expression): Expression {
    const bounds: (Expression | null)[] = [null];
    while (!this.stream.skipOperator(']')) {
      if (this.stream.skipOperator(':')) bounds.push(null);
      else bounds[bounds.length - 1] = this.tuple();
      if (bounds.length > 3) throw this.stream.unexpected('expected at most three parts of a slice');
    }
    const [key] = bounds;
    if (bounds.length > 1) return { kind: 'slice', of, bounds };
    if (key === null || key === undefined) throw this.stream.unexpected('expected a subscript');
    return { kind: 'item', of, key };
  }

  #filtersAndTests(value: Expression): Expression {
    let found = value;
    for (;;) {
      if (this.stream.skipOperator('|')) found = { kind: 'filter', of: found, ...this.filter() };
      else if (this.stream.skipName('is')) found = this.#test(found);
      else if (this.stream.isOperator('(')) found = { kind: 'call', callee: found, given: this.arguments() };
      else return found;
    }
  }

  #test(of: Expression): Expression {
    const negated = this.stream.skipName('not');
    const name = this.#dottedName();
    const test: Expression = { kind: 'test', of, name, given: this.#testArguments() };
    return negated ? { kind: 'not', of: test } : test;
  }

  #testArguments(): ArgumentNodes {
    if (this.stream.isOperator('(')) return this.arguments();
    const { kind, text } = this.stream.current;
    const begins = kind === 'operator' ? ['[', '{'].includes(text) : kind !== 'end';
    if (!begins || (kind === 'name' && reserved.has(text))) return nothing;
    return { positional: [this.#postfix(this.#primary())], named: [] };
  }

  #dottedName(): string {
    let name = this.stream.expectName();
    while (this.stream.skipOperator('.')) name += `.${this.stream.expectName()}`;
    return name;
  }
}

const nothing: ArgumentNodes = { positional: [], named: [] };
