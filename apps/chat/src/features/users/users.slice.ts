import { defineSlice } from '../../events/define-slice.js';
import { AccountChanges } from './account-changes.js';
import { AccountsController } from './accounts.controller.js';
import { CreateUser } from './create-user.action.js';
import { DeactivateUser } from './deactivate-user.action.js';
import { ReactivateUser } from './reactivate-user.action.js';
import { ReadUsers } from './read-users.query.js';
import { UpdateUser } from './update-user.action.js';
import { UsersController } from './users.controller.js';
import { WelcomeMessages } from './welcome-messages.js';

/** Feature module (slice) of endpoints that read and change accounts. */
export const userEndpointsSlice = defineSlice('users', {
  controllers: [AccountsController, UsersController],
  providers: [AccountChanges, CreateUser, DeactivateUser, ReactivateUser, ReadUsers, UpdateUser, WelcomeMessages],
});
