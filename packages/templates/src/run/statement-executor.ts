import type { TemplateResourceCounter } from '../template-budget.js';
import { TemplateLimitError, TemplateRuntimeError } from '../template-errors.js';
import type {
  TemplateExpression,
  TemplateFilterNode,
  TemplateForLoopNode,
  TemplateMacroNode,
  TemplateStatement,
  AssignmentTarget,
} from '../language/syntax-tree.js';
import { listIterableItems, isTruthyTemplateValue } from '../values/compare-values.js';
import { TemplateTextBuilder } from '../values/value-to-text.js';
import {
  type TemplateCallArguments,
  CallableTemplateValue,
  TemplateDictValue,
  LazyList,
  UndefinedTemplateValue,
  type TemplateValue,
} from '../values/template-value.js';
import {
  TemplateCompositionExecutor,
  type TemplateStatementRunner,
  type TemplateOutputWriter,
} from './template-composition.js';
import type { TemplateExpressionEvaluator } from './expression-evaluator.js';
import { DataNotLoadedError } from '../values/pending-load.js';
import { LoadedLazyListRows } from './lazy-rows.js';
import { createLoopItemsOfList, TemplateLoopState } from './loop-state.js';
import { isStatementWithBody, type StatementWithBody } from './statement-with-body.js';
import { TemplateVariableScope } from './variable-scope.js';
import { renderWithoutPauses, type TemplateRenderingSteps } from './rendering-steps.js';
import type { NamedTemplate, TemplateLibrary } from './template-library.js';

/** Statement that ended the body of a template loop early; null if all statements of the body were executed. */
type LoopExitStatement = 'break' | 'continue' | null;

/** Maximum number of loops over lazy lists (lists that are read in parts) in one rendering. */
const maxLazyListLoops = 5;

/** Options of an {@link TemplateStatementExecutor}. */
interface TemplateExecutorOptions {
  /** Variable scope with the global functions of the template language. */
  readonly globals: TemplateVariableScope;
  readonly library: TemplateLibrary;
  readonly pauseAfterMs: number | null;
}

/**
 * Executes the statements of a template. Statements with a body are executed by generators, so that a rendering can
 * pause inside the body.
 */
export class TemplateStatementExecutor {
  #loopDepth = 0;
  #lazyLoops = 0;
  #isInLazyLoop = false;
  /** Number of macros and recursive loops that expressions are evaluating. */
  #nesting = 0;

  readonly #composition: TemplateCompositionExecutor;
  /** Processor time in milliseconds after which a loop allows a pause; null for no pauses. */
  readonly #pauseAfterMs: number | null;

