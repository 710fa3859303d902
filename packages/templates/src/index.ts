export { defaultLimits, type TemplateLimits } from './template-budget.js';
export * from './template-errors.js';
export { jinjaEnvironmentParameters, jinjaUndefinedClassNames } from './language/template-syntax.js';
export type { ServiceDefinedTemplateFilter } from './run/expression-evaluator.js';
export type { LazyListRows, LazyListRowsRequest } from './run/rendering-steps.js';
export type { TemplateSource } from './run/template-library.js';
export { checkTemplate, renderTemplate, type TemplateOptions } from './template.js';
export * from './template-rendering.js';
export { PendingLoad } from './values/pending-load.js';
export type { TemplateObjectOptions } from './values/object-options.js';
export {
  FloatValue,
  LazyList,
  RelatedList,
  type RelatedListRowSource,
  TemplateMethod,
  TemplateObject,
} from './values/template-value.js';
