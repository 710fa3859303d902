import type { Random } from '../faults/random.js';

/** Response to one of the two writes of a race. */
export interface RaceResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Two concurrent writes that are sent in one round of a race. */
export interface RaceRound {
  readonly writes: readonly [() => Promise<RaceResponse>, () => Promise<RaceResponse>];
  /**
   * Checks conditions beyond the database invariants, for example that one of two writes with equal names was rejected.
   *
   * @returns descriptions of the problems; empty if all conditions are met
   */
  readonly check?: (responses: readonly [RaceResponse, RaceResponse]) => Promise<readonly string[]>;
}

/** A race: two kinds of writes that can conflict, and the preparation of a round. */
export interface RacePair<World> {
  /** Name of the part of the service to which both writes belong, for example scheduled messages. */
  readonly slice: string;
  /** End of the title of the race's test, "keeps the invariants when …". */
  readonly title: string;
  /**
   * True if one write deletes an object to which the other write refers. Races with a deletion also run in
   * `npm run test:long`.
   */
  readonly deletes?: boolean;
  /** Creates the data for one round of the race. Called before each round. */
  arrange(world: World, random: Random): Promise<RaceRound>;
}

/** A running service with its data, to which the race suite sends concurrent writes. */
export interface RaceWorld {
  /**
   * Checks the database invariants, and compares the states of clients that follow events with new registrations.
   * Called after the rounds of a race, while no requests are sent.
   *
   * @returns descriptions of the problems; empty if no problem was found
   */
  check(): Promise<readonly string[]>;
  stop(): Promise<void>;
}
