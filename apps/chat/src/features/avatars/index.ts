export { avatarFiles, type AvatarPicture, avatarPicture, mostPictureBytes } from './avatar-picture.js';
export { AvatarsController } from './avatars.controller.js';
export { ManageAvatar } from './manage-avatar.action.js';
export { PublicPicturesController } from './public-pictures.controller.js';
export { ReadAvatars } from './read-avatars.query.js';
export { giveFirstPicture, storePicture } from './store-picture.js';
