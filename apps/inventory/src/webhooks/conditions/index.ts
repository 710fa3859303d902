export { InvalidConditionsError, UndecidableConditionError } from './condition-errors.js';
export { evaluateConditions, type EvaluatedChange } from './evaluate-conditions.js';
export type { JsonValue, JsonObject } from './condition-json.js';
export { parseConditions, type RuleConditions } from './parse-conditions.js';
