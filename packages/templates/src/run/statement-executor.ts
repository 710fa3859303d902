import type { TemplateBudget } from '../template-budget.js';
import { TemplateLimitError, TemplateRuntimeError } from '../template-errors.js';
import type {
  TemplateExpression,
  FilterNode,
  ForNode,
  MacroNode,
  TemplateStatement,
  AssignmentTarget,
} from '../language/syntax-tree.js';
import { listIterableItems, isTruthyValue } from '../values/compare-values.js';
import { TextBuilder } from '../values/value-to-text.js';
import {
  type CallArguments,
  CallableValue,
  DictValue,
  LazyList,
  UndefinedValue,
  type TemplateValue,
} from '../values/template-value.js';
import {
  TemplateComposition,
  type CompositionStatement,
  type StatementRunner,
  type WriteOutput,
} from './template-composition.js';
import type { Evaluator } from './expression-evaluator.js';
import { LoadNeededError } from '../values/pending-load.js';
import { LazyRows } from './lazy-rows.js';
import { createListItems, LoopState } from './loop-state.js';
import { VariableScope } from './variable-scope.js';
import { runWithoutPauses, type RenderingSteps } from './rendering-steps.js';
import type { NamedTemplate, TemplateLibrary } from './template-library.js';

/** A template statement that contains other statements, or runs the statements of another template. */
type BodyStatement =
  | Extract<TemplateStatement, { kind: 'if' | 'for' | 'with' | 'capture' | 'filtered' }>
  | CompositionStatement;

/** Statement that ended the body of a template loop early; null if all statements of the body were executed. */
type LoopExit = 'break' | 'continue' | null;

/** Maximum number of loops over lazy lists (lists that are read in parts) in one rendering. */
const maxLazyLoops = 5;

/** Options of an {@link Executor}. */
interface ExecutorOptions {
  /** Variable scope with the global functions of the template language. */
  readonly globals: VariableScope;
  readonly library: TemplateLibrary;
  readonly pauseAfterMs: number | null;
}

/**
 * Executes the statements of a template. Statements with a body are executed by generators, so that a rendering can
 * pause inside the body.
 */
export class Executor {
  #loopDepth = 0;
  #lazyLoops = 0;
  #isInLazyLoop = false;
  /** Number of macros and recursive loops that expressions are evaluating. */
  #nesting = 0;

  readonly #composition: TemplateComposition;
  /**
   * Processor time in milliseconds after which a loop allows a pause of the rendering; null if the rendering never
   * pauses.
   */
  readonly #pauseAfterMs: number | null;

  constructor(
    private readonly evaluator: Evaluator,
    private readonly budget: TemplateBudget,
    { globals, library, pauseAfterMs }: ExecutorOptions,
  ) {
    this.#pauseAfterMs = pauseAfterMs;
    const execution: StatementRunner = {
      runStatements: (statements, scope, write) => this.#runStatements(statements, scope, write),
      evaluateWithLoads: (work) => this.#evaluateWithLoads(work),
      renderToValue: (run) => this.evaluator.markSafe(this.#finishNestedSteps(this.#collectOutput(run))),
    };
    this.#composition = new TemplateComposition(execution, evaluator, library, globals);
  }

  /** Executes a template with the given variables and writes its output. */
  *runTemplate(template: NamedTemplate, variables: VariableScope, write: WriteOutput): RenderingSteps<void> {
    yield* this.#composition.runTemplate(template, variables, write);
  }

  *#runStatements(
    statements: readonly TemplateStatement[],
    scope: VariableScope,
    write: WriteOutput,
  ): RenderingSteps<LoopExit> {
    this.budget.enterLevel();
    let left: LoopExit = null;
    for (const statement of statements) {
      this.budget.countSteps();
      if (statement.kind === 'break' || statement.kind === 'continue') left = statement.kind;
      else if (hasBody(statement)) left = yield* this.#runBody(statement, scope, write);
      else if (statement.kind === 'text') write(statement.text);
      else yield* this.#evaluateWithLoads(() => this.#runSimpleStatement(statement, scope, write));
      if (left !== null) break;
    }
    this.budget.leaveLevel();
    return left;
  }

