import type { TemplateBudget } from '../template-budget.js';
import { TemplateSyntaxError } from '../template-errors.js';
import type { ArithmeticOperator } from '../values/arithmetic.js';
import { FloatValue } from '../values/template-value.js';
import type {
  ArgumentNodes,
  ComparisonOperator,
  TemplateExpression,
  FilterNode,
  AssignmentTarget,
} from './syntax-tree.js';
import type { TokenStream } from './token-stream.js';

const comparisonOperators: readonly string[] = ['==', '!=', '<', '<=', '>', '>='] satisfies ComparisonOperator[];
const constantByName: Readonly<Record<string, null | boolean>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const reservedWords = new Set(['and', 'or', 'not', 'if', 'else', 'in', 'is']);

/** Parser of template expressions. The precedence of operators equals the precedence in Jinja. */
export class ExpressionParser {
  constructor(
    private readonly stream: TokenStream,
    private readonly budget: TemplateBudget,
  ) {}

  /** Parses a template expression, or several expressions separated by commas. Several expressions form a list. */
  parseTuple(options: { condition?: boolean } = {}): TemplateExpression {
    const one = (): TemplateExpression => (options.condition === false ? this.#parseOr() : this.parseExpression());
    const first = one();
    if (!this.stream.isOperator(',')) return first;
    const items = [first];
    while (this.stream.skipOperator(',')) {
      if (this.stream.isAtEnd || this.stream.isOperator(')', '=') || this.stream.isName('in', 'if', 'recursive')) break;
      items.push(one());
    }
    return { kind: 'list', items };
  }

  /** Parses a single expression of a template. */
  parseExpression(): TemplateExpression {
    return this.budget.runNested(() => {
      let value = this.#parseOr();
      while (this.stream.skipName('if')) {
        const condition = this.#parseOr();
        const otherwise = this.stream.skipName('else') ? this.parseExpression() : null;
        value = { kind: 'choice', condition, chosen: value, otherwise };
      }
      return value;
    });
  }

  /** Parses the target of an assignment in a template, such as a variable name. */
  parseTarget(): AssignmentTarget {
    const targets: AssignmentTarget[] = [this.#parseSingleTarget()];
    const several = this.stream.isOperator(',');
    while (this.stream.skipOperator(',')) {
      if (this.stream.isOperator('=', ')') || this.stream.isName('in')) break;
      targets.push(this.#parseSingleTarget());
    }
    const [first] = targets;
    return several || first === undefined ? { kind: 'names', targets } : first;
  }

  #parseSingleTarget(): AssignmentTarget {
    if (this.stream.skipOperator('(')) {
      const target = this.budget.runNested(() => this.parseTarget());
      this.stream.expectOperator(')');
      return target;
    }
    const { line } = this.stream.current;
    const name = this.stream.expectName();
    if (reservedWords.has(name) || Object.hasOwn(constantByName, name)) {
      throw new TemplateSyntaxError(`can't assign to '${name}'`, line);
    }
    if (!this.stream.skipOperator('.')) return { kind: 'name', name };
    return { kind: 'member', of: name, name: this.stream.expectName() };
  }

  /** Parses a template filter: its name and its arguments. */
  parseFilter(): FilterNode {
    const name = this.#parseDottedName();
    return { name, given: this.stream.isOperator('(') ? this.parseArguments() : noArgumentNodes };
  }

  /** Parses the arguments of a call in a template, in parentheses. */
  parseArguments(): ArgumentNodes {
    this.stream.expectOperator('(');
    const positional: TemplateExpression[] = [];
    const named: (readonly [string, TemplateExpression])[] = [];
    while (!this.stream.skipOperator(')')) {
      if (positional.length + named.length > 0) {
        this.stream.expectOperator(',');
        if (this.stream.skipOperator(')')) break;
      }
      const next = this.stream.tokenAhead(1);
      if (this.stream.current.kind === 'name' && next.kind === 'operator' && next.text === '=') {
        const name = this.stream.expectName();
        this.stream.expectOperator('=');
        named.push([name, this.parseExpression()]);
      } else if (named.length > 0) throw this.stream.unexpectedTokenError('expected a named argument');
      else positional.push(this.parseExpression());
    }
    return { positional, named };
  }

  #parseOr(): TemplateExpression {
    let left = this.#parseAnd();
    while (this.stream.skipName('or')) left = { kind: 'any', sides: [left, this.#parseAnd()] };
    return left;
  }

  #parseAnd(): TemplateExpression {
    let left = this.#parseNot();
    while (this.stream.skipName('and')) left = { kind: 'all', sides: [left, this.#parseNot()] };
    return left;
  }

  #parseNot(): TemplateExpression {
    if (!this.stream.skipName('not')) return this.#parseComparison();
    return { kind: 'not', of: this.budget.runNested(() => this.#parseNot()) };
  }

  #parseComparison(): TemplateExpression {
    const first = this.#parseSum();
    const rest: (readonly [ComparisonOperator, TemplateExpression])[] = [];
    for (let operator = this.#takeComparisonOperator(); operator !== null; operator = this.#takeComparisonOperator()) {
      rest.push([operator, this.#parseSum()]);
    }
    return rest.length === 0 ? first : { kind: 'comparison', first, rest };
  }

  #takeComparisonOperator(): ComparisonOperator | null {
    if (this.stream.isOperator(...comparisonOperators)) return this.stream.takeToken().text as ComparisonOperator;
    if (this.stream.skipName('in')) return 'in';
    const next = this.stream.tokenAhead(1);
    if (!this.stream.isName('not') || next.kind !== 'name' || next.text !== 'in') return null;
    this.stream.takeToken();
    this.stream.takeToken();
    return 'not in';
  }

  #parseSum(): TemplateExpression {
    return this.#parseCalculation(['+', '-'], () => this.#parseConcatenation());
  }

  #parseConcatenation(): TemplateExpression {
    const parts = [this.#parseProduct()];
    while (this.stream.skipOperator('~')) parts.push(this.#parseProduct());
    const [first] = parts;
    return parts.length > 1 || first === undefined ? { kind: 'concatenation', parts } : first;
  }

  #parseProduct(): TemplateExpression {
    return this.#parseCalculation(['*', '/', '//', '%'], () => this.#parsePower());
  }

  #parsePower(): TemplateExpression {
    return this.#parseCalculation(['**'], () => this.#parseSigned(true));
  }

  #parseCalculation(operators: readonly ArithmeticOperator[], side: () => TemplateExpression): TemplateExpression {
    let left = side();
    while (this.stream.isOperator(...operators)) {
      const operator = this.stream.takeToken().text as ArithmeticOperator;
      left = { kind: 'calculation', operator, sides: [left, side()] };
    }
    return left;
  }

  #parseSigned(filtered: boolean): TemplateExpression {
    let value: TemplateExpression;
    if (this.stream.isOperator('-', '+')) {
      const sign = this.stream.takeToken().text === '-' ? '-' : '+';
      value = { kind: 'sign', sign, of: this.budget.runNested(() => this.#parseSigned(false)) };
    } else value = this.#parsePrimary();
    value = this.#parsePostfix(value);
    return filtered ? this.#parseFiltersAndTests(value) : value;
  }

  #parsePrimary(): TemplateExpression {
    const token = this.stream.current;
    if (token.kind === 'name') return this.#parseName();
    if (token.kind === 'string') return this.#parseText();
    if (token.kind === 'integer') return { kind: 'literal', value: Number(this.stream.takeToken().text) };
    if (token.kind === 'float') return { kind: 'literal', value: new FloatValue(Number(this.stream.takeToken().text)) };
    if (this.stream.isOperator('(')) return this.#parseParenthesized();
    if (this.stream.isOperator('[')) return this.#parseList();
    if (this.stream.isOperator('{')) return this.#parseDict();
    throw this.stream.unexpectedTokenError('expected an expression');
  }

  #parseName(): TemplateExpression {
    const { text } = this.stream.current;
    if (reservedWords.has(text)) throw this.stream.unexpectedTokenError('expected an expression');
    this.stream.takeToken();
    if (Object.hasOwn(constantByName, text)) return { kind: 'literal', value: constantByName[text] ?? null };
    return { kind: 'name', name: text };
  }

  // Adjacent string literals are concatenated.
  #parseText(): TemplateExpression {
    let value = '';
    while (this.stream.current.kind === 'string') value += this.stream.takeToken().text;
    return { kind: 'literal', value };
  }

