import type { Actor } from '@switchboard/auth';
import type { ModelDefinition } from './declaration/model.js';
import type { Sql } from './sql/pieces.js';
import type { Parameters } from './sql/statement.js';

/** What a user may do to objects of a model. */
export type Action = 'view' | 'add' | 'change' | 'delete';

/** Who asks: a user of the service, by a token. */
export interface InventoryActor extends Actor {
  readonly username: string;
  readonly isSuperuser: boolean;
  /** Whether the credentials allow methods that change something. */
  readonly mayWrite: boolean;
}

/** A permission to act on rows of a model. Rows outside it do not exist for the user. */
export interface Grant {
  /** The condition on a row; null for every row. */
  readonly where: ((alias: string, parameters: Parameters) => Sql) | null;
}

/** Who may do what. The engine asks before it reads or writes; permissions live outside it. */
export interface AccessPolicy {
  /** The grant, or null when the user may not do this to any object. */
  grant(actor: InventoryActor, model: ModelDefinition, action: Action): Grant | null;
}
