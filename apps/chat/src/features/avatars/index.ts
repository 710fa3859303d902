export { avatarsSlice } from './avatars.slice.js';
export { avatarFiles, type AvatarPicture, avatarPicture, maxPictureBytes } from './avatar-picture.js';
export { giveFirstPicture, storePicture } from './store-picture.js';
