import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { templateFilters } from '../filters/index.js';
import { templateTests } from '../filters/template-tests.js';
import type { UndefinedValueBehavior } from '../language/template-syntax.js';
import type { TemplateArgumentNodes, ComparisonOperator, TemplateExpression } from '../language/syntax-tree.js';
import { calculateBinaryOperation, applyUnarySign } from '../values/arithmetic.js';
import {
  compareTemplateValues,
  containerContainsValue,
  areEqualTemplateValues,
  isTruthyTemplateValue,
  toTemplateDictKey,
  toNumberOrNull,
} from '../values/compare-values.js';
import { toPlainServiceValue } from '../values/template-json.js';
import { escapeHtml, TemplateTextBuilder, templateValueToText } from '../values/value-to-text.js';
import {
  type TemplateCallArguments,
  CallableTemplateValue,
  TemplateDictValue,
  toTemplateValue,
  ValueWithComputedMembers,
  toPlainValue,
  TemplateObject,
  getPythonTypeName,
  UndefinedTemplateValue,
  type TemplateValue,
} from '../values/template-value.js';
import { BoundTemplateArguments } from './bound-arguments.js';
import { getTemplateValueItem, getTemplateValueMember, sliceTemplateValue } from './value-members.js';
import type { TemplateFilterRuntime } from './filter-runtime.js';
import type { TemplateVariableScope } from './variable-scope.js';

/** A template filter that the service defines. The input and the output of the filter are plain JavaScript values. */
export type ServiceDefinedTemplateFilter = (value: unknown, ...args: readonly unknown[]) => unknown;

export class TemplateExpressionEvaluator implements TemplateFilterRuntime {
  constructor(
    readonly budget: TemplateResourceCounter,
    private readonly options: {
      readonly hostFilters: ReadonlyMap<string, ServiceDefinedTemplateFilter>;
      readonly undefinedKind: UndefinedValueBehavior;
      readonly escapesOutput: boolean;
      readonly finalize: (text: string) => string;
    },
  ) {}

  /** Evaluates a template expression in a variable scope, and returns the value of the expression. */
  evaluateInScope(node: TemplateExpression, scope: TemplateVariableScope): TemplateValue {
    this.budget.countSteps();
    this.budget.enterNestingLevel();
    const value = this.#evaluate(node, scope);
    this.budget.leaveNestingLevel();
    return value;
  }

  /** Evaluates a template expression as a condition. Returns true if the condition is met. */
  isConditionMet(node: TemplateExpression, scope: TemplateVariableScope): boolean {
    return isTruthyTemplateValue(this.#requireDefined(this.evaluateInScope(node, scope)));
  }

  /** Returns the printed text of a template value, without escaping. */
  formatValue(value: TemplateValue): string {
    const known = this.#requireDefined(value);
    if (known instanceof UndefinedTemplateValue && this.options.undefinedKind === 'debug') {
      return `{{ ${known.written ?? `undefined value printed: ${known.reason}`} }}`;
    }
    return templateValueToText(known, this.budget);
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
    return new TemplateObject(templateValueToText(value, this.budget), {}, { isText: true, isSafe: true });
  }

  // With strict undefined, any use of an undefined value except tests such as `is defined` is an error.
  #requireDefined(value: TemplateValue): TemplateValue {
    if (this.options.undefinedKind === 'strict' && value instanceof UndefinedTemplateValue)
      throw new UndefinedError(value.reason);
    return value;
  }