  #parseParenthesized(): TemplateExpression {
    this.stream.expectOperator('(');
    if (this.stream.skipOperator(')')) return { kind: 'list', items: [] };
    const value = this.parseTuple();
    this.stream.expectOperator(')');
    return value;
  }

  #parseList(): TemplateExpression {
    this.stream.expectOperator('[');
    const items: TemplateExpression[] = [];
    while (!this.stream.skipOperator(']')) {
      if (items.length > 0) this.stream.expectOperator(',');
      if (this.stream.skipOperator(']')) break;
      items.push(this.parseExpression());
    }
    return { kind: 'list', items };
  }

  #parseDict(): TemplateExpression {
    this.stream.expectOperator('{');
    const pairs: (readonly [TemplateExpression, TemplateExpression])[] = [];
    while (!this.stream.skipOperator('}')) {
      if (pairs.length > 0) this.stream.expectOperator(',');
      if (this.stream.skipOperator('}')) break;
      const key = this.parseExpression();
      this.stream.expectOperator(':');
      pairs.push([key, this.parseExpression()]);
    }
    return { kind: 'dict', pairs };
  }

  #parsePostfix(value: TemplateExpression): TemplateExpression {
    let found = value;
    for (;;) {
      if (this.stream.skipOperator('.')) found = this.#parseMember(found);
      else if (this.stream.skipOperator('[')) found = this.#parseItem(found);
      else if (this.stream.isOperator('(')) found = { kind: 'call', callee: found, given: this.parseArguments() };
      else return found;
    }
  }

  #parseMember(of: TemplateExpression): TemplateExpression {
    const { kind, text } = this.stream.current;
    if (kind !== 'integer') return { kind: 'member', of, name: this.stream.expectName() };
    this.stream.takeToken();
    return { kind: 'item', of, key: { kind: 'literal', value: Number(text) } };
  }

  #parseItem(of: TemplateExpression): TemplateExpression {
    const bounds: (TemplateExpression | null)[] = [null];
    while (!this.stream.skipOperator(']')) {
      if (this.stream.skipOperator(':')) bounds.push(null);
      else bounds[bounds.length - 1] = this.parseTuple();
      if (bounds.length > 3) throw this.stream.unexpectedTokenError('expected at most three parts of a slice');
    }
    const [key] = bounds;
    if (bounds.length > 1) return { kind: 'slice', of, bounds };
    if (key === null || key === undefined) throw this.stream.unexpectedTokenError('expected a subscript');
    return { kind: 'item', of, key };
  }

  #parseFiltersAndTests(value: TemplateExpression): TemplateExpression {
    let found = value;
    for (;;) {
      if (this.stream.skipOperator('|')) found = { kind: 'filter', of: found, ...this.parseFilter() };
      else if (this.stream.skipName('is')) found = this.#parseTest(found);
      else if (this.stream.isOperator('(')) found = { kind: 'call', callee: found, given: this.parseArguments() };
      else return found;
    }
  }

  #parseTest(of: TemplateExpression): TemplateExpression {
    const negated = this.stream.skipName('not');
    const name = this.#parseDottedName();
    const test: TemplateExpression = { kind: 'test', of, name, given: this.#parseTestArguments() };
    return negated ? { kind: 'not', of: test } : test;
  }

  #parseTestArguments(): ArgumentNodes {
    if (this.stream.isOperator('(')) return this.parseArguments();
    const { kind, text } = this.stream.current;
    const begins = kind === 'operator' ? ['[', '{'].includes(text) : kind !== 'end';
    if (!begins || (kind === 'name' && reservedWords.has(text))) return noArgumentNodes;
    return { positional: [this.#parsePostfix(this.#parsePrimary())], named: [] };
  }

  #parseDottedName(): string {
    let name = this.stream.expectName();
    while (this.stream.skipOperator('.')) name += `.${this.stream.expectName()}`;
    return name;
  }
}

const noArgumentNodes: ArgumentNodes = { positional: [], named: [] };
