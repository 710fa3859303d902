import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireNavigationView } from './wire-navigation-view.js';

/** Most characters of the texts of a view, in code points. */
export const viewLimits = { fragment: 500, name: 100 } as const;

/** POST /navigation_views (docs/contract/chat.md 2.D). */
export const addViewParameters = defineParameters(
  z.object({
    fragment: z.string(),
    is_pinned: z.boolean(),
    name: z.string().optional().meta({ description: 'Required for views that are not built into every client' }),
  }),
);

/** PATCH /navigation_views/{fragment} (chat-4.18). */
export const updateViewParameters = defineParameters(
  z.object({ is_pinned: z.boolean().optional(), name: z.string().optional() }),
);

/** Response of GET /navigation_views. */
export const listViewsBody = successBody({ navigation_views: z.array(wireNavigationView) });

/** Nothing but the envelope. */
export const emptyBody = successBody({});

/** Endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));

/** Paths that name a view. */
export const viewPath = z.object({ fragment: z.string() });
