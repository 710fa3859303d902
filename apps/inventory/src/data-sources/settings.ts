import { envInteger, envList } from '@switchboard/platform';
import { z } from 'zod';

/** Environment variables of data sources and their jobs. */
export const dataSourceEnv = z.object({
  DATA_SOURCE_FOLDERS: envList().default([]).meta({
    description:
      'Folders of the server, separated by commas, below which data sources of type local may read; unset, no local source can be synchronized',
  }),
  DATA_SOURCE_MAX_FILES: envInteger({ min: 1, max: 1_000_000 })
    .default(10_000)
    .meta({ description: 'Most files of one data source; a synchronization that finds more fails' }),
  DATA_SOURCE_MAX_BYTES: envInteger({ min: 1, max: 1_073_741_824 })
    .default(67_108_864)
    .meta({ description: 'Largest total size of the files of one data source, in bytes' }),
  DATA_SOURCE_MAX_FILE_BYTES: envInteger({ min: 1, max: 134_217_728 })
    .default(10_485_760)
    .meta({ description: 'Largest size of one file of a data source, in bytes' }),
  DATA_SOURCE_TIMEOUT_MS: envInteger({ min: 1, max: 3_600_000 })
    .default(300_000)
    .meta({ description: 'Time limit for reading the files of one data source, in milliseconds' }),
  JOB_RETENTION: envInteger({ min: 0 })
    .default(90)
    .meta({ description: 'Days until finished jobs are removed; 0 retains them for ever' }),
});

/** Configuration of data sources. */
type DataSourceConfig = z.infer<typeof dataSourceEnv>;

/** Limits of one synchronization. */
export interface SourceLimits {
  /** Maximum number of files. */
  readonly files: number;
  /** Maximum total size of the files in bytes. */
  readonly bytes: number;
  /** Maximum size of one file in bytes. */
  readonly fileBytes: number;
  /** Time limit for reading the files. */
  readonly timeoutMs: number;
}

/** Settings of synchronizations. */
export interface DataSourceSettings {
  /** Folders below which local sources may read. */
  readonly folders: readonly string[];
  readonly limits: SourceLimits;
}

/** Returns the settings from the configuration. */
export function dataSourceSettings(config: DataSourceConfig): DataSourceSettings {
  return {
    folders: config.DATA_SOURCE_FOLDERS,
    limits: {
      files: config.DATA_SOURCE_MAX_FILES,
      bytes: config.DATA_SOURCE_MAX_BYTES,
      fileBytes: config.DATA_SOURCE_MAX_FILE_BYTES,
      timeoutMs: config.DATA_SOURCE_TIMEOUT_MS,
    },
  };
}
