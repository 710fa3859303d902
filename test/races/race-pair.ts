import type { Random } from '../faults/random.js';

/** Response to one of the two writes of a race. */
export interface RaceResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Two concurrent writes, which one round of a race sends. */
export interface RaceRound {
  readonly writes: readonly [() => Promise<RaceResponse>, () => Promise<RaceResponse>];
  /**
   * Checks conditions beyond the database invariants, for example that one of two equal names was rejected.
   *
   * @returns problems; empty without problems
   */
  readonly check?: (responses: readonly [RaceResponse, RaceResponse]) => Promise<readonly string[]>;
}

/** A race: two kinds of writes that can conflict, and how to prepare them. */
export interface RacePair<World> {
  /** Slice of the service to which both writes belong. */
  readonly slice: string;
  /** End of the test title "keeps the invariants when …". */
  readonly title: string;
  /** True if one write deletes an object to which the other refers. Such pairs run in the short form too. */
  readonly deletes?: boolean;
  /** Creates the data for one round of the race. Called before each round. */
  arrange(world: World, random: Random): Promise<RaceRound>;
}

/** A running service with its data, on which races run. */
export interface RaceWorld {
  /**
   * Checks the database invariants, and compares the states of clients that follow events with new registrations.
   * Called after the rounds of a race, while no requests are sent.
   *
   * @returns problems; empty without problems
   */
  check(): Promise<readonly string[]>;
  stop(): Promise<void>;
}
