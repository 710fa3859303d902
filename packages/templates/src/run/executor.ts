import type { Budget } from '../budget.js';
import { TemplateLimitError, TemplateRuntimeError } from '../errors.js';
import type { Expression, FilterNode, ForNode, MacroNode, Statement, Target } from '../language/syntax-tree.js';
import { itemsOf, isTrue } from '../values/compare.js';
import { TextBuilder } from '../values/text.js';
import { type Arguments, Callable, Dict, LazyList, Undefined, type Value } from '../values/value.js';
import { Composition, type CompositionStatement, type Execution, type Write } from './composition.js';
import type { Evaluator } from './evaluator.js';
import { LoadNeeded } from '../values/load.js';
import { LazyRows } from './lazy-rows.js';
import { listItems, Loop } from './loop.js';
import { Scope } from './scope.js';
import { finishSteps, type Steps } from './steps.js';
import type { NamedTemplate, TemplateLibrary } from './template-library.js';

/** A template statement that contains other statements, or runs those of another template. */
type BodyStatement =
  | Extract<Statement, { kind: 'if' | 'for' | 'with' | 'capture' | 'filtered' }>
  | CompositionStatement;

/** Reason why the statements of a loop's body ended before the last one; null if they did not. */
type Left = 'break' | 'continue' | null;

/** Maximum number of loops over lazy lists in one template. */
const maxLazyLoops = 5;

/** Options of an {@link Executor}. */
interface ExecutorOptions {
  /** Functions of the language. */
  readonly globals: Scope;
  readonly library: TemplateLibrary;
  readonly pauseAfterMs: number | null;
}

/**
 * Executes the statements of a template. Statements with a body are generators, so that a rendering can pause inside
 * them.
 */
export class Executor {
  #loopDepth = 0;
  #lazyLoops = 0;
  #isInLazyLoop = false;
  /** Number of macros and recursive loops that expressions are evaluating. */
  #nesting = 0;

  readonly #composition: Composition;
  /** Processor time in milliseconds after which a loop allows a pause; null for no pauses. */
  readonly #pauseAfterMs: number | null;

  constructor(
    private readonly evaluator: Evaluator,
    private readonly budget: Budget,
    { globals, library, pauseAfterMs }: ExecutorOptions,
  ) {
    this.#pauseAfterMs = pauseAfterMs;
    const execution: Execution = {
      runAll: (statements, scope, write) => this.#runAll(statements, scope, write),
      evaluated: (work) => this.#evaluated(work),
      rendered: (run) => this.evaluator.safe(this.#finish(this.#collect(run))),
    };
    this.#composition = new Composition(execution, evaluator, library, globals);
  }

  /** Runs a template with variables. */
  *run(template: NamedTemplate, variables: Scope, write: Write): Steps<void> {
    yield* this.#composition.run(template, variables, write);
  }

  *#runAll(statements: readonly Statement[], scope: Scope, write: Write): Steps<Left> {
    this.budget.enter();
    let left: Left = null;
    for (const statement of statements) {
      this.budget.tick();
      if (statement.kind === 'break' || statement.kind === 'continue') left = statement.kind;
      else if (hasBody(statement)) left = yield* this.#runBody(statement, scope, write);
      else if (statement.kind === 'text') write(statement.text);
      else yield* this.#evaluated(() => this.#act(statement, scope, write));
      if (left !== null) break;
    }
    this.budget.leave();
    return left;
  }

