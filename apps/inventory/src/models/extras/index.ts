import { actionObjectModels } from '../../destinations/index.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { bookmarkModel } from './bookmark.js';
import { configContextModel } from './config-context.js';
import { configContextProfileModel } from './config-context-profile.js';
import { configTemplateModel } from './config-template.js';
import { customFieldModel } from './custom-field.js';
import { customFieldChoiceSetModel } from './custom-field-choice-set.js';
import { customLinkModel } from './custom-link.js';
import { eventRuleModel } from './event-rule.js';
import { exportTemplateModel } from './export-template.js';
import { imageAttachmentModel } from './image-attachment.js';
import { journalEntryModel } from './journal-entry.js';
import { notificationModel } from './notification.js';
import { savedFilterModel } from './saved-filter.js';
import { scriptModuleModel } from './script-module.js';
import { subscriptionModel } from './subscription.js';
import { tableConfigModel } from './table-config.js';
import { tagModel } from './tag.js';
import { taggedItemModel } from './tagged-item.js';
import { webhookDeliveryModel } from './webhook-delivery.js';

const extrasModelsInOrder: readonly ModelDefinition[] = [
  ...actionObjectModels,
  bookmarkModel,
  configContextModel,
  configContextProfileModel,
  configTemplateModel,
  customFieldModel,
  customFieldChoiceSetModel,
  customLinkModel,
  eventRuleModel,
  exportTemplateModel,
  imageAttachmentModel,
  journalEntryModel,
  notificationModel,
  savedFilterModel,
  scriptModuleModel,
  subscriptionModel,
  tableConfigModel,
  tagModel,
  taggedItemModel,
  webhookDeliveryModel,
];

/** All models of the app `extras`, sorted by type. */
export const extrasModels = extrasModelsInOrder.toSorted((a, b) => (a.type < b.type ? -1 : 1));
