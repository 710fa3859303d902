import type { Budget } from '../budget.js';
import { TemplateLimitError, TemplateNotFoundError, TemplateRuntimeError } from '../errors.js';
import type { Expression, FilterNode, ForNode, MacroNode, Statement, Target } from '../language/syntax-tree.js';
import { itemsOf, isTrue } from '../values/compare.js';
import { TextBuilder } from '../values/text.js';
import { type Arguments, Callable, Dict, LazyList, Undefined, type Value } from '../values/value.js';
import type { Evaluator } from './evaluator.js';
import { LazyRows } from './lazy-rows.js';
import { listItems, Loop } from './loop.js';
import { Scope } from './scope.js';
import { finishSteps, type Steps } from './steps.js';

/** Function that receives pieces of the template's output. */
type Write = (text: string) => void;

/** A template statement that contains other statements. */
type BodyStatement = Extract<Statement, { kind: 'if' | 'for' | 'with' | 'capture' | 'filtered' }>;

/** Reason why the statements of a loop's body ended before the last one; null if they did not. */
type Left = 'break' | 'continue' | null;

/** Maximum number of loops over lazy lists in one template. */
const maxLazyLoops = 5;

/**
 * Executes the statements of a template. Statements with a body are generators, so that a rendering can pause inside
 * them.
 */
export class Executor {
  #loopDepth = 0;
  #lazyLoops = 0;
  #isInLazyLoop = false;

  constructor(
    private readonly evaluator: Evaluator,
    private readonly budget: Budget,
    private readonly top: Scope,
    /** Processor time in milliseconds after which a loop allows a pause; null for no pauses. */
    private readonly pauseAfterMs: number | null,
  ) {}

  /** Runs the statements of a template. */
  *run(statements: readonly Statement[], write: Write): Steps<void> {
    yield* this.#runAll(statements, this.top, write);
  }

  *#runAll(statements: readonly Statement[], scope: Scope, write: Write): Steps<Left> {
    this.budget.enter();
    let left: Left = null;
    for (const statement of statements) {
      this.budget.tick();
      if (statement.kind === 'break' || statement.kind === 'continue') left = statement.kind;
      else if (hasBody(statement)) left = yield* this.#runBody(statement, scope, write);
      else this.#act(statement, scope, write);
      if (left !== null) break;
    }
    this.budget.leave();
    return left;
  }

  *#runBody(statement: BodyStatement, scope: Scope, write: Write): Steps<Left> {
    switch (statement.kind) {
      case 'if':
        return yield* this.#if(statement, scope, write);
      case 'for':
        return yield* this.#for(statement, this.evaluator.evaluate(statement.over, scope), scope, write);
      case 'with':
        return yield* this.#runAll(statement.body, this.#withScope(statement.sets, scope), write);
      case 'capture': {
        const text = yield* this.#captured(statement.body, new Scope(scope));
        scope.assign(statement.target, this.#filtered(text, statement.filters, scope), this.budget);
        return null;
      }
      default: {
        const text = yield* this.#captured(statement.body, new Scope(scope));
        write(this.evaluator.written(this.#filtered(text, statement.filters, scope)));
        return null;
      }
    }
  }

  #act(statement: Exclude<Statement, BodyStatement>, scope: Scope, write: Write): void {
    if (statement.kind === 'text') write(statement.text);
    else if (statement.kind === 'output') {
      write(this.evaluator.output(this.evaluator.evaluate(statement.value, scope)));
    } else if (statement.kind === 'set') {
      scope.assign(statement.target, this.evaluator.evaluate(statement.value, scope), this.budget);
    } else if (statement.kind === 'do') this.evaluator.evaluate(statement.value, scope);
    else if (statement.kind === 'macro') scope.set(statement.macro.name, this.#macro(statement.macro, scope));
    else if (statement.kind === 'call block') this.#callBlock(statement, scope, write);
    else if (statement.kind === 'include') this.#include(statement, scope);
    else throw new TemplateRuntimeError(`Unexpected ${statement.kind}`);
  }

  *#if({ branches, otherwise }: Extract<Statement, { kind: 'if' }>, scope: Scope, write: Write): Steps<Left> {
    const branch = branches.find(({ condition }) => this.evaluator.holds(condition, scope));
    return yield* this.#runAll(branch?.body ?? otherwise, scope, write);
  }

  #withScope(sets: readonly (readonly [Target, Expression])[], scope: Scope): Scope {
    const inner = new Scope(scope);
    for (const [target, node] of sets) inner.assign(target, this.evaluator.evaluate(node, scope), this.budget);
    return inner;
  }

  *#for(node: ForNode, over: Value, scope: Scope, write: Write): Steps<Left> {
    if (over instanceof LazyList) return yield* this.#forLazy(node, over, scope, write);
    const items = this.#itemsFor(node, over, scope);
    if (items.length === 0) return yield* this.#runAll(node.otherwise, new Scope(scope), write);
    const loop = new Loop(listItems(items), this.#loopDepth, this.budget, this.#againOf(node, scope));
    const value = loop.asValue();
    for (const [index, item] of items.entries()) {
      this.budget.loop();
      loop.index = index;
      const round = new Scope(scope);
      round.set('loop', value);
      round.assign(node.target, item, this.budget);
      if ((yield* this.#runAll(node.body, round, write)) === 'break') break;
      if (this.#isPauseDue) yield null;
    }
    return null;
  }

  /** Executes a template's loop over a lazy list. Only the rows near the current one are in memory. */
  *#forLazy(node: ForNode, list: LazyList, scope: Scope, write: Write): Steps<Left> {
    this.#beginLazyLoop(list);
    const rows = new LazyRows(list, node.condition !== null);
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
      if (node.condition === null || isTrue(this.evaluator.evaluate(node.condition, round))) {
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
    return this.pauseAfterMs !== null && this.budget.elapsedMs > this.pauseAfterMs;
  }

  #againOf(node: ForNode, scope: Scope): ((inner: Value) => Value) | null {
    return node.recursive ? (inner) => this.#again(node, inner, scope) : null;
  }

  #again(node: ForNode, over: Value, scope: Scope): Value {
    this.#loopDepth += 1;
    const text = finishSteps(this.#collect((write) => this.#for(node, over, scope, write)));
    this.#loopDepth -= 1;
    return text;
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
      text,
    );
  }

  #macro(node: MacroNode, scope: Scope, caller: Value = null): Callable {
    return new Callable(node.name, (given) => {
      const inner = new Scope(scope);
      if (caller !== null) inner.set('caller', caller);
      this.#bind(node, given, inner);
      return finishSteps(this.#captured(node.body, inner));
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

  #include({ name, ignoreMissing }: Extract<Statement, { kind: 'include' }>, scope: Scope): void {
    const requested = this.evaluator.written(this.evaluator.evaluate(name, scope));
    if (!ignoreMissing) throw new TemplateNotFoundError(requested);
  }
}

function hasBody(statement: Statement): statement is BodyStatement {
  const { kind } = statement;
  return kind === 'for' || kind === 'if' || kind === 'with' || kind === 'capture' || kind === 'filtered';
}
