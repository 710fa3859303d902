export { avatarsSlice } from './avatars.slice.js';
export { avatarFiles, type AvatarPicture, avatarPicture, maxPictureBytes } from './create-avatar-picture.js';
export { setFirstAvatar, storePicture } from './store-picture.js';
