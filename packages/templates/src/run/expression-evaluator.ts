import type { TemplateBudget } from '../template-budget.js';
import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { templateFilters } from '../filters/index.js';
import { templateTests } from '../filters/template-tests.js';
import type { UndefinedBehavior } from '../language/template-syntax.js';
import type { ArgumentNodes, ComparisonOperator, TemplateExpression } from '../language/syntax-tree.js';
import { calculateBinaryOperation, applyUnarySign } from '../values/arithmetic.js';
import {
  compareValues,
  containsValue,
  areEqualValues,
  isTruthyValue,
  toDictKey,
  toNumber,
} from '../values/compare-values.js';
import { toServiceValue } from '../values/template-json.js';
import { escapeHtml, TextBuilder, toText } from '../values/value-to-text.js';
import {
  type CallArguments,
  CallableValue,
  DictValue,
  toTemplateValue,
  ComputedMembers,
  toPlainValue,
  TemplateObject,
  getPythonTypeName,
  UndefinedValue,
  type TemplateValue,
} from '../values/template-value.js';
import { BoundArguments } from './bound-arguments.js';
import { getValueItem, getValueMember, sliceValue } from './value-members.js';
import type { FilterRuntime } from './filter-runtime.js';
import type { VariableScope } from './variable-scope.js';

/** A template filter that the service defines. The input and the output of the filter are plain JavaScript values. */
export type ServiceFilter = (value: unknown, ...args: readonly unknown[]) => unknown;

/** Evaluates the expressions of a template. */
export class Evaluator implements FilterRuntime {
  constructor(
    readonly budget: TemplateBudget,
    private readonly options: {
      readonly hostFilters: ReadonlyMap<string, ServiceFilter>;
      readonly undefinedKind: UndefinedBehavior;
      readonly escapesOutput: boolean;
      readonly finalize: (text: string) => string;
    },
  ) {}

  /** Evaluates a template expression in a variable scope, and returns the value of the expression. */
  evaluate(node: TemplateExpression, scope: VariableScope): TemplateValue {
    this.budget.countSteps();
    this.budget.enterLevel();
    const value = this.#evaluate(node, scope);
    this.budget.leaveLevel();
    return value;
  }

  /** Evaluates a template expression as a condition. Returns true if the condition is met. */
  isConditionMet(node: TemplateExpression, scope: VariableScope): boolean {
    return isTruthyValue(this.#requireDefined(this.evaluate(node, scope)));
  }

  /** Returns the printed text of a template value, without escaping. */
  formatValue(value: TemplateValue): string {
    const known = this.#requireDefined(value);
    if (known instanceof UndefinedValue && this.options.undefinedKind === 'debug') {
      return `{{ ${known.written ?? `undefined value printed: ${known.reason}`} }}`;
    }
    return toText(known, this.budget);
  }

  /**
   * Returns the text that the template output `{{ … }}` prints for a value. The function `finalize` of the environment
   * is applied before.
   */
  formatOutput(value: TemplateValue): string {
    const text = this.formatValue(value);
    const isEscaped = this.options.escapesOutput && !(value instanceof TemplateObject && value.isSafe);
    return this.options.finalize(isEscaped ? escapeHtml(text, this.budget) : text);
  }

  /**
   * Returns the text of a value, marked as safe text that is printed without escaping. In templates without escaping,
   * returns the value unchanged.
   */
  markSafe(value: TemplateValue): TemplateValue {
    if (!this.options.escapesOutput) return value;
    return new TemplateObject(toText(value, this.budget), {}, { isText: true, isSafe: true });
  }

  // With strict undefined, any use of an undefined value except tests such as `is defined` is an error.
  #requireDefined(value: TemplateValue): TemplateValue {
    if (this.options.undefinedKind === 'strict' && value instanceof UndefinedValue)
      throw new UndefinedError(value.reason);
    return value;
  }

