export { profileFieldsSlice } from './profile-fields.slice.js';
export { ChangeProfile } from './change-profile-values.js';
export { profileValueEvent } from './profile-fields.events.js';
export { addProfileField, type NewProfileField } from './profile-fields.repository.js';
export { sentProfileValueSchema } from './profile-fields.schemas.js';
