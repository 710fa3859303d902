import type { Budget } from '../budget.js';
import { TemplateRuntimeError, UndefinedError } from '../errors.js';
import { filters } from '../filters/index.js';
import { tests } from '../filters/tests.js';
import type { UndefinedKind } from '../language/delimiters.js';
import type { ArgumentNodes, Comparison, Expression } from '../language/syntax-tree.js';
import { calculate, signed } from '../values/arithmetic.js';
import { compare, contains, isEqual, isTrue, keyOf, numberOf } from '../values/compare.js';
import { toHost } from '../values/json.js';
import { escaped, TextBuilder, textOf } from '../values/text.js';
import {
  type Arguments,
  Callable,
  Dict,
  fromHost,
  Members,
  plain,
  TemplateObject,
  typeName,
  Undefined,
  type Value,
} from '../values/value.js';
import { BoundArguments } from './bound-arguments.js';
import { itemOf, memberOf, sliceOf } from './members.js';
import type { Runtime } from './runtime.js';
import type { Scope } from './scope.js';

/** A filter that the service defines for templates. Its input and output are plain JavaScript values. */
export type HostFilter = (value: unknown, ...args: readonly unknown[]) => unknown;

/** Evaluates the expressions of a template. */
export class Evaluator implements Runtime {
  constructor(
    readonly budget: Budget,
    private readonly options: {
      readonly hostFilters: ReadonlyMap<string, HostFilter>;
      readonly undefinedKind: UndefinedKind;
      readonly escapesOutput: boolean;
      readonly finalize: (text: string) => string;
    },
  ) {}

  /** Returns the value of an expression. */
  evaluate(node: Expression, scope: Scope): Value {
    this.budget.tick();
    this.budget.enter();
    const value = this.#evaluate(node, scope);
    this.budget.leave();
    return value;
  }

  /** Evaluates an expression as a condition. */
  holds(node: Expression, scope: Scope): boolean {
    return isTrue(this.#known(this.evaluate(node, scope)));
  }

  /** Returns the text that a value is printed as. */
  written(value: Value): string {
    const known = this.#known(value);
    if (known instanceof Undefined && this.options.undefinedKind === 'debug') {
      return `{{ ${known.written ?? `undefined value printed: ${known.reason}`} }}`;
    }
    return textOf(known, this.budget);
  }

  /** Returns the text that `{{ … }}` prints for a value, after `finalize`. */
  output(value: Value): string {
    const text = this.written(value);
    const isEscaped = this.options.escapesOutput && !(value instanceof TemplateObject && value.isSafe);
    return this.options.finalize(isEscaped ? escaped(text, this.budget) : text);
  }

  /** Returns a value as a text that is not escaped where it is printed, in templates that escape. */
  safe(value: Value): Value {
    if (!this.options.escapesOutput) return value;
    return new TemplateObject(textOf(value, this.budget), {}, { isText: true, isSafe: true });
  }

  // With strict undefined, any use of an undefined value except tests such as `is defined` is an error.
  #known(value: Value): Value {
    if (this.options.undefinedKind === 'strict' && value instanceof Undefined) throw new UndefinedError(value.reason);
    return value;
  }

