import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateSyntaxError } from '../template-errors.js';
import type { TemplateArithmeticOperator } from '../values/arithmetic.js';
import { FloatValue } from '../values/template-value.js';
import type {
  TemplateArgumentNodes,
  ComparisonOperator,
  TemplateExpression,
  TemplateFilterNode,
  AssignmentTarget,
} from './syntax-tree.js';
import type { TemplateTokenReader } from './token-stream.js';

const comparisonOperators: readonly string[] = ['==', '!=', '<', '<=', '>', '>='] satisfies ComparisonOperator[];
const templateConstantByName: Readonly<Record<string, null | boolean>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};
const reservedTemplateWords = new Set(['and', 'or', 'not', 'if', 'else', 'in', 'is']);

/** Parser of template expressions. The precedence of operators equals the precedence in Jinja. */
export class TemplateExpressionParser {
  constructor(
    private readonly stream: TemplateTokenReader,
    private readonly budget: TemplateResourceCounter,
  ) {}

  /** Parses a template expression, or several expressions separated by commas. Several expressions form a list. */
  parseExpressionOrTuple(options: { condition?: boolean } = {}): TemplateExpression {
    const one = (): TemplateExpression => (options.condition === false ? this.#parseOr() : this.parseExpression());
    const first = one();
    if (!this.stream.isNextTokenOperator(',')) return first;
    const items = [first];
    while (this.stream.skipOperator(',')) {
      if (
        this.stream.isAtEnd ||
        this.stream.isNextTokenOperator(')', '=') ||
        this.stream.isNextTokenName('in', 'if', 'recursive')
      )
        break;
      items.push(one());
    }
    return { kind: 'list', items };
  }

  /** Parses a single expression of a template. */
  parseExpression(): TemplateExpression {
    return this.budget.runOneLevelDeeper(() => {
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
  parseAssignmentTarget(): AssignmentTarget {
    const targets: AssignmentTarget[] = [this.#parseSingleTarget()];
    const several = this.stream.isNextTokenOperator(',');
    while (this.stream.skipOperator(',')) {
      if (this.stream.isNextTokenOperator('=', ')') || this.stream.isNextTokenName('in')) break;
      targets.push(this.#parseSingleTarget());
    }
    const [first] = targets;
    return several || first === undefined ? { kind: 'names', targets } : first;
  }

  #parseSingleTarget(): AssignmentTarget {
    if (this.stream.skipOperator('(')) {
      const target = this.budget.runOneLevelDeeper(() => this.parseAssignmentTarget());
      this.stream.requireOperator(')');
      return target;
    }
    const { line } = this.stream.nextToken;
    const name = this.stream.requireName();
    if (reservedTemplateWords.has(name) || Object.hasOwn(templateConstantByName, name)) {
      throw new TemplateSyntaxError(`can't assign to '${name}'`, line);
    }
    if (!this.stream.skipOperator('.')) return { kind: 'name', name };
    return { kind: 'member', of: name, name: this.stream.requireName() };
  }

  /** Parses a template filter: its name and arguments. */
  parseTemplateFilter(): TemplateFilterNode {
    const name = this.#parseDottedName();
    return { name, given: this.stream.isNextTokenOperator('(') ? this.parseCallArguments() : emptyArgumentNodes };
  }

  /** Parses the arguments of a call in a template, in parentheses. */
  parseCallArguments(): TemplateArgumentNodes {
    this.stream.requireOperator('(');
    const positional: TemplateExpression[] = [];
    const named: (readonly [string, TemplateExpression])[] = [];
    while (!this.stream.skipOperator(')')) {
      if (positional.length + named.length > 0) {
        this.stream.requireOperator(',');
        if (this.stream.skipOperator(')')) break;
      }
      const next = this.stream.getTokenAhead(1);
      if (this.stream.nextToken.kind === 'name' && next.kind === 'operator' && next.text === '=') {
        const name = this.stream.requireName();
        this.stream.requireOperator('=');
        named.push([name, this.parseExpression()]);
      } else if (named.length > 0) throw this.stream.createUnexpectedTokenError('expected a named argument');
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
    return { kind: 'not', of: this.budget.runOneLevelDeeper(() => this.#parseNot()) };
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
    if (this.stream.isNextTokenOperator(...comparisonOperators))
      return this.stream.readNextToken().text as ComparisonOperator;
    if (this.stream.skipName('in')) return 'in';
    const next = this.stream.getTokenAhead(1);
    if (!this.stream.isNextTokenName('not') || next.kind !== 'name' || next.text !== 'in') return null;
    this.stream.readNextToken();
    this.stream.readNextToken();
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

  #parseCalculation(
    operators: readonly TemplateArithmeticOperator[],
    side: () => TemplateExpression,
  ): TemplateExpression {
    let left = side();
    while (this.stream.isNextTokenOperator(...operators)) {
      const operator = this.stream.readNextToken().text as TemplateArithmeticOperator;
      left = { kind: 'calculation', operator, sides: [left, side()] };
    }
    return left;
  }

  #parseSigned(filtered: boolean): TemplateExpression {
    let value: TemplateExpression;
    if (this.stream.isNextTokenOperator('-', '+')) {
      const sign = this.stream.readNextToken().text === '-' ? '-' : '+';
      value = { kind: 'sign', sign, of: this.budget.runOneLevelDeeper(() => this.#parseSigned(false)) };
    } else value = this.#parsePrimary();
    value = this.#parsePostfix(value);
    return filtered ? this.#parseFiltersAndTests(value) : value;
  }

  #parsePrimary(): TemplateExpression {
    const token = this.stream.nextToken;
    if (token.kind === 'name') return this.#parseName();
    if (token.kind === 'string') return this.#parseText();
    if (token.kind === 'integer') return { kind: 'literal', value: Number(this.stream.readNextToken().text) };
    if (token.kind === 'float')
      return { kind: 'literal', value: new FloatValue(Number(this.stream.readNextToken().text)) };
    if (this.stream.isNextTokenOperator('(')) return this.#parseParenthesized();
    if (this.stream.isNextTokenOperator('[')) return this.#parseList();
    if (this.stream.isNextTokenOperator('{')) return this.#parseDict();
    throw this.stream.createUnexpectedTokenError('expected an expression');
  }

  #parseName(): TemplateExpression {
    const { text } = this.stream.nextToken;
    if (reservedTemplateWords.has(text)) throw this.stream.createUnexpectedTokenError('expected an expression');
    this.stream.readNextToken();
    if (Object.hasOwn(templateConstantByName, text))
      return { kind: 'literal', value: templateConstantByName[text] ?? null };
    return { kind: 'name', name: text };
  }

  // Adjacent string literals are concatenated.
  #parseText(): TemplateExpression {
    let value = '';
    while (this.stream.nextToken.kind === 'string') value += this.stream.readNextToken().text;
    return { kind: 'literal', value };
  }

  #parseParenthesized(): TemplateExpression {
    this.stream.requireOperator('(');
    if (this.stream.skipOperator(')')) return { kind: 'list', items: [] };
    const value = this.parseExpressionOrTuple();
    this.stream.requireOperator(')');
    return value;
  }

  #parseList(): TemplateExpression {
    this.stream.requireOperator('[');
    const items: TemplateExpression[] = [];
    while (!this.stream.skipOperator(']')) {
      if (items.length > 0) this.stream.requireOperator(',');
      if (this.stream.skipOperator(']')) break;
      items.push(this.parseExpression());
    }
    return { kind: 'list', items };
  }

  #parseDict(): TemplateExpression {
    this.stream.requireOperator('{');
    const pairs: (readonly [TemplateExpression, TemplateExpression])[] = [];
    while (!this.stream.skipOperator('}')) {
      if (pairs.length > 0) this.stream.requireOperator(',');
      if (this.stream.skipOperator('}')) break;
      const key = this.parseExpression();
      this.stream.requireOperator(':');
      pairs.push([key, this.parseExpression()]);
    }
    return { kind: 'dict', pairs };
  }

  #parsePostfix(value: TemplateExpression): TemplateExpression {
    let found = value;
    for (;;) {
      if (this.stream.skipOperator('.')) found = this.#parseMember(found);
      else if (this.stream.skipOperator('[')) found = this.#parseItem(found);
      else if (this.stream.isNextTokenOperator('('))
        found = { kind: 'call', callee: found, given: this.parseCallArguments() };
      else return found;
    }
  }

  #parseMember(of: TemplateExpression): TemplateExpression {
    const { kind, text } = this.stream.nextToken;
    if (kind !== 'integer') return { kind: 'member', of, name: this.stream.requireName() };
    this.stream.readNextToken();
    return { kind: 'item', of, key: { kind: 'literal', value: Number(text) } };
  }

  #parseItem(of: TemplateExpression): TemplateExpression {
    const bounds: (TemplateExpression | null)[] = [null];
    while (!this.stream.skipOperator(']')) {
      if (this.stream.skipOperator(':')) bounds.push(null);
      else bounds[bounds.length - 1] = this.parseExpressionOrTuple();
      if (bounds.length > 3) throw this.stream.createUnexpectedTokenError('expected at most three parts of a slice');
    }
    const [key] = bounds;
    if (bounds.length > 1) return { kind: 'slice', of, bounds };
    if (key === null || key === undefined) throw this.stream.createUnexpectedTokenError('expected a subscript');
    return { kind: 'item', of, key };
  }