  #value(node: Expression, scope: Scope): Steps<Value> {
    return this.#evaluated(() => this.evaluator.evaluate(node, scope));
  }

  /**
   * Does work that evaluates expressions. If these need something that has not been loaded, undoes what the work has
   * changed, yields the load, and does the work again.
   */
  *#evaluated<T>(work: () => T): Steps<T> {
    const { changes, depth } = this.budget;
    const { position } = changes;
    const [nesting, loopDepth] = [this.#nesting, this.#loopDepth];
    for (;;) {
      try {
        const result = work();
        // Inside a macro, the statement that calls the macro may still be undone.
        if (nesting === 0) changes.clear();
        return result;
      } catch (error) {
        if (!(error instanceof LoadNeeded)) throw error;
        changes.rollBack(position);
        this.budget.depth = depth;
        [this.#nesting, this.#loopDepth] = [nesting, loopDepth];
        yield error.load;
      }
    }
  }

  /** Runs the steps of a macro or a recursive loop, which are part of an expression. */
  #finish<T>(steps: Steps<T>): T {
    this.#nesting += 1;
    const result = finishSteps(steps);
    this.#nesting -= 1;
    return result;
  }

  *#runBody(statement: BodyStatement, scope: Scope, write: Write): Steps<Left> {
    switch (statement.kind) {
      case 'if':
        return yield* this.#if(statement, scope, write);
      case 'for':
        return yield* this.#for(statement, yield* this.#value(statement.over, scope), scope, write);
      case 'with':
        return yield* this.#runAll(
          statement.body,
          yield* this.#evaluated(() => this.#withScope(statement.sets, scope)),
          write,
        );
      case 'capture': {
        const text = yield* this.#captured(statement.body, new Scope(scope));
        yield* this.#evaluated(() =>
          scope.assign(statement.target, this.#filtered(text, statement.filters, scope), this.budget),
        );
        return null;
      }
      case 'filtered': {
        const text = yield* this.#captured(statement.body, new Scope(scope));
        yield* this.#evaluated(() => write(this.evaluator.written(this.#filtered(text, statement.filters, scope))));
        return null;
      }
      default:
        yield* this.#composition.statement(statement, scope, write);
        return null;
    }
  }

  #act(statement: Exclude<Statement, BodyStatement>, scope: Scope, write: Write): void {
    if (statement.kind === 'output') {
      write(this.evaluator.output(this.evaluator.evaluate(statement.value, scope)));
    } else if (statement.kind === 'set') {
      scope.assign(statement.target, this.evaluator.evaluate(statement.value, scope), this.budget);
    } else if (statement.kind === 'do') this.evaluator.evaluate(statement.value, scope);
    else if (statement.kind === 'macro') scope.set(statement.macro.name, this.#macro(statement.macro, scope));
    else if (statement.kind === 'call block') this.#callBlock(statement, scope, write);
    else throw new TemplateRuntimeError(`Unexpected ${statement.kind}`);
  }

  *#if({ branches, otherwise }: Extract<Statement, { kind: 'if' }>, scope: Scope, write: Write): Steps<Left> {
    for (const { condition, body } of branches) {
      const isChosen = yield* this.#evaluated(() => this.evaluator.holds(condition, scope));
      if (isChosen) return yield* this.#runAll(body, scope, write);
    }
    return yield* this.#runAll(otherwise, scope, write);
  }

  #withScope(sets: readonly (readonly [Target, Expression])[], scope: Scope): Scope {
    const inner = new Scope(scope);
    for (const [target, node] of sets) inner.assign(target, this.evaluator.evaluate(node, scope), this.budget);
    return inner;
  }

  *#for(node: ForNode, over: Value, scope: Scope, write: Write): Steps<Left> {
    if (over instanceof LazyList) return yield* this.#forLazy(node, over, scope, write);
    const items = yield* this.#evaluated(() => this.#itemsFor(node, over, scope));
    if (items.length === 0) return yield* this.#runAll(node.otherwise, new Scope(scope), write);
    const loop = new Loop(listItems(items), this.#loopDepth, this.budget, this.#againOf(node, scope));
    const value = loop.asValue();
    for (const [index, item] of items.entries()) {
      this.budget.loop();
      loop.index = index;
      const round = new Scope(scope);
      round.set('loop', value);
      yield* this.#evaluated(() => round.assign(node.target, item, this.budget));
      if ((yield* this.#runAll(node.body, round, write)) === 'break') break;
      if (this.#isPauseDue) yield null;
    }
    return null;
  }

  /** Executes a template's loop over a lazy list. Only the rows near the current one are in memory. */
  *#forLazy(node: ForNode, list: LazyList, scope: Scope, write: Write): Steps<Left> {
    this.#beginLazyLoop(list);
    const rows = new LazyRows(list, this.budget, node.condition !== null);
    const loop = new Loop(rows, this.#loopDepth, this.budget, this.#againOf(node, scope));
    const value = loop.asValue();
    let rounds = 0;
    for (let index = 0; index < list.length; index += 1) {
      yield* rows.load(index);
      const { item, length } = rows.rowAt(index);
      this.budget.startRow(length);
      this.budget.loop();
      const round = new Scope(scope);
      round.assign(node.target, item, this.budget);
      if (node.condition === null || isTrue(yield* this.#value(node.condition, round))) {
        loop.index = rounds;
        rounds += 1;
        round.set('loop', value);
        if ((yield* this.#runAll(node.body, round, write)) === 'break') break;
      }
      if (this.#isPauseDue) yield null;
    }
    this.budget.startRow(0);
    this.#isInLazyLoop = false;
    return rounds === 0 ? yield* this.#runAll(node.otherwise, new Scope(scope), write) : null;
  }

  /**
   * Checks that a loop over a lazy list may begin.
   * @throws TemplateRuntimeError inside another such loop
   * @throws TemplateLimitError after the maximum number of such loops
   */
  #beginLazyLoop(list: LazyList): void {
    if (this.#isInLazyLoop) throw list.refusal();
    this.#isInLazyLoop = true;
    this.#lazyLoops += 1;
    if (this.#lazyLoops <= maxLazyLoops) return;
    throw new TemplateLimitError('steps', `The template reads the whole list more than ${maxLazyLoops} times`);
  }

  get #isPauseDue(): boolean {
    return this.#pauseAfterMs !== null && this.budget.elapsedMs > this.#pauseAfterMs;
  }

  #againOf(node: ForNode, scope: Scope): ((inner: Value) => Value) | null {
    return node.recursive ? (inner) => this.#again(node, inner, scope) : null;
  }

  #again(node: ForNode, over: Value, scope: Scope): Value {
    this.#loopDepth += 1;
    const text = this.#finish(this.#collect((write) => this.#for(node, over, scope, write)));
    this.#loopDepth -= 1;
    return this.evaluator.safe(text);
  }

  #itemsFor({ target, condition }: ForNode, over: Value, scope: Scope): readonly Value[] {
    if (over instanceof Undefined) this.evaluator.written(over);
    const items = itemsOf(over, this.budget);
    if (condition === null) return items;
    return items.filter((item) => {
      this.budget.loop();
      const round = new Scope(scope);
      round.assign(target, item, this.budget);
      return isTrue(this.evaluator.evaluate(condition, round));
    });
  }

  #captured(body: readonly Statement[], scope: Scope): Steps<string> {
    return this.#collect((write) => this.#runAll(body, scope, write));
  }

  *#collect(run: (write: Write) => Steps<unknown>): Steps<string> {
    const text = new TextBuilder(this.budget);
    yield* run((piece) => text.add(piece));
    return text.build();
  }

  #filtered(text: string, filters: readonly FilterNode[], scope: Scope): Value {
    return filters.reduce<Value>(
      (value, { name, given }) => this.evaluator.filter(name, value, this.evaluator.arguments(given, scope)),
      this.evaluator.safe(text),
    );
  }

  #macro(node: MacroNode, scope: Scope, caller: Value = null): Callable {
    return new Callable(node.name, (given) => {
      const inner = new Scope(scope);
      if (caller !== null) inner.set('caller', caller);
      this.#bind(node, given, inner);
      return this.evaluator.safe(this.#finish(this.#captured(node.body, inner)));
    });
  }

  #bind({ name, parameters }: MacroNode, { positional, named }: Arguments, scope: Scope): void {
    const names = new Set(parameters.map((parameter) => parameter.name));
    for (const [index, parameter] of parameters.entries()) {
      const given = index < positional.length ? positional[index] : named.get(parameter.name);
      scope.set(parameter.name, given === undefined ? this.#default(parameter, scope) : given);
    }
    scope.set('varargs', positional.slice(parameters.length));
    scope.set('kwargs', new Dict([...named].filter(([key]) => !names.has(key))));
    const caller = named.get('caller');
    if (caller !== undefined) scope.set('caller', caller);
    this.budget.tick(name.length);
  }

  #default({ name, otherwise }: MacroNode['parameters'][number], scope: Scope): Value {
    if (otherwise !== null) return this.evaluator.evaluate(otherwise, scope);
    return new Undefined(`parameter '${name}' was not provided`);
  }

  // The calling block is available to the macro as `caller`.
  #callBlock({ call, caller }: Extract<Statement, { kind: 'call block' }>, scope: Scope, write: Write): void {
    if (call.kind !== 'call') throw new TemplateRuntimeError('expected a call');
    const callee = this.evaluator.evaluate(call.callee, scope);
    const { positional, named } = this.evaluator.arguments(call.given, scope);
    const given = { positional, named: new Map([...named, ['caller', this.#macro(caller, scope)]]) };
    write(this.evaluator.written(this.evaluator.call(callee, given)));
  }
}

const withBody: ReadonlySet<Statement['kind']> = new Set<BodyStatement['kind']>([
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

function hasBody(statement: Statement): statement is BodyStatement {
  return withBody.has(statement.kind);
}
