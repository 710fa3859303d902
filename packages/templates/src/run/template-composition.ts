import { TemplateNotFoundError, TemplateRuntimeError } from '../template-errors.js';
import type {
  TemplateBlockNode,
  TemplateExpression,
  TemplateImportNode,
  TemplateIncludeNode,
  TemplateStatement,
} from '../language/syntax-tree.js';
import {
  CallableTemplateValue,
  ValueWithComputedMembers,
  UndefinedTemplateValue,
  type TemplateValue,
} from '../values/template-value.js';
import type { TemplateExpressionEvaluator } from './expression-evaluator.js';
import { TemplateVariableScope } from './variable-scope.js';
import type { TemplateRenderingSteps } from './rendering-steps.js';
import { TemplateExecutionState } from './template-frame.js';
import type { NamedTemplate, TemplateLibrary } from './template-library.js';

/** Function that receives pieces of the output of a template. */
export type TemplateOutputWriter = (text: string) => void;

/** Functions that run template statements. */
export interface TemplateStatementRunner {
  runStatements(
    statements: readonly TemplateStatement[],
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<unknown>;
  /**
   * Runs a function that evaluates expressions. If the expressions need data that is not loaded, yields the load and
   * repeats the function.
   */
  evaluateWithLoads<T>(work: () => T): TemplateRenderingSteps<T>;
  /** Runs template statements as part of an expression. Returns the output of the statements. */
  renderToValue(run: (write: TemplateOutputWriter) => TemplateRenderingSteps<unknown>): TemplateValue;
}

/** A template statement that includes, imports or extends another template, or that defines a block. */
export type TemplateCompositionStatement = Extract<
  TemplateStatement,
  { kind: 'include' | 'import' | 'extends' | 'block' }
>;

/** Executes templates that include, import and extend other templates. */
export class TemplateCompositionExecutor {
  /** Variables of the templates in execution, by the frame of the template. */
  readonly #variables = new WeakMap<TemplateExecutionState, TemplateVariableScope>();

  constructor(
    private readonly execution: TemplateStatementRunner,
    private readonly evaluator: TemplateExpressionEvaluator,
    private readonly library: TemplateLibrary,
    /** Variable scope with the global functions of the template language. */
    private readonly globals: TemplateVariableScope,
  ) {}

  /** Runs a template and then the templates that it extends. Returns the variable scope of the template. */
  *runTemplateAndParents(
    template: NamedTemplate,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<TemplateVariableScope> {
    const frame = new TemplateExecutionState(template, scope.frame);
    const context = new TemplateVariableScope(scope, frame);
    const variables = new TemplateVariableScope(context);
    context.setVariable(
      'self',
      new ValueWithComputedMembers('TemplateReference', (name) => this.#blockReference(frame, name, variables)),
    );
    this.#variables.set(frame, variables);
    for (let current: NamedTemplate | null = template; current !== null; current = frame.enterParentTemplate()) {
      yield* this.execution.runStatements(current.parsed.statements, variables, (text) => {
        if (!frame.extendsOtherTemplate) write(text);
      });
    }
    return variables;
  }

  /** Executes an `include`, `import`, `from`, `extends` or `block` statement of a template. */
  *runCompositionStatement(
    statement: TemplateCompositionStatement,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<void> {
    if (statement.kind === 'include') yield* this.#runInclude(statement, scope, write);
    else if (statement.kind === 'import') yield* this.#runImport(statement, scope);
    else if (statement.kind === 'block') yield* this.#runBlock(statement, scope, write);
    else scope.frame?.recordParentTemplate(yield* this.#findTemplate(statement.name, scope));
  }

  *#runInclude(
    { name, ignoreMissing, withContext }: TemplateIncludeNode,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<void> {
    const template = ignoreMissing
      ? yield* this.#findOptionalTemplate(name, scope)
      : yield* this.#findTemplate(name, scope);
    if (template !== null)
      yield* this.runTemplateAndParents(template, withContext ? scope : this.#scopeOfGlobals(scope), write);
  }

  *#runImport(
    { name, target, names, withContext }: TemplateImportNode,
    scope: TemplateVariableScope,
  ): TemplateRenderingSteps<void> {
    const template = yield* this.#findTemplate(name, scope);
    const variables = yield* this.runTemplateAndParents(
      template,
      withContext ? scope : this.#scopeOfGlobals(scope),
      () => undefined,
    );
    const find = (member: string): TemplateValue | undefined =>
      member.startsWith('_') ? undefined : variables.findVariableInThisScope(member);
    if (target !== null) scope.setVariable(target, new ValueWithComputedMembers('TemplateModule', find));
    for (const [member, variable] of names) {
      const reason = `the template '${String(template.name)}' does not export the requested name '${member}'`;
      scope.setVariable(variable, find(member) ?? new UndefinedTemplateValue(reason));
    }
  }

  /** Returns a variable scope that contains only the global functions of the template language. */
  #scopeOfGlobals({ frame }: TemplateVariableScope): TemplateVariableScope {
    return new TemplateVariableScope(this.globals, frame);
  }

  #findTemplate(name: TemplateExpression, scope: TemplateVariableScope): TemplateRenderingSteps<NamedTemplate> {
    return this.execution.evaluateWithLoads(() =>
      this.library.findTemplate(this.evaluator.evaluateInScope(name, scope)),
    );
  }

  *#findOptionalTemplate(
    name: TemplateExpression,
    scope: TemplateVariableScope,
  ): TemplateRenderingSteps<NamedTemplate | null> {
    try {
      return yield* this.#findTemplate(name, scope);
    } catch (error) {
      if (error instanceof TemplateNotFoundError) return null;
      throw error;
    }
  }

  *#runBlock(
    { name, isScoped }: TemplateBlockNode,
    scope: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<void> {
    const { frame } = scope;
    // A template that extends another one only defines blocks.
    if (frame === null || frame.extendsOtherTemplate) return;
    const outer = isScoped ? scope : (this.#variables.get(frame) ?? scope);
    yield* this.#runBlockAt(frame.findBlocksByName(name), 0, outer, write);
  }

  *#runBlockAt(
    chain: readonly TemplateBlockNode[],
    at: number,
    outer: TemplateVariableScope,
    write: TemplateOutputWriter,
  ): TemplateRenderingSteps<void> {
    const block = chain[at];
    if (block === undefined) return;
    if (block.isRequired) throw new TemplateRuntimeError(`Required block '${block.name}' not found`);
    const scope = new TemplateVariableScope(outer);
    scope.setVariable(
      'super',
      at + 1 < chain.length
        ? this.#createCallable('super', (piece) => this.#runBlockAt(chain, at + 1, outer, piece))
        : new UndefinedTemplateValue(`there is no parent block called '${block.name}'.`),
    );
    yield* this.execution.runStatements(block.body, scope, write);
  }

  /** Returns the callable value of a template block. Templates access the value as a member of `self`. */
  #blockReference(
    frame: TemplateExecutionState,
    name: string,
    scope: TemplateVariableScope,
  ): TemplateValue | undefined {
    const chain = frame.findBlocksByName(name);
    return chain.length === 0
      ? undefined
      : this.#createCallable(name, (write) => this.#runBlockAt(chain, 0, scope, write));
  }

  #createCallable(
    name: string,
    run: (write: TemplateOutputWriter) => TemplateRenderingSteps<unknown>,
  ): CallableTemplateValue {
    return new CallableTemplateValue(name, () => this.execution.renderToValue(run));
  }
}
