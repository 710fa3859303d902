import { TemplateNotFoundError, TemplateRuntimeError } from '../errors.js';
import type { BlockNode, Expression, ImportNode, IncludeNode, Statement } from '../language/syntax-tree.js';
import { Callable, Members, Undefined, type Value } from '../values/value.js';
import type { Evaluator } from './evaluator.js';
import { Scope } from './scope.js';
import type { Steps } from './steps.js';
import { TemplateFrame } from './template-frame.js';
import type { NamedTemplate, TemplateLibrary } from './template-library.js';

/** Function that receives pieces of the template's output. */
export type Write = (text: string) => void;

/** Functions of the executor that run statements. */
export interface Execution {
  runAll(statements: readonly Statement[], scope: Scope, write: Write): Steps<unknown>;
  /** Does work that evaluates expressions, again after each load that it needs. */
  evaluated<T>(work: () => T): Steps<T>;
  /** Runs statements as part of an expression. Returns their output. */
  rendered(run: (write: Write) => Steps<unknown>): Value;
}

/** A statement that concerns other templates. */
export type CompositionStatement = Extract<Statement, { kind: 'include' | 'import' | 'extends' | 'block' }>;

/** Executes templates that include, import and extend others. */
export class Composition {
  /** Variables of the templates that are executed. */
  readonly #variables = new WeakMap<TemplateFrame, Scope>();

  constructor(
    private readonly execution: Execution,
    private readonly evaluator: Evaluator,
    private readonly library: TemplateLibrary,
    /** Functions of the language. */
    private readonly globals: Scope,
  ) {}

  /** Runs a template, and then the templates that it extends. Returns its variables. */
  *run(template: NamedTemplate, scope: Scope, write: Write): Steps<Scope> {
    const frame = new TemplateFrame(template, scope.frame);
    const context = new Scope(scope, frame);
    const variables = new Scope(context);
    context.set('self', new Members('TemplateReference', (name) => this.#reference(frame, name, variables)));
    this.#variables.set(frame, variables);
    for (let current: NamedTemplate | null = template; current !== null; current = frame.next()) {
      yield* this.execution.runAll(current.parsed.statements, variables, (text) => {
        if (!frame.isExtending) write(text);
      });
    }
    return variables;
  }

  /** Runs a statement that concerns other templates. */
  *statement(statement: CompositionStatement, scope: Scope, write: Write): Steps<void> {
    if (statement.kind === 'include') yield* this.#include(statement, scope, write);
    else if (statement.kind === 'import') yield* this.#import(statement, scope);
    else if (statement.kind === 'block') yield* this.#block(statement, scope, write);
    else scope.frame?.extend(yield* this.#template(statement.name, scope));
  }

  *#include({ name, ignoreMissing, withContext }: IncludeNode, scope: Scope, write: Write): Steps<void> {
    const template = ignoreMissing ? yield* this.#templateIfAny(name, scope) : yield* this.#template(name, scope);
    if (template !== null) yield* this.run(template, withContext ? scope : this.#bare(scope), write);
  }

  *#import({ name, target, names, withContext }: ImportNode, scope: Scope): Steps<void> {
    const template = yield* this.#template(name, scope);
    const variables = yield* this.run(template, withContext ? scope : this.#bare(scope), () => undefined);
    const find = (member: string): Value | undefined => (member.startsWith('_') ? undefined : variables.own(member));
    if (target !== null) scope.set(target, new Members('TemplateModule', find));
    for (const [member, variable] of names) {
      const reason = `the template '${String(template.name)}' does not export the requested name '${member}'`;
      scope.set(variable, find(member) ?? new Undefined(reason));
    }
  }

  /** Returns a scope that has only the functions of the language. */
  #bare({ frame }: Scope): Scope {
    return new Scope(this.globals, frame);
  }

  #template(name: Expression, scope: Scope): Steps<NamedTemplate> {
    return this.execution.evaluated(() => this.library.get(this.evaluator.evaluate(name, scope)));
  }

  *#templateIfAny(name: Expression, scope: Scope): Steps<NamedTemplate | null> {
    try {
      return yield* this.#template(name, scope);
    } catch (error) {
      if (error instanceof TemplateNotFoundError) return null;
      throw error;
    }
  }

  *#block({ name, isScoped }: BlockNode, scope: Scope, write: Write): Steps<void> {
    const { frame } = scope;
    // A template that extends another one only defines blocks.
    if (frame === null || frame.isExtending) return;
    const outer = isScoped ? scope : (this.#variables.get(frame) ?? scope);
    yield* this.#blockAt(frame.blocks(name), 0, outer, write);
  }

  *#blockAt(chain: readonly BlockNode[], at: number, outer: Scope, write: Write): Steps<void> {
    const block = chain[at];
    if (block === undefined) return;
    if (block.isRequired) throw new TemplateRuntimeError(`Required block '${block.name}' not found`);
    const scope = new Scope(outer);
    scope.set(
      'super',
      at + 1 < chain.length
        ? this.#callable('super', (piece) => this.#blockAt(chain, at + 1, outer, piece))
        : new Undefined(`there is no parent block called '${block.name}'.`),
    );
    yield* this.execution.runAll(block.body, scope, write);
  }

  /** Returns a block for the variable `self`. */
  #reference(frame: TemplateFrame, name: string, scope: Scope): Value | undefined {
    const chain = frame.blocks(name);
    return chain.length === 0 ? undefined : this.#callable(name, (write) => this.#blockAt(chain, 0, scope, write));
  }

  #callable(name: string, run: (write: Write) => Steps<unknown>): Callable {
    return new Callable(name, () => this.execution.rendered(run));
  }
}