  #evaluate(node: TemplateExpression, scope: TemplateVariableScope): TemplateValue {
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
        return this.#evaluateMember(node.of, scope, (value) => getTemplateValueMember(value, node.name, this.budget));
      case 'item':
        return this.#evaluateMember(node.of, scope, (value) =>
          getTemplateValueItem(value, this.evaluateInScope(node.key, scope), this.budget),
        );
      case 'slice':
        return this.#evaluateSlice(node, scope);
      case 'call':
        return this.callTemplateValue(
          this.evaluateInScope(node.callee, scope),
          this.evaluateArguments(node.given, scope),
        );
      case 'filter':
        return this.applyFilter(
          node.name,
          this.evaluateInScope(node.of, scope),
          this.evaluateArguments(node.given, scope),
        );
      case 'test':
        return this.applyTest(
          node.name,
          this.evaluateInScope(node.of, scope),
          this.evaluateArguments(node.given, scope),
        );
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
    scope: TemplateVariableScope,
    member: (value: TemplateValue) => TemplateValue,
  ): TemplateValue {
    const value = this.evaluateInScope(node, scope);
    return value instanceof UndefinedTemplateValue && this.options.undefinedKind === 'chainable'
      ? value
      : member(value);
  }

  #evaluateOperation(
    node: Exclude<TemplateExpression, { kind: 'literal' | 'name' }>,
    scope: TemplateVariableScope,
  ): TemplateValue {
    if (node.kind === 'not') return !this.isConditionMet(node.of, scope);
    if (node.kind === 'sign') return applyUnarySign(node.sign, this.evaluateInScope(node.of, scope));
    if (node.kind === 'comparison') return this.#evaluateComparison(node, scope);
    if (node.kind === 'concatenation') return this.#evaluateConcatenation(node.parts, scope);
    if (node.kind === 'calculation') {
      const [left, right] = node.sides;
      return calculateBinaryOperation(
        node.operator,
        this.evaluateInScope(left, scope),
        this.evaluateInScope(right, scope),
        this.budget,
      );
    }
    if (node.kind !== 'all' && node.kind !== 'any') throw new TemplateRuntimeError(`Unexpected ${node.kind}`);
    const left = this.#requireDefined(this.evaluateInScope(node.sides[0], scope));
    const decided = node.kind === 'all' ? !isTruthyTemplateValue(left) : isTruthyTemplateValue(left);
    return decided ? left : this.evaluateInScope(node.sides[1], scope);
  }

  #findVariable(name: string, scope: TemplateVariableScope): TemplateValue {
    const value = scope.findVariable(name);
    return value === undefined ? new UndefinedTemplateValue(`'${name}' is undefined`, name) : value;
  }

  #evaluateList(items: readonly TemplateExpression[], scope: TemplateVariableScope): TemplateValue {
    this.budget.countAllocatedMemory(items.length);
    return items.map((item) => this.evaluateInScope(item, scope));
  }

  #evaluateDict(
    pairs: readonly (readonly [TemplateExpression, TemplateExpression])[],
    scope: TemplateVariableScope,
  ): TemplateValue {
    this.budget.countAllocatedMemory(pairs.length);
    return new TemplateDictValue(
      pairs.map(
        ([key, value]) =>
          [toTemplateDictKey(this.evaluateInScope(key, scope)), this.evaluateInScope(value, scope)] as const,
      ),
    );
  }

  #evaluateSlice(
    { of, bounds }: Extract<TemplateExpression, { kind: 'slice' }>,
    scope: TemplateVariableScope,
  ): TemplateValue {
    const numbers = bounds.map((bound) => {
      const value = bound === null ? null : toPlainValue(this.evaluateInScope(bound, scope));
      if (value === null || typeof value === 'number') return value;
      throw new TemplateRuntimeError('slice indices must be integers or None');
    });
    return sliceTemplateValue(this.evaluateInScope(of, scope), numbers, this.budget);
  }

  #evaluateChoice(
    { condition, chosen, otherwise }: Extract<TemplateExpression, { kind: 'choice' }>,
    scope: TemplateVariableScope,
  ): TemplateValue {
    if (this.isConditionMet(condition, scope)) return this.evaluateInScope(chosen, scope);
    if (otherwise !== null) return this.evaluateInScope(otherwise, scope);
    return new UndefinedTemplateValue('the inline if-expression evaluated to false and no else section was defined.');
  }

  #evaluateConcatenation(parts: readonly TemplateExpression[], scope: TemplateVariableScope): TemplateValue {
    const text = new TemplateTextBuilder(this.budget);
    for (const part of parts) text.appendPiece(this.formatValue(this.evaluateInScope(part, scope)));
    return text.buildText();
  }

  #evaluateComparison(
    { first, rest }: Extract<TemplateExpression, { kind: 'comparison' }>,
    scope: TemplateVariableScope,
  ): boolean {
    let left = this.#requireDefined(this.evaluateInScope(first, scope));
    for (const [operator, node] of rest) {
      const right = this.#requireDefined(this.evaluateInScope(node, scope));
      this.budget.countIterationOver(left);
      this.budget.countIterationOver(right);
      if (!this.#compareValues(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  #compareValues(operator: ComparisonOperator, left: TemplateValue, right: TemplateValue): boolean {
    if (operator === '==') return areEqualTemplateValues(left, right, this.budget);
    if (operator === '!=') return !areEqualTemplateValues(left, right, this.budget);
    if (operator === 'in') return containerContainsValue(right, left, this.budget);
    if (operator === 'not in') return !containerContainsValue(right, left, this.budget);
    const order = compareTemplateValues(left, right, this.budget);
    if (operator === '<') return order < 0;
    if (operator === '<=') return order <= 0;
    return operator === '>' ? order > 0 : order >= 0;
  }

  /** Evaluates the arguments of a call, a filter or a test in a template, and returns their values. */
  evaluateArguments({ positional, named }: TemplateArgumentNodes, scope: TemplateVariableScope): TemplateCallArguments {
    return {
      positional: positional.map((node) => this.evaluateInScope(node, scope)),
      named: new Map(named.map(([name, node]) => [name, this.evaluateInScope(node, scope)] as const)),
    };
  }

  /** Calls a callable template value with arguments, and returns the result of the call. */
  callTemplateValue(callee: TemplateValue, given: TemplateCallArguments): TemplateValue {
    if (callee instanceof UndefinedTemplateValue) throw new UndefinedError(callee.reason);
    const callable = callee instanceof ValueWithComputedMembers ? callee.call : callee;
    if (!(callable instanceof CallableTemplateValue)) {
      throw new TemplateRuntimeError(`'${getPythonTypeName(callee)}' object is not callable`);
    }
    const result = callable.call(given);
    this.budget.countIterationOver(result);
    return result;
  }

  /** Applies the template filter with the given name to a value, and returns the result. */
  applyFilter(name: string, value: TemplateValue, given: TemplateCallArguments): TemplateValue {
    this.budget.countIterationOver(value);
    const host = this.options.hostFilters.get(name);
    if (host !== undefined) return this.#applyServiceFilter(host, value, given);
    const found = templateFilters.get(name);
    if (found === undefined) throw new TemplateRuntimeError(`No filter named '${name}'.`);
    if (found.parameters === null) return found.apply(value, given, this);
    const subject = name === 'default' || name === 'd' ? value : this.#requireDefined(value);
    return found.apply(subject, new BoundTemplateArguments(name, found.parameters, given, this.budget), this);
  }

  #applyServiceFilter(
    host: ServiceDefinedTemplateFilter,
    value: TemplateValue,
    { positional }: TemplateCallArguments,
  ): TemplateValue {
    const result = host(
      toPlainServiceValue(value, this.budget),
      ...positional.map((one) => toPlainServiceValue(one, this.budget)),
    );
    const made = toTemplateValue(result);
    if (typeof made === 'string') this.budget.countAllocatedMemory(made.length);
    this.budget.countIterationOver(made);
    return made;
  }

  /** Evaluates the template test with the given name (such as `defined`) for a value, and returns the result. */
  applyTest(name: string, value: TemplateValue, given: TemplateCallArguments): boolean {
    this.budget.countIterationOver(value);
    const found = templateTests.get(name);
    if (found === undefined) throw new TemplateRuntimeError(`No test named '${name}'.`);
    return found.isMet(value, new BoundTemplateArguments(name, found.parameters, given, this.budget), this);
  }

  /** Returns the member of a template value with the given name or index. */
  memberOf(value: TemplateValue, name: TemplateValue): TemplateValue {
    return toNumberOrNull(name) === null && typeof toPlainValue(name) === 'string'
      ? getTemplateValueMember(value, templateValueToText(name, this.budget), this.budget)
      : getTemplateValueItem(value, name, this.budget);
  }
}
