import { defineModel } from '../../engine/declaration/define-model.js';
import { datetimeBoundFilter } from '../../engine/filter/number-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import { getModelTitleWithApp, attachedObjectNotFoundError } from '../app-names.js';
import * as common from '../shared-model-fields.js';
import { createObjectTypeChoicesLister } from '../object-type-choices.js';
import { createModelIdFilter } from '../object-type-ids.js';

const modelsWithJournalEntries = listModelsWithFeature('journaling');

const journalEntryKindChoices = { info: 'Info', success: 'Success', warning: 'Warning', danger: 'Danger' };

/** Model of a journal entry: a dated comment of a user on an object. */
export const journalEntryModel = defineModel('extras.journalentry', {
  path: 'extras/journal-entries',
  objectName: 'JournalEntry',
  verboseName: 'journal entry',
  verboseNamePlural: 'journal entries',
  fields: {
    ...common.identityFields,
    assigned_object_type: objectTypeField(({ registry }) => registry.models.map(({ type }) => type), {
      required: true,
      choices: createObjectTypeChoicesLister(),
    }),
    assigned_object_id: integerField({ required: true, min: 0 }),
    assigned_object: genericObjectField({
      type: 'assigned_object_type',
      id: 'assigned_object_id',
      allowed: modelsWithJournalEntries,
      notFoundMessage: attachedObjectNotFoundError,
    }),
    created: datetimeField({ readOnly: true, nullable: true, filterable: false }),
    created_by: referenceField('users.user', {
      nullable: true,
      immutable: true,
      onDelete: 'set_null',
      filterBy: 'username',
      bare: true,
    }),
    kind: choiceField(journalEntryKindChoices, { default: 'info' }),
    comments: textField({ required: true }),
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    last_updated: common.creationTimeFields.last_updated,
  },
  display: (alias) =>
    `to_char(${alias}.created AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' (' || initcap(${alias}.kind) || ')'`,
  brief: ['id', 'url', 'display', 'created'],
  order: [{ field: 'created', descending: true }],
  search: common.createFieldSearchTerms('comments'),
  rules: [
    ({ assigned_object_type: type }, { registry }) =>
      typeof type !== 'string' || modelsWithJournalEntries.includes(type)
        ? null
        : {
            __all__: [
              `Journaling is not supported for this object type (${getModelTitleWithApp(registry.find(type))}).`,
            ],
          },
  ],
  hooks: {
    prepare: async ({ created_by }, { previous, actor }) => ({
      columns: previous === null && created_by === null && actor.id > 0 ? { created_by_id: actor.id } : {},
    }),
  },
  filters: [
    createModelIdFilter('assigned_object_type_id'),
    datetimeBoundFilter('created_after', 'created', '>='),
    datetimeBoundFilter('created_before', 'created', '<='),
  ],
});
