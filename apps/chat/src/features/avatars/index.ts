export { avatarsSlice } from './avatars.slice.js';
export { listAvatarFiles, type AvatarPicture, createAvatarPicture, maxAvatarBytes } from './create-avatar-picture.js';
export { setFirstAvatar, storePicture } from './store-picture.js';
