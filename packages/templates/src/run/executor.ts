import type { Budget } from '../budget.js';
import { TemplateNotFoundError, TemplateRuntimeError } from '../errors.js';
import type { Expression, FilterNode, ForNode, MacroNode, Statement, Target } from '../language/syntax-tree.js';
import { itemsOf, isTrue } from '../values/compare.js';
import { TextBuilder } from '../values/text.js';
import { type Arguments, Callable, Dict, Undefined, type Value } from '../values/value.js';
import type { Evaluator } from './evaluator.js';
import { Loop } from './loop.js';
import { Scope } from './scope.js';

/** Where what is written goes. */
type Write = (text: string) => void;

/** Why a body was left before its end. */
type Left = 'break' | 'continue' | null;

/** Does what the statements of a template say. */
export class Executor {
  #loopDepth = 0;

  constructor(
    private readonly evaluator: Evaluator,
    private readonly budget: Budget,
    private readonly top: Scope,
  ) {}

  /** Runs the statements of a template. */
  run(statements: readonly Statement[], write: Write): void {
    this.#runAll(statements, this.top, write);
  }

  #runAll(statements: readonly Statement[], scope: Scope, write: Write): Left {
    this.budget.enter();
    let left: Left = null;
    for (const statement of statements) {
      this.budget.tick();
      left = this.#runOne(statement, scope, write);
      if (left !== null) break;
    }
    this.budget.leave();
    return left;
  }

  #runOne(statement: Statement, scope: Scope, write: Write): Left {
    switch (statement.kind) {
      case 'text':
        write(statement.text);
        return null;
      case 'output':
        write(this.evaluator.output(this.evaluator.evaluate(statement.value, scope)));
        return null;
      case 'if':
        return this.#if(statement, scope, write);
      case 'for':
        return this.#for(statement, this.evaluator.evaluate(statement.over, scope), scope, write);
      case 'with':
        return this.#runAll(statement.body, this.#withScope(statement.sets, scope), write);
      case 'break':
      case 'continue':
        return statement.kind;
      default:
        this.#act(statement, scope, write);
        return null;
    }
  }

  #act(statement: Exclude<Statement, { kind: 'text' | 'if' | 'for' }>, scope: Scope, write: Write): void {
    if (statement.kind === 'set') {
      scope.assign(statement.target, this.evaluator.evaluate(statement.value, scope), this.budget);
    } else if (statement.kind === 'do') this.evaluator.evaluate(statement.value, scope);
    else if (statement.kind === 'capture') {
      const text = this.#captured(statement.body, new Scope(scope));
      scope.assign(statement.target, this.#filtered(text, statement.filters, scope), this.budget);
    } else if (statement.kind === 'filtered') {
      const text = this.#captured(statement.body, new Scope(scope));
      write(this.evaluator.written(this.#filtered(text, statement.filters, scope)));
    } else if (statement.kind === 'macro') scope.set(statement.macro.name, this.#macro(statement.macro, scope));
    else if (statement.kind === 'call block') this.#callBlock(statement, scope, write);
    else if (statement.kind === 'include') this.#include(statement, scope);
    else throw new TemplateRuntimeError(`Unexpected ${statement.kind}`);
  }

  #if({ branches, otherwise }: Extract<Statement, { kind: 'if' }>, scope: Scope, write: Write): Left {
    const branch = branches.find(({ condition }) => this.evaluator.holds(condition, scope));
    return this.#runAll(branch?.body ?? otherwise, scope, write);
  }

  #withScope(sets: readonly (readonly [Target, Expression])[], scope: Scope): Scope {
    const inner = new Scope(scope);
    for (const [target, node] of sets) inner.assign(target, this.evaluator.evaluate(node, scope), this.budget);
    return inner;
  }

  #for(node: ForNode, over: Value, scope: Scope, write: Write): Left {
    const items = this.#itemsFor(node, over, scope);
    if (items.length === 0) return this.#runAll(node.otherwise, new Scope(scope), write);
    const again = node.recursive ? (inner: Value): Value => this.#again(node, inner, scope) : null;
    const loop = new Loop(items, this.#loopDepth, this.budget, again);
    const value = loop.asValue();
    for (const [index, item] of items.entries()) {
      this.budget.loop();
      loop.index = index;
      const round = new Scope(scope);
      round.set('loop', value);
      round.assign(node.target, item, this.budget);
      if (this.#runAll(node.body, round, write) === 'break') break;
    }
    return null;
  }

  #again(node: ForNode, over: Value, scope: Scope): Value {
    this.#loopDepth += 1;
    const text = this.#collect((write) => this.#for(node, over, scope, write));
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

  #captured(body: readonly Statement[], scope: Scope): string {
    return this.#collect((write) => this.#runAll(body, scope, write));
  }

  #collect(run: (write: Write) => void): string {
    const text = new TextBuilder(this.budget);
    run((piece) => text.add(piece));
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
      return this.#captured(node.body, inner);
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

  // A macro finds who calls it under the name `caller`.
  #callBlock({ call, caller }: Extract<Statement, { kind: 'call block' }>, scope: Scope, write: Write): void {
    if (call.kind !== 'call') throw new TemplateRuntimeError('expected a call');
    const callee = this.evaluator.evaluate(call.callee, scope);
    const { positional, named } = this.evaluator.arguments(call.given, scope);
    const given = { positional, named: new Map([...named, ['caller', this.#macro(caller, scope)]]) };
    write(this.evaluator.written(this.evaluator.call(callee, given)));
  }

  #include({ name, ignoreMissing }: Extract<Statement, { kind: 'include' }>, scope: Scope): void {
    const wanted = this.evaluator.written(this.evaluator.evaluate(name, scope));
    if (!ignoreMissing) throw new TemplateNotFoundError(wanted);
  }
}
