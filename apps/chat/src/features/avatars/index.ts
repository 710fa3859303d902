export { avatarsFeatureModule } from './avatars.slice.js';
export {
  listAvatarStorageKeys,
  type AvatarPicture,
  createAvatarPicture,
  maxAvatarBytes,
} from './create-avatar-picture.js';
export { setAvatarOfNewAccount, storeAvatarImageFiles } from './store-picture.js';
