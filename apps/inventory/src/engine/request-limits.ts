import { integerVariableSchema } from '@switchboard/platform';
import { z } from 'zod';

/**
 * Environment variables that limit the size of one request. The default limits are far above the size of requests that
 * clients of the reference API send.
 */
export const requestSizeLimitVariables = z.object({
  FILTERS_MAX: integerVariableSchema({ min: 1 })
    .default(100)
    .meta({ description: 'Largest number of different query parameters of a list' }),
  FILTER_VALUES_MAX: integerVariableSchema({ min: 1 })
    .default(2_000)
    .meta({ description: 'Largest number of values of one filter' }),
  ORDERING_NAMES_MAX: integerVariableSchema({ min: 1 })
    .default(20)
    .meta({ description: 'Largest number of names in `ordering`; repeated ones do not count' }),
  PATTERN_LENGTH_MAX: integerVariableSchema({ min: 1 }).default(300).meta({
    description: 'Longest regular expression, and longest text that is searched for inside others, in characters',
  }),
  BULK_ITEMS_MAX: integerVariableSchema({ min: 1 })
    .default(10_000)
    .meta({ description: 'Largest number of objects in one request that creates, changes or deletes a list' }),
  DELETION_OBJECTS_MAX: integerVariableSchema({ min: 1 }).default(50_000).meta({
    description:
      'Largest number of objects that one request deletes or sets references of to null, including those that follow from the deletion. Rows without a change log do not count, such as the change records of a deleted user and the assignments of a deleted tag',
  }),
  DELETION_IN_MEMORY_MAX: integerVariableSchema({ min: 0, max: 10_000 }).default(500).meta({
    description:
      'Largest number of objects of a deletion that is planned in memory; a larger deletion is planned in temporary tables',
  }),
  CREATION_OBJECTS_MAX: integerVariableSchema({ min: 1 }).default(100_000).meta({
    description:
      'Largest number of objects that one request creates when they bring others, such as the components of devices; those count',
  }),
  CREATION_IN_MEMORY_MAX: integerVariableSchema({ min: 1, max: 10_000 }).default(500).meta({
    description:
      'Largest number of objects or cable ends, whichever are more, of a list that is created in memory. A longer list is created by temporary tables',
  }),
  UPDATE_IN_MEMORY_MAX: integerVariableSchema({ min: 1, max: 10_000 }).default(500).meta({
    description:
      'Largest number of objects or cable ends, whichever are more, of a list that is changed in memory. A change counts stored and sent ends. A longer list is changed by temporary tables',
  }),
  UPDATE_TEXT_BYTES_MAX: integerVariableSchema({ min: 1 }).default(33_554_432).meta({
    description:
      'Largest size of the texts of all objects of a list that one request changes, in bytes. Also the largest size of the config contexts, or of the terminations of virtual circuits, that 500 created or changed objects show',
  }),
  ATTRIBUTE_PATHS_MAX: integerVariableSchema({ min: 1 })
    .default(40)
    .meta({ description: 'Largest number of attribute paths that identify one related object' }),
  ATTRIBUTE_DEPTH_MAX: integerVariableSchema({ min: 1 })
    .default(6)
    .meta({ description: 'Largest number of names in one attribute path, its lookup not counted' }),
  ATTRIBUTE_NAMES_MAX: integerVariableSchema({ min: 1 })
    .default(6_000)
    .meta({ description: 'Largest number of names in all attribute paths of one write' }),
});

/** Limits on the size of one request; see {@link requestSizeLimitVariables}. */
export interface RequestLimits {
  readonly filters: number;
  readonly filterValues: number;
  readonly orderingNames: number;
  readonly patternLength: number;
  readonly bulkItems: number;
  readonly deletionObjects: number;
  readonly deletionInMemory: number;
  readonly creationObjects: number;
  readonly creationInMemory: number;
  readonly updateInMemory: number;
  readonly updateTextBytes: number;
  readonly attributePaths: number;
  readonly attributeDepth: number;
  readonly attributeNames: number;
}

/** Returns the limits on the size of one request from the parsed environment variables. */
export function getRequestSizeLimits(settings: z.infer<typeof requestSizeLimitVariables>): RequestLimits {
  return {
    filters: settings.FILTERS_MAX,
    filterValues: settings.FILTER_VALUES_MAX,
    orderingNames: settings.ORDERING_NAMES_MAX,
    patternLength: settings.PATTERN_LENGTH_MAX,
    bulkItems: settings.BULK_ITEMS_MAX,
    deletionObjects: settings.DELETION_OBJECTS_MAX,
    deletionInMemory: settings.DELETION_IN_MEMORY_MAX,
    creationObjects: settings.CREATION_OBJECTS_MAX,
    creationInMemory: settings.CREATION_IN_MEMORY_MAX,
    updateInMemory: settings.UPDATE_IN_MEMORY_MAX,
    updateTextBytes: settings.UPDATE_TEXT_BYTES_MAX,
    attributePaths: settings.ATTRIBUTE_PATHS_MAX,
    attributeDepth: settings.ATTRIBUTE_DEPTH_MAX,
    attributeNames: settings.ATTRIBUTE_NAMES_MAX,
  };
}
