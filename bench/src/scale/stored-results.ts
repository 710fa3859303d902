import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseSizeNames, type ServiceWithGeneratedDatabase, type DatabaseSizeName } from './scale-app.js';
import { type OperationMeasurementLimit, formatLimitResult, type MeasurementsByOperation } from './measured-figures.js';
import type { OperationMeasurement } from './measured-operation.js';

/** Latest measurements for each database size, stored in files so that separate runs can fill one table of results. */
export class StoredMeasurements {
  readonly #measurements = new Map<DatabaseSizeName, Record<string, OperationMeasurement>>();

  constructor(
    private readonly folder: string,
    private readonly app: Pick<ServiceWithGeneratedDatabase, 'name'>,
    private readonly processes: number,
  ) {
    mkdirSync(folder, { recursive: true });
    for (const size of databaseSizeNames) {
      if (!existsSync(this.#fileOf(size))) continue;
      this.#measurements.set(
        size,
        JSON.parse(readFileSync(this.#fileOf(size), 'utf8')) as Record<string, OperationMeasurement>,
      );
    }
  }

  #fileOf(size: DatabaseSizeName): string {
    return join(this.folder, `${this.app.name}-${size}-${this.processes}.json`);
  }

  recordMeasurement(size: DatabaseSizeName, name: string, measurement: OperationMeasurement): void {
    const ofSize = this.#measurements.get(size) ?? {};
    ofSize[name] = measurement;
    this.#measurements.set(size, ofSize);
    writeFileSync(this.#fileOf(size), `${JSON.stringify(ofSize, null, 2)}\n`);
  }

  getMeasurementsOfSize(size: DatabaseSizeName): MeasurementsByOperation | undefined {
    return this.#measurements.get(size);
  }

  /**
   * Returns a Markdown table with the results of the named operations. Memory, unresponsive times and writes of the
   * background client are shown for the largest measured size.
   */
  formatResultTable(names: readonly string[]): string {
    return [resultTableHeading, ...names.map((name) => this.#formatRow(name))].join('\n');
  }

  #formatRow(name: string): string {
    const [small, middle, large] = databaseSizeNames.map((size) => this.getMeasurementsOfSize(size)?.[name]);
    const largest = large ?? middle ?? small;
    if (largest === undefined) return `${name.padEnd(operationNameColumnWidth)}  not measured`;
    // There is nothing to compare if only the small size was measured.
    const base = large !== undefined ? middle : middle !== undefined ? small : undefined;
    const ratio = base?.medianMs && largest.medianMs ? (largest.medianMs / base.medianMs).toFixed(1) : '-';
    const cells = [
      ...[small, middle, large].map((each) => formatMilliseconds(each?.medianMs ?? null)),
      ratio,
      largest.peakMb.toFixed(0),
      largest.addedMb.toFixed(0),
      formatMilliseconds(largest.stallMs),
      `${formatMilliseconds(largest.bystanderMs)}${largest.bystanderFailures > 0 ? ` (${largest.bystanderFailures} failed)` : ''}`,
    ];
    const line = `${name.padEnd(operationNameColumnWidth)} ${cells.map((cell) => cell.padStart(9)).join(' ')}`;
    if (largest.error !== undefined) return `${line}\n    FAILED: ${largest.error.slice(0, 300)}`;
    return largest.remark === undefined ? line : `${line}\n    ${largest.remark}`;
  }

  /** Returns one line for each required limit, which states whether the measurements of a size meet it. */
  formatLimitResults(figures: readonly OperationMeasurementLimit[], size: DatabaseSizeName): string {
    const measured = this.getMeasurementsOfSize(size);
    if (measured === undefined) return 'nothing was measured';
    const middle = size === 'large' ? this.getMeasurementsOfSize('middle') : undefined;
    return figures.map((figure) => formatLimitResult(figure, measured, middle)).join('\n');
  }
}

const operationNameColumnWidth = 62;
const resultTableColumnNames = ['small', 'middle', 'large', 'ratio', 'peak MB', 'added MB', 'stall', 'bystander'];
const resultTableHeading = `${'median, stall and bystander in ms'.padEnd(operationNameColumnWidth)} ${resultTableColumnNames.map((name) => name.padStart(9)).join(' ')}`;

function formatMilliseconds(value: number | null): string {
  if (value === null) return '-';
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
