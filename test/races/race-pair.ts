import type { Random } from '../faults/random.js';

/** Response to one write of a race. */
export interface RaceResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Two concurrent writes of one round. */
export interface RaceRound {
  readonly writes: readonly [() => Promise<RaceResponse>, () => Promise<RaceResponse>];
  /**
   * Checks conditions beyond the invariants of the world, for example that one of two equal names was rejected.
   *
   * @returns findings; empty if there is no problem
   */
  readonly check?: (responses: readonly [RaceResponse, RaceResponse]) => Promise<readonly string[]>;
}

/** A race: two writes that can conflict. */
export interface RacePair<World> {
  /** Slice of the service to which both writes belong. */
  readonly slice: string;
  /** Completes the test title "keeps the invariants when …". */
  readonly title: string;
  /** True if one write deletes an object to which the other refers. Such pairs run in the short form too. */
  readonly deletes?: boolean;
  /** Creates the data for a round. Called before each round. */
  arrange(world: World, random: Random): Promise<RaceRound>;
}

/** A service with its data, on which races run. */
export interface RaceWorld {
  /**
   * Checks the invariants by SQL, and compares the states of clients that follow events with new snapshots. It is
   * called after the rounds of a race, while nothing is written.
   *
   * @returns findings; empty if there is no problem
   */
  check(): Promise<readonly string[]>;
  stop(): Promise<void>;
}
