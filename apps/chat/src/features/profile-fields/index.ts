export { profileFieldsFeatureModule } from './profile-fields.slice.js';
export { ChangeProfileFieldValues } from './change-profile-values.js';
export { profileValueEvent } from './profile-fields.events.js';
export { addProfileField, type NewProfileField } from './profile-fields.repository.js';
export { sentProfileValueSchema } from './profile-fields.schemas.js';
