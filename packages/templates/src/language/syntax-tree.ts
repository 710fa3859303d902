import type { TemplateArithmeticOperator } from '../values/arithmetic.js';
import type { TemplateValue } from '../values/template-value.js';

/** Operator in a template expression that compares two values. */
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

/** Parsed arguments of a call, a filter or a test in a template. */
export interface TemplateArgumentNodes {
  readonly positional: readonly TemplateExpression[];
  readonly named: readonly (readonly [string, TemplateExpression])[];
}

/** A parsed expression of a template (a node of the syntax tree). */
export type TemplateExpression =
  | { readonly kind: 'literal'; readonly value: TemplateValue }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly TemplateExpression[] }
  | { readonly kind: 'dict'; readonly pairs: readonly (readonly [TemplateExpression, TemplateExpression])[] }
  | { readonly kind: 'member'; readonly of: TemplateExpression; readonly name: string }
  | { readonly kind: 'item'; readonly of: TemplateExpression; readonly key: TemplateExpression }
  | { readonly kind: 'slice'; readonly of: TemplateExpression; readonly bounds: readonly (TemplateExpression | null)[] }
  | { readonly kind: 'call'; readonly callee: TemplateExpression; readonly given: TemplateArgumentNodes }
  | {
      readonly kind: 'filter';
      readonly of: TemplateExpression;
      readonly name: string;
      readonly given: TemplateArgumentNodes;
    }
  | {
      readonly kind: 'test';
      readonly of: TemplateExpression;
      readonly name: string;
      readonly given: TemplateArgumentNodes;
    }
  | { readonly kind: 'not'; readonly of: TemplateExpression }
  | { readonly kind: 'sign'; readonly sign: '-' | '+'; readonly of: TemplateExpression }
  | { readonly kind: 'calculation'; readonly operator: TemplateArithmeticOperator; readonly sides: TemplateOperandPair }
  | { readonly kind: 'concatenation'; readonly parts: readonly TemplateExpression[] }
  | {
      readonly kind: 'comparison';
      readonly first: TemplateExpression;
      readonly rest: readonly TemplateComparisonOperand[];
    }
  | { readonly kind: 'all' | 'any'; readonly sides: TemplateOperandPair }
  | {
      readonly kind: 'choice';
      readonly condition: TemplateExpression;
      readonly chosen: TemplateExpression;
      readonly otherwise: TemplateExpression | null;
    };

type TemplateOperandPair = readonly [TemplateExpression, TemplateExpression];
type TemplateComparisonOperand = readonly [ComparisonOperator, TemplateExpression];

/**
 * Parsed target of an assignment in a template. The target is a name, several names to which the items of a list are
 * assigned, or a member of a namespace.
 */
export type AssignmentTarget =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'names'; readonly targets: readonly AssignmentTarget[] }
  | { readonly kind: 'member'; readonly of: string; readonly name: string };

/** A parsed filter that is applied to the content of a template block. */
export interface TemplateFilterNode {
  readonly name: string;
  readonly given: TemplateArgumentNodes;
}

/** A parameter of a template macro, with the default of the parameter. */
export interface TemplateMacroParameter {
  readonly name: string;
  readonly otherwise: TemplateExpression | null;
}

/** A parsed template macro: its parameters and body. */
export interface TemplateMacroNode {
  readonly name: string;
  readonly parameters: readonly TemplateMacroParameter[];
  readonly body: readonly TemplateStatement[];
}

/** A parsed statement of a template. */
export type TemplateStatement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: TemplateExpression }
  | { readonly kind: 'do'; readonly value: TemplateExpression }
  | {
      readonly kind: 'if';
      readonly branches: readonly ConditionalTemplateBranch[];
      readonly otherwise: readonly TemplateStatement[];
    }
  | TemplateForLoopNode
  | { readonly kind: 'set'; readonly target: AssignmentTarget; readonly value: TemplateExpression }
  | {
      readonly kind: 'capture';
      readonly target: AssignmentTarget;
      readonly filters: readonly TemplateFilterNode[];
      readonly body: readonly TemplateStatement[];
    }
  | { readonly kind: 'macro'; readonly macro: TemplateMacroNode }
  | { readonly kind: 'call block'; readonly call: TemplateExpression; readonly caller: TemplateMacroNode }
  | {
      readonly kind: 'filtered';
      readonly filters: readonly TemplateFilterNode[];
      readonly body: readonly TemplateStatement[];
    }
  | {
      readonly kind: 'with';
      readonly sets: readonly (readonly [AssignmentTarget, TemplateExpression])[];
      readonly body: readonly TemplateStatement[];
    }
  | TemplateIncludeNode
  | TemplateImportNode
  | { readonly kind: 'extends'; readonly name: TemplateExpression }
  | TemplateBlockNode
  | { readonly kind: 'break' | 'continue' };

/** A parsed condition of a template, with the statements that run if the condition is true. */
export interface ConditionalTemplateBranch {
  readonly condition: TemplateExpression;
  readonly body: readonly TemplateStatement[];
}

/** A parsed `for` loop of a template (a node of the syntax tree). */
export interface TemplateForLoopNode {
  readonly kind: 'for';
  readonly target: AssignmentTarget;
  readonly over: TemplateExpression;
  readonly condition: TemplateExpression | null;
  readonly recursive: boolean;
  readonly body: readonly TemplateStatement[];
  readonly otherwise: readonly TemplateStatement[];
}

/** A parsed `include` of another template. */
export interface TemplateIncludeNode {
  readonly kind: 'include';
  readonly name: TemplateExpression;
  readonly ignoreMissing: boolean;
  /** True if the included template can use the variables of the including template. */
  readonly withContext: boolean;
}

/** A parsed `import` tag, which imports another template or some macros and variables of another template. */
export interface TemplateImportNode {
  readonly kind: 'import';
  readonly name: TemplateExpression;
  readonly withContext: boolean;
  /** Name of the variable for the whole imported template; null if only single names are imported. */
  readonly target: string | null;
  /** Imported names, each with the name of the variable that receives the value. */
  readonly names: readonly (readonly [name: string, variable: string])[];
}

/** A parsed block of a template. Templates that extend this template can replace the block. */
export interface TemplateBlockNode {
  readonly kind: 'block';
  readonly name: string;
  /** True if the template block can use the variables of the loops that contain the block. */
  readonly isScoped: boolean;
  /** True if every template that extends this template must replace the block. */
  readonly isRequired: boolean;
  readonly body: readonly TemplateStatement[];
}

/** A parsed template: its statements, and blocks by the name of the block. */
export interface ParsedTemplate {
  readonly statements: readonly TemplateStatement[];
  readonly blocks: ReadonlyMap<string, TemplateBlockNode>;
  /**
   * First statement of the template that needs another template (`include`, `import`, `from` or `extends`); null if
   * there is none.
   */
  readonly fileStatement: { readonly word: string; readonly line: number } | null;
}
