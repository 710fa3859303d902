import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { contact } from './contact.js';
import { contactAssignment } from './contact-assignment.js';
import { contactGroup } from './contact-group.js';
import { contactRole } from './contact-role.js';
import { tenant } from './tenant.js';
import { tenantGroup } from './tenant-group.js';

/** All models of the app `tenancy`. */
export const tenancyModels: readonly ModelDefinition[] = [
  contact,
  contactAssignment,
  contactGroup,
  contactRole,
  tenant,
  tenantGroup,
];
