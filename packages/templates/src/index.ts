export { defaultLimits, type TemplateLimits } from './budget.js';
export * from './errors.js';
export type { HostFilter } from './run/evaluator.js';
export { checkTemplate, renderTemplate, type TemplateOptions } from './template.js';
export { TemplateObject } from './values/value.js';
