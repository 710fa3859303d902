import { jinjaEnvironmentParameters, jinjaUndefinedClassNames } from '@switchboard/templates';
import { rejectUnlessJsonObject, jsonField } from '../../engine/field-types/json.js';
import { createInvalidInputProblem } from '../../engine/write/invalid-input-problem.js';

/** Field with the parameters of the Jinja environment that renders a template (docs/contract/inventory.md 2.4). */
export const environmentParametersField = jsonField({
  nullable: true,
  default: {},
  label: 'environment parameters',
  check: checkJinjaEnvironmentParameters,
});

function checkJinjaEnvironmentParameters(parameters: unknown): void {
  rejectUnlessJsonObject(parameters);
  for (const [name, value] of Object.entries(Object(parameters))) checkJinjaEnvironmentParameter(name, value);
}

function checkJinjaEnvironmentParameter(name: string, value: unknown): void {
  if (name === 'finalize') {
    throw createInvalidInputProblem(
      `The "${name}" parameter is deprecated and may not be set on new or modified templates.`,
    );
  }
  if (!jinjaEnvironmentParameters.has(name))
    throw createInvalidInputProblem(`"${name}" is not a permitted Jinja2 environment parameter.`);
  if (name !== 'undefined' || (typeof value === 'string' && jinjaUndefinedClassNames.includes(value))) return;
  const given = value === null ? 'None' : typeof value === 'string' ? value : JSON.stringify(value);
  const allowed = jinjaUndefinedClassNames.join(', ');
  throw createInvalidInputProblem(`Invalid value "${given}" for parameter "${name}". Allowed values are: ${allowed}`);
}