  #evaluate(node: TemplateExpression, scope: VariableScope): TemplateValue {
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'name':
        return this.#findVariable(node.name, scope);
      case 'list':
        return this.#evaluateList(node.items, scope);
      case 'dict':
        return this.#evaluateDict(node.pairs, scope);
      case 'member':
        return this.#evaluateMember(node.of, scope, (value) => getValueMember(value, node.name, this.budget));
      case 'item':
        return this.#evaluateMember(node.of, scope, (value) =>
          getValueItem(value, this.evaluate(node.key, scope), this.budget),
        );
      case 'slice':
        return this.#evaluateSlice(node, scope);
      case 'call':
        return this.call(this.evaluate(node.callee, scope), this.arguments(node.given, scope));
      case 'filter':
        return this.applyFilter(node.name, this.evaluate(node.of, scope), this.arguments(node.given, scope));
      case 'test':
        return this.applyTest(node.name, this.evaluate(node.of, scope), this.arguments(node.given, scope));
      case 'choice':
        return this.#evaluateChoice(node, scope);
      default:
        return this.#evaluateOperation(node, scope);
    }
  }

  /**
   * Returns a member of a template value. In templates with chainable undefined values, a member of an undefined value
   * is undefined too.
   */
  #evaluateMember(
    node: TemplateExpression,
    scope: VariableScope,
    member: (value: TemplateValue) => TemplateValue,
  ): TemplateValue {
    const value = this.evaluate(node, scope);
    return value instanceof UndefinedValue && this.options.undefinedKind === 'chainable' ? value : member(value);
  }

  #evaluateOperation(
    node: Exclude<TemplateExpression, { kind: 'literal' | 'name' }>,
    scope: VariableScope,
  ): TemplateValue {
    if (node.kind === 'not') return !this.isConditionMet(node.of, scope);
    if (node.kind === 'sign') return applyUnarySign(node.sign, this.evaluate(node.of, scope));
    if (node.kind === 'comparison') return this.#evaluateComparison(node, scope);
    if (node.kind === 'concatenation') return this.#evaluateConcatenation(node.parts, scope);
    if (node.kind === 'calculation') {
      const [left, right] = node.sides;
      return calculateBinaryOperation(
        node.operator,
        this.evaluate(left, scope),
        this.evaluate(right, scope),
        this.budget,
      );
    }
    if (node.kind !== 'all' && node.kind !== 'any') throw new TemplateRuntimeError(`Unexpected ${node.kind}`);
    const left = this.#requireDefined(this.evaluate(node.sides[0], scope));
    const decided = node.kind === 'all' ? !isTruthyValue(left) : isTruthyValue(left);
    return decided ? left : this.evaluate(node.sides[1], scope);
  }

  #findVariable(name: string, scope: VariableScope): TemplateValue {
    const value = scope.findVariable(name);
    return value === undefined ? new UndefinedValue(`'${name}' is undefined`, name) : value;
  }

  #evaluateList(items: readonly TemplateExpression[], scope: VariableScope): TemplateValue {
    this.budget.allocate(items.length);
    return items.map((item) => this.evaluate(item, scope));
  }

  #evaluateDict(
    pairs: readonly (readonly [TemplateExpression, TemplateExpression])[],
    scope: VariableScope,
  ): TemplateValue {
    this.budget.allocate(pairs.length);
    return new DictValue(
      pairs.map(([key, value]) => [toDictKey(this.evaluate(key, scope)), this.evaluate(value, scope)] as const),
    );
  }

  #evaluateSlice({ of, bounds }: Extract<TemplateExpression, { kind: 'slice' }>, scope: VariableScope): TemplateValue {
    const numbers = bounds.map((bound) => {
      const value = bound === null ? null : toPlainValue(this.evaluate(bound, scope));
      if (value === null || typeof value === 'number') return value;
      throw new TemplateRuntimeError('slice indices must be integers or None');
    });
    return sliceValue(this.evaluate(of, scope), numbers, this.budget);
  }

  #evaluateChoice(
    { condition, chosen, otherwise }: Extract<TemplateExpression, { kind: 'choice' }>,
    scope: VariableScope,
  ): TemplateValue {
    if (this.isConditionMet(condition, scope)) return this.evaluate(chosen, scope);
    if (otherwise !== null) return this.evaluate(otherwise, scope);
    return new UndefinedValue('the inline if-expression evaluated to false and no else section was defined.');
  }

  #evaluateConcatenation(parts: readonly TemplateExpression[], scope: VariableScope): TemplateValue {
    const text = new TextBuilder(this.budget);
    for (const part of parts) text.append(this.formatValue(this.evaluate(part, scope)));
    return text.build();
  }

  #evaluateComparison(
    { first, rest }: Extract<TemplateExpression, { kind: 'comparison' }>,
    scope: VariableScope,
  ): boolean {
    let left = this.#requireDefined(this.evaluate(first, scope));
    for (const [operator, node] of rest) {
      const right = this.#requireDefined(this.evaluate(node, scope));
      this.budget.countIterationOver(left);
      this.budget.countIterationOver(right);
      if (!this.#compareValues(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  #compareValues(operator: ComparisonOperator, left: TemplateValue, right: TemplateValue): boolean {
    if (operator === '==') return areEqualValues(left, right, this.budget);
    if (operator === '!=') return !areEqualValues(left, right, this.budget);
    if (operator === 'in') return containsValue(right, left, this.budget);
    if (operator === 'not in') return !containsValue(right, left, this.budget);
    const order = compareValues(left, right, this.budget);
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    return operator === '>' ? order > 0 : order >= 0;
  }

  /** Evaluates the arguments of a call, a filter or a test in a template, and returns their values. */
  arguments({ positional, named }: ArgumentNodes, scope: VariableScope): CallArguments {
    return {
      positional: positional.map((node) => this.evaluate(node, scope)),
      named: new Map(named.map(([name, node]) => [name, this.evaluate(node, scope)] as const)),
    };
  }

  /** Calls a callable template value with arguments, and returns the result of the call. */
  call(callee: TemplateValue, given: CallArguments): TemplateValue {
    if (callee instanceof UndefinedValue) throw new UndefinedError(callee.reason);
    const callable = callee instanceof ComputedMembers ? callee.call : callee;
    if (!(callable instanceof CallableValue)) {
      throw new TemplateRuntimeError(`'${getPythonTypeName(callee)}' object is not callable`);
    }
    const result = callable.call(given);
    this.budget.countIterationOver(result);
    return result;
  }

  /** Applies the template filter with the given name to a value, and returns the result. */
  applyFilter(name: string, value: TemplateValue, given: CallArguments): TemplateValue {
    this.budget.countIterationOver(value);
    const host = this.options.hostFilters.get(name);
    if (host !== undefined) return this.#applyServiceFilter(host, value, given);
    const found = templateFilters.get(name);
    if (found === undefined) throw new TemplateRuntimeError(`No filter named '${name}'.`);
    if (found.parameters === null) return found.apply(value, given, this);
    const subject = name === 'default' || name === 'd' ? value : this.#requireDefined(value);
    return found.apply(subject, new BoundArguments(name, found.parameters, given, this.budget), this);
  }

  #applyServiceFilter(host: ServiceFilter, value: TemplateValue, { positional }: CallArguments): TemplateValue {
    const result = host(
      toServiceValue(value, this.budget),
      ...positional.map((one) => toServiceValue(one, this.budget)),
    );
    const made = toTemplateValue(result);
    if (typeof made === 'string') this.budget.allocate(made.length);
    this.budget.countIterationOver(made);
    return made;
  }

  /** Evaluates the template test with the given name (such as `defined`) for a value, and returns the result. */
  applyTest(name: string, value: TemplateValue, given: CallArguments): boolean {
    this.budget.countIterationOver(value);
    const found = templateTests.get(name);
    if (found === undefined) throw new TemplateRuntimeError(`No test named '${name}'.`);
    return found.isMet(value, new BoundArguments(name, found.parameters, given, this.budget), this);
  }

  /** Returns the member of a template value with the given name or index. */
  memberOf(value: TemplateValue, name: TemplateValue): TemplateValue {
    return toNumber(name) === null && typeof toPlainValue(name) === 'string'
      ? getValueMember(value, toText(name, this.budget), this.budget)
      : getValueItem(value, name, this.budget);
  }
}
