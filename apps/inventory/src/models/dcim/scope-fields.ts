import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';

const placeScopeTypes = ['dcim.location', 'dcim.region', 'dcim.site', 'dcim.sitegroup'];

/** Fields with the scope of an object: the region, site group, site or location to which the object belongs. */
export const placeScopeFields = {
  scope_type: objectTypeField(placeScopeTypes, { nullable: true }),
  scope_id: integerField({ nullable: true, min: 0, big: false }),
  scope: genericObjectField({
    type: 'scope_type',
    id: 'scope_id',
    allowed: placeScopeTypes,
    incomplete: { key: '__all__', message: ({ verboseName }) => `Please select a ${verboseName}.` },
  }),
};