  #evaluate(node: Expression, scope: Scope): Value {
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'name':
        return this.#named(node.name, scope);
      case 'list':
        return this.#list(node.items, scope);
      case 'dict':
        return this.#dict(node.pairs, scope);
      case 'member':
        return this.#of(node.of, scope, (value) => memberOf(value, node.name, this.budget));
      case 'item':
        return this.#of(node.of, scope, (value) => itemOf(value, this.evaluate(node.key, scope), this.budget));
      case 'slice':
        return this.#slice(node, scope);
      case 'call':
        return this.call(this.evaluate(node.callee, scope), this.arguments(node.given, scope));
      case 'filter':
        return this.filter(node.name, this.evaluate(node.of, scope), this.arguments(node.given, scope));
      case 'test':
        return this.test(node.name, this.evaluate(node.of, scope), this.arguments(node.given, scope));
      case 'choice':
        return this.#choice(node, scope);
      default:
        return this.#operation(node, scope);
    }
  }

  /** Returns a member of a value. Undefined values have undefined members in templates that chain them. */
  #of(node: Expression, scope: Scope, member: (value: Value) => Value): Value {
    const value = this.evaluate(node, scope);
    return value instanceof Undefined && this.options.undefinedKind === 'chainable' ? value : member(value);
  }

  #operation(node: Exclude<Expression, { kind: 'literal' | 'name' }>, scope: Scope): Value {
    if (node.kind === 'not') return !this.holds(node.of, scope);
    if (node.kind === 'sign') return signed(node.sign, this.evaluate(node.of, scope));
    if (node.kind === 'comparison') return this.#comparison(node, scope);
    if (node.kind === 'concatenation') return this.#concatenation(node.parts, scope);
    if (node.kind === 'calculation') {
      const [left, right] = node.sides;
      return calculate(node.operator, this.evaluate(left, scope), this.evaluate(right, scope), this.budget);
    }
    if (node.kind !== 'all' && node.kind !== 'any') throw new TemplateRuntimeError(`Unexpected ${node.kind}`);
    const left = this.#known(this.evaluate(node.sides[0], scope));
    const decided = node.kind === 'all' ? !isTrue(left) : isTrue(left);
    return decided ? left : this.evaluate(node.sides[1], scope);
  }

  #named(name: string, scope: Scope): Value {
    const value = scope.find(name);
    return value === undefined ? new Undefined(`'${name}' is undefined`, name) : value;
  }

  #list(items: readonly Expression[], scope: Scope): Value {
    this.budget.allocate(items.length);
    return items.map((item) => this.evaluate(item, scope));
  }

  #dict(pairs: readonly (readonly [Expression, Expression])[], scope: Scope): Value {
    this.budget.allocate(pairs.length);
    return new Dict(
      pairs.map(([key, value]) => [keyOf(this.evaluate(key, scope)), this.evaluate(value, scope)] as const),
    );
  }

  #slice({ of, bounds }: Extract<Expression, { kind: 'slice' }>, scope: Scope): Value {
    const numbers = bounds.map((bound) => {
      const value = bound === null ? null : plain(this.evaluate(bound, scope));
      if (value === null || typeof value === 'number') return value;
      throw new TemplateRuntimeError('slice indices must be integers or None');
    });
    return sliceOf(this.evaluate(of, scope), numbers, this.budget);
  }

  #choice({ condition, chosen, otherwise }: Extract<Expression, { kind: 'choice' }>, scope: Scope): Value {
    if (this.holds(condition, scope)) return this.evaluate(chosen, scope);
    if (otherwise !== null) return this.evaluate(otherwise, scope);
    return new Undefined('the inline if-expression evaluated to false and no else section was defined.');
  }

  #concatenation(parts: readonly Expression[], scope: Scope): Value {
    const text = new TextBuilder(this.budget);
    for (const part of parts) text.add(this.written(this.evaluate(part, scope)));
    return text.build();
  }

  #comparison({ first, rest }: Extract<Expression, { kind: 'comparison' }>, scope: Scope): boolean {
    let left = this.#known(this.evaluate(first, scope));
    for (const [operator, node] of rest) {
      const right = this.#known(this.evaluate(node, scope));
      this.budget.weigh(left);
      this.budget.weigh(right);
      if (!this.#compares(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  #compares(operator: Comparison, left: Value, right: Value): boolean {
    if (operator === '==') return isEqual(left, right, this.budget);
    if (operator === '!=') return !isEqual(left, right, this.budget);
    if (operator === 'in') return contains(right, left, this.budget);
    if (operator === 'not in') return !contains(right, left, this.budget);
    const order = compare(left, right, this.budget);
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    return operator === '>' ? order > 0 : order >= 0;
  }

  /** Evaluates the arguments of a call, a filter or a test. */
  arguments({ positional, named }: ArgumentNodes, scope: Scope): Arguments {
    return {
      positional: positional.map((node) => this.evaluate(node, scope)),
      named: new Map(named.map(([name, node]) => [name, this.evaluate(node, scope)] as const)),
    };
  }

  /** Calls a callable value. */
  call(callee: Value, given: Arguments): Value {
    if (callee instanceof Undefined) throw new UndefinedError(callee.reason);
    const callable = callee instanceof Members ? callee.call : callee;
    if (!(callable instanceof Callable)) {
      throw new TemplateRuntimeError(`'${typeName(callee)}' object is not callable`);
    }
    const result = callable.call(given);
    this.budget.weigh(result);
    return result;
  }

  /** Applies the filter with a name to a value. */
  filter(name: string, value: Value, given: Arguments): Value {
    this.budget.weigh(value);
    const host = this.options.hostFilters.get(name);
    if (host !== undefined) return this.#hostFilter(host, value, given);
    const found = filters.get(name);
    if (found === undefined) throw new TemplateRuntimeError(`No filter named '${name}'.`);
    if (found.parameters === null) return found.apply(value, given, this);
    const subject = name === 'default' || name === 'd' ? value : this.#known(value);
    return found.apply(subject, new BoundArguments(name, found.parameters, given, this.budget), this);
  }

  #hostFilter(host: HostFilter, value: Value, { positional }: Arguments): Value {
    const result = host(toHost(value, this.budget), ...positional.map((one) => toHost(one, this.budget)));
    const made = fromHost(result);
    if (typeof made === 'string') this.budget.allocate(made.length);
    this.budget.weigh(made);
    return made;
  }

  /** Evaluates a template test (`is defined`, for example), given its name. */
  test(name: string, value: Value, given: Arguments): boolean {
    this.budget.weigh(value);
    const found = tests.get(name);
    if (found === undefined) throw new TemplateRuntimeError(`No test named '${name}'.`);
    return found.holds(value, new BoundArguments(name, found.parameters, given, this.budget), this);
  }

  /** Returns the member of a value under a name. */
  member(value: Value, name: Value): Value {
    return numberOf(name) === null && typeof plain(name) === 'string'
      ? memberOf(value, textOf(name, this.budget), this.budget)
      : itemOf(value, name, this.budget);
  }
}
