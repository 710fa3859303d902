/**
 * Number of failed steps after which the remaining maintenance steps are skipped, because all failures probably have
 * one common cause.
 */
const maxFailedMaintenanceSteps = 10;

/**
 * Runs asynchronous steps one after the other. A failing step does not prevent the following steps.
 *
 * @throws the error of the failed step; AggregateError if several steps failed
 */
export async function runMaintenanceSteps(steps: Iterable<() => Promise<void>>): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
      if (errors.length >= maxFailedMaintenanceSteps) break;
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1)
    throw new AggregateError(errors, `${errors.length} of the steps failed: ${errors.map(String).join('; ')}`);
}
