import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { groupModel } from './group.js';
import { objectPermissionModel } from './object-permission.js';
import { ownerModel } from './owner.js';
import { ownerGroupModel } from './owner-group.js';
import { tokenModel } from './token.js';
import { userModel } from './user.js';

/** All models of the app `users`. */
export const usersModels: readonly ModelDefinition[] = [
  groupModel,
  objectPermissionModel,
  ownerModel,
  ownerGroupModel,
  tokenModel,
  userModel,
];
