import { defineModel } from '../../engine/declaration/model.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { text } from '../../engine/kinds/text.js';
import { withImages } from '../features/images.js';
import * as common from '../field-groups.js';

const { id, url, display } = common.identity;

/** A picture of an object. */
export const imageAttachment = defineModel('extras.imageattachment', {
  path: 'extras/image-attachments',
  objectName: 'ImageAttachment',
  verboseName: 'image attachment',
  verboseNamePlural: 'image attachments',
  fields: {
    id,
    url,
    display,
    object_type: objectType(withImages, { required: true }),
    object_id: integer({ required: true, min: 0 }),
    parent: genericObject({ type: 'object_type', id: 'object_id', allowed: withImages }),
    name: text({ max: 50 }),
    // DRAFT field: image (image, required; column ImageField)
    description: common.description,
    image_height: integer({ readOnly: true }),
    image_width: integer({ readOnly: true }),
    image_size: integer({ readOnly: true }),
    ...common.times,
  },
  relatedTo: 'parent',
  display: (alias) => `coalesce(nullif(${alias}.name, ''), ${alias}.image)`,
  // DRAFT brief: and image
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.searchIn('name', 'image', 'description'),
  // DRAFT rules: multipart upload; object_type, object_id and image needed; POST and PATCH both need object_type and object_id
  // DRAFT filters: object_type_id (object, n)
});
