import type { InventoryActor } from '../../../engine/object-access.js';
import type { InventoryContext } from '../../../http/inventory-context.js';
import { modelRegistry } from '../../../models/index.js';
import type { RelatedObjectServices } from './related-objects.js';
import { ModelRelationFinder } from './find-relations.js';
import { listUsedFieldNames } from './used-field-names.js';

/** Services of the inventory service that are needed to read related objects for templates. */
export type RelatedObjectServicesOptions = Pick<InventoryContext, 'database' | 'shapes' | 'policy' | 'services'>;

const templateRelationFinder = new ModelRelationFinder(modelRegistry);

/**
 * Returns the services that read related objects on behalf of a user. `usedNames` are the field names that occur in the
 * template's code.
 */
export function createRelatedObjectServices(
  { database, shapes, policy, services }: RelatedObjectServicesOptions,
  { actor, base, code }: { readonly actor: InventoryActor; readonly base: string; readonly code: string },
): RelatedObjectServices {
  const used = listUsedFieldNames(code);
  return {
    database,
    shapes,
    policy,
    registry: modelRegistry,
    requestLimits: services.limits,
    actor,
    base,
    relations: templateRelationFinder,
    usedNames: used,
  };
}
