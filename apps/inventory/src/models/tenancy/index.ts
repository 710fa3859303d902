import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { contactModel } from './contact.js';
import { contactAssignmentModel } from './contact-assignment.js';
import { contactGroupModel } from './contact-group.js';
import { contactRoleModel } from './contact-role.js';
import { tenantModel } from './tenant.js';
import { tenantGroupModel } from './tenant-group.js';

/** All models of the app `tenancy`. */
export const tenancyModels: readonly ModelDefinition[] = [
  contactModel,
  contactAssignmentModel,
  contactGroupModel,
  contactRoleModel,
  tenantModel,
  tenantGroupModel,
];