  #parseFiltersAndTests(value: TemplateExpression): TemplateExpression {
    let found = value;
    for (;;) {
      if (this.stream.skipOperator('|')) found = { kind: 'filter', of: found, ...this.parseTemplateFilter() };
      else if (this.stream.skipName('is')) found = this.#parseTest(found);
      else if (this.stream.isNextTokenOperator('('))
        found = { kind: 'call', callee: found, given: this.parseCallArguments() };
      else return found;
    }
  }

  #parseTest(of: TemplateExpression): TemplateExpression {
    const negated = this.stream.skipName('not');
    const name = this.#parseDottedName();
    const test: TemplateExpression = { kind: 'test', of, name, given: this.#parseTestArguments() };
    return negated ? { kind: 'not', of: test } : test;
  }

  #parseTestArguments(): TemplateArgumentNodes {
    if (this.stream.isNextTokenOperator('(')) return this.parseCallArguments();
    const { kind, text } = this.stream.nextToken;
    const begins = kind === 'operator' ? ['[', '{'].includes(text) : kind !== 'end';
    if (!begins || (kind === 'name' && reservedTemplateWords.has(text))) return emptyArgumentNodes;
    return { positional: [this.#parsePostfix(this.#parsePrimary())], named: [] };
  }

  #parseDottedName(): string {
    let name = this.stream.requireName();
    while (this.stream.skipOperator('.')) name += `.${this.stream.requireName()}`;
    return name;
  }
}

const emptyArgumentNodes: TemplateArgumentNodes = { positional: [], named: [] };