  #evaluateExpression(node: TemplateExpression, scope: VariableScope): RenderingSteps<TemplateValue> {
    return this.#evaluateWithLoads(() => this.evaluator.evaluate(node, scope));
  }

  /**
   * Runs a function that evaluates expressions. If an expression needs data that is not loaded, undoes the changes of
   * the function and yields the load that reads the data. Then runs the function again.
   */
  *#evaluateWithLoads<T>(work: () => T): RenderingSteps<T> {
    const { undoLog, depth } = this.budget;
    const { position } = undoLog;
    const [nesting, loopDepth] = [this.#nesting, this.#loopDepth];
    for (;;) {
      try {
        const result = work();
        // Inside a macro, the statement that calls the macro may still be undone.
        if (nesting === 0) undoLog.makeFinal();
        return result;
      } catch (error) {
        if (!(error instanceof LoadNeededError)) throw error;
        undoLog.rollBack(position);
        this.budget.depth = depth;
        [this.#nesting, this.#loopDepth] = [nesting, loopDepth];
        yield error.load;
      }
    }
  }

  /**
   * Runs the steps of a macro or a recursive loop without pauses, because macros and recursive loops are part of an
   * expression.
   */
  #finishNestedSteps<T>(steps: RenderingSteps<T>): T {
    this.#nesting += 1;
    const result = runWithoutPauses(steps);
    this.#nesting -= 1;
    return result;
  }

  *#runBody(statement: BodyStatement, scope: VariableScope, write: WriteOutput): RenderingSteps<LoopExit> {
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
        const text = yield* this.#captureBody(statement.body, new VariableScope(scope));
        yield* this.#evaluateWithLoads(() =>
          scope.assignTarget(statement.target, this.#applyFilters(text, statement.filters, scope), this.budget),
        );
        return null;
      }
      case 'filtered': {
        const text = yield* this.#captureBody(statement.body, new VariableScope(scope));
        yield* this.#evaluateWithLoads(() =>
          write(this.evaluator.formatValue(this.#applyFilters(text, statement.filters, scope))),
        );
        return null;
      }
      default:
        yield* this.#composition.runStatement(statement, scope, write);
        return null;
    }
  }

  #runSimpleStatement(
    statement: Exclude<TemplateStatement, BodyStatement>,
    scope: VariableScope,
    write: WriteOutput,
  ): void {
    if (statement.kind === 'output') {
      write(this.evaluator.formatOutput(this.evaluator.evaluate(statement.value, scope)));
    } else if (statement.kind === 'set') {
      scope.assignTarget(statement.target, this.evaluator.evaluate(statement.value, scope), this.budget);
    } else if (statement.kind === 'do') this.evaluator.evaluate(statement.value, scope);
    else if (statement.kind === 'macro')
      scope.setVariable(statement.macro.name, this.#createMacro(statement.macro, scope));
    else if (statement.kind === 'call block') this.#runCallBlock(statement, scope, write);
    else throw new TemplateRuntimeError(`Unexpected ${statement.kind}`);
  }

  *#runIf(
    { branches, otherwise }: Extract<TemplateStatement, { kind: 'if' }>,
    scope: VariableScope,
    write: WriteOutput,
  ): RenderingSteps<LoopExit> {
    for (const { condition, body } of branches) {
      const isChosen = yield* this.#evaluateWithLoads(() => this.evaluator.isConditionMet(condition, scope));
      if (isChosen) return yield* this.#runStatements(body, scope, write);
    }
    return yield* this.#runStatements(otherwise, scope, write);
  }

  #createWithScope(
    sets: readonly (readonly [AssignmentTarget, TemplateExpression])[],
    scope: VariableScope,
  ): VariableScope {
    const inner = new VariableScope(scope);
    for (const [target, node] of sets) inner.assignTarget(target, this.evaluator.evaluate(node, scope), this.budget);
    return inner;
  }

  *#runFor(node: ForNode, over: TemplateValue, scope: VariableScope, write: WriteOutput): RenderingSteps<LoopExit> {
    if (over instanceof LazyList) return yield* this.#runLazyFor(node, over, scope, write);
    const items = yield* this.#evaluateWithLoads(() => this.#itemsOfLoop(node, over, scope));
    if (items.length === 0) return yield* this.#runStatements(node.otherwise, new VariableScope(scope), write);
    const loop = new LoopState(createListItems(items), this.#loopDepth, this.budget, this.#recursionOf(node, scope));
    const value = loop.toTemplateValue();
    for (const [index, item] of items.entries()) {
      this.budget.countIterations();
      loop.index = index;
      const round = new VariableScope(scope);
      round.setVariable('loop', value);
      yield* this.#evaluateWithLoads(() => round.assignTarget(node.target, item, this.budget));
      if ((yield* this.#runStatements(node.body, round, write)) === 'break') break;
      if (this.#isPauseDue) yield null;
    }
    return null;
  }

  /**
   * Executes a template's loop over a lazy list (a list that is read in parts). Only the rows near the current row are
   * in memory.
   */
  *#runLazyFor(node: ForNode, list: LazyList, scope: VariableScope, write: WriteOutput): RenderingSteps<LoopExit> {
    this.#beginLazyLoop(list);
    const rows = new LazyRows(list, this.budget, node.condition !== null);
    const loop = new LoopState(rows, this.#loopDepth, this.budget, this.#recursionOf(node, scope));
    const value = loop.toTemplateValue();
    let rounds = 0;
    for (let index = 0; index < list.length; index += 1) {
      yield* rows.loadRow(index);
      const { item, length } = rows.rowAt(index);
      this.budget.beginListRow(length);
      this.budget.countIterations();
      const round = new VariableScope(scope);
      round.assignTarget(node.target, item, this.budget);
      if (node.condition === null || isTruthyValue(yield* this.#evaluateExpression(node.condition, round))) {
        loop.index = rounds;
        rounds += 1;
        round.setVariable('loop', value);
        if ((yield* this.#runStatements(node.body, round, write)) === 'break') break;
      }
      if (this.#isPauseDue) yield null;
    }
    this.budget.beginListRow(0);
    this.#isInLazyLoop = false;
    return rounds === 0 ? yield* this.#runStatements(node.otherwise, new VariableScope(scope), write) : null;
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
    if (this.#lazyLoops <= maxLazyLoops) return;
    throw new TemplateLimitError('steps', `The template reads the whole list more than ${maxLazyLoops} times`);
  }

  get #isPauseDue(): boolean {
    return this.#pauseAfterMs !== null && this.budget.elapsedMs > this.#pauseAfterMs;
  }

  #recursionOf(node: ForNode, scope: VariableScope): ((inner: TemplateValue) => TemplateValue) | null {
    return node.recursive ? (inner) => this.#runRecursively(node, inner, scope) : null;
  }

  #runRecursively(node: ForNode, over: TemplateValue, scope: VariableScope): TemplateValue {
    this.#loopDepth += 1;
    const text = this.#finishNestedSteps(this.#collectOutput((write) => this.#runFor(node, over, scope, write)));
    this.#loopDepth -= 1;
    return this.evaluator.markSafe(text);
  }

  #itemsOfLoop({ target, condition }: ForNode, over: TemplateValue, scope: VariableScope): readonly TemplateValue[] {
    if (over instanceof UndefinedValue) this.evaluator.formatValue(over);
    const items = listIterableItems(over, this.budget);
    if (condition === null) return items;
    return items.filter((item) => {
      this.budget.countIterations();
      const round = new VariableScope(scope);
      round.assignTarget(target, item, this.budget);
      return isTruthyValue(this.evaluator.evaluate(condition, round));
    });
  }

  #captureBody(body: readonly TemplateStatement[], scope: VariableScope): RenderingSteps<string> {
    return this.#collectOutput((write) => this.#runStatements(body, scope, write));
  }

  *#collectOutput(run: (write: WriteOutput) => RenderingSteps<unknown>): RenderingSteps<string> {
    const text = new TextBuilder(this.budget);
    yield* run((piece) => text.append(piece));
    return text.build();
  }

  #applyFilters(text: string, filters: readonly FilterNode[], scope: VariableScope): TemplateValue {
    return filters.reduce<TemplateValue>(
      (value, { name, given }) => this.evaluator.applyFilter(name, value, this.evaluator.arguments(given, scope)),
      this.evaluator.markSafe(text),
    );
  }

  #createMacro(node: MacroNode, scope: VariableScope, caller: TemplateValue = null): CallableValue {
    return new CallableValue(node.name, (given) => {
      const inner = new VariableScope(scope);
      if (caller !== null) inner.setVariable('caller', caller);
      this.#bindParameters(node, given, inner);
      return this.evaluator.markSafe(this.#finishNestedSteps(this.#captureBody(node.body, inner)));
    });
  }

  #bindParameters({ name, parameters }: MacroNode, { positional, named }: CallArguments, scope: VariableScope): void {
    const names = new Set(parameters.map((parameter) => parameter.name));
    for (const [index, parameter] of parameters.entries()) {
      const given = index < positional.length ? positional[index] : named.get(parameter.name);
      scope.setVariable(parameter.name, given === undefined ? this.#defaultOf(parameter, scope) : given);
    }
    scope.setVariable('varargs', positional.slice(parameters.length));
    scope.setVariable('kwargs', new DictValue([...named].filter(([key]) => !names.has(key))));
    const caller = named.get('caller');
    if (caller !== undefined) scope.setVariable('caller', caller);
    this.budget.countSteps(name.length);
  }

  #defaultOf({ name, otherwise }: MacroNode['parameters'][number], scope: VariableScope): TemplateValue {
    if (otherwise !== null) return this.evaluator.evaluate(otherwise, scope);
    return new UndefinedValue(`parameter '${name}' was not provided`);
  }

  // The calling block is available to the macro as `caller`.
  #runCallBlock(
    { call, caller }: Extract<TemplateStatement, { kind: 'call block' }>,
    scope: VariableScope,
    write: WriteOutput,
  ): void {
    if (call.kind !== 'call') throw new TemplateRuntimeError('expected a call');
    const callee = this.evaluator.evaluate(call.callee, scope);
    const { positional, named } = this.evaluator.arguments(call.given, scope);
    const given = { positional, named: new Map([...named, ['caller', this.#createMacro(caller, scope)]]) };
    write(this.evaluator.formatValue(this.evaluator.call(callee, given)));
  }
}

const statementKindsWithBody: ReadonlySet<TemplateStatement['kind']> = new Set<BodyStatement['kind']>([
  'if',
  'for',
  'with',
  'capture',
  'filtered',
  'include',
  'import',
  'extends',
  'block',
]);

function hasBody(statement: TemplateStatement): statement is BodyStatement {
  return statementKindsWithBody.has(statement.kind);
}
