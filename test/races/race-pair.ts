import type { Random } from '../faults/random.js';

/** Response to one write. */
export interface RaceResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Two writes that run against each other once. */
export interface RaceRound {
  readonly writes: readonly [() => Promise<RaceResponse>, () => Promise<RaceResponse>];
  /**
   * Checks what the invariants of the world cannot know, for example that one of two equal names was refused.
   *
   * @returns findings; empty when nothing is wrong
   */
  readonly check?: (responses: readonly [RaceResponse, RaceResponse]) => Promise<readonly string[]>;
}

/** A pair of writes that may meet. */
export interface RacePair<World> {
  /** The part of the service that both writes belong to. */
  readonly slice: string;
  /** Completes the test title "keeps the invariants when …". */
  readonly title: string;
  /** Whether one write deletes something that the other refers to. Such pairs run in the short form, too. */
  readonly deletes?: boolean;
  /** Creates what a round needs. Called before each round. */
  arrange(world: World, random: Random): Promise<RaceRound>;
}

/** A service with data, in which pairs race. */
export interface RaceWorld {
  /**
   * Checks the invariants: by SQL, and by comparing what clients know by events with fresh snapshots. Called after the
   * rounds of a pair, when no write is under way.
   *
   * @returns findings; empty when nothing is wrong
   */
  check(): Promise<readonly string[]>;
  stop(): Promise<void>;
}
