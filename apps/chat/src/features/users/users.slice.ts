import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { AccountUpdater } from './account-change-operations.js';
import { AccountsController } from './accounts.controller.js';
import { CreateUser } from './create-user.action.js';
import { DeactivateUser } from './deactivate-user.action.js';
import { ReactivateUser } from './reactivate-user.action.js';
import { ReadUsers } from './read-users.query.js';
import { UpdateUser } from './update-user.action.js';
import { SendWelcomePreview } from './send-welcome-preview.action.js';
import { UsersController } from './users.controller.js';
import { WelcomeMessageSender } from './welcome-messages.js';
import { WelcomeMessagePreviewController } from './welcome-preview.controller.js';

/** Feature module (slice) that declares the endpoints that read and change accounts. */
export const userEndpointsFeatureModule = defineFeatureModule('users', {
  controllers: [AccountsController, UsersController, WelcomeMessagePreviewController],
  providers: [
    AccountUpdater,
    CreateUser,
    DeactivateUser,
    ReactivateUser,
    ReadUsers,
    SendWelcomePreview,
    UpdateUser,
    WelcomeMessageSender,
  ],
});
