export { defaultLimits, type TemplateLimits } from './budget.js';
export * from './errors.js';
export { environmentParameters, undefinedTypes } from './language/delimiters.js';
export type { HostFilter } from './run/evaluator.js';
export type { Rows, RowsRequest } from './run/steps.js';
export type { TemplateFiles } from './run/template-library.js';
export { checkTemplate, renderTemplate, type TemplateOptions } from './template.js';
export * from './template-rendering.js';
export { Load } from './values/load.js';
export {
  Float,
  LazyList,
  type ObjectOptions,
  RelatedList,
  type RelatedRows,
  TemplateMethod,
  TemplateObject,
} from './values/value.js';
