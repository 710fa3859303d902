import { TemplateNotFoundError, TemplateRuntimeError } from '../template-errors.js';
import type {
  BlockNode,
  TemplateExpression,
  ImportNode,
  IncludeNode,
  TemplateStatement,
} from '../language/syntax-tree.js';
import { CallableValue, ComputedMembers, UndefinedValue, type TemplateValue } from '../values/template-value.js';
import type { Evaluator } from './expression-evaluator.js';
import { VariableScope } from './variable-scope.js';
import type { RenderingSteps } from './rendering-steps.js';
import { TemplateFrame } from './template-frame.js';
import type { NamedTemplate, TemplateLibrary } from './template-library.js';

/** Function that receives pieces of the output of a template. */
export type WriteOutput = (text: string) => void;

/** Functions that run template statements. */
export interface StatementRunner {
  runStatements(
    statements: readonly TemplateStatement[],
    scope: VariableScope,
    write: WriteOutput,
  ): RenderingSteps<unknown>;
  /**
   * Runs a function that evaluates expressions. If the expressions need data that is not loaded, yields the load and
   * repeats the function.
   */
  evaluateWithLoads<T>(work: () => T): RenderingSteps<T>;
  /** Runs template statements as part of an expression. Returns the output of the statements. */
  renderToValue(run: (write: WriteOutput) => RenderingSteps<unknown>): TemplateValue;
}

/** A template statement that includes, imports or extends another template, or that defines a block. */
export type CompositionStatement = Extract<TemplateStatement, { kind: 'include' | 'import' | 'extends' | 'block' }>;

/** Executes templates that include, import and extend other templates. */
export class TemplateComposition {
  /** Variables of the templates in execution, by the frame of the template. */
  readonly #variables = new WeakMap<TemplateFrame, VariableScope>();

  constructor(
    private readonly execution: StatementRunner,
    private readonly evaluator: Evaluator,
    private readonly library: TemplateLibrary,
    /** Variable scope with the global functions of the template language. */
    private readonly globals: VariableScope,
  ) {}

  /** Runs a template and then the templates that it extends. Returns the variable scope of the template. */
  *runTemplate(template: NamedTemplate, scope: VariableScope, write: WriteOutput): RenderingSteps<VariableScope> {
    const frame = new TemplateFrame(template, scope.frame);
    const context = new VariableScope(scope, frame);
    const variables = new VariableScope(context);
    context.setVariable(
      'self',
      new ComputedMembers('TemplateReference', (name) => this.#blockReference(frame, name, variables)),
    );
    this.#variables.set(frame, variables);
    for (let current: NamedTemplate | null = template; current !== null; current = frame.enterParent()) {
      yield* this.execution.runStatements(current.parsed.statements, variables, (text) => {
        if (!frame.isExtending) write(text);
      });
    }
    return variables;
  }

  /** Executes an `include`, `import`, `from`, `extends` or `block` statement of a template. */
  *runStatement(statement: CompositionStatement, scope: VariableScope, write: WriteOutput): RenderingSteps<void> {
    if (statement.kind === 'include') yield* this.#runInclude(statement, scope, write);
    else if (statement.kind === 'import') yield* this.#runImport(statement, scope);
    else if (statement.kind === 'block') yield* this.#runBlock(statement, scope, write);
    else scope.frame?.extendTemplate(yield* this.#findTemplate(statement.name, scope));
  }

  *#runInclude(
    { name, ignoreMissing, withContext }: IncludeNode,
    scope: VariableScope,
    write: WriteOutput,
  ): RenderingSteps<void> {
    const template = ignoreMissing
      ? yield* this.#findOptionalTemplate(name, scope)
      : yield* this.#findTemplate(name, scope);
    if (template !== null) yield* this.runTemplate(template, withContext ? scope : this.#scopeOfGlobals(scope), write);
  }

  *#runImport({ name, target, names, withContext }: ImportNode, scope: VariableScope): RenderingSteps<void> {
    const template = yield* this.#findTemplate(name, scope);
    const variables = yield* this.runTemplate(
      template,
      withContext ? scope : this.#scopeOfGlobals(scope),
      () => undefined,
    );
    const find = (member: string): TemplateValue | undefined =>
      member.startsWith('_') ? undefined : variables.findOwn(member);
    if (target !== null) scope.setVariable(target, new ComputedMembers('TemplateModule', find));
    for (const [member, variable] of names) {
      const reason = `the template '${String(template.name)}' does not export the requested name '${member}'`;
      scope.setVariable(variable, find(member) ?? new UndefinedValue(reason));
    }
  }

  /** Returns a variable scope that contains only the global functions of the template language. */
  #scopeOfGlobals({ frame }: VariableScope): VariableScope {
    return new VariableScope(this.globals, frame);
  }

  #findTemplate(name: TemplateExpression, scope: VariableScope): RenderingSteps<NamedTemplate> {
    return this.execution.evaluateWithLoads(() => this.library.findTemplate(this.evaluator.evaluate(name, scope)));
  }

  *#findOptionalTemplate(name: TemplateExpression, scope: VariableScope): RenderingSteps<NamedTemplate | null> {
    try {
      return yield* this.#findTemplate(name, scope);
    } catch (error) {
      if (error instanceof TemplateNotFoundError) return null;
      throw error;
    }
  }

  *#runBlock({ name, isScoped }: BlockNode, scope: VariableScope, write: WriteOutput): RenderingSteps<void> {
    const { frame } = scope;
    // A template that extends another one only defines blocks.
    if (frame === null || frame.isExtending) return;
    const outer = isScoped ? scope : (this.#variables.get(frame) ?? scope);
    yield* this.#runBlockAt(frame.blocksNamed(name), 0, outer, write);
  }

  *#runBlockAt(
    chain: readonly BlockNode[],
    at: number,
    outer: VariableScope,
    write: WriteOutput,
  ): RenderingSteps<void> {
    const block = chain[at];
    if (block === undefined) return;
    if (block.isRequired) throw new TemplateRuntimeError(`Required block '${block.name}' not found`);
    const scope = new VariableScope(outer);
    scope.setVariable(
      'super',
      at + 1 < chain.length
        ? this.#createCallable('super', (piece) => this.#runBlockAt(chain, at + 1, outer, piece))
        : new UndefinedValue(`there is no parent block called '${block.name}'.`),
    );
    yield* this.execution.runStatements(block.body, scope, write);
  }

  /** Returns the callable value of a template block. Templates access the value as a member of `self`. */
  #blockReference(frame: TemplateFrame, name: string, scope: VariableScope): TemplateValue | undefined {
    const chain = frame.blocksNamed(name);
    return chain.length === 0
      ? undefined
      : this.#createCallable(name, (write) => this.#runBlockAt(chain, 0, scope, write));
  }

  #createCallable(name: string, run: (write: WriteOutput) => RenderingSteps<unknown>): CallableValue {
    return new CallableValue(name, () => this.execution.renderToValue(run));
  }
}
