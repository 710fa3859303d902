import type { ModelDefinition } from '../engine/declaration/define-model.js';

const appsNamedByAcronym: ReadonlySet<string> = new Set(['dcim', 'ipam', 'vpn']);

/** Returns the display name of an app of the API, such as `DCIM`. */
export function getApiAppDisplayName(app: string): string {
  return appsNamedByAcronym.has(app) ? app.toUpperCase() : app.charAt(0).toUpperCase() + app.slice(1);
}

/** Returns the display name of a model, with its app: `Tenancy > Tenant Group`. */
export function getModelTitleWithApp(model: ModelDefinition | null): string {
  return model === null ? '' : `${getApiAppDisplayName(model.app)} > ${getModelTitle(model)}`;
}

/** Returns the display name of a model, with a capital letter at the start of each word: `Tenant Group`. */
export function getModelTitle({ verboseName }: ModelDefinition): string {
  return verboseName.replace(/(?<=^|\s)\S/g, (letter) => letter.toUpperCase());
}

/**
 * Error for a request that attaches a bookmark, journal entry or similar object to an object that does not exist
 * (docs/contract/inventory.md 1.10).
 */
export const attachedObjectNotFoundError = {
  key: 'non_field_errors',
  message: (target: ModelDefinition, id: number): string =>
    `Invalid assigned_object: ${getModelTitleWithApp(target)} ID ${id}`,
} as const;
