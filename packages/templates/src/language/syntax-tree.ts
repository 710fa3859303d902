import type { ArithmeticOperator } from '../values/arithmetic.js';
import type { TemplateValue } from '../values/template-value.js';

/** Operator of a template that compares two values. */
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** Parsed arguments of a call, a filter or a test. */
export interface ArgumentNodes {
  readonly positional: readonly Expression[];
  readonly named: readonly (readonly [string, Expression])[];
}

/** A parsed expression of a template. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: TemplateValue }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'member'; readonly of: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'slice'; readonly of: Expression; readonly bounds: readonly (Expression | null)[] }
  | { readonly kind: 'call'; readonly callee: Expression; readonly given: ArgumentNodes }
  | { readonly kind: 'filter'; readonly of: Expression; readonly name: string; readonly given: ArgumentNodes }
  | { readonly kind: 'test'; readonly of: Expression; readonly name: string; readonly given: ArgumentNodes }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'sign'; readonly sign: '-' | '+'; readonly of: Expression }
  | { readonly kind: 'calculation'; readonly operator: ArithmeticOperator; readonly sides: OperandPair }
  | { readonly kind: 'concatenation'; readonly parts: readonly Expression[] }
  | { readonly kind: 'comparison'; readonly first: Expression; readonly rest: readonly ComparisonOperand[] }
  | { readonly kind: 'all' | 'any'; readonly sides: OperandPair }
  | {
      readonly kind: 'choice';
      readonly condition: Expression;
      readonly chosen: Expression;
      readonly otherwise: Expression | null;
    };

type OperandPair = readonly [Expression, Expression];
type ComparisonOperand = readonly [Comparison, Expression];

/**
 * Parsed target of an assignment: a name, several names to which the items of a list are assigned, or a member of a
 * namespace.
 */
export type Target =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'names'; readonly targets: readonly Target[] }
  | { readonly kind: 'member'; readonly of: string; readonly name: string };

/** A parsed filter that is applied to the content of a block. */
export interface FilterNode {
  readonly name: string;
  readonly given: ArgumentNodes;
}

/** A parameter of a template macro with its default. */
export interface Parameter {
  readonly name: string;
  readonly otherwise: Expression | null;
}

/** A parsed template macro: its parameters and its body. */
export interface MacroNode {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

/** A parsed statement of a template. */
export type Statement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expression }
  | { readonly kind: 'do'; readonly value: Expression }
  | { readonly kind: 'if'; readonly branches: readonly ConditionalBranch[]; readonly otherwise: readonly Statement[] }
  | ForNode
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: 'capture';
      readonly target: Target;
      readonly filters: readonly FilterNode[];
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'macro'; readonly macro: MacroNode }
  | { readonly kind: 'call block'; readonly call: Expression; readonly caller: MacroNode }
  | { readonly kind: 'filtered'; readonly filters: readonly FilterNode[]; readonly body: readonly Statement[] }
  | {
      readonly kind: 'with';
      readonly sets: readonly (readonly [Target, Expression])[];
      readonly body: readonly Statement[];
    }
  | IncludeNode
  | ImportNode
  | { readonly kind: 'extends'; readonly name: Expression }
  | BlockNode
  | { readonly kind: 'break' | 'continue' };

/** A parsed condition, with the statements that run if it is true. */
export interface ConditionalBranch {
  readonly condition: Expression;
  readonly body: readonly Statement[];
}

/** A parsed `for` loop of a template. */
export interface ForNode {
  readonly kind: 'for';
  readonly target: Target;
  readonly over: Expression;
  readonly condition: Expression | null;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

/** A parsed `include` of another template. */
export interface IncludeNode {
  readonly kind: 'include';
  readonly name: Expression;
  readonly ignoreMissing: boolean;
  /** True if the included template can use the variables of this template. */
  readonly withContext: boolean;
}

/** A parsed `import` of another template, or of some of its macros and variables. */
export interface ImportNode {
  readonly kind: 'import';
  readonly name: Expression;
  readonly withContext: boolean;
  /** Variable for the whole template; null if only names are imported. */
  readonly target: string | null;
  /** Imported names, each with the name of its variable. */
  readonly names: readonly (readonly [name: string, variable: string])[];
}

/** A parsed block, which templates that extend this template can replace. */
export interface BlockNode {
  readonly kind: 'block';
  readonly name: string;
  /** True if the block can use the variables of the loops that contain it. */
  readonly isScoped: boolean;
  /** True if a template that extends this template must replace the block. */
  readonly isRequired: boolean;
  readonly body: readonly Statement[];
}

/** A parsed template: its statements, and its blocks by name. */
export interface ParsedTemplate {
  readonly statements: readonly Statement[];
  readonly blocks: ReadonlyMap<string, BlockNode>;
  /** The first statement that needs another template (`include`, `import`, `from` or `extends`), or null. */
  readonly fileStatement: { readonly word: string; readonly line: number } | null;
}
