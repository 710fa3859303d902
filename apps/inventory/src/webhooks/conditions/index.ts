export { InvalidConditionsError, UndecidableConditionError } from './condition-errors.js';
export { evaluateConditions, type EvaluatedChange } from './evaluate-conditions.js';
export type { JsonValue, JsonObject } from './condition-json.js';
export { parseEventRuleConditions, type EventRuleConditions } from './parse-conditions.js';
