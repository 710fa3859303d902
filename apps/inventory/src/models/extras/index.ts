import { actionModels } from '../../destinations/index.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { bookmark } from './bookmark.js';
import { configContext } from './config-context.js';
import { configContextProfile } from './config-context-profile.js';
import { configTemplate } from './config-template.js';
import { customField } from './custom-field.js';
import { customFieldChoiceSet } from './custom-field-choice-set.js';
import { customLink } from './custom-link.js';
import { eventRule } from './event-rule.js';
import { exportTemplate } from './export-template.js';
import { imageAttachment } from './image-attachment.js';
import { journalEntry } from './journal-entry.js';
import { notification } from './notification.js';
import { savedFilter } from './saved-filter.js';
import { scriptModule } from './script-module.js';
import { subscription } from './subscription.js';
import { tableConfig } from './table-config.js';
import { tag } from './tag.js';
import { taggedItem } from './tagged-item.js';
import { webhookDelivery } from './webhook-delivery.js';

const models: readonly ModelDefinition[] = [
  ...actionModels,
  bookmark,
  configContext,
  configContextProfile,
  configTemplate,
  customField,
  customFieldChoiceSet,
  customLink,
  eventRule,
  exportTemplate,
  imageAttachment,
  journalEntry,
  notification,
  savedFilter,
  scriptModule,
  subscription,
  tableConfig,
  tag,
  taggedItem,
  webhookDelivery,
];

/** All models of the app `extras`, sorted by type. */
export const extrasModels = models.toSorted((a, b) => (a.type < b.type ? -1 : 1));
