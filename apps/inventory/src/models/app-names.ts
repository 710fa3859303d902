import type { ModelDefinition } from '../engine/declaration/define-model.js';

const acronymApps: ReadonlySet<string> = new Set(['dcim', 'ipam', 'vpn']);

/** Returns the display name of an app, such as `DCIM`. */
export function appName(app: string): string {
  return acronymApps.has(app) ? app.toUpperCase() : app.charAt(0).toUpperCase() + app.slice(1);
}

/** Returns the display name of a model, with its app: `Tenancy > Tenant Group`. */
export function titleWithApp(model: ModelDefinition | null): string {
  return model === null ? '' : `${appName(model.app)} > ${modelTitle(model)}`;
}

/** Returns the name of a model with capital letters: `Tenant Group`. */
export function modelTitle({ verboseName }: ModelDefinition): string {
  return verboseName.replace(/(?<=^|\s)\S/g, (letter) => letter.toUpperCase());
}

/**
 * Error for an attachment, such as a bookmark or journal entry, to an object that does not exist
 * (docs/contract/inventory.md 1.10).
 */
export const objectNotFoundError = {
  key: 'non_field_errors',
  message: (target: ModelDefinition, id: number): string => `Invalid assigned_object: ${titleWithApp(target)} ID ${id}`,
} as const;
