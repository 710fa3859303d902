export { ChangeProfile } from './change-profile.js';
export { ManageProfileFields } from './manage-fields.action.js';
export { ProfileDataController } from './profile-data.controller.js';
export { ProfileFieldsController } from './profile-fields.controller.js';
export { profileFieldEvents, profileValueEvent } from './profile-fields.events.js';
export { addField, type NewField } from './profile-fields.repository.js';
export { sentProfileValue } from './profile-fields.schemas.js';
export { profileFieldSnapshotParts } from './profile-fields.snapshot.js';
export { UpdateOwnProfile } from './update-own-profile.action.js';
