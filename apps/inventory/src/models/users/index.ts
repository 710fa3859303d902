import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { group } from './group.js';
import { objectPermission } from './object-permission.js';
import { owner } from './owner.js';
import { ownerGroup } from './owner-group.js';
import { token } from './token.js';
import { user } from './user.js';

/** All models of the app `users`. */
export const usersModels: readonly ModelDefinition[] = [group, objectPermission, owner, ownerGroup, token, user];