  constructor(
    private readonly evaluator: TemplateExpressionEvaluator,
    private readonly budget: TemplateResourceCounter,
    { globals, library, pauseAfterMs }: TemplateExecutorOptions,
  ) {
    this.#pauseAfterMs = pauseAfterMs;
    const execution: TemplateStatementRunner = {
      runStatements: (statements, scope, write) => this.#runStatements(statements, scope, write),
      evaluateWithLoads: (work) => this.#evaluateWithLoads(work),
      renderToValue: (run) => this.evaluator.markSafe(this.#finishNestedSteps(this.#collectOutput(run))),
    };
    this.#composition = new TemplateCompositionExecutor(execution, evaluator, library, globals);
  }

  /** Executes a template with the given variables and writes its output. */
  *executeMainTemplate(
    template: NamedTemplate,
    variables: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<void> {
    yield* this.#composition.runTemplateAndParents(template, variables, write);
  }

  *#runStatements(
    statements: readonly TemplateStatement[],
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<LoopExitStatement> {
    this.budget.enterNestingLevel();
    let left: LoopExitStatement = null;
    for (const statement of statements) {
      this.budget.countSteps();
      if (statement.kind === 'break' || statement.kind === 'continue') left = statement.kind;
      else if (isStatementWithBody(statement)) left = yield* this.#runBody(statement, scope, write);
      else if (statement.kind === 'text') write(statement.text);
      else yield* this.#evaluateWithLoads(() => this.#runSimpleStatement(statement, scope, write));
      if (left !== null) break;
    }
    this.budget.leaveNestingLevel();
    return left;
  }

  #evaluateExpression(node: TemplateExpression, scope: TemplateVariableScope): TemplateRenderingSteps<TemplateValue> {
    return this.#evaluateWithLoads(() => this.evaluator.evaluateInScope(node, scope));
  }

  /**
   * Runs a function that evaluates expressions. If an expression needs data that is not loaded, undoes the changes of
   * the function and yields the load that reads the data. Then runs the function again.
   */
  *#evaluateWithLoads<T>(work: () => T): TemplateRenderingSteps<T> {
    const { undoLog, nestingLevel: depth } = this.budget;
    const { recordedChangeCount: position } = undoLog;
    const [nesting, loopDepth] = [this.#nesting, this.#loopDepth];
    for (;;) {
      try {
        const result = work();
        // Inside a macro, the statement that calls the macro may still be undone.
        if (nesting === 0) undoLog.makeChangesFinal();
        return result;
      } catch (error) {
        if (!(error instanceof DataNotLoadedError)) throw error;
        undoLog.undoChangesAfterPosition(position);
        this.budget.nestingLevel = depth;
        [this.#nesting, this.#loopDepth] = [nesting, loopDepth];
        yield error.load;
      }
    }
  }

  /** Runs the steps of a macro or a recursive loop, which are part of an expression. */
  #finishNestedSteps<T>(steps: TemplateRenderingSteps<T>): T {
    this.#nesting += 1;
    const result = renderWithoutPauses(steps);
    this.#nesting -= 1;
    return result;
  }

  *#runBody(
    statement: StatementWithBody,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<LoopExitStatement> {
    switch (statement.kind) {
      case 'if':
        return yield* this.#runIf(statement, scope, write);
      case 'for':
        return yield* this.#runFor(statement, yield* this.#evaluateExpression(statement.over, scope), scope, write);
      case 'with':
        return yield* this.#runStatements(
          statement.body,
          yield* this.#evaluateWithLoads(() => this.#createWithScope(statement.sets, scope)),
          write,
        );
      case 'capture': {
        const text = yield* this.#captureBody(statement.body, new TemplateVariableScope(scope));
        yield* this.#evaluateWithLoads(() =>
          scope.assignToTarget(statement.target, this.#applyFilters(text, statement.filters, scope), this.budget),
        );
        return null;
      }
      case 'filtered': {
        const text = yield* this.#captureBody(statement.body, new TemplateVariableScope(scope));
        yield* this.#evaluateWithLoads(() =>
          write(this.evaluator.formatValue(this.#applyFilters(text, statement.filters, scope))),
        );
        return null;
      }
      default:
        yield* this.#composition.runCompositionStatement(statement, scope, write);
        return null;
    }
  }

  #runSimpleStatement(
    statement: Exclude<TemplateStatement, StatementWithBody>,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): void {
    if (statement.kind === 'output') {
      write(this.evaluator.formatOutput(this.evaluator.evaluateInScope(statement.value, scope)));
    } else if (statement.kind === 'set') {
      scope.assignToTarget(statement.target, this.evaluator.evaluateInScope(statement.value, scope), this.budget);
    } else if (statement.kind === 'do') this.evaluator.evaluateInScope(statement.value, scope);
    else if (statement.kind === 'macro')
      scope.setVariable(statement.macro.name, this.#createMacro(statement.macro, scope));
    else if (statement.kind === 'call block') this.#runCallBlock(statement, scope, write);
    else throw new TemplateRuntimeError(`Unexpected ${statement.kind}`);
  }

  *#runIf(
    { branches, otherwise }: Extract<TemplateStatement, { kind: 'if' }>,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<LoopExitStatement> {
    for (const { condition, body } of branches) {
      const isChosen = yield* this.#evaluateWithLoads(() => this.evaluator.isConditionMet(condition, scope));
      if (isChosen) return yield* this.#runStatements(body, scope, write);
    }
    return yield* this.#runStatements(otherwise, scope, write);
  }

  #createWithScope(
    sets: readonly (readonly [AssignmentTarget, TemplateExpression])[],
    scope: TemplateVariableScope,
  ): TemplateVariableScope {
    const inner = new TemplateVariableScope(scope);
    for (const [target, node] of sets)
      inner.assignToTarget(target, this.evaluator.evaluateInScope(node, scope), this.budget);
    return inner;
  }

