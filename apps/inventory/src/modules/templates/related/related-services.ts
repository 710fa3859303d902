import type { InventoryActor } from '../../../engine/object-access.js';
import type { InventoryContext } from '../../../http/inventory-context.js';
import { modelRegistry } from '../../../models/index.js';
import type { RelatedServices } from './related-objects.js';
import { RelationFinder } from './find-relations.js';
import { listUsedNames } from './used-field-names.js';

/** Services of the inventory service that are needed to read related objects for templates. */
export type RelatedServicesOptions = Pick<InventoryContext, 'database' | 'shapes' | 'policy' | 'services'>;

const templateRelations = new RelationFinder(modelRegistry);

/**
 * Returns the services that read related objects on behalf of a user. `usedNames` are the field names that occur in the
 * template's code.
 */
export function createRelatedServices(
  { database, shapes, policy, services }: RelatedServicesOptions,
  { actor, base, code }: { readonly actor: InventoryActor; readonly base: string; readonly code: string },
): RelatedServices {
  const used = listUsedNames(code);
  return {
    database,
    shapes,
    policy,
    registry: modelRegistry,
    requestLimits: services.limits,
    actor,
    base,
    relations: templateRelations,
    usedNames: used,
  };
}
