export { InvalidConditionsError, UndecidableConditionError } from './errors.js';
export { evaluateConditions, type ConditionSubject } from './evaluate-conditions.js';
export type { Json, JsonObject } from './json.js';
export { parseConditions, type RuleConditions } from './parse-conditions.js';
