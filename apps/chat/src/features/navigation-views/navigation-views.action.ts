import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { parseRequiredText } from '../../infra/http/parse-text-parameters.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  viewAddEvent,
  type NavigationViewChange,
  viewRemoveEvent,
  viewUpdateEvent,
} from './navigation-views.events.js';
import {
  addNavigationView,
  listNavigationViews,
  lockView,
  removeNavigationView,
  updateNavigationView,
} from './navigation-views.repository.js';
import {
  type navigationViewCreationParameters,
  type navigationViewUpdateParameters,
  navigationViewLengthLimits,
} from './navigation-views.schemas.js';
import { builtInNavigationViews, type WireNavigationView } from './wire-navigation-view.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';

/**
 * Lists and changes the views in a user's navigation menu. All clients of the user share the menu (chat-4.18,
 * docs/contract/chat.md 2.D).
 */
@Injectable()
export class NavigationViewsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
  ) {}

  /** Lists the actor's navigation views, in the order in which they were added. */
  async list(actor: ChatActor): Promise<{ navigation_views: WireNavigationView[] }> {
    return { navigation_views: await listNavigationViews(this.database, actor.id) };
  }

  /**
   * Adds a navigation view for the actor.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async add(
    actor: ChatActor,
    sent: DecodedParametersOfDefinition<typeof navigationViewCreationParameters>,
  ): Promise<void> {
    const view = toNavigationView(sent);
    await this.database.inTransaction(async (tx) => {
      if (!(await addNavigationView(tx, actor.id, view)))
        throw createBadRequestError('Navigation view already exists.');
      const payload = { navigation_view: view };
      this.events.write(tx, actor.realmId, viewAddEvent, { audience: { users: [actor.id] }, payload });
    });
  }

  /**
   * Changes a navigation view of the actor.
   *
   * @throws ApplicationError NOT_FOUND, BAD_REQUEST
   */
  async update(
    actor: ChatActor,
    fragment: string,
    sent: DecodedParametersOfDefinition<typeof navigationViewUpdateParameters>,
  ): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      const view = await lockView(tx, actor.id, fragment);
      if (view === null) throw createUnknownNavigationViewError();
      const data = getChangedNavigationViewFields(view, sent);
      if (Object.keys(data).length === 0) return;
      await updateNavigationView(tx, actor.id, fragment, data);
      const payload = { fragment, data };
      this.events.write(tx, actor.realmId, viewUpdateEvent, { audience: { users: [actor.id] }, payload });
    });
  }

  /**
   * Removes a navigation view of the actor.
   *
   * @throws ApplicationError NOT_FOUND
   */
  async remove(actor: ChatActor, fragment: string): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      if (!(await removeNavigationView(tx, actor.id, fragment))) throw createUnknownNavigationViewError();
      const payload = { fragment };
      this.events.write(tx, actor.realmId, viewRemoveEvent, { audience: { users: [actor.id] }, payload });
    });
  }
}

function toNavigationView(
  sent: DecodedParametersOfDefinition<typeof navigationViewCreationParameters>,
): WireNavigationView {
  const fragment = parseRequiredText('fragment', sent.fragment, navigationViewLengthLimits.fragment);
  const isBuiltIn = builtInNavigationViews.has(fragment);
  if (isBuiltIn && sent.name !== undefined) throw createBuiltInViewError();
  if (!isBuiltIn && sent.name === undefined) throw createBadRequestError('Custom views must have a valid name.');
  const name = sent.name === undefined ? null : parseRequiredText('name', sent.name, navigationViewLengthLimits.name);
  return { fragment, is_pinned: sent.is_pinned, name };
}

function getChangedNavigationViewFields(
  view: WireNavigationView,
  sent: DecodedParametersOfDefinition<typeof navigationViewUpdateParameters>,
): NavigationViewChange {
  if (sent.name !== undefined && builtInNavigationViews.has(view.fragment)) throw createBuiltInViewError();
  const name =
    sent.name === undefined ? undefined : parseRequiredText('name', sent.name, navigationViewLengthLimits.name);
  return {
    ...(name !== undefined && name !== view.name && { name }),
    ...(sent.is_pinned !== undefined && sent.is_pinned !== view.is_pinned && { is_pinned: sent.is_pinned }),
  };
}

function createBuiltInViewError(): Error {
  return createBadRequestError('Built-in views cannot have a custom name.');
}

function createUnknownNavigationViewError(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'Navigation view does not exist.' });
}