  *#runFor(
    node: TemplateForLoopNode,
    over: TemplateValue,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<LoopExitStatement> {
    if (over instanceof LazyList) return yield* this.#runLazyFor(node, over, scope, write);
    const items = yield* this.#evaluateWithLoads(() => this.#itemsOfLoop(node, over, scope));
    if (items.length === 0) return yield* this.#runStatements(node.otherwise, new TemplateVariableScope(scope), write);
    const loop = new TemplateLoopState(
      createLoopItemsOfList(items),
      this.#loopDepth,
      this.budget,
      this.#recursionOf(node, scope),
    );
    const value = loop.toLoopVariableValue();
    for (const [index, item] of items.entries()) {
      this.budget.countIterations();
      loop.index = index;
      const round = new TemplateVariableScope(scope);
      round.setVariable('loop', value);
      yield* this.#evaluateWithLoads(() => round.assignToTarget(node.target, item, this.budget));
      if ((yield* this.#runStatements(node.body, round, write)) === 'break') break;
      if (this.#isPauseDue) yield null;
    }
    return null;
  }

  /** Executes a template's loop over a lazy list. Only the rows near the current one are in memory. */
  *#runLazyFor(
    node: TemplateForLoopNode,
    list: LazyList,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<LoopExitStatement> {
    this.#beginLazyLoop(list);
    const rows = new LoadedLazyListRows(list, this.budget, node.condition !== null);
    const loop = new TemplateLoopState(rows, this.#loopDepth, this.budget, this.#recursionOf(node, scope));
    const value = loop.toLoopVariableValue();
    let rounds = 0;
    for (let index = 0; index < list.length; index += 1) {
      yield* rows.readRowAndNext(index);
      const { item, length } = rows.getLoadedRowAt(index);
      this.budget.beginLazyListRow(length);
      this.budget.countIterations();
      const round = new TemplateVariableScope(scope);
      round.assignToTarget(node.target, item, this.budget);
      if (node.condition === null || isTruthyTemplateValue(yield* this.#evaluateExpression(node.condition, round))) {
        loop.index = rounds;
        rounds += 1;
        round.setVariable('loop', value);
        if ((yield* this.#runStatements(node.body, round, write)) === 'break') break;
      }
      if (this.#isPauseDue) yield null;
    }
    this.budget.beginLazyListRow(0);
    this.#isInLazyLoop = false;
    return rounds === 0 ? yield* this.#runStatements(node.otherwise, new TemplateVariableScope(scope), write) : null;
  }

  /**
   * Checks that a loop over a lazy list may begin.
   * @throws TemplateRuntimeError inside another loop over a lazy list
   * @throws TemplateLimitError after the maximum number of loops over lazy lists
   */
  #beginLazyLoop(list: LazyList): void {
    if (this.#isInLazyLoop) throw list.wholeListError();
    this.#isInLazyLoop = true;
    this.#lazyLoops += 1;
    if (this.#lazyLoops <= maxLazyListLoops) return;
    throw new TemplateLimitError('steps', `The template reads the whole list more than ${maxLazyListLoops} times`);
  }

  get #isPauseDue(): boolean {
    return this.#pauseAfterMs !== null && this.budget.elapsedRenderingMs > this.#pauseAfterMs;
  }

  #recursionOf(
    node: TemplateForLoopNode,
    scope: TemplateVariableScope,
  ): ((inner: TemplateValue) => TemplateValue) | null {
    return node.recursive ? (inner) => this.#runRecursively(node, inner, scope) : null;
  }

  #runRecursively(node: TemplateForLoopNode, over: TemplateValue, scope: TemplateVariableScope): TemplateValue {
    this.#loopDepth += 1;
    const text = this.#finishNestedSteps(this.#collectOutput((write) => this.#runFor(node, over, scope, write)));
    this.#loopDepth -= 1;
    return this.evaluator.markSafe(text);
  }

  #itemsOfLoop(
    { target, condition }: TemplateForLoopNode,
    over: TemplateValue,
    scope: TemplateVariableScope,
  ): readonly TemplateValue[] {
    if (over instanceof UndefinedTemplateValue) this.evaluator.formatValue(over);
    const items = listIterableItems(over, this.budget);
    if (condition === null) return items;
    return items.filter((item) => {
      this.budget.countIterations();
      const round = new TemplateVariableScope(scope);
      round.assignToTarget(target, item, this.budget);
      return isTruthyTemplateValue(this.evaluator.evaluateInScope(condition, round));
    });
  }

  #captureBody(body: readonly TemplateStatement[], scope: TemplateVariableScope): TemplateRenderingSteps<string> {
    return this.#collectOutput((write) => this.#runStatements(body, scope, write));
  }

  *#collectOutput(
    run: (write: TemplateOutputWriter) => TemplateRenderingSteps<unknown>,
  ): TemplateRenderingSteps<string> {
    const text = new TemplateTextBuilder(this.budget);
    yield* run((piece) => text.appendPiece(piece));
    return text.buildText();
  }

  #applyFilters(text: string, filters: readonly TemplateFilterNode[], scope: TemplateVariableScope): TemplateValue {
    return filters.reduce<TemplateValue>(
      (value, { name, given }) =>
        this.evaluator.applyFilter(name, value, this.evaluator.evaluateArguments(given, scope)),
      this.evaluator.markSafe(text),
    );
  }

  #createMacro(
    node: TemplateMacroNode,
    scope: TemplateVariableScope,
    caller: TemplateValue = null,
  ): CallableTemplateValue {
    return new CallableTemplateValue(node.name, (given) => {
      const inner = new TemplateVariableScope(scope);
      if (caller !== null) inner.setVariable('caller', caller);
      this.#bindParameters(node, given, inner);
      return this.evaluator.markSafe(this.#finishNestedSteps(this.#captureBody(node.body, inner)));
    });
  }

  #bindParameters(
    { name, parameters }: TemplateMacroNode,
    { positional, named }: TemplateCallArguments,
    scope: TemplateVariableScope,
  ): void {
    const names = new Set(parameters.map((parameter) => parameter.name));
    for (const [index, parameter] of parameters.entries()) {
      const given = index < positional.length ? positional[index] : named.get(parameter.name);
      scope.setVariable(parameter.name, given === undefined ? this.#defaultOf(parameter, scope) : given);
    }
    scope.setVariable('varargs', positional.slice(parameters.length));
    scope.setVariable('kwargs', new TemplateDictValue([...named].filter(([key]) => !names.has(key))));
    const caller = named.get('caller');
    if (caller !== undefined) scope.setVariable('caller', caller);
    this.budget.countSteps(name.length);
  }

  #defaultOf(
    { name, otherwise }: TemplateMacroNode['parameters'][number],
    scope: TemplateVariableScope,
  ): TemplateValue {
    if (otherwise !== null) return this.evaluator.evaluateInScope(otherwise, scope);
    return new UndefinedTemplateValue(`parameter '${name}' was not provided`);
  }

  // The calling block is available to the macro as `caller`.
  #runCallBlock(
    { call, caller }: Extract<TemplateStatement, { kind: 'call block' }>,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): void {
    if (call.kind !== 'call') throw new TemplateRuntimeError('expected a call');
    const callee = this.evaluator.evaluateInScope(call.callee, scope);
    const { positional, named } = this.evaluator.evaluateArguments(call.given, scope);
    const given = { positional, named: new Map([...named, ['caller', this.#createMacro(caller, scope)]]) };
    write(this.evaluator.formatValue(this.evaluator.callTemplateValue(callee, given)));
  }
}
