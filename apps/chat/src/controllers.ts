import type { Type } from '@nestjs/common';
import type { ChatConfig } from './config.js';
import { AuthenticationController, DevAuthenticationController } from './modules/authentication/index.js';
import { EventQueuesController } from './modules/event-queues/index.js';
import { MessagesController } from './modules/messages/index.js';
import { RealmsController } from './modules/realms/index.js';
import { UsersController } from './modules/users/index.js';

/** Every controller that the contract describes. */
export const allControllers: Type[] = [
  AuthenticationController,
  DevAuthenticationController,
  EventQueuesController,
  MessagesController,
  RealmsController,
  UsersController,
];

/** The controllers that answer here: signing in without a password is for development alone. */
export function controllersOf(config: Pick<ChatConfig, 'NODE_ENV'>): Type[] {
  return config.NODE_ENV === 'production'
    ? allControllers.filter((controller) => controller !== DevAuthenticationController)
    : allControllers;
}
