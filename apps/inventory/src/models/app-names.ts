import type { ModelDefinition } from '../engine/declaration/define-model.js';

const appsNamedByAcronym: ReadonlySet<string> = new Set(['dcim', 'ipam', 'vpn']);

/** Returns the display name of an app, such as `DCIM`. */
export function getAppName(app: string): string {
  return appsNamedByAcronym.has(app) ? app.toUpperCase() : app.charAt(0).toUpperCase() + app.slice(1);
}

/** Returns the display name of a model, with its app: `Tenancy > Tenant Group`. */
export function getModelTitleWithApp(model: ModelDefinition | null): string {
  return model === null ? '' : `${getAppName(model.app)} > ${getModelTitle(model)}`;
}

/** Returns the name of a model with capital letters: `Tenant Group`. */
export function getModelTitle({ verboseName }: ModelDefinition): string {
  return verboseName.replace(/(?<=^|\s)\S/g, (letter) => letter.toUpperCase());
}

/**
 * Error for an attachment, such as a bookmark or journal entry, to an object that does not exist
 * (docs/contract/inventory.md 1.10).
 */
export const objectNotFoundError = {
  key: 'non_field_errors',
  message: (target: ModelDefinition, id: number): string =>
    `Invalid assigned_object: ${getModelTitleWithApp(target)} ID ${id}`,
} as const;
