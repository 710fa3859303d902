import { integerVariableSchema } from '@switchboard/platform';
import { z } from 'zod';

export const resumableUploadEnvironmentVariables = {
  RESUMABLE_UPLOAD_HOURS: integerVariableSchema({ min: 1, max: 8_760 })
    .default(24)
    .meta({ description: 'Hours after its creation at which an unfinished resumable upload is removed' }),
  RESUMABLE_UPLOADS_PER_USER: integerVariableSchema({ min: 1 })
    .default(100)
    .meta({ description: 'Unfinished resumable uploads that one user may have' }),
};

const resumableUploadEnvironmentSchema = z.object(resumableUploadEnvironmentVariables);

/** Parsed values of {@link resumableUploadEnvironmentVariables}. */
export type ResumableUploadConfiguration = z.infer<typeof resumableUploadEnvironmentSchema>;
