import { defineModel } from '../../engine/declaration/define-model.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { imageField } from '../../engine/field-types/image.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { textField } from '../../engine/field-types/text.js';
import type { UploadedFile } from '../../engine/uploads/uploaded-file.js';
import { getModelTitleWithApp, attachedObjectNotFoundError } from '../app-names.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { createObjectTypeChoicesLister } from '../object-type-choices.js';
import { createModelIdFilter } from '../object-type-ids.js';

const modelsWithImageAttachments = listModelsWithFeature('image_attachments');

const { id, url, display } = common.identityFields;

/** Model of an image attachment: a picture that is attached to an object. */
export const imageAttachmentModel = defineModel('extras.imageattachment', {
  path: 'extras/image-attachments',
  objectName: 'ImageAttachment',
  verboseName: 'image attachment',
  verboseNamePlural: 'image attachments',
  fields: {
    id,
    url,
    display,
    object_type: objectTypeField(({ registry }) => registry.models.map(({ type }) => type), {
      required: true,
      choices: createObjectTypeChoicesLister(),
    }),
    object_id: integerField({ required: true, min: 0 }),
    parent: genericObjectField({
      type: 'object_type',
      id: 'object_id',
      allowed: modelsWithImageAttachments,
      notFoundMessage: attachedObjectNotFoundError,
    }),
    name: textField({ max: 50 }),
    image: imageField({
      required: true,
      folder: 'image-attachments',
      fileName: getAttachmentFileName,
      facts: { width: 'image_width', height: 'image_height', size: 'image_size' },
    }),
    description: common.descriptionField,
    image_height: integerField({ readOnly: true }),
    image_width: integerField({ readOnly: true }),
    image_size: integerField({ readOnly: true, nullable: true }),
    ...common.creationTimeFields,
  },
  relatedTo: 'parent',
  // Without a name, it is displayed by the name of the uploaded file, which is the end of the path.
  display: (alias) => `coalesce(nullif(${alias}.name, ''), regexp_replace(${alias}.image, '^.*/[^_]*_[0-9]+_', ''))`,
  brief: ['id', 'url', 'display', 'name', 'image', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'image', 'description'),
  hiddenColumns: { image_width: 'smallint', image_height: 'smallint', image_size: 'bigint' },
  rules: [
    ({ object_type: type }, { registry }) =>
      modelsWithImageAttachments.includes(type ?? '')
        ? null
        : {
            __all__: [
              `Image attachments cannot be assigned to this object type (${getModelTitleWithApp(registry.find(type ?? ''))}).`,
            ],
          },
  ],
  filters: [createModelIdFilter('object_type_id', { single: true })],
});

/**
 * Returns the file name for an image attachment. The name begins with the model and id of the object that has the
 * attachment (docs/contract/inventory.md 2.3). The name of the attachment, or of the uploaded file, follows.
 */
function getAttachmentFileName(row: Readonly<Record<string, unknown>>, file: UploadedFile): string {
  const { object_type: type, object_id: id, name } = row;
  const model = String(type).split('.').at(-1) ?? '';
  const own = typeof name === 'string' && name !== '' ? `${name}.` : file.name;
  return `${model}_${String(id)}_${own}`;
}
