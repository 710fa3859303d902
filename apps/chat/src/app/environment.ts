import { parseEnvironmentValues, requireCurrentPepper } from '@switchboard/platform';
import type { z } from 'zod';
import { commonEnv } from '../config.js';
import { chatSlices } from './slices.js';

/** Converts a union type to the intersection type of the union's members. */
type UnionToIntersection<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Schemas of the environment variables that the feature modules (slices) declare. */
type SliceEnvironmentVariables = UnionToIntersection<(typeof chatSlices)[number]['configuration']>;

const sliceEnvironmentVariables = Object.assign(
  {},
  ...chatSlices.map(({ configuration }) => configuration),
) as SliceEnvironmentVariables;

/**
 * Schema of the environment variables of the chat service: the common variables and the variables of every feature
 * module.
 */
export const chatEnv = commonEnv.extend(sliceEnvironmentVariables);

/** Parsed environment variables of the chat service. */
export type ServiceConfig = z.infer<typeof chatEnv>;

/** Environment variables of this process. Child processes inherit only a part of these variables. */
export const programEnvironment: Readonly<Record<string, string | undefined>> = process.env;

/**
 * Parses the environment variables of the chat service, and reads the files that the variables name. Called once, when
 * a process starts.
 *
 * @throws ConfigError with every invalid variable, and in production with every missing secret
 */
export function readConfig(env: Record<string, string | undefined> = process.env): ServiceConfig {
  return requireCurrentPepper(parseEnvironmentValues(chatEnv, env));
}
